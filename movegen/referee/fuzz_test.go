package referee

import (
	"testing"

	"github.com/xqlab/xqlab/movegen"
)

// chosen is the legal move that the byte chooses; the upper half of them goes back with the
// piece that its side moved last, if that is legal, so that cycles come about.
func chosen(g *Game, c byte) movegen.Move {
	if c >= 128 && g.Len() >= 2 {
		last := g.Move(g.Len() - 1)
		if m := movegen.NewMove(last.To(), last.From()); g.Position().IsLegal(m) {
			return m
		}
	}
	var l movegen.MoveList
	g.Position().Legal(&l)
	return l.At(int(c) % l.Len())
}

// FuzzGame plays moves drawn from bytes: the judge must not fail, its verdicts must be
// final, and Node must agree where both judge at the real number of occurrences.
func FuzzGame(f *testing.F) {
	f.Add("3k4n/9/9/9/9/9/9/9/9/4K2R1 w", []byte{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}, uint8(0))
	f.Add(movegen.StartFEN, []byte("xqlab"), uint8(1))
	f.Add("3k4n/9/9/9/9/9/9/9/9/4K2R1 w", []byte{1, 2, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200}, uint8(2))
	f.Fuzz(func(t *testing.T, fen string, choices []byte, rules uint8) {
		p, err := movegen.ParseFEN(fen)
		if err != nil {
			return
		}
		r, err := Named(Names()[int(rules)%len(Names())])
		if err != nil {
			t.Fatal(err)
		}
		g := NewGame(p, r)
		for _, c := range choices {
			if g.Verdict().Status != Ongoing {
				break
			}
			m := chosen(g, c)
			v, err := g.Play(m)
			if err != nil {
				t.Fatal(err)
			}
			if v.Reason == Checkmate || v.Reason == Stalemate {
				continue
			}
			// with the root here every occurrence is the game's own
			want := g.outcome(v)
			if got := g.Node(0); got != want {
				t.Fatalf("%s: Node says %v, Play %v", g.Position().FEN(), got, v)
			}
			// with the root at the start draws may come sooner, but nothing else
			if got := g.Node(g.Len()); got != want && (got != Drawn || want != None) {
				t.Fatalf("%s: Node below the root says %v, Play %v", g.Position().FEN(), got, v)
			}
		}
		if v := g.Verdict(); v.Status != Ongoing {
			if _, err := g.Play(movegen.NoMove); err == nil {
				t.Fatal("a move after the end")
			}
			g.Explain()
		}
	})
}
