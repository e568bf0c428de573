package search

import (
	"context"
	"testing"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
)

// TestNoMateFromASecondOccurrence: a search that took the second occurrence of a position
// for a perpetual check's loss would see a mate here where there is a draw (Fairy-Stockfish
// issue 635).
func TestNoMateFromASecondOccurrence(t *testing.T) {
	p, err := movegen.ParseFEN("3aka3/4n4/9/9/9/9/9/7C1/7r1/3AK4 w")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := referee.Named("computer")
	if err != nil {
		t.Fatal(err)
	}
	e := New(eval.Default(), DefaultParams(), Options{HashMB: 16, Threads: 1})
	r := e.Search(context.Background(), referee.NewGame(p, rules), Limits{Depth: 16}, nil)
	if r.Score < -50 || r.Score > 50 {
		t.Errorf("score %d, want about 0", r.Score)
	}
}
