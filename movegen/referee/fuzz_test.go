package referee

import (
	"testing"

	"github.com/xqlab/xqlab/movegen"
)

// FuzzGame plays moves drawn from bytes: the judge must not fail, its verdicts must be
// final, and Node must agree where both judge at the real number of occurrences.
func FuzzGame(f *testing.F) {
	f.Add("3k4n/9/9/9/9/9/9/9/9/4K2R1 w", []byte{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}, uint8(0))
	f.Add(movegen.StartFEN, []byte("xqlab"), uint8(1))
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
			var l movegen.MoveList
			g.Position().Legal(&l)
			m := l.At(int(c) % l.Len())
			v, err := g.Play(m)
			if err != nil {
				t.Fatal(err)
			}
			if v.Reason == Checkmate || v.Reason == Stalemate {
				continue
			}
			// with the root here every occurrence is the game's own
			if got, want := g.Node(0), g.outcome(v); got != want {
				t.Fatalf("%s: Node says %v, Play %v", g.Position().FEN(), got, v)
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
