package referee

import "github.com/xqlab/xqlab/movegen"

// materials says whether the pieces on the board can still decide the game.
type materials uint8

const (
	decisive       materials = iota
	dead                     // a draw
	deadUnlessMate           // a draw unless the side to move mates at once
)

// hasPieceThatAttacks judges a draw when neither side has a rook, horse, cannon or
// soldier (ElephantEye; Pikafish 2023-12-03).
func hasPieceThatAttacks(p *movegen.Position) materials {
	for _, t := range [...]movegen.PieceType{movegen.Pawn, movegen.Rook, movegen.Horse, movegen.Cannon} {
		if count(p, movegen.Red, t)+count(p, movegen.Black, t) > 0 {
			return decisive
		}
	}
	return dead
}

// canAnyoneWin is Pikafish's rule of 2024: besides what hasPieceThatAttacks says, a lone
// cannon without an advisor for a screen, and cannon against cannon without advisors.
func canAnyoneWin(p *movegen.Position) materials {
	for _, t := range [...]movegen.PieceType{movegen.Pawn, movegen.Rook, movegen.Horse} {
		if count(p, movegen.Red, t)+count(p, movegen.Black, t) > 0 {
			return decisive
		}
	}
	red, black := count(p, movegen.Red, movegen.Cannon), count(p, movegen.Black, movegen.Cannon)
	switch {
	case red+black == 0:
		return dead
	case red == 1 && black == 1:
		return cannonEach(p)
	case red == 1 && black == 0:
		return loneCannon(p, movegen.Red)
	case red == 0 && black == 1:
		return loneCannon(p, movegen.Black)
	}
	return decisive
}

func cannonEach(p *movegen.Position) materials {
	switch both := func(t movegen.PieceType) int { return count(p, movegen.Red, t) + count(p, movegen.Black, t) }; {
	case both(movegen.Advisor) > 0:
		return decisive
	case both(movegen.Elephant) > 0:
		return deadUnlessMate
	}
	return dead
}

// loneCannon judges c's cannon, the only piece on the board that attacks.
func loneCannon(p *movegen.Position, c movegen.Color) materials {
	if count(p, c, movegen.Advisor) > 0 {
		return decisive
	}
	elephants := count(p, c, movegen.Elephant) > 0
	switch screens := count(p, c.Other(), movegen.Advisor); {
	case screens == 0, screens == 1 && !elephants:
		return dead
	case screens == 1, !elephants:
		return deadUnlessMate
	}
	return decisive
}

func count(p *movegen.Position, c movegen.Color, t movegen.PieceType) int {
	return p.Count(movegen.NewPiece(c, t))
}
