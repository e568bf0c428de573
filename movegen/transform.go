package movegen

import "strings"

// Mirror returns the position reflected in the e file.
func (p *Position) Mirror() Position {
	return p.transform(Square.Mirror, func(pc Piece) Piece { return pc })
}

// Flip returns the position with the colours and the sides of the board exchanged: the
// side to move is the other, and has the same moves, flipped.
func (p *Position) Flip() Position {
	q := p.transform(Square.Flip, func(pc Piece) Piece { return NewPiece(pc.Color().Other(), pc.Type()) })
	q.side = p.side.Other()
	q.refresh()
	return q
}

func (p *Position) transform(square func(Square) Square, piece func(Piece) Piece) Position {
	q := Position{side: p.side, halfmove: p.halfmove, fullmove: p.fullmove}
	for s := Square(0); s < Squares; s++ {
		if pc := p.board[s]; pc != NoPiece {
			q.board[square(s)] = piece(pc)
		}
	}
	q.refresh()
	return q
}

// String returns the board as text, Black on top, with coordinates, and the FEN below.
func (p *Position) String() string {
	var b strings.Builder
	for rank := Ranks - 1; rank >= 0; rank-- {
		b.WriteByte(byte('0' + rank))
		for file := range Files {
			b.WriteByte(' ')
			b.WriteByte(p.board[SquareAt(file, rank)].Letter())
		}
		b.WriteByte('\n')
		if rank == Ranks/2 {
			b.WriteString("  - - - - - - - - -\n")
		}
	}
	b.WriteString("  a b c d e f g h i\n")
	b.WriteString(p.FEN())
	b.WriteByte('\n')
	return b.String()
}
