package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/stats"
)

// Input is what a summary is made of.
type Input struct {
	Run        results.Run   // of it: ID, Name, Rules, Book, Seed, Engines
	Rows       []results.Row // all of the run, in any order
	Test       *stats.SPRT   // nil without a test; for two engines only
	Sequential *stats.Sequential
	Anchors    map[int]float64 // Elo of engines by index that is fixed, for more than two engines
	Event      string          // roundrobin, gauntlet or ladder
	Clocks     []Clock         // of the engines by index, nil or zero where none has a base that lasts the game
	Conditions string          // the limits as people write them: "10+0.1 Threads=1 Hash=16MB"
	StoppedBy  string          // games, sprt, until, signal or error; "" while it runs
	Elapsed    time.Duration   // that the run has played, over all of its sessions
}

// Clock is a time for all moves of a game, with what each adds.
type Clock struct{ Base, Inc time.Duration }

// left returns what is left of the clock at the end of a game on average, in seconds.
func (c Clock) left(moves, games int, wall time.Duration) float64 {
	return c.Base.Seconds() + (c.Inc.Seconds()*float64(moves)-wall.Seconds())/float64(games)
}

// Summary is how a run stands: the JSON object of `arena --json` and what the tables print. Figures
// under Elo, Penta and SPRT are from the first engine's view.
type Summary struct {
	Run            string        `json:"run"`
	Name           string        `json:"name"`
	Event          string        `json:"event,omitempty"` // of more than two engines: roundrobin, gauntlet or ladder
	Rules          string        `json:"rules"`
	Openings       string        `json:"openings"`
	Seed           uint64        `json:"seed"`
	StoppedBy      string        `json:"stopped_by"`
	Games          int           `json:"games"` // with a result, replaced attempts left out
	Pairs          int           `json:"pairs"` // whole ones
	Engines        []Engine      `json:"engines"`
	Penta          *stats.Penta  `json:"penta,omitempty"` // two engines only
	SPRT           *SPRT         `json:"sprt,omitempty"`  // two engines only
	Seconds        float64       `json:"seconds"`
	GamesPerSecond float64       `json:"games_per_second"`
	Elo            *stats.Elo    `json:"match,omitempty"` // two engines only; over pairs if there is one
	NotPlayed      int           `json:"not_played"`      // games that ended without a result and were not replaced
	Reasons        []ReasonCount `json:"reasons"`
	Conditions     string        `json:"conditions,omitempty"`
	Cross          [][]CrossCell `json:"cross,omitempty"`  // [i][j]: engine i against j; more than two engines
	LOS            [][]float64   `json:"los,omitempty"`    // [i][j]: likelihood that i is stronger than j; more than two engines
	Groups         [][]int       `json:"groups,omitempty"` // engines that pairs connect, where that is not all: ratings of others cannot be compared
}

// Engine is one engine's share in a run. Score is from 0 to 1; Elo is the rating, relative to the
// mean of all or to the anchors, against the other engine in a match of two; EloError is half its
// interval of 95 %.
type Engine struct {
	Name       string       `json:"name"`
	Anchor     bool         `json:"anchor,omitempty"` // its Elo was given
	SHA256     string       `json:"sha256"`
	Games      int          `json:"games"`
	Wins       int          `json:"wins"`
	Draws      int          `json:"draws"`
	Losses     int          `json:"losses"`
	Score      float64      `json:"score"`
	Elo        float64      `json:"elo"`
	EloError   float64      `json:"elo_error"`
	TimeLosses int          `json:"time_losses"`
	Late       int          `json:"late"`    // moves that only the margin forgave
	Crashes    int          `json:"crashes"` // and hangs and failed starts
	Illegal    int          `json:"illegal"`
	DepthMean  float64      `json:"depth_mean"`           // plies, over the moves that had one
	NPSMean    float64      `json:"nps_mean"`             // nodes over thinking time
	MsPerMove  float64      `json:"ms_per_move"`          // thinking time over moves
	Clock      float64      `json:"clock,omitempty"`      // base in seconds, where it lasts the game
	ClockLeft  float64      `json:"clock_left,omitempty"` // what is left of it at the end of a game on average, in seconds
	Disagree   int          `json:"disagree"`             // games in which its last score said the opposite of the result
	Colours    [2]stats.WDL `json:"-"`                    // with Red, with Black
}

// SPRT is a test and where it stands.
type SPRT struct {
	stats.SPRT
	stats.SPRTState
	Pairs    int            `json:"pairs_read"` // that the LLR is of
	Estimate stats.Estimate `json:"unbiased"`
}

// ReasonCount counts the games that ended for a reason.
type ReasonCount struct {
	Reason    results.Reason `json:"reason"`
	Red       int            `json:"red_wins"`
	Draws     int            `json:"draws"`
	Black     int            `json:"black_wins"`
	NotPlayed int            `json:"not_played"`
}

// CrossCell is one engine's result against another.
type CrossCell struct {
	WDL   stats.WDL
	Penta stats.Penta
}

// MarshalJSON writes the games and the pairs.
func (c CrossCell) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Wins   int         `json:"wins"`
		Draws  int         `json:"draws"`
		Losses int         `json:"losses"`
		Penta  stats.Penta `json:"penta"`
	}{c.WDL.W, c.WDL.D, c.WDL.L, c.Penta})
}

// Summarize computes a run's summary. Errors come from the test and the anchors.
func Summarize(in Input) (*Summary, error) {
	c := Count(in.Rows)
	s := &Summary{
		Run: in.Run.ID, Name: in.Run.Name, Rules: in.Run.Rules, Openings: in.Run.Book, Seed: in.Run.Seed,
		StoppedBy: in.StoppedBy, Conditions: in.Conditions, Games: len(c.Games), Pairs: len(c.Pairs),
		Seconds: in.Elapsed.Seconds(),
	}
	if s.Seconds > 0 {
		s.GamesPerSecond = float64(s.Games) / s.Seconds
	}
	for i, e := range in.Run.Engines {
		var clock Clock
		if i < len(in.Clocks) {
			clock = in.Clocks[i]
		}
		s.Engines = append(s.Engines, engine(c.Games, i, e, clock))
	}
	s.countReasons(in.Rows, c)
	switch {
	case len(s.Engines) > 2:
		s.Event = in.Event
		s.cross(c)
		return s, s.rate(in.Anchors)
	case len(s.Engines) < 2:
		return s, nil
	}
	s.match(c)
	return s, s.test(in, c)
}

// rate fills the joint ratings.
func (s *Summary) rate(anchors map[int]float64) error {
	var pairings []stats.Pairing
	for i := range s.Cross {
		for j := range i {
			pairings = append(pairings, stats.Pairing{A: i, B: j, Pairs: s.Cross[i][j].Penta})
		}
	}
	r, err := stats.Rate(len(s.Engines), pairings, anchors, 0)
	if err != nil {
		return err
	}
	for i := range s.Engines {
		s.Engines[i].Elo, s.Engines[i].EloError = r.Elo[i], r.Error[i]
		_, s.Engines[i].Anchor = anchors[i]
	}
	s.LOS = r.LOS
	if len(r.Groups) > 1 {
		s.Groups = r.Groups
	}
	return nil
}

func engine(games []results.Row, index int, e results.Engine, clock Clock) Engine {
	var side results.Side
	out := Engine{Name: e.Name, SHA256: e.SHA256}
	for _, g := range games {
		for c, who := range [2]int{g.Red, g.Black} {
			if who != index {
				continue
			}
			out.add(g, movegen.Color(c))
			side = sum(side, g.Sides[c])
		}
	}
	for c := range out.Colours {
		out.Colours[c] = WDLAs(games, index, movegen.Color(c))
	}
	w := out.Colours[0].Add(out.Colours[1])
	out.Games, out.Wins, out.Draws, out.Losses, out.Score = w.Games(), w.W, w.D, w.L, w.Elo().Score
	out.Late = side.Late
	out.DepthMean = mean(float64(side.DepthSum), side.DepthMoves)
	out.MsPerMove = mean(float64(side.Wall.Microseconds())/1000, side.Moves)
	if clock.Base > 0 && out.Games > 0 {
		out.Clock, out.ClockLeft = clock.Base.Seconds(), clock.left(side.Moves, out.Games, side.Wall)
	}
	if side.Wall > 0 {
		out.NPSMean = float64(side.Nodes) / side.Wall.Seconds()
	}
	return out
}

// add counts what went wrong for the side that is c in a game.
func (e *Engine) add(g results.Row, c movegen.Color) {
	if g.Disagree[c] {
		e.Disagree++
	}
	if g.Result != results.Won(c.Other()) {
		return
	}
	switch g.Reason {
	case results.TimeLoss:
		e.TimeLosses++
	case results.Crash, results.Hang, results.StartFailed:
		e.Crashes++
	case results.IllegalMove:
		e.Illegal++
	}
}

func sum(a, b results.Side) results.Side {
	return results.Side{
		Moves: a.Moves + b.Moves, DepthSum: a.DepthSum + b.DepthSum, DepthMoves: a.DepthMoves + b.DepthMoves,
		Nodes: a.Nodes + b.Nodes, Wall: a.Wall + b.Wall, CPU: a.CPU + b.CPU, Delay: a.Delay + b.Delay, Late: a.Late + b.Late,
	}
}

func mean(total float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return total / float64(n)
}

// match fills what a match of two has: Elo over pairs, over games while no pair is whole.
func (s *Summary) match(c Counted) {
	penta := PentaOf(c.Pairs, 0, 1)
	w := WDLOf(c.Games, 0)
	e := w.Elo()
	if penta.Pairs() > 0 {
		e = penta.Elo()
		e.DrawRate = w.Elo().DrawRate
	}
	s.Penta, s.Elo = &penta, &e
	s.Engines[0].Elo, s.Engines[1].Elo = e.Elo, -e.Elo
	s.Engines[0].EloError, s.Engines[1].EloError = e.EloError, e.EloError
}

// test reads the pairs as the running test does, unless the running test itself is given.
func (s *Summary) test(in Input, c Counted) error {
	q := in.Sequential
	if q == nil {
		if in.Test == nil {
			return nil
		}
		var err error
		if q, err = stats.NewSequential(*in.Test); err != nil {
			return err
		}
		if err := Read(q, c, in.Rows); err != nil {
			return err
		}
	}
	s.SPRT = &SPRT{q.Test(), q.State(), q.Penta().Pairs(), q.Estimate()}
	return nil
}

// countReasons counts how games ended; of a pair and leg without a result, the last attempt.
func (s *Summary) countReasons(rows []results.Row, c Counted) {
	at := map[results.Reason]int{}
	of := func(r results.Reason) *ReasonCount {
		i, ok := at[r]
		if !ok {
			i = len(s.Reasons)
			at[r] = i
			s.Reasons = append(s.Reasons, ReasonCount{Reason: r})
		}
		return &s.Reasons[i]
	}
	for _, g := range c.Games {
		n := of(g.Reason)
		switch g.Result {
		case results.RedWins:
			n.Red++
		case results.BlackWins:
			n.Black++
		default:
			n.Draws++
		}
	}
	for _, g := range unplayed(rows, c) {
		of(g.Reason).NotPlayed++
		s.NotPlayed++
	}
	slices.SortFunc(s.Reasons, func(a, b ReasonCount) int {
		return cmp.Or(cmp.Compare(b.total(), a.total()), cmp.Compare(a.Reason, b.Reason))
	})
}

func (n ReasonCount) total() int { return n.Red + n.Draws + n.Black + n.NotPlayed }

// cross fills the table of everyone against everyone.
func (s *Summary) cross(c Counted) {
	n := len(s.Engines)
	s.Cross = make([][]CrossCell, n)
	for i := range s.Cross {
		s.Cross[i] = make([]CrossCell, n)
	}
	for _, g := range c.Games {
		if g.Red < 0 || g.Black < 0 || g.Red >= n || g.Black >= n || g.Red == g.Black {
			continue
		}
		w := WDLAs([]results.Row{g}, g.Red, movegen.Red)
		s.Cross[g.Red][g.Black].WDL = s.Cross[g.Red][g.Black].WDL.Add(w)
		s.Cross[g.Black][g.Red].WDL = s.Cross[g.Black][g.Red].WDL.Add(w.Swap())
	}
	for _, p := range c.Pairs {
		if p.First < n && p.Second < n {
			s.Cross[p.First][p.Second].Penta[p.Cell]++
			s.Cross[p.Second][p.First].Penta[4-p.Cell]++
		}
	}
}
