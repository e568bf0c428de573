package eval

import "github.com/xqlab/xqlab/movegen"

// Scales of drawish endings, in ScaleMax-ths of the score.
const (
	scaleHopeless = 2  // nothing left that can mate
	scaleLone     = 16 // one attacker that does not win against the defenders
	scaleThin     = 36 // few attackers against a whole defence
)

// scale returns how much of a score counts for the side that it favours: with few
// attackers against a whole defence even a large surplus does not win.
func (s *state) scale(score int) int {
	c := movegen.Red
	if score < 0 {
		c = movegen.Black
	}
	n := func(c movegen.Color, t movegen.PieceType) int { return s.p.Count(movegen.NewPiece(c, t)) }
	rooks, soldiers := n(c, movegen.Rook), n(c, movegen.Pawn)
	minors := n(c, movegen.Horse) + n(c, movegen.Cannon)
	guards := n(c.Other(), movegen.Advisor) + n(c.Other(), movegen.Elephant)
	switch {
	case rooks+minors+soldiers == 0:
		return scaleHopeless
	case rooks > 0 || minors > 1 || minors+soldiers > 2:
		return ScaleMax
	case minors == 1 && soldiers == 0 && n(c, movegen.Cannon) == 1 && n(c, movegen.Advisor) == 0:
		return scaleHopeless
	case minors+soldiers == 1 && guards >= 2:
		return scaleLone
	case minors+soldiers == 2 && guards == 4:
		return scaleThin
	}
	return ScaleMax
}
