package movegen

import (
	"strings"
	"testing"
)

func mustParse(t testing.TB, fen string) *Position {
	t.Helper()
	p, err := ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Mistakes seen in public move checkers, and each reason once.
func TestExplain(t *testing.T) {
	const (
		start   = StartFEN
		edges   = "3k5/9/9/P7p/9/9/p7P/9/9/4K4"
		crowded = "2bak4/4a4/4b4/9/9/3n5/9/9/4A4/2BAK1B2"
	)
	for _, c := range []struct{ fen, move, want string }{
		{start, "h2e2", ""},
		{start, "b9c7", "the horse on b9 is Black's and it is Red's turn"},
		{start, "e4e5", "there is no piece on e4"},
		{start, "a0b0", "Red's own horse stands on b0"},
		{start, "b0d1", "the horse's leg is blocked at c0"},
		{start, "b0d2", "the horse moves one step straight and one diagonally outward"},
		{start, "c0e4", "the elephant moves exactly two steps diagonally"},
		{start, "a0a4", "the rook's way is blocked at a3"},
		{start, "a0b1", "the rook moves along a rank or file"},
		{start, "b2b8", "the cannon's way is blocked at b7: it jumps only to take"},
		{start, "b2b7", "the cannon has no screen to take over on the way to b7"},
		{start, "a3a2", "the soldier never moves back"},
		{start, "a3a5", "the soldier moves one step"},
		{start, "a3b3", "the soldier moves sideways only after it has crossed the river"},
		{start, "a3i3", "Red's own soldier stands on i3"},
		{start, "d0c1", "the advisor may not leave the palace"},
		{start, "d0d1", "the advisor moves one step diagonally"},
		{"4k4/9/9/9/9/9/9/4p4/9/3K5 w", "d0c0", "the king may not leave the palace"},
		{start, "e0e2", "the king moves one step forward, back or sideways"},
		// A soldier on the edge "sideways" to the other edge of the next rank.
		{edges + " w", "a6i5", "the soldier never moves back"},
		{edges + " w", "i3a4", "the soldier moves one step"},
		{edges + " b", "i6a5", "the soldier moves one step"},
		// A black elephant on its own river bank, and over the river.
		{"3k5/9/9/9/6b2/9/9/9/9/4K4 b", "g5e7", ""},
		{"3k5/9/4b4/9/9/9/9/9/9/5K3 b", "e7g5", ""},
		{"3k5/9/9/9/6b2/9/9/9/9/5K3 b", "g5e3", "the elephant may not cross the river"},
		{"3k5/9/9/9/9/6B2/9/9/9/5K3 w", "g4e6", "the elephant may not cross the river"},
		{crowded + " b", "c9e7", "Black's own elephant stands on e7"},
		{"2ba1k3/3n5/9/9/9/9/9/9/9/4K4 b", "c9e7", "the elephant's eye is blocked at d8"},
		// The leg is beside the horse, not beside the target.
		{crowded + " b", "d4e2", ""},
		{"3k5/9/9/9/9/3n5/3C5/9/9/5K3 b", "d4e2", "the horse's leg is blocked at d3"},
		{"3k5/9/9/9/9/3n5/4C4/9/9/5K3 b", "d4e2", ""},
		{"3k5/9/9/9/1c1P1P1R1/9/9/9/9/4K4 b", "b5h5", "the cannon has too many screens to take over on the way to h5: 2"},
		{"4k4/9/9/9/9/9/9/9/4A4/4K4 w", "e1d2", "the generals would face each other"},
		{"4k4/9/9/9/9/9/9/9/9/3K5 w", "d0e0", "the generals would face each other"},
		{"3k5/9/9/9/4r4/9/9/9/4R4/4K4 w", "e1a1", "the general would be left attacked by the rook on e5"},
		{"3k5/9/9/9/4r4/9/9/9/R8/4K4 w", "a1a2", "the general is in check and would still be attacked by the rook on e5"},
	} {
		m, err := ParseMove(c.move)
		if err != nil {
			t.Fatal(err)
		}
		if got := mustParse(t, c.fen).Explain(m); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.fen, c.move, got, c.want)
		}
	}
	for _, m := range []Move{NoMove, NewMove(5, 5), NewMove(0, 90), NewMove(127, 127), 1<<14 | NewMove(0, 9), 65535} {
		p := StartPosition()
		if p.IsLegal(m) {
			t.Errorf("move %#x is called legal", uint16(m))
		}
		if got := p.Explain(m); !strings.HasPrefix(got, "that is no move") {
			t.Errorf("move %#x: %q", uint16(m), got)
		}
	}
}

// TestIsLegalAnyValue asks for all 65,536 values in a few positions.
func TestIsLegalAnyValue(t *testing.T) {
	pick := rng(7)
	for range 20 {
		p := buildPosition(pick)
		if p.Validate() != nil {
			continue
		}
		legal := map[Move]bool{}
		for _, m := range plainOf(p).legal() {
			legal[m] = true
		}
		for m := range 1 << 16 {
			if p.IsLegal(Move(m)) != legal[Move(m)] {
				t.Fatalf("%s: IsLegal(%#x) is %t", p.FEN(), m, !legal[Move(m)])
			}
		}
	}
}

// TestSymmetry: mirrored and colour-swapped positions have the same moves, mirrored and
// swapped, and the same counts.
func TestSymmetry(t *testing.T) {
	pick := rng(3)
	for seen := 0; seen < *positions/20; {
		p := buildPosition(pick)
		if p.Validate() != nil {
			continue
		}
		seen++
		mirror, flip := p.Mirror(), p.Flip()
		if err := flip.Validate(); err != nil {
			t.Fatalf("%s flipped: %v", p.FEN(), err)
		}
		if q := mirror.Mirror(); q != *p {
			t.Fatalf("%s: mirrored twice it is %s", p.FEN(), q.FEN())
		}
		if q := flip.Flip(); q != *p {
			t.Fatalf("%s: flipped twice it is %s", p.FEN(), q.FEN())
		}
		var l MoveList
		p.Legal(&l)
		for _, m := range l.Slice() {
			if !mirror.IsLegal(m.Mirror()) || !flip.IsLegal(m.Flip()) {
				t.Fatalf("%s: %s is not legal when mirrored or flipped", p.FEN(), m)
			}
		}
		if n := Perft(p, 3); Perft(&mirror, 3) != n || Perft(&flip, 3) != n {
			t.Fatalf("%s: perft 3 %d, mirrored %d, flipped %d", p.FEN(), n, Perft(&mirror, 3), Perft(&flip, 3))
		}
	}
}

func TestString(t *testing.T) {
	got := StartPosition().String()
	for _, want := range []string{"9 r n b a k a b n r\n", "0 R N B A K A B N R\n", "  a b c d e f g h i\n" + StartFEN + "\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
