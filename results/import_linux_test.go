//go:build cgo

package results

import (
	"bytes"
	"io"
	"iter"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/xqlab/xqlab/movegen/notation"
	"github.com/xqlab/xqlab/movegen/pgn"
)

// processorTime is what this process has used, in user and system mode on all cores.
func processorTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const benchGames = 2000

// benchPGN returns games of legal moves with players' tags, as a file of coordinates.
func benchPGN(b *testing.B) []byte {
	rules := computerRules(b)
	var text bytes.Buffer
	w := pgn.NewWriter(&text, notation.Coordinates)
	for i := range benchGames {
		g := playRandom(b, rules, uint64(i), 120)
		p := g.PGN(&Run{ID: "import"})
		p.Notes = nil
		p.Tags.Set("Red", "player of red")
		p.Tags.Set("Black", "player of black")
		if err := w.Write(p); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	return text.Bytes()
}

// fromText reads games as results import does.
func fromText(b *testing.B, text []byte) iter.Seq[*Game] {
	return func(yield func(*Game) bool) {
		src, err := pgn.NewSource(bytes.NewReader(text), pgn.AnyFormat, pgn.Options{Name: "bench.pgn", Notes: true})
		if err != nil {
			b.Fatal(err)
		}
		for {
			in, err := src.Next()
			if err == io.EOF {
				return
			}
			var g *Game
			if err == nil {
				g, err = FromPGN(in)
			}
			if err != nil {
				b.Error(err)
				return
			}
			if !yield(g) {
				return
			}
		}
	}
}

// BenchmarkImport stores 2,000 games in a new database each time: from memory, and from
// the text of a PGN file. plies/cpu-s is by processor time on all cores, so that a busy
// machine does not show.
func BenchmarkImport(b *testing.B) {
	text := benchPGN(b)
	var games []*Game
	for g := range fromText(b, text) {
		games = append(games, g)
	}
	for name, source := range map[string]iter.Seq[*Game]{"memory": imports(games...), "pgn": fromText(b, text)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			plies := 0
			var used time.Duration
			for range b.N {
				b.StopTimer()
				s := openTest(b)
				r := &Run{Kind: "import"}
				mustCreate(b, s, r)
				b.StartTimer()
				before := processorTime(b)
				done, err := s.Import(b.Context(), r.ID, source)
				used += processorTime(b) - before
				if err != nil || done.Games != benchGames {
					b.Fatal(done, err)
				}
				plies += done.Plies
			}
			b.ReportMetric(float64(plies)/used.Seconds(), "plies/cpu-s")
			b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
		})
	}
}
