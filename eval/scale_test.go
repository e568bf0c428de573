package eval

import (
	"math/rand"
	"testing"

	"github.com/xqlab/xqlab/movegen"
)

// visitEndings calls f with n positions that are the start position without some pieces.
func visitEndings(t *testing.T, n int, f func(p *movegen.Position)) {
	rng := rand.New(rand.NewSource(1))
	full := movegen.StartPosition().FEN()
	for n > 0 {
		fen, keep, board := []byte(full), rng.Intn(50), true
		for i, c := range fen {
			board = board && c != ' '
			piece := board && c != '/' && (c < '0' || c > '9')
			if piece && c|0x20 != 'k' && rng.Intn(100) >= keep {
				fen[i] = '1'
			}
		}
		p, err := movegen.ParseFENLenient(string(fen))
		if err != nil { // the kings look at each other
			continue
		}
		f(p)
		n--
	}
}

func TestEndings(t *testing.T) {
	w := Default()
	for i := range w.Ending {
		w.Ending[i] = 1 + i%MaxEnding
	}
	e := New(w)
	var seen [Endings]bool
	visitEndings(t, positions(t), func(p *movegen.Position) {
		var trace Trace
		e.Evaluate(p, &trace)
		if trace.Ending == NoEnding {
			if trace.Scale != ScaleMax {
				t.Fatalf("%s: scale %d", p.FEN(), trace.Scale)
			}
			return
		}
		seen[trace.Ending] = true
		if trace.Scale != w.Ending[trace.Ending] {
			t.Fatalf("%s: scale %d, class %d has %d", p.FEN(), trace.Scale, trace.Ending, w.Ending[trace.Ending])
		}
	})
	n := 0
	for _, s := range seen {
		if s {
			n++
		}
	}
	least := Endings / 2
	if testing.Short() { // few positions show few classes
		least = Endings / 5
	}
	if n < least {
		t.Errorf("%d of %d classes were seen, want %d", n, Endings, least)
	}
}

func TestEndingClass(t *testing.T) {
	for _, c := range []struct {
		fen                       string // Red is favoured
		attack, row, foes, guards int
	}{
		{"3k5/4a4/3a5/9/9/9/9/4B4/4A4/3AKR3 w", attackRook, 4, 0, 1},
		{"2bak1b2/4a4/9/4P4/9/9/9/4B4/4A4/3AKC3 w", attackCannon, 5, 0, 3},
		{"2b1k1b2/4a4/9/4P4/9/9/9/4B4/9/4KC3 w", attackCannon, 1, 0, 2},
		{"4k4/9/9/4P4/9/9/4N4/4B4/4A4/4K4 w", attackHorse, 5, 0, 0},
		{"2b1k1b2/4n4/9/P1P1P1P2/9/9/9/4B4/2N6/4KCC2 w", attackThree, 3, 1, 1},
		{"3rk4/4c4/9/9/9/9/9/9/4N4/4KC3 w", attackTwo, 0, 5, 0},
		{"3rk4/9/9/9/9/9/9/9/4N4/4KR3 w", attackRookMinor, 0, 4, 0},
		{"1nnck4/9/9/P8/9/9/9/9/4A4/4K4 w", attackNone, 5, 3, 0},
		{"4k4/9/9/4c4/9/9/9/R8/9/R3K4 w", NoEnding, 0, 0, 0},
		{"4k4/9/9/9/9/9/9/RN7/4N4/4K4 w", NoEnding, 0, 0, 0},
	} {
		p, err := movegen.ParseFENLenient(c.fen + " - - 0 1")
		if err != nil {
			t.Fatal(err)
		}
		want := NoEnding
		if c.attack != NoEnding {
			want = ((c.attack*endingRows+c.row)*endingFoes+c.foes)*endingGuards + c.guards
		}
		for _, p := range []*movegen.Position{p, transform(p, movegen.Square.Flip, true)} {
			s := state{p: p}
			c := movegen.Red
			if p.Side() == movegen.Black {
				c = movegen.Black
			}
			if got := s.ending(c); got != want {
				t.Errorf("%s: class %d, want %d", p.FEN(), got, want)
			}
		}
	}
}
