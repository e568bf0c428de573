//go:build cgo

package results

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/xqlab/xqlab/movegen"
)

// BenchmarkImport stores games of 80 plies without engine data, as people's are.
func BenchmarkImport(b *testing.B) {
	const plies = 80
	s := openTest(b)
	r := &Run{Kind: "import"}
	mustCreate(b, s, r)
	games := make([]*Game, b.N)
	for i := range games {
		games[i] = randomMoves(uint64(i), plies)
		games[i].Tags = map[string]string{"Event": "Tournament", "Red": "Player A", "Black": fmt.Sprint("Player ", i%1000), "Date": "2020.01.01"}
	}
	b.ResetTimer()
	got, err := s.Import(b.Context(), r.ID, imports(games...))
	if err != nil || got.Games != b.N {
		b.Fatal(got, err)
	}
	b.StopTimer()
	b.ReportMetric(float64(got.Plies)/b.Elapsed().Seconds(), "plies/s")
}

// BenchmarkPut stores games of 150 plies one by one from as many goroutines as it is
// told, each waiting for its own.
func BenchmarkPut(b *testing.B) {
	for _, callers := range []int{1, 32} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s := openTest(b)
			r := testRun("")
			mustCreate(b, s, r)
			var next atomic.Int64
			b.SetParallelism(callers)
			if callers == 1 {
				b.SetParallelism(1)
			}
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
