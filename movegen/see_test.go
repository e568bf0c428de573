package movegen

import "testing"

var testValues = [PieceTypes]int{King: 0, Advisor: 20, Elephant: 25, Horse: 90, Rook: 200, Cannon: 95, Pawn: 15}

// see is static exchange by really taking, on the plain board. Ties in value go to the
// piece that the package looks at first.
func (b *plain) see(m Move) int {
	won := testValues[pieceOf(b.at[m.To().Rank()][m.To().File()]).Type()]
	next := b.after(m)
	return won - next.seeReply(m.To())
}

// seeReply is what the side to move wins by taking on s, 0 if it does better not to.
func (b *plain) seeReply(s Square) int {
	taken := pieceOf(b.at[s.Rank()][s.File()])
	best, king := NoSquare, NoSquare
	for a := b.attackMap(b.red)[s.Rank()][s.File()]; !a.Empty(); {
		x := a.Pop()
		switch k := pieceOf(b.at[x.Rank()][x.File()]).Type(); {
		case k == King:
			king = x
		case best == NoSquare || testValues[k] < testValues[pieceOf(b.at[best.Rank()][best.File()]).Type()]:
			best = x
		}
	}
	if taken.Type() == King {
		return 0 // it only took because nobody can take back
	}
	if best == NoSquare {
		if king == NoSquare {
			return 0
		}
		next := b.after(NewMove(king, s))
		if !next.attackMap(next.red)[s.Rank()][s.File()].Empty() {
			return 0
		}
		best = king
	}
	next := b.after(NewMove(best, s))
	return max(0, testValues[taken.Type()]-next.seeReply(s))
}

func TestSEE(t *testing.T) {
	for _, c := range []struct {
		fen, move string
		want      int
	}{
		{StartFEN, "h2e2", 0},
		{StartFEN, "h2h9", 90 - 95}, // the rook takes back
		{"3k5/9/9/9/r3p4/9/9/9/9/R3K4 w", "a0a5", 200},
		{"3k5/9/r8/9/r8/9/9/9/9/R3K4 w", "a0a5", 0},         // a rook for a rook
		{"3k5/9/9/9/r8/P8/R8/R8/9/4K4 b", "a5a4", 15 - 200}, // two rooks stand behind the soldier
		{"3k5/9/9/9/p2c5/9/9/9/9/R3K4 w", "a0a5", 15},       // the cannon has no screen
		{"3k5/9/9/9/p1nc5/9/9/9/9/R3K4 w", "a0a5", 15 - 200},
		{"4k4/4r4/9/9/9/9/9/9/4R4/3K5 w", "e1e8", 0}, // the king takes back
		{"4k4/4r4/9/9/9/9/9/4R4/4R4/3K5 w", "e2e8", 200},
	} {
		m, err := ParseMove(c.move)
		if err != nil {
			t.Fatal(err)
		}
		if got := mustParse(t, c.fen).SEE(m, &testValues); got != c.want {
			t.Errorf("%s %s: %d, want %d", c.fen, c.move, got, c.want)
		}
	}
}

func TestSEEAgainstPlain(t *testing.T) {
	pick := rng(11)
	for seen := 0; seen < *positions/5; {
		p := buildPosition(pick)
		if p.Validate() != nil {
			continue
		}
		seen++
		b := plainOf(p)
		var l MoveList
		p.Legal(&l)
		for _, m := range l.Slice() {
			want := b.see(m)
			if got := p.SEE(m, &testValues); got != want {
				t.Fatalf("%s %s: %d, want %d", p.FEN(), m, got, want)
			}
			for _, limit := range []int{want - 1, want, want + 1, 0, 1, -15, pick(400) - 200} {
				if p.SEEAtLeast(m, limit, &testValues) != (want >= limit) {
					t.Fatalf("%s %s: at least %d: %t, but the exchange gives %d", p.FEN(), m, limit, want < limit, want)
				}
			}
		}
	}
}
