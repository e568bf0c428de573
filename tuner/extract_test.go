//go:build cgo

package tuner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/search"
)

// randomGame plays random moves, captures when a coin says so, as many as asked.
func randomGame(run string, number, plies int) *results.Game {
	r := rand.New(rand.NewPCG(7, uint64(number)))
	g := &results.Game{GameKey: results.GameKey{Run: run, Pair: number}, Opening: movegen.StartFEN, Book: 4,
		Result: []results.Result{results.RedWins, results.Drawn, results.BlackWins}[number%3], Reason: results.Unknown}
	p := movegen.StartPosition()
	var u movegen.Undo
	for i := range plies {
		var l movegen.MoveList
		if p.Captures(&l); l.Len() == 0 || r.IntN(3) > 0 {
			l.Clear()
			p.Legal(&l)
		}
		if l.Len() == 0 {
			break
		}
		m := l.At(r.IntN(l.Len()))
		g.Plies = append(g.Plies, results.Ply{Move: m, Score: results.Score(i*7 - 300)})
		p.Make(m, &u)
	}
	return g
}

// gamesIn returns a database with so many random games.
func gamesIn(t testing.TB, n int) *results.Store {
	t.Helper()
	db, err := results.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	run := &results.Run{Kind: "selfplay", Engines: []results.Engine{{Name: "a"}}}
	lease, err := db.CreateRun(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := db.Put(t.Context(), randomGame(run.ID, i, 90)); err != nil {
			t.Fatal(err)
		}
	}
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
	return db
}

func ownExtraction(f results.PositionFilter, q Quiet) *Extraction {
	return &Extraction{Positions: f, Quiet: q, Weights: eval.Default(), Evaluation: ownDefault, By: "own"}
}

func extracted(t *testing.T, x *Extraction, db *results.Store) *Dataset {
	t.Helper()
	d, _, err := x.Dataset(t.Context(), db, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// samplesOf returns all samples as text, in order.
func samplesOf(d *Dataset) []string {
	var out []string
	for s := range Sets {
		d.Samples(s, func(x *Sample, first bool) bool {
			out = append(out, fmt.Sprint(s, first, *x))
			return true
		})
	}
	return out
}

// plainSamples is what an extraction makes, from Positions alone and without sampling.
func plainSamples(t *testing.T, db *results.Store, f results.PositionFilter, keep func(p *movegen.Position) bool) []string {
	t.Helper()
	var sets [Sets][]string
	own := Own(eval.Default())
	last := map[string]bool{}
	k := results.NewPicker(f)
	for p, err := range db.Positions(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		if !keep(&p.Position) {
			continue
		}
		var x Sample
		own.Extract(&p.Position, &x)
		x.Result, _ = Points(p.Game.Result)
		x.Score = p.Score()
		if _, err := k.Pick(p.Game); err != nil {
			t.Fatal(err)
		}
		s := SetOf(k.Opening())
		game := p.Game.GameKey.String()
		sets[s] = append(sets[s], fmt.Sprint(s, !last[game], x))
		last[game] = true
	}
	return slices.Concat(sets[:]...)
}

func all(*movegen.Position) bool { return true }

// TestExtractionAgainstPlain: the file holds what the positions of each filter say.
func TestExtractionAgainstPlain(t *testing.T) {
	db := gamesIn(t, 20)
	q := newQuiescer(eval.Default())
	for _, c := range []struct {
		name  string
		f     results.PositionFilter
		quiet Quiet
		keep  func(*movegen.Position) bool
	}{
		{"all", results.PositionFilter{}, Anything, all},
		{"plies", results.PositionFilter{MinPly: 10, MaxPly: 30}, Anything, all},
		{"results", results.PositionFilter{Filter: results.Filter{Results: []results.Result{results.Drawn}}}, Anything, all},
		{"score", results.PositionFilter{ScoreLimit: 100}, Anything, all},
		{"book", results.PositionFilter{AfterBook: true}, Anything, all},
		{"check", results.PositionFilter{NotInCheck: true}, Anything, all},
		{"capture", results.PositionFilter{QuietMove: true}, Anything, all},
		{"repetition", results.PositionFilter{NoRepetition: true}, Anything, all},
		{"limit", results.PositionFilter{MaxHalfMoves: 5}, Anything, all},
		{"duplicates", results.PositionFilter{Distinct: true}, Anything, all},
		{"sampled", results.PositionFilter{PerGame: 7, Seed: 3, Distinct: true}, Anything, all},
		{"quiet", results.PositionFilter{NotInCheck: true}, Static, func(p *movegen.Position) bool { return plainQuiet(q, p) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, want := samplesOf(extracted(t, ownExtraction(c.f, c.quiet), db)), plainSamples(t, db, c.f, c.keep)
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("%d samples, want %d", len(got), len(want))
			}
		})
	}
}

// TestThreadsChangeNothing: the file is the same, byte for byte.
func TestThreadsChangeNothing(t *testing.T) {
	db := gamesIn(t, 200)
	var want []byte
	for _, threads := range []int{1, 2, 5} {
		x := ownExtraction(results.PositionFilter{NotInCheck: true, Distinct: true, PerGame: 10, Seed: 1}, Static)
		x.Threads = threads
		d := extracted(t, x, db)
		got, err := os.ReadFile(d.Path())
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d threads make another file", threads)
		}
	}
}

// TestSamplingWithQuiet gives as many quiet positions of a game as are asked for, if it has
// them.
func TestSamplingWithQuiet(t *testing.T) {
	db := gamesIn(t, 20)
	f := results.PositionFilter{NotInCheck: true}
	count := func(f results.PositionFilter) (out []int) {
		d := extracted(t, ownExtraction(f, Static), db)
		for s := range Sets {
			d.Samples(s, func(_ *Sample, first bool) bool {
				if first {
					out = append(out, 0)
				}
				out[len(out)-1]++
				return true
			})
		}
		return out
	}
	whole := count(f)
	f.PerGame, f.Seed = 8, 5
	some := count(f)
	for i := range whole {
		if some[i] != min(whole[i], 8) {
			t.Errorf("game %d: %d of %d quiet positions, want at most 8", i, some[i], whole[i])
		}
	}
}

// TestDatasetIsMadeOnce, anew when it is damaged or the games are others, and not at all
// when it is interrupted.
func TestDatasetIsMadeOnce(t *testing.T) {
	db, dir := gamesIn(t, 60), filepath.Join(t.TempDir(), "sets")
	x := ownExtraction(results.PositionFilter{}, Anything)
	made := 0
	x.Progress = func(Extracted) { made++ }
	once := func() string {
		t.Helper()
		d, e, err := x.Dataset(t.Context(), db, dir)
		if err != nil || e.Games != 60 || e.Positions != d.Positions() {
			t.Fatalf("%v %+v", err, e)
		}
		d.Close()
		return d.Path()
	}
	interrupted, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	x.Progress = func(Extracted) { cancel(stop) }
	if _, _, err := x.Dataset(interrupted, db, dir); !errors.Is(err, stop) {
		t.Errorf("interrupted: %v", err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("an interrupted extraction leaves %v", files)
	}
	x.Progress = func(Extracted) { made++ }
	path := once()
	if once(); made != 60/batchGames+1 {
		t.Errorf("%d batches for two datasets of one key", made)
	}
	if err := os.Truncate(path, 1000); err != nil {
		t.Fatal(err)
	}
	if again := once(); made != 2*(60/batchGames+1) || again != path {
		t.Errorf("a damaged file: %d batches, %s", made, again)
	}
	keys := map[string]bool{}
	for _, y := range []*Extraction{x, ownExtraction(results.PositionFilter{MinPly: 3}, Anything), ownExtraction(results.PositionFilter{NotInCheck: true}, Resolve),
		ownExtraction(results.PositionFilter{NotInCheck: true}, Static), {Evaluation: ownDefault, By: "other"}} {
		_, key, _, err := y.Inputs(t.Context(), db)
		if err != nil || keys[key] {
			t.Errorf("%+v: %v, or another's key", y, err)
		}
		keys[key] = true
	}
	if _, key, _, err := x.Inputs(t.Context(), gamesIn(t, 61)); err != nil || keys[key] {
		t.Errorf("other games: %v, or the same key", err)
	}
}

// TestOneOpeningIsInOneSet: games of one opening, or its mirror image, are not torn apart,
// whichever run they are of; games from the start position are each for themselves.
func TestOneOpeningIsInOneSet(t *testing.T) {
	id := func(g *results.Game) string {
		k := results.NewPicker(results.PositionFilter{})
		if _, err := k.Pick(g); err != nil {
			t.Fatal(err)
		}
		return k.Opening()
	}
	game := func(run string, pair int, fen, moves string, book int) *results.Game {
		g := &results.Game{GameKey: results.GameKey{Run: run, Pair: pair}, Opening: fen, Book: book, Result: results.Drawn}
		for _, m := range strings.Fields(moves) {
			move, err := movegen.ParseMove(m)
			if err != nil {
				t.Fatal(err)
			}
			g.Plies = append(g.Plies, results.Ply{Move: move, Score: results.NoScore})
		}
		return g
	}
	const fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1" // after h2e2
	same := []*results.Game{
		game("r", 1, movegen.StartFEN, "h2e2 h9g7 h0g2", 2), game("r", 2, movegen.StartFEN, "h2e2 h9g7 b0c2", 2),
		game("s", 9, movegen.StartFEN, "b2e2 b9c7 h0g2", 2), game("s", 3, fen, "h9g7 h0g2", 1),
	}
	for _, g := range same[1:] {
		if id(g) != id(same[0]) {
			t.Errorf("%s and %s: one opening with two names", g.GameKey, same[0].GameKey)
		}
	}
	ids := []string{id(same[0]), id(game("r", 1, movegen.StartFEN, "h2e2 h9g7", 1)), id(game("r", 1, fen, "", 0)),
		id(game("r", 5, movegen.StartFEN, "h2e2", 0)), id(game("r", 6, movegen.StartFEN, "h2e2", 0)), id(game("s", 6, movegen.StartFEN, "h2e2", 0))}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 5 { // the second and the third are one opening
		t.Errorf("%v", ids)
	}
}

// plainQuiet says the same as quiet, by looking at all lines.
func plainQuiet(q *quiescer, p *movegen.Position) bool {
	pos := *p
	return plainQuiesce(q, &pos, 0) == q.e.Evaluate(p, nil)
}

// plainQuiesce is the quiescence search without bounds, order and accumulators.
func plainQuiesce(q *quiescer, p *movegen.Position, ply int) int {
	var l movegen.MoveList
	inCheck := p.InCheck()
	best := -search.Mate + ply
	if !inCheck || ply >= quietPlies {
		if best = q.e.Evaluate(p, nil); ply >= quietPlies {
			return best
		}
		p.Captures(&l)
	} else {
		p.Legal(&l)
	}
	for _, m := range l.Slice() {
		if !inCheck && p.SEE(m, &q.values) < 0 {
			continue
		}
		next := *p
		var u movegen.Undo
		next.Make(m, &u)
		best = max(best, -plainQuiesce(q, &next, ply+1))
	}
	return best
}

// TestQuiescence against the plain one; the position it resolves to has its score.
func TestQuiescence(t *testing.T) {
	q := newQuiescer(eval.Default())
	quiet, ends := 0, 0
	for i := range 6 {
		p := movegen.StartPosition()
		for _, ply := range randomGame("r", i, 60).Plies {
			var u movegen.Undo
			p.Make(ply.Move, &u)
			if p.InCheck() || !p.HasLegal() {
				continue
			}
			pos := *p
			want := plainQuiesce(q, &pos, 0)
			q.frames[0].acc = q.e.Refresh(p)
			if got := q.search(&pos, 0, -search.Infinite, search.Infinite); got != want || pos != *p {
				t.Fatalf("%s: %d, want %d", p.FEN(), got, want)
			}
			if q.quiet(p) != (want == q.e.Evaluate(p, nil)) {
				t.Fatalf("%s: quiet is %v", p.FEN(), q.quiet(p))
			}
			if q.quiet(p) {
				quiet++
			}
			end := *p
			q.resolve(&end)
			score := q.e.Evaluate(&end, nil)
			if end.Side() != p.Side() {
				score = -score
			}
			if !search.IsMate(want) && score != want {
				t.Fatalf("%s resolves to %s with %d, want %d", p.FEN(), end.FEN(), score, want)
			}
			if end != *p {
				ends++
			}
		}
	}
	if quiet < 50 || ends < 50 {
		t.Errorf("only %d quiet positions and %d lines of captures", quiet, ends)
	}
}

func ownDefault() Evaluation { return Own(eval.Default()) }

// TestOwnBy: data of the built-in evaluation are told apart by weights and by what is counted,
// the same from call to call.
func TestOwnBy(t *testing.T) {
	w := eval.Default()
	a, b := OwnBy(w), OwnBy(eval.Default())
	w.Values[0].MG++
	if a != b || a == OwnBy(w) || strings.Count(a, " ") != 4 {
		t.Errorf("%s, again %s, with another weight %s", a, b, OwnBy(w))
	}
}
