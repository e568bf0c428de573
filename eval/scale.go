package eval

import "github.com/xqlab/xqlab/movegen"

// How much of a score counts depends on whether the favoured side has the pieces to win: in
// endings with few attackers even a large surplus may draw against a whole defence. An ending
// is told by what the favoured side attacks with and by what the other side defends with;
// each has a scale of its own in the weights, which is fitted to games (see tuner.FitScales).
//
// Of the ways that were tried to tell endings, on 5,918 games of self-play: all soldiers, not
// those across the river alone; whether there is an advisor of one's own, which cannons fire
// over; what the other side attacks with, rooks apart; horses and cannons are the same but for
// the last one. To tell the guards apart or to tell endings of more attackers was no better.

// The classes of endings: for each attack a row by own advisors and soldiers, a column by what
// the other side attacks with and its guards.
const (
	endingSoldiers = 4 // 0 to 3 and more
	endingRows     = 2 * endingSoldiers
	endingGuards   = 4 // advisors and elephants: up to 1, 2, 3, 4
	endingFoes     = 6 // see foes
	endingColumns  = endingFoes * endingGuards

	// Endings is the number of classes of endings.
	Endings = len(endingAttacks) * endingRows * endingColumns
)

// endingAttacks are the names of what a side attacks with: rooks, horses and cannons, of which
// horses and cannons are the minors.
var endingAttacks = [...]string{"none", "cannon", "horse", "two_minors", "three_minors", "rook", "rook_minor"}

// Places in endingAttacks.
const (
	attackNone = iota
	attackCannon
	attackHorse
	attackTwo
	attackThree
	attackRook
	attackRookMinor
)

// NoEnding is the class of positions in which the favoured side has more to attack with:
// their score counts in full.
const NoEnding = -1

// MaxEnding bounds the scale of an ending; the least is 1.
const MaxEnding = 2 * ScaleMax

// attack returns what c attacks with, or NoEnding if it is more than an ending has.
func (s *state) attack(c movegen.Color) int {
	rooks, horses := s.p.Count(movegen.NewPiece(c, movegen.Rook)), s.p.Count(movegen.NewPiece(c, movegen.Horse))
	minors := horses + s.p.Count(movegen.NewPiece(c, movegen.Cannon))
	switch {
	case 2*rooks+minors > 3:
		return NoEnding
	case rooks > 0:
		return attackRook + minors
	case minors > 1:
		return attackTwo + minors - 2
	case minors > 0:
		return attackCannon + horses
	}
	return attackNone
}

// foes tells what c attacks with when the other side is favoured: nothing, one, two, more
// minors, a rook alone, or a rook and more.
func (s *state) foes(c movegen.Color) int {
	minors := s.p.Count(movegen.NewPiece(c, movegen.Horse)) + s.p.Count(movegen.NewPiece(c, movegen.Cannon))
	if rooks := s.p.Count(movegen.NewPiece(c, movegen.Rook)); rooks > 0 {
		return 3 + min(rooks+minors, 2)
	}
	return min(minors, 3)
}

// ending returns the class of the position if it is c that the score favours.
func (s *state) ending(c movegen.Color) int {
	attack := s.attack(c)
	if attack == NoEnding {
		return NoEnding
	}
	row := min(s.p.Count(movegen.NewPiece(c, movegen.Pawn)), endingSoldiers-1)
	if s.p.Count(movegen.NewPiece(c, movegen.Advisor)) > 0 {
		row += endingSoldiers
	}
	them := c.Other()
	guards := s.p.Count(movegen.NewPiece(them, movegen.Advisor)) + s.p.Count(movegen.NewPiece(them, movegen.Elephant))
	column := s.foes(them)*endingGuards + min(max(guards-1, 0), endingGuards-1)
	return (attack*endingRows+row)*endingColumns + column
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
