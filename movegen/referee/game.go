package referee

import (
	"errors"
	"fmt"
	"math"

	"github.com/xqlab/xqlab/movegen"
)

// ply is what the game knows of a position after a move.
type ply struct {
	undo     movegen.Undo
	key      uint64
	back     int32    // plies since a move that cannot be taken back: capture, soldier forward, null move
	count    int32    // the move limit's counter
	checks   [2]int32 // by colour: checks given since the last capture
	move     movegen.Move
	check    bool // the side to move is in check
	free     bool // the move is a check beyond those that count: it and its answer do not advance count
	material materials
}

// filterSize is the number of counters of the filter, a power of two.
const filterSize = 4096

// Game is a start position and the moves played, under a rule set. It serves finished
// and running games (Play) and, copied by CopyFrom, the lines of a search (Push, Node,
// Pop), where it allocates nothing once its stack has grown.
type Game struct {
	rules   Rules
	limit   int32
	start   movegen.Position
	pos     movegen.Position
	plies   []ply // plies[0] is the start position
	verdict Verdict
	walk    walk
	// filter counts the positions of the game by the low bits of their keys. One that
	// counts 1 says that the position is new; full counters stay full, which only costs
	// a look at the history.
	filter [filterSize]uint8
}

// usualPlies is what a game has room for at first: to clear more costs short games too much.
const usualPlies = 128

// NewGame begins a game. Mate and stalemate are judged in the start position too.
func NewGame(start *movegen.Position, rules *Rules) *Game {
	g := &Game{rules: *rules, limit: math.MaxInt32, start: *start, pos: *start}
	if 0 < rules.Limit && rules.Limit < math.MaxInt32 {
		g.limit = int32(rules.Limit)
	}
	first := ply{key: start.Key(), check: start.InCheck(), count: int32(start.HalfMoves())}
	first.free = first.check && rules.countedChecks < 0
	if rules.material != nil {
		first.material = rules.material(start)
	}
	g.plies = append(make([]ply, 0, usualPlies), first)
	g.enter(first.key)
	g.verdict = g.judgeMate()
	return g
}

// CopyFrom makes g a copy of other that shares nothing with it.
func (g *Game) CopyFrom(other *Game) {
	plies := append(g.plies[:0], other.plies...)
	*g = *other
	g.plies = plies
}

// Rules returns the rule set.
func (g *Game) Rules() *Rules { return &g.rules }

// Start returns the start position. It must not be changed.
func (g *Game) Start() *movegen.Position { return &g.start }

// Position returns the current position, which changes with the game and must not be
// changed by others.
func (g *Game) Position() *movegen.Position { return &g.pos }

// Len returns the number of plies played.
func (g *Game) Len() int { return len(g.plies) - 1 }

// Move returns the move of ply i, from 1.
func (g *Game) Move(i int) movegen.Move { return g.plies[i].move }

// InCheck reports whether the side to move is in check.
func (g *Game) InCheck() bool { return g.plies[len(g.plies)-1].check }

// Verdict returns how the game stands. A verdict that Pop has gone back behind is gone.
func (g *Game) Verdict() Verdict { return g.verdict }

// ErrIllegal is wrapped by Play.
var ErrIllegal = errors.New("illegal move")

// Play makes a move and judges. It refuses illegal moves and moves after the end.
func (g *Game) Play(m movegen.Move) (Verdict, error) {
	if v := g.Verdict(); v.Status != Ongoing {
		return v, fmt.Errorf("ply %d: the game is over (%s)", g.Len()+1, v.Reason)
	}
	if !g.pos.IsLegal(m) {
		return Verdict{}, fmt.Errorf("ply %d: %w %s: %s", g.Len()+1, ErrIllegal, m, g.pos.Explain(m))
	}
	g.Push(m)
	g.verdict = g.judge()
	return g.verdict, nil
}

// Push makes a legal move without judging.
func (g *Game) Push(m movegen.Move) {
	mover := g.pos.Side()
	n := len(g.plies)
	g.plies = append(g.plies, ply{})
	t, prev := &g.plies[n], &g.plies[n-1]
	g.pos.Make(m, &t.undo)
	t.move, t.key, t.check = m, g.pos.Key(), g.pos.InCheck()
	g.enter(t.key)
	if t.undo.Captured != movegen.NoPiece {
		g.captured(t)
		return
	}
	t.material, t.checks = prev.material, prev.checks
	if t.check {
		t.checks[mover&1]++
		t.free = t.checks[mover&1] > g.rules.countedChecks
	}
	if t.count = prev.count; !t.free && !prev.free {
		t.count++
	}
	if !g.isSoldierForward(m) {
		t.back = prev.back + 1
	}
}

// captured fills in what a capture begins anew. The check it may give is not yet one
// since the last capture.
func (g *Game) captured(t *ply) {
	t.free = t.check && g.rules.countedChecks < 0
	if g.rules.material != nil {
		t.material = g.rules.material(&g.pos)
	}
}

func (g *Game) isSoldierForward(m movegen.Move) bool {
	return g.pos.At(m.To()).Type() == movegen.Pawn && m.From()-1 != m.To() && m.From()+1 != m.To()
}

// Pop takes back the last Push or Play.
func (g *Game) Pop() {
	t := &g.plies[len(g.plies)-1]
	g.pos.Unmake(t.move, &t.undo)
	g.leave(t.key)
	g.plies = g.plies[:len(g.plies)-1]
	if g.Len() < g.verdict.Ply { // or another move would bring it back
		g.verdict = Verdict{}
	}
}

// PushNull passes the move; no repetition is seen across it and the move limit's counter
// stands still. The side to move must not be in check.
func (g *Game) PushNull() {
	n := len(g.plies)
	g.plies = append(g.plies, ply{})
	t, prev := &g.plies[n], &g.plies[n-1]
	g.pos.MakeNull(&t.undo)
	t.key, t.count, t.checks, t.material = g.pos.Key(), prev.count, prev.checks, prev.material
	g.enter(t.key)
}

// PopNull takes back PushNull.
func (g *Game) PopNull() {
	t := &g.plies[len(g.plies)-1]
	g.pos.UnmakeNull(&t.undo)
	g.leave(t.key)
	g.plies = g.plies[:len(g.plies)-1]
}

func (g *Game) enter(key uint64) {
	if n := &g.filter[key%filterSize]; *n < math.MaxUint8 {
		*n++
	}
}

func (g *Game) leave(key uint64) {
	if n := &g.filter[key%filterSize]; *n < math.MaxUint8 {
		*n--
	}
}
