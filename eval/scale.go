package eval

import "github.com/xqlab/xqlab/movegen"

// How much of a score counts depends on whether the favoured side has the pieces to win: in
// endings with few attackers even a large surplus may draw against a whole defence. An ending
// is told by what the favoured side attacks with and by what the other side defends with;
// each has a scale of its own in the weights, which is fitted to games (see tuner.FitScales).

// The classes of endings: rows by attack, columns by defence.
const (
	endingSoldiers = 4 // 0 to 3 and more
	endingGuards   = 4 // advisors and elephants: up to 1, 2, 3, 4
	endingFoes     = 4 // rooks × 2 + horses + cannons of the defender: 0 to 3 and more
	endingColumns  = endingFoes * endingGuards
	endingAttacks  = 11

	// Endings is the number of classes of endings.
	Endings = endingAttacks * endingSoldiers * endingColumns
)

// NoEnding is the class of positions in which the favoured side has more to attack with:
// their score counts in full.
const NoEnding = -1

// MaxEnding bounds the scale of an ending; the least is 1.
const MaxEnding = 2 * ScaleMax

// endingAttack names the attackers of a row, soldiers apart.
var endingAttack = [endingAttacks]struct {
	name                   string
	rooks, horses, cannons int
}{
	{name: "none"},
	{name: "cannon", cannons: 1},
	{name: "cannon_alone", cannons: 1}, // without an advisor of its own to fire over
	{name: "horse", horses: 1},
	{name: "cannons", cannons: 2},
	{name: "horse_cannon", horses: 1, cannons: 1},
	{name: "horses", horses: 2},
	{name: "minors", horses: 2, cannons: 1}, // or one horse and two cannons
	{name: "rook", rooks: 1},
	{name: "rook_cannon", rooks: 1, cannons: 1},
	{name: "rook_horse", rooks: 1, horses: 1},
}

// Rows that are chosen by more than rooks, horses and cannons.
const (
	attackCannon = 1
	attackAlone  = 2
	attackMinors = 7
)

// attackRow has the attack of rooks·16 + horses·4 + cannons, each up to 3, or NoEnding.
var attackRow = func() (t [64]int8) {
	for i := range t {
		t[i] = NoEnding
	}
	for i, a := range endingAttack {
		if i != attackAlone {
			t[a.rooks<<4|a.horses<<2|a.cannons] = int8(i)
		}
	}
	t[1<<2|2] = attackMinors
	return t
}()

// ending returns the class of the position if it is c that the score favours.
func (s *state) ending(c movegen.Color) int {
	n := func(c movegen.Color, t movegen.PieceType) int { return s.p.Count(movegen.NewPiece(c, t)) }
	row := int(attackRow[min(n(c, movegen.Rook), 3)<<4|min(n(c, movegen.Horse), 3)<<2|min(n(c, movegen.Cannon), 3)])
	if row == NoEnding {
		return NoEnding
	}
	if row == attackCannon && n(c, movegen.Advisor) == 0 {
		row = attackAlone
	}
	them := c.Other()
	row = row*endingSoldiers + min(n(c, movegen.Pawn), endingSoldiers-1)
	foes := min(2*n(them, movegen.Rook)+n(them, movegen.Horse)+n(them, movegen.Cannon), endingFoes-1)
	guards := min(max(n(them, movegen.Advisor)+n(them, movegen.Elephant)-1, 0), endingGuards-1)
	return row*endingColumns + foes*endingGuards + guards
}

// scale returns how much of a score counts for the side that it favours.
func (s *state) scale(score int) int {
	c := movegen.Red
	if score < 0 {
		c = movegen.Black
	}
	class := s.ending(c)
	if s.trace != nil {
		s.trace.Ending = class
	}
	if class == NoEnding {
		return ScaleMax
	}
	return int(s.e.ending[class])
}
