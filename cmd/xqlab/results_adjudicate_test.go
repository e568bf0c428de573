package main

import (
	"testing"

	"github.com/xqlab/xqlab/results"
)

// TestFirstPoints: the first of two engines is the one the run names first, whoever else plays
// in it; of imported games, whose players are no engines of the run, Red.
func TestFirstPoints(t *testing.T) {
	for _, c := range []struct {
		red, black int
		result     results.Result
		want       float64
	}{
		{0, 1, results.RedWins, 1}, {0, 1, results.BlackWins, 0}, {0, 1, results.Drawn, 0.5},
		{1, 0, results.RedWins, 0}, {1, 0, results.BlackWins, 1}, {1, 0, results.Drawn, 0.5},
		{1, 2, results.RedWins, 1}, {2, 1, results.RedWins, 0}, {2, 1, results.BlackWins, 1},
		{-1, -1, results.RedWins, 1}, {-1, -1, results.BlackWins, 0},
	} {
		if got := firstPoints(&results.Game{Red: c.red, Black: c.black}, c.result); got != c.want {
			t.Errorf("engines %d and %d, %s: %v, want %v", c.red, c.black, c.result, got, c.want)
		}
	}
}
