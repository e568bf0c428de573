package movegen

import (
	"testing"

	"pgregory.net/rapid"
)

// TestSight compares what squares see with steps along the lines, piece by piece.
func TestSight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := StartPosition()
		for range rapid.IntRange(0, 80).Draw(t, "plies") {
			var l MoveList
			if p.Legal(&l); l.Len() == 0 {
				break
			}
			var u Undo
			p.Make(l.At(rapid.IntRange(0, l.Len()-1).Draw(t, "move")), &u)
		}
		s := Square(rapid.IntRange(0, Squares-1).Draw(t, "square"))
		var want Sight
		for _, d := range [...][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
			pieces := 0
			for to := s.offset(d[0], d[1]); to != NoSquare && pieces < 3; to = to.offset(d[0], d[1]) {
				switch pieces {
				case 0:
					want.Reach.add(to)
				case 1:
					want.Behind.add(to)
				}
				if p.At(to) != NoPiece {
					switch pieces++; pieces {
					case 2:
						want.Second.add(to)
					case 3:
						want.Third.add(to)
					}
				}
			}
		}
		if got := p.Sight(s); got != want {
			t.Fatalf("%s from %s: got %v, want %v", p.FEN(), s, got, want)
		}
		if p.RookSteps(s) != want.Reach {
			t.Fatalf("%s from %s: rook steps %v", p.FEN(), s, p.RookSteps(s))
		}
		for _, c := range [...]Color{Red, Black} {
			for origins := p.HorseOrigins(s); !origins.Empty(); {
				if from := origins.Pop(); !p.HorseSteps(from).Has(s) {
					t.Fatalf("%s: a horse on %s does not attack %s", p.FEN(), from, s)
				}
			}
			for own := p.Color(c); !own.Empty(); {
				from := own.Pop()
				var steps Set
				switch p.At(from).Type() {
				case Elephant:
					steps = p.ElephantSteps(c, from)
				case Advisor:
					steps = AdvisorSteps(c, from)
				case Horse:
					steps = p.HorseSteps(from)
				case Pawn:
					steps = PawnSteps(c, from)
				case King:
					steps = KingSteps(from)
				default:
					continue
				}
				for to := Square(0); to < Squares; to++ {
					facing := p.At(from).Type() == King && p.At(to).Type() == King
					if !facing && steps.Has(to) != p.Attackers(to, c).Has(from) {
						t.Fatalf("%s: %s to %s: %v", p.FEN(), from, to, steps.Has(to))
					}
				}
			}
		}
	})
}
