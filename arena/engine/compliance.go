package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
)

// State is the outcome of a step of a compliance check.
type State string

// The outcomes. Only Fail makes a report fail.
const (
	Pass State = "pass"
	Fail State = "fail"
	Note State = "note" // worth knowing, not judged
	Skip State = "skip" // could not be tried
)

// Step is one step of a compliance check.
type Step struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Detail string `json:"detail,omitempty"`
	Millis int64  `json:"ms"`
}

// Report is what a compliance check has found.
type Report struct {
	Cmd      string   `json:"cmd"`
	Args     []string `json:"args,omitempty"`
	Identity Identity `json:"identity"`
	Passed   bool     `json:"passed"`
	Failed   int      `json:"failed"`
	Steps    []Step   `json:"steps"`
}

// Checks says what a compliance check does beyond the protocol and legal moves.
type Checks struct {
	Perft bool // compare the engine's "go perft" with movegen's
}

// Compliance checks step by step whether an engine keeps to its protocol and plays legal
// moves, through the client that plays its games. Each step is written to w as a line when
// it is done. What the engine knows of repetition rules is reported, never judged.
func Compliance(ctx context.Context, cfg Config, checks Checks, w io.Writer) Report {
	const most = 15 * time.Second // for a move of a few nodes
	if h := cfg.Deadlines.Hang; h <= 0 || h > most {
		cfg.Deadlines.Hang = most
	}
	if cfg.Deadlines.Stop <= 0 {
		cfg.Deadlines.Stop = stopPatience
	}
	k := &checker{ctx: ctx, c: New(cfg), w: w, rep: Report{Cmd: cfg.Cmd, Args: cfg.Args}}
	defer k.c.Close()
	k.run(checks)
	k.rep.Identity = k.c.Identity()
	k.rep.Passed = k.rep.Failed == 0 && ctx.Err() == nil
	return k.rep
}

// stopPatience is how long a check waits for bestmove after stop: longer than the arena, so
// that it can tell slow from deaf.
const stopPatience = 5 * time.Second

// checker is a compliance check under way.
type checker struct {
	ctx context.Context
	c   *Client
	w   io.Writer
	rep Report
}

// finding is a step's outcome other than a plain pass or failure.
type finding struct {
	state State
	text  string
}

func (f finding) Error() string { return f.text }

func (k *checker) run(checks Checks) {
	if !k.step("start", k.start) {
		return
	}
	for _, s := range []struct {
		name string
		do   func() (string, error)
	}{
		{"id name", k.identity},
		{"options", k.options},
		{"isready", k.isReady},
		{"unknown command", k.unknown},
		{"go depth", k.limited(arena.Limits{Depth: 3})},
		{"go nodes", k.limited(arena.Limits{Nodes: 1000})},
		{"go with a time for the move", k.limited(arena.Limits{MoveTime: 100 * time.Millisecond})},
		{"go with a clock", k.clock(arena.Limits{Time: 2 * time.Second, Inc: 50 * time.Millisecond})},
		{"go with moves to go", k.clock(arena.Limits{Time: time.Second, MovesTo: 10})},
		{"score and depth", k.score},
		{"stop", k.stopped},
		{"isready while it thinks", k.readyWhileThinking},
		{"the only legal move", k.forced},
		{"legal moves in many positions", k.positions},
		{"a game against itself", k.game},
		{"a position without a legal move", k.mated},
		{"the same answer after a new game", k.repeatable},
		{"knowledge of perpetual check", k.knowledge(perpetualCheck)},
		{"knowledge of perpetual chase", k.knowledge(perpetualChase)},
	} {
		k.step(s.name, s.do)
	}
	if checks.Perft {
		k.step("perft", k.perft)
	}
	k.step("quit", k.quit)
}

// step does one step, with the engine running before it, and reports whether it did not
// fail.
func (k *checker) step(name string, do func() (string, error)) bool {
	if k.ctx.Err() != nil {
		return false
	}
	begin := time.Now()
	var text string
	err := k.c.NewGame(k.ctx)
	if err == nil {
		text, err = do()
	}
	s := Step{Name: name, State: Pass, Detail: text, Millis: time.Since(begin).Milliseconds()}
	var f finding
	switch {
	case errors.As(err, &f):
		s.State, s.Detail = f.state, f.text
	case err != nil:
		s.State, s.Detail = Fail, err.Error()
		k.rep.Failed++
	}
	k.rep.Steps = append(k.rep.Steps, s)
	if k.w != nil {
		fmt.Fprintf(k.w, "%-4s  %s: %s\n", s.State, s.Name, s.Detail)
	}
	return s.State != Fail
}

func (k *checker) start() (string, error) {
	id := k.c.Identity()
	return fmt.Sprintf("%s, ranks from %d, %d options", id.Proto, id.Ranks, len(id.Options)), nil
}

func (k *checker) identity() (string, error) {
	id := k.c.Identity()
	if id.ID == "" {
		return "", finding{Note, "it does not say its name"}
	}
	return id.ID, nil
}

// options sets every spin and check to its own default.
func (k *checker) options() (string, error) {
	var lines []string
	id := k.c.Identity()
	for _, o := range id.Options {
		if d := o; (d.Type == "spin" || d.Type == "check") && d.Default != "" {
			if why := d.fault(d.Default); why != "" {
				return "", fmt.Errorf("the default of %s is %s: %s", d.Name, d.Default, why)
			}
			if !sameName(d.Name, "Threads") && !sameName(d.Name, "Hash") && !sameName(d.Name, "usemillisec") {
				lines = append(lines, id.Proto.setOption(d.Name, d.Default))
			}
		}
	}
	if err := k.c.ready(k.ctx, lines...); err != nil {
		return "", err
	}
	for _, w := range k.c.Identity().Warnings {
		if len(w) > 0 {
			return "", finding{Note, w}
		}
	}
	return fmt.Sprintf("%d set to their defaults", len(lines)), nil
}

func (k *checker) isReady() (string, error) {
	begin := time.Now()
	err := k.c.ready(k.ctx)
	return fmt.Sprintf("%d µs", time.Since(begin).Microseconds()), err
}

func (k *checker) unknown() (string, error) {
	return "it goes on", k.c.ready(k.ctx, "xyzzy 17")
}

// at returns a game from a position and moves. The strings are this file's own.
func (k *checker) at(fen string, moves ...string) *referee.Game {
	pos, err := movegen.ParseFEN(fen)
	if err != nil {
		panic("engine: " + err.Error())
	}
	rules, err := referee.Named("computer")
	if err != nil {
		panic("engine: " + err.Error())
	}
	g := referee.NewGame(pos, rules)
	for _, text := range moves {
		m, err := movegen.ParseMove(text)
		if err != nil || !g.Position().IsLegal(m) {
			panic("engine: no move " + text)
		}
		g.Push(m)
	}
	return g
}

// clockOf returns the clock at the beginning of a game.
func clockOf(l arena.Limits) arena.Clock {
	l.Margin = 50 * time.Millisecond
	return arena.Clock{Limits: l, Left: [2]time.Duration{l.Time + l.Inc, l.Time + l.Inc}, Incs: [2]time.Duration{l.Inc, l.Inc}, ToGo: l.MovesTo}
}

func (k *checker) limited(l arena.Limits) func() (string, error) {
	return func() (string, error) {
		r, err := k.c.Move(k.ctx, k.at(movegen.StartFEN), clockOf(l))
		if err != nil {
			return "", err
		}
		text := fmt.Sprintf("%s in %.1f ms, depth %d, %d nodes", r.Move, millis(r.Wall), r.Depth, r.Nodes)
		switch {
		case l.MoveTime > 0 && r.Wall > l.MoveTime+50*time.Millisecond:
			return "", finding{Note, fmt.Sprintf("%s: over its %v", text, l.MoveTime)}
		case l.Nodes > 0 && r.Nodes > 20*l.Nodes:
			return "", finding{Note, fmt.Sprintf("%s: far more than the %d asked for", text, l.Nodes)}
		}
		return text, nil
	}
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// clock plays ten moves of one side on a clock, the other side's being its own replies.
func (k *checker) clock(l arena.Limits) func() (string, error) {
	return func() (string, error) {
		g, c := k.at(movegen.StartFEN), clockOf(l)
		least := c.Left[movegen.Red]
		const plies = 20
		for range plies {
			side := g.Position().Side()
			r, err := k.c.Move(k.ctx, g, c)
			if err != nil {
				return "", err
			}
			if c.Left[side] -= r.Wall; c.Left[side] < 0 {
				return "", finding{Note, fmt.Sprintf("ply %d took %.1f ms, %.1f ms more than were left (its processor time %.1f ms, this machine's delay %.1f ms)",
					g.Len()+1, millis(r.Wall), -millis(c.Left[side]), millis(r.CPU), millis(r.Delay))}
			}
			least = min(least, c.Left[side])
			c.Left[side] += l.Inc
			if side == movegen.Black && l.MovesTo > 0 {
				c.ToGo--
			}
			if _, err := g.Play(r.Move); err != nil {
				return "", err
			}
			if g.Verdict().Status != referee.Ongoing {
				break
			}
		}
		return fmt.Sprintf("%d plies, %.0f ms left at the least", g.Len(), millis(least)), nil
	}
}

func (k *checker) score() (string, error) {
	r, err := k.c.Move(k.ctx, k.at(movegen.StartFEN), clockOf(arena.Limits{Depth: 4}))
	switch {
	case err != nil:
		return "", err
	case !r.Score.Known():
		return "", finding{Note, "no score in its info lines: adjudication by scores cannot be used"}
	case r.Depth == 0 || r.Nodes == 0:
		return "", finding{Note, fmt.Sprintf("score %s, but no depth or no nodes", r.Score)}
	}
	return fmt.Sprintf("score %s at depth %d, %d nodes", r.Score, r.Depth, r.Nodes), nil
}

// endless begins a search that ends only by stop.
func (k *checker) endless() error {
	c := k.c
	line := string(c.proto.appendPosition(nil, movegen.StartFEN))
	search := "go infinite"
	if c.proto == UCCI {
		hour := arena.Limits{Time: time.Hour}
		clock := clockOf(hour)
		b := c.proto.appendGo(nil, movegen.Red, &clock, c.millis)
		search = string(b[:len(b)-1])
	}
	c.thought.clear()
	c.bestLen = 0
	c.p.expect(c.think)
	_, err := c.p.send([]byte(line+"\n"+search+"\n"), time.Now().Add(c.cfg.Deadlines.Stop))
	return err
}

func (k *checker) stopped() (string, error) {
	if err := k.endless(); err != nil {
		return "", err
	}
	switch err := k.c.p.wait(k.ctx, time.Now().Add(200*time.Millisecond)); {
	case err == nil:
		return "", finding{Note, "it answers before it is stopped"}
	case !errors.Is(err, errLate):
		return "", k.broken(err)
	}
	begin := time.Now()
	if err := k.c.stop(); err != nil {
		k.c.p.end(0)
		k.c.drop()
		return "", fmt.Errorf("no bestmove within %v of stop", k.c.cfg.Deadlines.Stop)
	}
	took := time.Since(begin)
	if _, err := k.c.answer(k.at(movegen.StartFEN), spent{}); err != nil {
		return "", err
	}
	if limit := (Deadlines{}).withDefaults().Stop; took > limit {
		return "", finding{Note, fmt.Sprintf("bestmove %.1f ms later; the arena waits %v", millis(took), limit)}
	}
	return fmt.Sprintf("bestmove %.1f ms later", millis(took)), nil
}

// broken ends a process that has ended or must.
func (k *checker) broken(err error) error {
	if k.ctx.Err() != nil {
		return context.Cause(k.ctx)
	}
	k.c.p.end(exitGrace)
	text, _, _ := k.c.p.status()
	err = fmt.Errorf("%w: it %s%s", err, text, k.c.quoteLast())
	k.c.drop()
	return err
}

func (k *checker) readyWhileThinking() (string, error) {
	if err := k.endless(); err != nil {
		return "", err
	}
	time.Sleep(50 * time.Millisecond)
	answered := false
	k.c.p.readable()
	if k.c.bestLen > 0 {
		return "", finding{Skip, "it answers before it is stopped"}
	}
	k.c.p.expect(func(line []byte, at time.Time) bool {
		answered = k.c.think(line, at) || answered
		return isWord(line, "readyok")
	})
	begin := time.Now()
	const limit = 2 * time.Second
	err := k.c.say(k.ctx, limit, "isready")
	took := time.Since(begin)
	k.c.p.expect(k.c.think)
	if !answered && k.c.stop() != nil {
		k.c.p.end(0)
		k.c.drop()
		return "", fmt.Errorf("no bestmove within %v of stop", k.c.cfg.Deadlines.Stop)
	}
	if errors.Is(err, errLate) {
		k.c.Close() // whether its readyok is still to come nobody knows
		return "", finding{Note, fmt.Sprintf("no readyok within %v; xqlab does not ask while an engine thinks", limit)}
	}
	return fmt.Sprintf("readyok %.1f ms later", millis(took)), err
}

// onlyMoves are positions with a single legal move, by each piece, in check and out of it.
// They come from random games of this project.
var onlyMoves = []string{
	onlyMoveFEN,
	"2ba2b2/4a4/2nkrr3/c2P2R2/6pn1/4P4/9/1c1A4B/1N1KA1N2/2B6 b - - 25 66",
	"3a5/4k4/3a4b/6pr1/4r3p/p8/9/9/4A4/3AK4 w - - 2 88",
	"4Cab2/1N3k3/3C5/9/2R6/9/P8/3r5/5cp2/3KNp3 w - - 7 124",
	"4k4/4c4/1P1ab4/6p2/1R7/2p3P1p/9/6N2/3n3r1/5K3 w - - 4 110",
	"1n1a1a3/3k5/2r1b4/3RC1p1p/2p3b2/p1P1p1C1P/P5P2/cr5NB/4K4/2BA1AR2 b - - 0 30",
	"3a1a3/4k4/b3b3n/3R2p2/P2n4r/2p2r3/C8/4BK3/4A3c/1N1R1A3 w - - 4 58",
	"5a3/3kar3/9/P7C/9/R5n2/9/3R4n/3KA4/5AB2 b - - 0 118",
	"3a5/4k4/3a5/6p2/6b1p/p8/9/4r4/5K3/5A3 w - - 4 95",
	"1r1a1kbn1/4a4/1c2b3c/n4N3/p1p6/2P4p1/PN5p1/3A1A2B/R2C5/2BK2r2 w - - 1 58",
	"9/7n1/3kb3b/n8/9/9/2c6/4p1p2/5K3/3r2B2 w - - 0 88",
	"3a5/4kN3/3r1a3/2P6/2b6/6B2/C1p4p1/5n3/9/3K1A3 w - - 10 102",
	"5k3/9/5P3/9/2b3b2/9/9/1r1p1K3/6p2/9 w - - 18 118",
}

func (k *checker) forced() (string, error) {
	for _, fen := range onlyMoves {
		if _, err := k.c.Move(k.ctx, k.at(fen), clockOf(arena.Limits{Depth: 2})); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d positions", len(onlyMoves)), nil
}

// positionSeed makes the positions of a check the same every time.
const positionSeed = 20

// positions has the engine move in positions of random games: much hangs, checks abound,
// and few of them were ever in a book.
func (k *checker) positions() (string, error) {
	r := rand.New(rand.NewPCG(positionSeed, 0))
	const games, every = 6, 12
	n := 0
	for range games {
		g := k.at(movegen.StartFEN)
		for g.Verdict().Status == referee.Ongoing && g.Len() < 100 {
			if g.Len()%every == every-1 {
				n++
				if _, err := k.c.Move(k.ctx, g, clockOf(arena.Limits{Depth: 2})); err != nil {
					return "", err
				}
			}
			var l movegen.MoveList
			g.Position().Legal(&l)
			if _, err := g.Play(l.Slice()[r.IntN(l.Len())]); err != nil {
				return "", err
			}
		}
	}
	return fmt.Sprintf("%d moves, all legal", n), nil
}

func (k *checker) game() (string, error) {
	g := k.at(movegen.StartFEN)
	for g.Verdict().Status == referee.Ongoing && g.Len() < 120 {
		r, err := k.c.Move(k.ctx, g, clockOf(arena.Limits{Nodes: 500}))
		if err != nil {
			return "", err
		}
		if r.Resign {
			return fmt.Sprintf("it resigns at ply %d", g.Len()+1), nil
		}
		if _, err := g.Play(r.Move); err != nil {
			return "", err
		}
	}
	v := g.Verdict()
	text := fmt.Sprintf("%d plies, %s", g.Len(), v.Status)
	if v.Status != referee.Ongoing {
		text += fmt.Sprintf(" %s", v.Reason)
	}
	return text, nil
}

// mated asks for a move where there is none, which the arena never does.
func (k *checker) mated() (string, error) {
	const fen = "3k5/4R4/9/9/9/9/9/9/9/4K4 b - - 0 1"
	c := k.c
	c.thought.clear()
	c.bestLen = 0
	c.p.expect(c.think)
	err := c.say(k.ctx, 3*time.Second, string(c.proto.appendPosition(nil, fen)), "go depth 2")
	switch {
	case errors.Is(err, errLate):
		if c.stop() != nil {
			c.p.end(0)
			c.drop()
		}
		return "", finding{Note, "no answer; the arena never asks"}
	case err != nil:
		text := k.broken(err).Error()
		return "", finding{Note, text + "; the arena never asks"}
	}
	return "", finding{Note, fmt.Sprintf("it says %q", clean(c.best[:c.bestLen]))}
}

func (k *checker) repeatable() (string, error) {
	var first arena.Reply
	for i := range 2 {
		if err := k.c.NewGame(k.ctx); err != nil {
			return "", err
		}
		r, err := k.c.Move(k.ctx, k.at(movegen.StartFEN), clockOf(arena.Limits{Depth: 5}))
		if err != nil {
			return "", err
		}
		if i == 1 && (r.Move != first.Move || r.Nodes != first.Nodes) {
			return "", finding{Note, fmt.Sprintf("%s and %d nodes, then %s and %d: games by depth or nodes will not repeat", first.Move, first.Nodes, r.Move, r.Nodes)}
		}
		first = r
	}
	return fmt.Sprintf("%s, %d nodes", first.Move, first.Nodes), nil
}

// cycle is a repetition that the side which began it loses under the rules computer; the
// other side is to make its last move.
type cycle struct {
	fen   string
	moves []string
	last  string // completes the third occurrence
}

var (
	perpetualCheck = cycle{"3k5/R8/9/9/9/9/9/9/9/4K4 w - - 0 1",
		[]string{"a8a9", "d9d8", "a9a8", "d8d9", "a8a9", "d9d8", "a9a8"}, "d8d9"}
	perpetualChase = cycle{"3k4n/9/9/9/9/9/9/9/9/4K2R1 w - - 0 1",
		[]string{"h0i0", "i9h7", "i0h0", "h7i9", "h0i0", "i9h7", "i0h0"}, "h7i9"}
)

// knowledge asks the victim of a forbidden repetition for its move and score before the
// move that wins by the rule.
func (k *checker) knowledge(c cycle) func() (string, error) {
	return func() (string, error) {
		r, err := k.c.Move(k.ctx, k.at(c.fen, c.moves...), clockOf(arena.Limits{Depth: 8}))
		var f *arena.Failure
		switch {
		case errors.As(err, &f) && f.Reason != results.IllegalMove && f.Reason != results.Crash:
			return "", finding{Note, f.Detail}
		case err != nil:
			return "", err
		}
		text := fmt.Sprintf("to win by the rule it plays %s (%s wins), score %s", r.Move, c.last, r.Score)
		if r.Score.Known() && r.Score > 1000 {
			return "", finding{Note, "it knows it: " + text}
		}
		return "", finding{Note, "it does not show it: " + text}
	}
}

// quit ends the engine and looks how.
func (k *checker) quit() (string, error) {
	c := k.c
	begin := time.Now()
	if _, err := c.p.send([]byte("quit\n"), begin.Add(c.cfg.Deadlines.Quit)); err != nil {
		return "", k.broken(err)
	}
	p := c.p
	p.end(c.cfg.Deadlines.Quit)
	text, code, signal := p.status()
	c.drop()
	switch {
	case p.shot && signal != "" && time.Since(begin) >= c.cfg.Deadlines.Quit:
		return "", fmt.Errorf("it did not end within %v", c.cfg.Deadlines.Quit)
	case code != 0:
		return "", finding{Note, "it " + text}
	}
	return fmt.Sprintf("it ended %.1f ms later", millis(time.Since(begin))), nil
}
