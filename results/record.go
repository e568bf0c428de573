package results

import (
	"fmt"
	"math"
	"time"

	"github.com/xqlab/xqlab/movegen"
)

// Result is the outcome of a game from Red's side; the zero value is unfinished.
type Result uint8

// The results.
const (
	Unfinished Result = iota
	RedWins
	BlackWins
	Drawn
	NotPlayed // given up for a reason that counts for neither side
)

// String returns PGN's name: "*" for what has no winner and is no draw.
func (r Result) String() string { return [...]string{"*", "1-0", "0-1", "1/2-1/2", "*"}[r] }

// Won returns the result in which c has won.
func Won(c movegen.Color) Result { return RedWins + Result(c) }

// Reason says why a game ended. The names of the referee's reasons are the referee's.
type Reason string

// The reasons a game ends with.
const (
	Checkmate            Reason = "checkmate"
	Stalemate            Reason = "stalemate"
	PerpetualCheck       Reason = "perpetual_check"
	PerpetualChase       Reason = "perpetual_chase"
	Repetition           Reason = "repetition"
	MutualPerpetual      Reason = "mutual_perpetual"
	MoveLimit            Reason = "move_limit"
	InsufficientMaterial Reason = "insufficient_material"

	Resignation Reason = "resignation"      // the engine resigned
	DrawAgreed  Reason = "draw_agreed"      // both engines offered a draw
	AdjResign   Reason = "adjudicated_win"  // by the scores, as --resign says
	AdjDraw     Reason = "adjudicated_draw" // by the scores, as --draw says
	MaxPlies    Reason = "max_plies"        // draw by --max-plies
	TimeLoss    Reason = "time"             // the clock, margin included
	Crash       Reason = "crash"            // the process ended or closed its pipe
	Hang        Reason = "hang"             // no answer within an absolute deadline
	IllegalMove Reason = "illegal_move"     // an illegal move, or none
	StartFailed Reason = "start_failed"     // the engine could not be started or prepared
	SetAside    Reason = "set_aside"        // not played: an engine failed too often
	HostVoid    Reason = "host_suspended"   // not played: this machine slept
	Stopped     Reason = "run_stopped"      // not played: the run ended first, as after an SPRT verdict
	Unknown     Reason = "unknown"          // an imported game without a reason
)

// Reasons are all reasons, in the order above.
func Reasons() []Reason {
	return []Reason{Checkmate, Stalemate, PerpetualCheck, PerpetualChase, Repetition, MutualPerpetual, MoveLimit, InsufficientMaterial,
		Resignation, DrawAgreed, AdjResign, AdjDraw, MaxPlies, TimeLoss, Crash, Hang, IllegalMove, StartFailed, SetAside, HostVoid, Stopped, Unknown}
}

// ByRules reports whether the referee ends games for this reason.
func (r Reason) ByRules() bool {
	switch r {
	case Checkmate, Stalemate, PerpetualCheck, PerpetualChase, Repetition, MutualPerpetual, MoveLimit, InsufficientMaterial:
		return true
	}
	return false
}

// Score is a centipawn score from Red's view in a stored record, ±30000 at most, or a
// mate: ±(MateScore − plies to mate). NoScore is a move without a score.
type Score int16

// Bounds of Score.
const (
	NoScore   Score = math.MinInt16
	MateScore Score = 32000
	MaxScore  Score = 30000
)

// Known reports whether there is a score.
func (s Score) Known() bool { return s != NoScore }

// Mate returns the plies to mate, negative when Red is mated, and whether s is a mate.
func (s Score) Mate() (plies int, ok bool) {
	switch {
	case s > MaxScore:
		return int(MateScore - s), true
	case s < -MaxScore && s != NoScore:
		return -int(s + MateScore), true
	}
	return 0, false
}

// Flip returns the score from the other side.
func (s Score) Flip() Score {
	if s == NoScore {
		return s
	}
	return -s
}

// For returns a score given from Red's view as c sees it, and the other way round.
func (s Score) For(c movegen.Color) Score {
	if c == movegen.Black {
		return s.Flip()
	}
	return s
}

// String returns "+0.33", "+M5" (plies), "-M4", or "-" without a score.
func (s Score) String() string {
	if !s.Known() {
		return "-"
	}
	if n, ok := s.Mate(); ok {
		if s > 0 {
			return fmt.Sprintf("+M%d", n)
		}
		return fmt.Sprintf("-M%d", -n)
	}
	return fmt.Sprintf("%+.2f", float64(s)/100)
}

// Ply is one move of a game with what the engine said of it.
type Ply struct {
	Move  movegen.Move
	Score Score // from Red's view
	Depth int   // plies, 0 when unknown
	Nodes uint64
	Wall  time.Duration // microseconds in the record: from go written to bestmove read
	CPU   time.Duration // the engine's processor time, 0 when unknown
	Delay time.Duration // this machine's scheduling delay, 0 when unknown
	Late  bool          // the clock ran out but for the margin
}

// GameKey names a game within a database.
type GameKey struct {
	Run     string // UUID
	Pair    int    // from 0
	Leg     int    // 0 or 1, colours swapped
	Attempt int    // from 0
}

// Game is the record of a game.
type Game struct {
	GameKey
	Red, Black int    // indexes of the run's engines, −1 for imported games
	Opening    string // FEN of the start position
	Book       int    // plies at the beginning that the opening gave, not the engines
	Result     Result
	Reason     Reason
	Detail     string // one line for people: the cycle of a repetition, an engine's last line
	Plies      []Ply
	Started    time.Time
	Ended      time.Time
	Disagree   [2]bool           // by colour: the engine's last score says the opposite of the result
	Evidence   []byte            // for a bad game: the engine's last lines, stderr, exit code (JSON)
	Tags       map[string]string // of an imported game: players, event, date …
}
