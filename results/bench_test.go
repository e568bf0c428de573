//go:build cgo

package results

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/xqlab/xqlab/movegen"
)

// BenchmarkPut stores games of 150 plies one by one from so many goroutines for each
// processor, each waiting for its own.
func BenchmarkPut(b *testing.B) {
	for _, callers := range []int{1, 32} {
		b.Run(fmt.Sprintf("callers=%dxP", callers), func(b *testing.B) {
			s := openTest(b)
			r := testRun("")
			mustCreate(b, s, r)
			var next atomic.Int64
			b.SetParallelism(callers)
			plies := benchPlies(150)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					i := int(next.Add(1))
					g := &Game{GameKey: GameKey{r.ID, i / 2, i % 2, 0}, Red: i % 2, Black: 1 - i%2, Opening: movegen.StartFEN, Result: RedWins, Reason: Checkmate, Plies: plies}
					if err := s.Put(b.Context(), g); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

func benchDatabase(b *testing.B) (*Store, int) {
	s := openTest(b)
	r := testRun("")
	mustCreate(b, s, r)
	rules := computerRules(b)
	total := 0
	for i := range 400 {
		g := playRandom(b, rules, uint64(i), 300)
		g.GameKey = GameKey{r.ID, i / 2, i % 2, 0}
		mustPut(b, s, g)
		total += len(g.Plies)
	}
	b.ResetTimer()
	return s, total
}

func BenchmarkGames(b *testing.B) {
	s, total := benchDatabase(b)
	for b.Loop() {
		for _, err := range s.Games(b.Context(), Filter{}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	perPly(b, total)
}

// BenchmarkPositions draws positions by the filters that need no search; every ply read
// counts.
func BenchmarkPositions(b *testing.B) {
	s, total := benchDatabase(b)
	f := PositionFilter{MinPly: 8, ScoreLimit: 600, NotInCheck: true, QuietMove: true, NoRepetition: true, MaxHalfMoves: 80, Distinct: true}
	for b.Loop() {
		for _, err := range s.Positions(b.Context(), f) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	perPly(b, total)
}

func BenchmarkVerify(b *testing.B) {
	s, total := benchDatabase(b)
	for b.Loop() {
		for f, err := range s.Verify(b.Context(), nil) {
			b.Fatal(f, err)
		}
	}
	perPly(b, total)
}
