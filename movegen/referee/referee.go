package referee

import (
	"errors"
	"fmt"

	"github.com/xqlab/xqlab/movegen"
)

// Status is how a game stands.
type Status uint8

// The states of a game.
const (
	Ongoing Status = iota
	RedWins
	BlackWins
	Draw
)

// String returns the names of the command line: ongoing, red_wins, black_wins, draw.
func (s Status) String() string {
	return [...]string{"ongoing", "red_wins", "black_wins", "draw"}[s&3]
}

// WonBy returns the status in which c has won.
func WonBy(c movegen.Color) Status { return RedWins + Status(c) }

// Reason says why a game has ended.
type Reason uint8

// The reasons the rules know.
const (
	NoReason Reason = iota
	Checkmate
	Stalemate
	PerpetualCheck
	PerpetualChase
	Repetition
	MutualPerpetual
	MoveLimit
	InsufficientMaterial
)

// String returns the names of the command line, empty for NoReason.
func (r Reason) String() string {
	return [...]string{"", "checkmate", "stalemate", "perpetual_check", "perpetual_chase", "repetition",
		"mutual_perpetual", "move_limit", "insufficient_material"}[r]
}

// Verdict is what the referee says of a game at a ply.
type Verdict struct {
	Status Status
	Reason Reason
	Ply    int // plies played when the verdict fell, 0 in the given position
}

// Outcome is a verdict inside a search, from the side to move.
type Outcome int8

// The outcomes of a node.
const (
	None Outcome = iota
	Drawn
	Lost
	Won
)

// Rules is a rule set.
type Rules struct {
	Name        string
	Occurrences int // a repetition is judged when a position occurs for this time
	Limit       int // plies without a capture that draw
}

// ErrUnknownRules is wrapped by Named.
var ErrUnknownRules = errors.New("unknown rule set")

// Named returns a rule set by its name.
func Named(name string) (*Rules, error) {
	switch name {
	case "computer", "axf", "asian":
		return &Rules{Name: name, Occurrences: 3, Limit: 120}, nil
	case "check-only":
		return &Rules{Name: name, Occurrences: 3, Limit: 100}, nil
	case "ucci-league":
		return &Rules{Name: name, Occurrences: 4, Limit: 100}, nil
	}
	return nil, fmt.Errorf("%w %q, want computer, axf, ucci-league or check-only", ErrUnknownRules, name)
}

// ply is what the game knows of a position after a move.
type ply struct {
	undo  movegen.Undo
	key   uint64
	move  movegen.Move
	check bool // the side to move is in check
}

// Game is a start position and the moves played, under a rule set. It serves finished
// and running games (Play) and, copied by CopyFrom, the lines of a search (Push, Node,
// Pop), where it allocates nothing once its stack has grown.
type Game struct {
	rules   Rules
	start   movegen.Position
	pos     movegen.Position
	plies   []ply // plies[0] is the start position
	verdict Verdict
}

// NewGame begins a game. Mate and stalemate are judged in the start position too.
func NewGame(start *movegen.Position, rules *Rules) *Game {
	g := &Game{rules: *rules, start: *start, pos: *start}
	g.plies = append(make([]ply, 0, 512), ply{key: start.Key(), check: start.InCheck()})
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

// Verdict returns how the game stands.
func (g *Game) Verdict() Verdict { return g.verdict }

// ErrIllegal is wrapped by Play.
var ErrIllegal = errors.New("illegal move")

// Play makes a move and judges. It refuses illegal moves and moves after the end.
func (g *Game) Play(m movegen.Move) (Verdict, error) {
	if g.verdict.Status != Ongoing {
		return g.verdict, fmt.Errorf("ply %d: the game is over (%s)", g.Len()+1, g.verdict.Reason)
	}
	if !g.pos.IsLegal(m) {
		return g.verdict, fmt.Errorf("ply %d: %w %s", g.Len()+1, ErrIllegal, m)
	}
	g.Push(m)
	g.verdict = g.judge()
	return g.verdict, nil
}

// Push makes a legal move without judging.
func (g *Game) Push(m movegen.Move) {
	g.plies = append(g.plies, ply{})
	t := &g.plies[len(g.plies)-1]
	g.pos.Make(m, &t.undo)
	t.move, t.key, t.check = m, g.pos.Key(), g.pos.InCheck()
}

// Pop takes back the last Push.
func (g *Game) Pop() {
	t := &g.plies[len(g.plies)-1]
	g.pos.Unmake(t.move, &t.undo)
	g.plies = g.plies[:len(g.plies)-1]
}

// PushNull passes the move; no repetition is seen across it.
func (g *Game) PushNull() {
	g.plies = append(g.plies, ply{})
	t := &g.plies[len(g.plies)-1]
	g.pos.MakeNull(&t.undo)
	t.key = g.pos.Key()
}

// PopNull takes back PushNull.
func (g *Game) PopNull() {
	t := &g.plies[len(g.plies)-1]
	g.pos.UnmakeNull(&t.undo)
	g.plies = g.plies[:len(g.plies)-1]
}

// Node judges repetition, limit and material (not mate) at a node of a search whose
// root is height plies above.
func (g *Game) Node(height int) Outcome {
	n := len(g.plies) - 1
	seen := 0
	for i := n - 2; i >= 0 && i > n-1-g.pos.HalfMoves() && g.plies[i+1].move != movegen.NoMove; i -= 2 {
		if g.plies[i].key != g.plies[n].key {
			continue
		}
		if seen++; seen == g.rules.Occurrences-1 || i >= n-height {
			return g.outcome(g.judgeCycle(i))
		}
	}
	if g.pos.HalfMoves() >= g.rules.Limit {
		return Drawn
	}
	return None
}

func (g *Game) outcome(v Verdict) Outcome {
	switch v.Status {
	case Ongoing:
		return None
	case Draw:
		return Drawn
	case WonBy(g.pos.Side()):
		return Won
	}
	return Lost
}

// judge judges the position after a move: mate, repetition, limit.
func (g *Game) judge() Verdict {
	if v := g.judgeMate(); v.Status != Ongoing {
		return v
	}
	n := len(g.plies) - 1
	seen := 0
	for i := n - 2; i >= 0 && i > n-1-g.pos.HalfMoves(); i -= 2 {
		if g.plies[i].key == g.plies[n].key {
			if seen++; seen == g.rules.Occurrences-1 {
				return g.judgeCycle(i)
			}
		}
	}
	if g.pos.HalfMoves() >= g.rules.Limit {
		return Verdict{Draw, MoveLimit, n}
	}
	return Verdict{}
}

func (g *Game) judgeMate() Verdict {
	if g.pos.HasLegal() {
		return Verdict{}
	}
	v := Verdict{WonBy(g.pos.Side().Other()), Stalemate, g.Len()}
	if g.InCheck() {
		v.Reason = Checkmate
	}
	return v
}

// judgeCycle judges the repetition of the position at ply first.
func (g *Game) judgeCycle(first int) Verdict {
	n := len(g.plies) - 1
	all := [2]bool{true, true} // all[c]: c was in check in every position it had to move in
	side := g.pos.Side()
	for i := n; i >= first; i-- {
		if !g.plies[i].check {
			all[side] = false
		}
		side = side.Other()
	}
	switch us := g.pos.Side(); {
	case all[us] && all[us.Other()]:
		return Verdict{Draw, MutualPerpetual, n}
	case all[us]:
		return Verdict{WonBy(us), PerpetualCheck, n}
	case all[us.Other()]:
		return Verdict{WonBy(us.Other()), PerpetualCheck, n}
	}
	return Verdict{Draw, Repetition, n}
}
