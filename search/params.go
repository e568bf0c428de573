package search

import (
	"errors"
	"fmt"
)

// The parameters. Depths are in plies, scores in centipawns, reductions in 1024ths of a
// ply, history values in the histories' own unit (at most historyMax).
const (
	pAspiration = iota
	pAspirationGrow
	pAspirationDepth
	pRazorBase
	pRazorSlope
	pRazorDepth
	pReverseSlope
	pReverseDepth
	pReverseImproving
	pNullDepth
	pNullBase
	pNullDivisor
	pNullEval
	pNullEvalMax
	pNullVerify
	pProbMargin
	pProbDepth
	pProbReduce
	pInternalDepth
	pLateBase
	pLateSlope
	pLateDepth
	pFutilityBase
	pFutilitySlope
	pFutilityDepth
	pHistoryPrune
	pHistoryPruneDepth
	pSeeQuiet
	pSeeCapture
	pSeeDepth
	pSingularDepth
	pSingularMargin
	pSingularTable
	pDoubleMargin
	pDoubleMax
	pCheckExtend
	pReduceBase
	pReduceScale
	pReduceMoves
	pReducePV
	pReduceCut
	pReduceNotImproving
	pReduceCheck
	pReduceKiller
	pReduceHistory
	pReduceTTCapture
	pReduceCapture
	pReduceOldPV
	pReduceNoMove
	pReduceCutoffs
	pDeeperMargin
	pHistoryBonus
	pHistoryBonusMax
	pHistoryMalus
	pHistoryMalusMax
	pCaptureHistory
	pPriorBonus
	pTableBonus
	pEvalHistory
	pCorrection
	pQuiesceDelta
	pQuiesceChecks
	pLimitGuard
	pSeeAdvisor
	pSeeElephant
	pSeeHorse
	pSeeRook
	pSeeCannon
	pSeeSoldier
	pTimeMoves
	pTimeIncrement
	pTimeReserve
	pTimeMaxFactor
	pTimeMaxShare
	pTimeStable
	pTimeUnstable
	pTimeFalling
	pTimeFallingMax
	pTimeNodes
	pMateDepth
	paramCount
)

// Param describes one parameter of the search.
type Param struct {
	Name     string
	Default  int
	Min, Max int
	Step     int // a difference worth trying first, for tuning
	Doc      string
}

// params describes all parameters in the order of the constants.
var params = [paramCount]Param{
	pAspiration:         {"Aspiration", 22, 2, 200, 4, "first half-width of the aspiration window"},
	pAspirationGrow:     {"AspirationGrow", 50, 10, 300, 15, "how much a failed window grows, in per cent"},
	pAspirationDepth:    {"AspirationDepth", 4, 1, 64, 1, "depth from which windows are used"},
	pRazorBase:          {"RazorBase", 207, 0, 1500, 40, "razoring: margin below alpha"},
	pRazorSlope:         {"RazorSlope", 109, 0, 1000, 30, "razoring: margin for each ply squared"},
	pRazorDepth:         {"RazorDepth", 4, 0, 10, 1, "razoring: greatest depth"},
	pReverseSlope:       {"ReverseSlope", 113, 10, 400, 12, "reverse futility: margin for each ply"},
	pReverseDepth:       {"ReverseDepth", 8, 0, 16, 1, "reverse futility: greatest depth"},
	pReverseImproving:   {"ReverseImproving", 51, 0, 300, 12, "reverse futility: margin given back when the side improves"},
	pNullDepth:          {"NullDepth", 3, 1, 64, 1, "null move: least depth"},
	pNullBase:           {"NullBase", 3, 1, 8, 1, "null move: reduction"},
	pNullDivisor:        {"NullDivisor", 4, 2, 12, 1, "null move: depth that adds a ply to the reduction"},
	pNullEval:           {"NullEval", 155, 40, 800, 25, "null move: evaluation above beta that adds a ply to the reduction"},
	pNullEvalMax:        {"NullEvalMax", 3, 0, 8, 1, "null move: most plies added for the evaluation"},
	pNullVerify:         {"NullVerify", 12, 4, 64, 1, "null move: depth from which a cut is verified"},
	pProbMargin:         {"ProbMargin", 187, 30, 800, 25, "probcut: margin above beta"},
	pProbDepth:          {"ProbDepth", 5, 3, 64, 1, "probcut: least depth"},
	pProbReduce:         {"ProbReduce", 4, 2, 8, 1, "probcut: reduction of its search"},
	pInternalDepth:      {"InternalDepth", 4, 2, 64, 1, "internal reduction without a table move: least depth"},
	pLateBase:           {"LateBase", 4, 1, 20, 1, "late move pruning: moves always searched"},
	pLateSlope:          {"LateSlope", 142, 20, 400, 15, "late move pruning: moves for the depth squared, in per cent"},
	pLateDepth:          {"LateDepth", 8, 0, 16, 1, "late move pruning: greatest depth"},
	pFutilityBase:       {"FutilityBase", 55, 0, 600, 20, "futility of quiet moves: margin"},
	pFutilitySlope:      {"FutilitySlope", 38, 10, 400, 15, "futility of quiet moves: margin for each ply of reduced depth"},
	pFutilityDepth:      {"FutilityDepth", 9, 0, 16, 1, "futility of quiet moves: greatest reduced depth"},
	pHistoryPrune:       {"HistoryPrune", 8913, 200, 16000, 500, "history pruning: bound for each ply of reduced depth"},
	pHistoryPruneDepth:  {"HistoryPruneDepth", 5, 0, 12, 1, "history pruning: greatest reduced depth"},
	pSeeQuiet:           {"SeeQuiet", 31, 0, 200, 5, "exchange pruning of quiet moves: loss for each ply squared"},
	pSeeCapture:         {"SeeCapture", 150, 0, 600, 20, "exchange pruning of captures: loss for each ply"},
	pSeeDepth:           {"SeeDepth", 8, 0, 16, 1, "exchange pruning: greatest depth"},
	pSingularDepth:      {"SingularDepth", 7, 4, 64, 1, "singular extension: least depth"},
	pSingularMargin:     {"SingularMargin", 20, 4, 100, 4, "singular extension: margin for each ply, in sixteenths"},
	pSingularTable:      {"SingularTable", 3, 1, 6, 1, "singular extension: how much shallower the table entry may be"},
	pDoubleMargin:       {"DoubleMargin", 25, 0, 200, 5, "double extension: margin below the singular bound"},
	pDoubleMax:          {"DoubleMax", 6, 0, 20, 1, "double extension: most in a line"},
	pCheckExtend:        {"CheckExtend", 1, 0, 1, 1, "check extension: extend checks that lose nothing (1) or none (0)"},
	pReduceBase:         {"ReduceBase", 333, -1024, 3072, 100, "late move reduction: constant"},
	pReduceScale:        {"ReduceScale", 210, 50, 800, 20, "late move reduction: factor of log2(depth)·log2(moves)"},
	pReduceMoves:        {"ReduceMoves", 2, 1, 128, 1, "late move reduction: moves searched at full depth"},
	pReducePV:           {"ReducePV", 937, 0, 3072, 150, "late move reduction: less in a principal variation"},
	pReduceCut:          {"ReduceCut", 2408, 0, 3072, 150, "late move reduction: more in an expected cut node"},
	pReduceNotImproving: {"ReduceNotImproving", 1040, 0, 3072, 150, "late move reduction: more when the side does not improve"},
	pReduceCheck:        {"ReduceCheck", 750, 0, 3072, 150, "late move reduction: less for a check"},
	pReduceKiller:       {"ReduceKiller", 1088, 0, 3072, 150, "late move reduction: less for killers and counter moves"},
	pReduceHistory:      {"ReduceHistory", 8, 2, 64, 1, "late move reduction: history value that takes away 1/1024 ply"},
	pReduceTTCapture:    {"ReduceTTCapture", 711, 0, 3072, 150, "late move reduction: more when the table move is a capture"},
	pReduceCapture:      {"ReduceCapture", 798, 0, 3072, 150, "late move reduction: less for a capture that loses"},
	pReduceOldPV:        {"ReduceOldPV", 443, 0, 3072, 150, "late move reduction: less where a principal variation once went"},
	pReduceNoMove:       {"ReduceNoMove", 212, 0, 3072, 150, "late move reduction: more in an expected cut node without a table move"},
	pReduceCutoffs:      {"ReduceCutoffs", 686, 0, 3072, 150, "late move reduction: more where replies to moves of this ply have cut often"},
	pDeeperMargin:       {"DeeperMargin", 59, 5, 30000, 10, "a reduced search that beats the best by this is repeated one ply deeper"},
	pHistoryBonus:       {"HistoryBonus", 133, 10, 600, 20, "history: bonus for each ply"},
	pHistoryBonusMax:    {"HistoryBonusMax", 1610, 0, 4000, 150, "history: greatest bonus"},
	pHistoryMalus:       {"HistoryMalus", 204, 10, 600, 20, "history: malus for each ply"},
	pHistoryMalusMax:    {"HistoryMalusMax", 1333, 0, 4000, 150, "history: greatest malus"},
	pCaptureHistory:     {"CaptureHistory", 16, 1, 128, 3, "capture order: history worth a centipawn of the victim"},
	pPriorBonus:         {"PriorBonus", 49, 0, 600, 20, "history: bonus for each ply of the quiet move before a node that fails low"},
	pTableBonus:         {"TableBonus", 33, 0, 600, 20, "history: bonus for each ply of a quiet table move that cuts at once"},
	pEvalHistory:        {"EvalHistory", 3, 0, 40, 1, "history: bonus of a quiet move for each centipawn that the evaluation changed by it"},
	pCorrection:         {"Correction", 59, 0, 256, 8, "correction of the static evaluation by what searches showed: most centipawns"},
	pQuiesceDelta:       {"QuiesceDelta", 175, 0, 800, 25, "quiescence: margin of futile captures"},
	pQuiesceChecks:      {"QuiesceChecks", 0, 0, 1, 1, "quiescence: quiet checks in its first ply (1) or none (0)"},
	pLimitGuard:         {"LimitGuard", 20, 0, 100, 4, "plies before the move limit in which table cuts are not trusted"},
	pSeeAdvisor:         {"SeeAdvisor", 184, 50, 500, 20, "exchange value of an advisor"},
	pSeeElephant:        {"SeeElephant", 218, 50, 500, 20, "exchange value of an elephant"},
	pSeeHorse:           {"SeeHorse", 382, 200, 900, 30, "exchange value of a horse"},
	pSeeRook:            {"SeeRook", 833, 500, 2000, 50, "exchange value of a rook"},
	pSeeCannon:          {"SeeCannon", 498, 200, 900, 30, "exchange value of a cannon"},
	pSeeSoldier:         {"SeeSoldier", 46, 30, 400, 20, "exchange value of a soldier"},
	pTimeMoves:          {"TimeMoves", 32, 8, 80, 2, "time: moves that the clock is shared among"},
	pTimeIncrement:      {"TimeIncrement", 95, 0, 100, 5, "time: part of the increment spent, in per cent"},
	pTimeReserve:        {"TimeReserve", 60, 0, 2000, 25, "time: milliseconds of the clock not planned for, against a late machine"},
	pTimeMaxFactor:      {"TimeMaxFactor", 400, 100, 1000, 40, "time: most for a move, in per cent of its share"},
	pTimeMaxShare:       {"TimeMaxShare", 35, 5, 90, 4, "time: most for a move, in per cent of the clock"},
	pTimeStable:         {"TimeStable", 7, 0, 20, 1, "time: less for each iteration with the same move, in per cent"},
	pTimeUnstable:       {"TimeUnstable", 25, 0, 100, 4, "time: more after a change of the move, in per cent"},
	pTimeFalling:        {"TimeFalling", 100, 0, 400, 15, "time: more when the score falls, per cent for 100 centipawns"},
	pTimeFallingMax:     {"TimeFallingMax", 60, 0, 200, 10, "time: most added for a falling score, in per cent"},
	pTimeNodes:          {"TimeNodes", 80, 0, 200, 10, "time: less when most nodes went to the best move, in per cent"},
	pMateDepth:          {"MateDepth", 6, 0, 60, 2, "an iteration this much deeper than a mate found ends the search"},
}

// Params are the values of all parameters of a search. They are a value; the zero value
// is not usable, begin with DefaultParams.
type Params struct{ v [paramCount]int }

// ErrParam is wrapped by the errors of Params.
var ErrParam = errors.New("search parameter")

// DefaultParams returns the values the search was tuned with.
func DefaultParams() Params {
	var p Params
	for i := range params {
		p.v[i] = params[i].Default
	}
	return p
}

// ParamList describes all parameters in a fixed order.
func ParamList() []Param { return append([]Param(nil), params[:]...) }

// Get returns a parameter's value by its name.
func (p *Params) Get(name string) (int, error) {
	i, err := paramIndex(name)
	if err != nil {
		return 0, err
	}
	return p.v[i], nil
}

// Set changes a parameter by its name and refuses values out of its range.
func (p *Params) Set(name string, value int) error {
	i, err := paramIndex(name)
	if err != nil {
		return err
	}
	if d := &params[i]; value < d.Min || value > d.Max {
		return fmt.Errorf("%w %s is %d, want %d to %d", ErrParam, name, value, d.Min, d.Max)
	}
	p.v[i] = value
	return nil
}

func paramIndex(name string) (int, error) {
	for i := range params {
		if params[i].Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%w %q does not exist", ErrParam, name)
}
