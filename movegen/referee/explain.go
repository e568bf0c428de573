package referee

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xqlab/xqlab/movegen"
)

// Kind is what a move of a cycle is.
type Kind uint8

// The kinds of moves.
const (
	Idle  Kind = iota // 闲
	Check             // 将
	Chase             // 捉
)

// String returns the English and the Chinese term.
func (k Kind) String() string {
	return [...]string{"idle (闲)", "check (将)", "chase (捉)", "?"}[k&3]
}

// Man is a piece on a square.
type Man struct {
	Piece  movegen.Piece
	Square movegen.Square
}

// String returns the piece's name and the square, as in "rook h0".
func (m Man) String() string { return fmt.Sprintf("%s %s", m.Piece.Type(), m.Square) }

// Threat is a piece under attack and those that attack it.
type Threat struct {
	Victim Man
	By     []Man
	num    uint8 // of the victim in the cycle
}

// CycleMove is a move of a judged cycle.
type CycleMove struct {
	Ply     int // from 1
	Move    movegen.Move
	Piece   movegen.Piece
	Kind    Kind
	Threats []Threat // of a check: the king; of a chase: the pieces newly threatened
}

// Pursuit is a perpetual chase that lost the game.
type Pursuit struct {
	Side   movegen.Color // who chased
	Victim Man           // the piece that every move newly threatened, where it stands at the end
	Pieces []Man         // those that threatened it in turn, where they stand at the end
	Pinned bool          // the victim is a rook pinned to its king by a horse, which weighs more (axf)
}

// Explanation says what a verdict rests on.
type Explanation struct {
	Verdict
	Cycle []CycleMove // of repetitions: the moves from the oldest judged occurrence to the last
	Turns int         // how often the cycle goes through the same moves; 1 if they differ
	Chase *Pursuit    // of a perpetual chase
	Text  string      // one line for people, with the Chinese terms
}

// Explain explains the game's verdict. It may be slow and allocates; it is for finished
// games. While the game goes on, and where Push has gone beyond the verdict, it says only
// how the game stands.
func (g *Game) Explain() Explanation {
	e := Explanation{Verdict: g.Verdict()}
	if first := g.cycleStart(); e.Ply == g.Len() && e.Reason.ofCycle() && first >= 0 {
		e.Cycle = g.cycle(first)
		e.Turns = turns(e.Cycle)
		if e.Reason == PerpetualChase {
			e.Chase = g.pursuit(first)
		}
	}
	e.Text = g.text(&e)
	return e
}

// ofCycle reports whether the reason is a repeated position.
func (r Reason) ofCycle() bool {
	switch r {
	case PerpetualCheck, PerpetualChase, Repetition, MutualPerpetual:
		return true
	}
	return false
}

// cycle describes the moves after ply first.
func (g *Game) cycle(first int) []CycleMove {
	moves := make([]CycleMove, g.Len()-first)
	w := &g.walk
	w.begin(g)
	for i := g.Len(); i > first; i-- {
		t := &g.plies[i]
		c := CycleMove{Ply: i, Move: t.move, Piece: w.pos.At(t.move.To())}
		switch {
		case t.check:
			c.Kind, c.Threats = Check, []Threat{w.checkers()}
			w.back(t.move, &t.undo)
		case g.rules.chase == nil:
			w.back(t.move, &t.undo)
		default:
			if c.Threats = g.newThreats(i); len(c.Threats) > 0 {
				c.Kind = Chase
			}
		}
		moves[i-first-1] = c
	}
	return moves
}

// newThreats returns whom the move of ply i newly threatens; the walk goes back by one.
func (g *Game) newThreats(i int) []Threat {
	w, m := &g.walk, g.plies[i].move
	all := w.threats(g.rules.chase, w.pos.Side().Other(), m)
	victims, _ := g.victims(i, everyPiece)
	return slices.DeleteFunc(all, func(t Threat) bool { return victims>>t.num&1 == 0 })
}

// threats returns everyone by threatens after m, which by has just made.
func (w *walk) threats(r *chaseRule, by movegen.Color, m movegen.Move) (list []Threat) {
	var u movegen.Undo
	w.pos.MakeNull(&u)
	defer w.pos.UnmakeNull(&u)
	for all := w.pos.Color(by.Other()); !all.Empty(); {
		s := all.Pop()
		if !w.mayBeChased(s) {
			continue
		}
		if captors := r.captors(w, r, by, m, s); !captors.Empty() {
			list = append(list, Threat{Victim: w.man(s), By: w.men(captors), num: w.num[s&127]})
		}
	}
	return list
}

// checkers returns the check that the side to move is in.
func (w *walk) checkers() Threat {
	c := w.pos.Side()
	king := w.pos.King(c)
	return Threat{Victim: w.man(king), By: w.men(w.pos.Attackers(king, c.Other()))}
}

func (w *walk) man(s movegen.Square) Man { return Man{w.pos.At(s), s} }

func (w *walk) men(set movegen.Set) (men []Man) {
	for !set.Empty() {
		men = append(men, w.man(set.Pop()))
	}
	return men
}

// turns returns how often the moves of the cycle go through the same sequence.
func turns(cycle []CycleMove) int {
	for period := shortestCycle; period <= len(cycle)/2; period += 2 {
		if len(cycle)%period != 0 {
			continue
		}
		same := true
		for i := period; i < len(cycle) && same; i++ {
			same = cycle[i].Move == cycle[i-period].Move
		}
		if same {
			return len(cycle) / period
		}
	}
	return 1
}

// pursuit says who chases whom in a cycle that a perpetual chase has lost.
func (g *Game) pursuit(first int) *Pursuit {
	c := movegen.Red
	if g.Verdict().Status == RedWins {
		c = movegen.Black
	}
	p := &Pursuit{Side: c}
	victims, grave, captors := everyPiece, everyPiece, map[uint8]pieceSet{}
	w := &g.walk
	w.begin(g)
	at := *w
	for i := g.Len(); i > first; i-- {
		if t := &g.plies[i]; w.pos.Side() == c {
			w.back(t.move, &t.undo)
			continue
		}
		for _, t := range w.threats(g.rules.chase, c, g.plies[i].move) {
			for _, m := range t.By {
				captors[t.num] |= w.piece(m.Square)
			}
		}
		v, gr := g.victims(i, victims)
		victims, grave = v, grave&gr
	}
	if p.Pinned = grave&victims != 0; p.Pinned {
		victims &= grave
	}
	for all := at.pos.Color(c.Other()); !all.Empty(); {
		if s := all.Pop(); victims&at.piece(s) != 0 {
			p.Victim = at.man(s)
			p.Pieces = at.menOf(c, captors[at.num[s&127]])
			break
		}
	}
	return p
}

func (w *walk) menOf(c movegen.Color, pieces pieceSet) (men []Man) {
	for all := w.pos.Color(c); !all.Empty(); {
		if s := all.Pop(); w.piece(s)&pieces != 0 {
			men = append(men, w.man(s))
		}
	}
	return men
}

// text puts the explanation into words.
func (g *Game) text(e *Explanation) string {
	if e.Status == Ongoing {
		return "The game goes on: " + g.turn() + "."
	}
	words := g.headline(e)
	if e.Cycle != nil {
		words += " " + g.describeCycle(e)
	}
	return words
}

func (g *Game) turn() string {
	words := g.pos.Side().String() + " to move"
	if g.InCheck() {
		words += ", in check"
	}
	return words
}

// headline says who has won and by what.
func (g *Game) headline(e *Explanation) string {
	winner, loser := movegen.Red, movegen.Black
	if e.Status == BlackWins {
		winner, loser = loser, winner
	}
	switch e.Reason {
	case Checkmate:
		return fmt.Sprintf("%s wins: checkmate (将死), %s is in check and has no legal move.", winner, loser)
	case Stalemate:
		return fmt.Sprintf("%s wins: stalemate (困毙), %s has no legal move and loses.", winner, loser)
	case PerpetualCheck:
		return fmt.Sprintf("%s loses: perpetual check (长将).", loser)
	case PerpetualChase:
		return fmt.Sprintf("%s loses: perpetual chase (长捉)%s.", loser, ofWhom(e.Chase))
	case MutualPerpetual:
		return "Draw: both sides " + mutual(e.Cycle) + "."
	case Repetition:
		return "Draw: the position repeats (循环不变) and nobody is at fault" + g.checkNote(e.Cycle) + "."
	case MoveLimit:
		return fmt.Sprintf("Draw: %d plies without a capture (自然限着)%s.", g.limit, g.limitNote())
	}
	return "Draw: neither side has the material to win (双方均无力取胜)."
}

func ofWhom(p *Pursuit) string {
	if p == nil {
		return ""
	}
	words := " of the " + p.Victim.String()
	if p.Pinned {
		words += ", which a horse pins to its king,"
	}
	return words + " by the " + join(p.Pieces)
}

func mutual(cycle []CycleMove) string {
	for _, c := range cycle {
		if c.Kind != Check {
			return "chase perpetually (双方长捉)"
		}
	}
	return "check perpetually (双方长将)"
}

// checkNote says why a chase may not count.
func (g *Game) checkNote(cycle []CycleMove) string {
	if g.rules.checkEndsIt && slices.ContainsFunc(cycle, func(c CycleMove) bool { return c.Kind == Check }) {
		return ": under these rules a cycle in which some moves check, but not all of a side's, is no chase"
	}
	return ""
}

// limitNote says how checks count if some have not counted.
func (g *Game) limitNote() string {
	switch n := g.rules.countedChecks; {
	case int(g.plies[g.Len()].count) == g.pos.HalfMoves():
		return ""
	case n < 0:
		return ", checks and their answers not counted"
	default:
		return fmt.Sprintf(", a side's checks beyond the %s and their answers not counted", ordinal(int(n)))
	}
}

// describeCycle lists the moves of the cycle, once if they repeat.
func (g *Game) describeCycle(e *Explanation) string {
	first, last := e.Cycle[0].Ply, e.Cycle[len(e.Cycle)-1].Ply
	head := fmt.Sprintf("The position after ply %d occurs for the %s time under the rules %s. Plies %d–%d", last, ordinal(g.rules.Occurrences), g.rules.Name, first, last)
	if e.Turns > 1 {
		head += fmt.Sprintf(", the same %d moves %d times", len(e.Cycle)/e.Turns, e.Turns)
	}
	var moves []string
	for _, c := range e.Cycle[:len(e.Cycle)/e.Turns] {
		moves = append(moves, c.String())
	}
	return head + ": " + strings.Join(moves, "; ") + "."
}

// String describes the move: "h0i0 chase (捉) of the horse i9 by the rook i0".
func (c CycleMove) String() string {
	words := c.Move.String() + " " + c.Kind.String()
	for i, t := range c.Threats {
		switch {
		case c.Kind == Check:
			words += " by the " + join(t.By)
		case i > 0:
			words += ", of the " + t.Victim.String() + " by the " + join(t.By)
		default:
			words += " of the " + t.Victim.String() + " by the " + join(t.By)
		}
	}
	return words
}

func join(men []Man) string {
	words := make([]string, len(men))
	for i, m := range men {
		words[i] = m.String()
	}
	return strings.Join(words, " and ")
}

func ordinal(n int) string {
	switch {
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}
