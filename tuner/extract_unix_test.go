//go:build cgo && unix

package tuner

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/xqlab/xqlab/results"
)

// processorTime returns what all threads of this process have used.
func processorTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkExtract makes datasets of random games by filters without and with search.
func BenchmarkExtract(b *testing.B) {
	db := gamesIn(b, 1600)
	for name, x := range map[string]*Extraction{
		"filters": ownExtraction(results.PositionFilter{MinPly: 8, NotInCheck: true, QuietMove: true, NoRepetition: true, Distinct: true}, Anything),
		"static":  ownExtraction(results.PositionFilter{MinPly: 8, NotInCheck: true, QuietMove: true, NoRepetition: true, Distinct: true}, Static),
		"resolve": ownExtraction(results.PositionFilter{MinPly: 8, NotInCheck: true, QuietMove: true, NoRepetition: true, Distinct: true}, Resolve),
	} {
		b.Run(name, func(b *testing.B) {
			n, used := 0, processorTime(b)
			for b.Loop() {
				d, e, err := x.Dataset(b.Context(), db, b.TempDir())
				if err != nil {
					b.Fatal(err)
				}
				n += e.Positions
				d.Close()
			}
			b.ReportMetric(float64(n)/(processorTime(b)-used).Seconds(), "positions/CPU-s")
		})
	}
}
