package pgn

import (
	"io"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/movegen/notation"
	"golang.org/x/text/encoding/traditionalchinese"
)

// benchGames is the number of games of a benchmark's file.
const benchGames = 200

// BenchmarkRead tells plies per second for each notation, lexing, legality and making of
// the moves included.
func BenchmarkRead(b *testing.B) {
	var games []*Game
	plies := 0
	for i := range uint64(benchGames) {
		g := chineseGame(i, 80)
		games = append(games, g)
		plies += len(g.Moves)
	}
	run := func(name, text string, f Format) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				s, err := NewSource(strings.NewReader(text), f, Options{})
				n := 0
				for err == nil {
					var g *Game
					if g, err = s.Next(); err == nil {
						n += len(g.Moves)
					}
				}
				if err != io.EOF || n != plies {
					b.Fatal(err, n)
				}
			}
			b.ReportMetric(float64(plies)*float64(b.N)/b.Elapsed().Seconds(), "plies/s")
		})
	}
	for style := notation.Coordinates; style < notation.Styles; style++ {
		run(strings.ReplaceAll(style.String(), " ", "_"), write(b, style, games...), PGNICCS)
	}
	big5, err := traditionalchinese.Big5.NewEncoder().String(toTraditional.Replace(write(b, notation.TraditionalWide, games...)))
	if err != nil {
		b.Fatal(err)
	}
	run("Big5", big5, AnyFormat)
	var lines strings.Builder
	w, _ := NewSink(&lines, JSONL, SinkOptions{})
	for _, g := range games {
		if err := w.Write(g); err != nil {
			b.Fatal(err)
		}
	}
	w.Flush()
	run("jsonl", lines.String(), JSONL)
}

func BenchmarkWrite(b *testing.B) {
	g := chineseGame(1, 200)
	for style := notation.Coordinates; style < notation.Styles; style++ {
		b.Run(strings.ReplaceAll(style.String(), " ", "_"), func(b *testing.B) {
			w := NewWriter(io.Discard, style)
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Write(g); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(g.Moves))*float64(b.N)/b.Elapsed().Seconds(), "plies/s")
		})
	}
}
