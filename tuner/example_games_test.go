//go:build cgo

package tuner_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
)

// playRooksWin stores short games in which a rook more wins nine times in ten.
func playRooksWin(ctx context.Context, db *results.Store) {
	run := &results.Run{Kind: "match"}
	if _, err := db.CreateRun(ctx, run); err != nil {
		panic(err)
	}
	moves := strings.Fields("b0c2 b9c7 c2b0 c7b9")
	for i := range 300 {
		// Every opening is another: soldiers are missing.
		black, red := []byte("p1p1p1p1p"), []byte("P1P1P1P1P")
		for bit, file := range []int{0, 2, 6, 8, 0, 2, 6, 8} {
			if i>>1>>bit&1 == 1 {
				[2][]byte{black, red}[bit/4][file] = '1'
			}
		}
		blackRook, redRook := "r", "1"
		if i%2 == 0 {
			blackRook, redRook = "1", "R"
		}
		fen := fmt.Sprintf("rnbakabn%s/9/1c5c1/%s/9/9/%s/1C5C1/9/RNBAKABN%s w - - 0 1", blackRook, black, red, redRook)
		winner := results.BlackWins
		if i%2 == 0 {
			winner = results.RedWins
		}
		switch {
		case i%20 == 0:
			winner = results.BlackWins
		case i%20 == 1:
			winner = results.RedWins
		case i%7 == 0:
			winner = results.Drawn
		}
		g := &results.Game{GameKey: results.GameKey{Run: run.ID, Pair: i}, Opening: fen, Result: winner}
		for j := range 1 + i%4 {
			m, err := movegen.ParseMove(moves[j])
			if err != nil {
				panic(err)
			}
			g.Plies = append(g.Plies, results.Ply{Move: m, Score: results.NoScore})
		}
		if err := db.Put(ctx, g); err != nil {
			panic(err)
		}
	}
}
