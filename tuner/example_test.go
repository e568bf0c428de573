//go:build cgo

package tuner_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/tuner"
)

// counting is an evaluation of one's own: what a rook, a horse and a cannon are worth.
type counting struct{}

var pieces = []movegen.PieceType{movegen.Rook, movegen.Horse, movegen.Cannon}

func (counting) Names() []string { return []string{"rook", "horse", "cannon"} }

func (counting) Extract(p *movegen.Position, s *tuner.Sample) {
	s.MG, s.EG, s.Offset, s.Coefs = 1, 0, 0, s.Coefs[:0] // no endgame values
	for i, t := range pieces {
		n := p.Count(movegen.NewPiece(movegen.Red, t)) - p.Count(movegen.NewPiece(movegen.Black, t))
		if n != 0 {
			s.Coefs = append(s.Coefs, tuner.Coef{Index: i, MG: float64(n), EG: float64(n)})
		}
	}
}

// An evaluation of one's own is fitted to games: here to all that are in a database. The
// dataset lies beside it and is used again.
func Example() {
	ctx := context.Background()
	dir, _ := os.MkdirTemp("", "tuner-example")
	defer os.RemoveAll(dir)
	db, err := results.Open(ctx, filepath.Join(dir, "games.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	playRooksWin(ctx, db) // stands for games that were played

	x := tuner.Extraction{Positions: results.PositionFilter{NotInCheck: true}, Evaluation: func() tuner.Evaluation { return counting{} }, By: "counting 1"}
	d, _, err := x.Dataset(ctx, db, tuner.DatasetDir(db.Path()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	start := [][2]float64{{100, 0}, {100, 0}, {100, 0}}
	r, err := tuner.Fit(ctx, d, tuner.Options{Start: start, K: 0.005, Prior: 100, Freeze: []string{"*:eg"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range r.Weights {
		if w.Phase == 0 {
			fmt.Printf("%s grew: %v, known: %v\n", w.Name, w.Value > 120, w.Error < 100 && w.Decided())
		}
	}
	// Output:
	// rook grew: true, known: true
	// horse grew: false, known: false
	// cannon grew: false, known: false
}
