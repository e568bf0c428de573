package movegen

import "testing"

// TestBenchPerft counts the quickest positions of the suite by another method too.
func TestBenchPerft(t *testing.T) {
	for i, c := range benchPerfts {
		p, err := ParseFEN(c.fen)
		if err != nil || c.depth < 4 {
			t.Fatalf("position %d to depth %d: %v", i+1, c.depth, err)
		}
		if i < len(benchPerfts)-2 {
			continue
		}
		_, n, err := BenchPerft(t.Context(), i, 1)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := RunPerft(t.Context(), p, PerftOptions{Depth: c.depth, Method: List}); err != nil || r.Nodes != n {
			t.Errorf("position %d: %d paths by the suite, %d by lists, %v", i+1, n, r.Nodes, err)
		}
	}
}
