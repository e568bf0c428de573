package openings

import (
	"fmt"
	"hash/maphash"

	"github.com/xqlab/xqlab/movegen"
)

// Spread tells how different the positions of a book are from each other.
type Spread struct {
	Positions            int
	RedToMove            int
	MinPly, MaxPly       int // as their move numbers count
	MinPieces, MaxPieces int
	Arrangements         [2]int // different placements of each side's pieces

	seen [2]map[uint64]bool
	seed maphash.Seed
}

// add takes in a position.
func (s *Spread) add(p *movegen.Position) {
	ply, pieces := 2*(p.FullMove()-1)+int(p.Side()), p.Occupied().Count()
	if s.Positions++; s.Positions == 1 {
		s.MinPly, s.MaxPly, s.MinPieces, s.MaxPieces, s.seed = ply, ply, pieces, pieces, maphash.MakeSeed()
		s.seen = [2]map[uint64]bool{{}, {}}
	}
	s.MinPly, s.MaxPly = min(s.MinPly, ply), max(s.MaxPly, ply)
	s.MinPieces, s.MaxPieces = min(s.MinPieces, pieces), max(s.MaxPieces, pieces)
	if p.Side() == movegen.Red {
		s.RedToMove++
	}
	for c := range s.seen {
		var board [movegen.Squares]movegen.Piece
		for all := p.Color(movegen.Color(c)); !all.Empty(); {
			square := all.Pop()
			board[square] = p.At(square)
		}
		s.seen[c][maphash.Comparable(s.seed, board)] = true
		s.Arrangements[c] = len(s.seen[c])
	}
}

// String returns a line for people.
func (s *Spread) String() string {
	return fmt.Sprintf("%d with Red to move, %d with Black; %d to %d plies played, %d to %d pieces; %d arrangements of Red's pieces, %d of Black's",
		s.RedToMove, s.Positions-s.RedToMove, s.MinPly, s.MaxPly, s.MinPieces, s.MaxPieces, s.Arrangements[movegen.Red], s.Arrangements[movegen.Black])
}
