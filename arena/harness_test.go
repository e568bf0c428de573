//go:build cgo && unix

package arena

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/search"
)

// BenchmarkHarness measures what the arena itself costs for each ply of in-process play,
// in processor time: schedule, referee, clocks, new games, records and SQLite, start and
// end of the match. At one node a move the built-in engine's games are of some eight plies,
// so that what a game costs weighs most; the positions are then searched again alone, and
// the searches taken off. Movers that do not search play games of some hundred plies.
func BenchmarkHarness(b *testing.B) {
	searching := func() (Player, error) {
		return NewBuiltIn("own", eval.Default(), search.DefaultParams(), search.Options{}), nil
	}
	for _, c := range []struct {
		name        string
		open        func() (Player, error)
		pairs       int
		concurrency int
	}{
		{"one-node/concurrency=1", searching, 1000, 1},
		{"one-node/concurrency=2", searching, 1000, 2},
		{"long/concurrency=1", openPlayer(hashPlayer{name: "m", salt: 1}), 100, 1},
		{"long/concurrency=2", openPlayer(hashPlayer{name: "m", salt: 1}), 100, 2},
	} {
		b.Run(c.name, func(b *testing.B) {
			var whole, searches time.Duration
			plies := 0
			for b.Loop() {
				db, played := benchMatch(b, c.open, c.pairs, c.concurrency)
				n, searched := playAgain(b, db, c.name[0] == 'o')
				whole, searches, plies = whole+played, searches+searched, plies+n
			}
			perPly := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / float64(plies) }
			b.ReportMetric(perPly(whole-searches), "µs/ply")
			b.ReportMetric(perPly(searches), "search-µs/ply")
			b.ReportMetric(float64(plies)/float64(b.N*2*c.pairs), "plies/game")
		})
	}
}

// processorTime returns what this process has used.
func processorTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// benchMatch plays a match into a new database and returns the processor time it took.
func benchMatch(b *testing.B, open func() (Player, error), pairs, concurrency int) (*results.Store, time.Duration) {
	ctx := context.Background()
	db, err := results.Open(ctx, filepath.Join(b.TempDir(), "h.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	run := &results.Run{Kind: "match", Rules: "computer", Pairs: pairs, Engines: []results.Engine{{Name: "a"}, {Name: "b"}}}
	lease, err := db.CreateRun(ctx, run)
	if err != nil {
		b.Fatal(err)
	}
	defer lease.Release()
	m := &Match{
		Run: run.ID, Pairs: pairs, Concurrency: concurrency, Pairings: []Pairing{{0, 1}}, Policy: DefaultPolicy,
		Conduct: Conduct{Rules: rules(b)}, Put: db.Put, Opening: fourPlies(pairs),
	}
	for _, name := range []string{"a", "b"} {
		m.Contestants = append(m.Contestants, Contestant{Name: name, Limits: Limits{Nodes: 1}, Open: open})
	}
	before := processorTime(b)
	if err := m.Play(ctx); err != nil {
		b.Fatal(err)
	}
	return db, processorTime(b) - before
}

// fourPlies returns openings of four plies that are all different.
func fourPlies(n int) func(int) (Opening, error) {
	list := make([]Opening, n)
	for i := range list {
		pos := movegen.StartPosition()
		o := Opening{FEN: movegen.StartFEN}
		for k := range 4 {
			var l movegen.MoveList
			var u movegen.Undo
			pos.Legal(&l)
			m := l.At((i*7919>>k + 31*k) % l.Len())
			pos.Make(m, &u)
			o.Moves = append(o.Moves, m)
		}
		list[i] = o
	}
	return func(round int) (Opening, error) { return list[round], nil }
}

// playAgain goes through the stored games, searching their positions as they were searched
// if asked to, and returns their plies and the processor time of the searches.
func playAgain(b *testing.B, db *results.Store, searching bool) (plies int, took time.Duration) {
	ctx := context.Background()
	e := search.New(eval.Default(), search.DefaultParams(), search.Options{})
	for g, err := range db.Games(ctx, results.Filter{}) {
		if err != nil {
			b.Fatal(err)
		}
		start, err := movegen.ParseFEN(g.Opening)
		if err != nil {
			b.Fatal(err)
		}
		game := referee.NewGame(start, rules(b))
		for _, p := range g.Plies[:g.Book] {
			game.Push(p.Move)
		}
		plies += len(g.Plies) - g.Book
		before := processorTime(b)
		for _, p := range g.Plies[g.Book:] {
			if !searching {
				break
			}
			e.Search(ctx, game, search.Limits{Nodes: 1}, nil)
			game.Push(p.Move)
		}
		took += processorTime(b) - before
	}
	return plies, took
}
