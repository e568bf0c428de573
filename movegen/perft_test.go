package movegen

import "testing"

func TestPerft(t *testing.T) {
	for _, c := range []struct {
		fen   string
		depth int
		nodes uint64
	}{
		{StartFEN, 3, 79666},
		{"CRN1k1b2/3ca4/4ba3/9/2nr5/9/9/4B4/4A4/4KA3 w", 3, 14808},
		{"C1nNk4/9/9/9/9/9/n1pp5/B3C4/9/3A1K3 w", 4, 64971},
		{"CnN1k1b2/c3a4/4ba3/9/2nr5/9/9/4C4/4A4/4KA3 w", 3, 11714},
	} {
		p, err := ParseFEN(c.fen)
		if err != nil {
			t.Fatal(err)
		}
		if got := Perft(p, c.depth); got != c.nodes {
			t.Errorf("perft %d of %s = %d, want %d", c.depth, c.fen, got, c.nodes)
		}
	}
}
