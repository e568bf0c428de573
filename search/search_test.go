package search

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
)

// newGame returns a game from a FEN after moves.
func newGame(t testing.TB, fen string, moves ...string) *referee.Game {
	t.Helper()
	rules, err := referee.Named("computer")
	if err != nil {
		t.Fatal(err)
	}
	p, err := movegen.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	g := referee.NewGame(p, rules)
	for _, text := range moves {
		m, err := movegen.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Play(m); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func newEngine() *Engine { return New(eval.Default(), DefaultParams(), Options{}) }

func TestNodesAreExact(t *testing.T) {
	e := newEngine()
	for _, fen := range BenchFENs()[:12] {
		g := newGame(t, fen)
		for _, n := range []uint64{1, 2, 3, 17, 255, 256, 257, 1000, 4321} {
			e.NewGame()
			r := e.Search(context.Background(), g, Limits{Nodes: n}, nil)
			if r.Nodes != n {
				t.Errorf("%s: %d nodes, want %d", fen, r.Nodes, n)
			}
			if !g.Position().IsLegal(r.Move) {
				t.Errorf("%s: move %s is not legal", fen, r.Move)
			}
		}
	}
}

// TestSameGame plays two games at fixed nodes that must be equal, move for move.
func TestSameGame(t *testing.T) {
	play := func(e *Engine) (line []string) {
		e.NewGame()
		g := newGame(t, movegen.StartFEN, "h2e2", "h9g7")
		for g.Verdict().Status == referee.Ongoing && g.Len() < 30 {
			r := e.Search(context.Background(), g, Limits{Nodes: 2000}, nil)
			if _, err := g.Play(r.Move); err != nil {
				t.Fatal(err)
			}
			line = append(line, fmt.Sprint(r.Move, r.Score, r.Nodes, r.Depth))
		}
		return line
	}
	e := newEngine()
	first := play(e)
	if second := play(e); !slices.Equal(first, second) {
		t.Error("the same engine plays another game after NewGame")
	}
	if other := play(newEngine()); !slices.Equal(first, other) {
		t.Error("another engine plays another game")
	}
}

func TestLeavesTheGameAlone(t *testing.T) {
	g := newGame(t, movegen.StartFEN, "h2e2", "h9g7")
	before := *g.Position()
	newEngine().Search(context.Background(), g, Limits{Nodes: 5000}, nil)
	if *g.Position() != before || g.Len() != 2 {
		t.Error("the game has changed")
	}
}

// TestMates are mates in one, two and three moves, made for this test, and lost positions.
func TestMates(t *testing.T) {
	for _, c := range []struct {
		fen   string
		moves int
	}{
		{"3k5/R8/1R7/9/9/9/9/9/9/4K4 w", 1},
		{"4k4/9/9/9/9/9/9/R8/1R7/3K5 w", 2},
		{"3k5/9/R8/9/9/9/9/9/1R7/4K4 w", 1},
	} {
		e := newEngine()
		g := newGame(t, c.fen)
		r := e.Search(context.Background(), g, Limits{Nodes: 200000}, nil)
		if MateIn(r.Score) != c.moves {
			t.Errorf("%s: score %d, mate in %d, want %d", c.fen, r.Score, MateIn(r.Score), c.moves)
		}
		// Played out against the best defence it takes exactly so long.
		for ply := range 2*c.moves - 1 {
			r := e.Search(context.Background(), g, Limits{Nodes: 100000}, nil)
			v, err := g.Play(r.Move)
			if err != nil {
				t.Fatal(err)
			}
			if over := v.Status != referee.Ongoing; over != (ply == 2*c.moves-2) {
				t.Errorf("%s: after %d plies the verdict is %v", c.fen, ply+1, v)
				break
			}
		}
	}
}

func TestNoLegalMove(t *testing.T) {
	for _, fen := range []string{
		"R2k5/1R7/9/9/9/9/9/9/9/4K4 b", // checkmate
		"3k5/4R4/9/9/9/9/9/9/9/4K4 b",  // stalemate, lost too
	} {
		r := newEngine().Search(context.Background(), newGame(t, fen), Limits{Depth: 5}, nil)
		if r.Move != movegen.NoMove || r.Score != -Mate {
			t.Errorf("%s: move %s, score %d", fen, r.Move, r.Score)
		}
	}
}

// TestNoFalseMate is a position in which a program that judges second occurrences like
// third ones sees a mate (Fairy-Stockfish issue 635).
func TestNoFalseMate(t *testing.T) {
	r := newEngine().Search(context.Background(), newGame(t, "3aka3/4n4/9/9/9/9/9/7C1/7r1/3AK4 w"), Limits{Depth: 14}, nil)
	if IsMate(r.Score) {
		t.Errorf("score %d, want no mate", r.Score)
	}
}

func TestStopsAtOnce(t *testing.T) {
	e := newEngine()
	g := newGame(t, movegen.StartFEN)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r := e.Search(ctx, g, Limits{Infinite: true}, nil); r.Move == movegen.NoMove || r.Nodes > 2*pollNodes {
		t.Errorf("move %s after %d nodes with a context that had ended", r.Move, r.Nodes)
	}
	ctx, cancel = context.WithCancel(context.Background())
	done := make(chan Result)
	go func() { done <- e.Search(ctx, g, Limits{Infinite: true}, nil) }()
	time.Sleep(20 * time.Millisecond)
	cancel()
	if r := <-done; r.Move == movegen.NoMove {
		t.Error("no move after a stop")
	}
}

func TestPonderHit(t *testing.T) {
	e := newEngine()
	g := newGame(t, movegen.StartFEN)
	done := make(chan Result)
	l := Limits{Ponder: true, MoveTime: time.Millisecond}
	go func() { done <- e.Search(context.Background(), g, l, nil) }()
	select {
	case <-done:
		t.Fatal("a pondering search has ended by itself")
	case <-time.After(30 * time.Millisecond):
	}
	e.PonderHit()
	<-done
}

func TestNothingAllocated(t *testing.T) {
	if raced {
		t.Skip("the race detector allocates")
	}
	e := newEngine()
	g := newGame(t, BenchFENs()[3])
	run := func(nodes uint64) float64 {
		return testing.AllocsPerRun(3, func() { e.Search(context.Background(), g, Limits{Nodes: nodes}, nil) })
	}
	few, many := run(2000), run(60000)
	if many > few+20 {
		t.Errorf("%.0f allocations for 2,000 nodes, %.0f for 60,000", few, many)
	}
}

// TestStaticIsNoMate evaluates with weights far beyond any sense: the table and the cache
// hold scores in 16 bits, and mate scores mean mates.
func TestStaticIsNoMate(t *testing.T) {
	w := eval.Default()
	for i := range w.Values {
		w.Values[i] = eval.Pair{MG: 20000, EG: 20000}
	}
	for _, fen := range []string{"3k5/9/9/9/9/9/9/9/9/RNCAKACNR w", "3k5/9/9/9/9/9/9/9/9/RNCAKACNR b"} {
		e := New(w, DefaultParams(), Options{HashMB: 1})
		g := newGame(t, fen)
		e.Search(context.Background(), g, Limits{Nodes: 1}, nil)
		if v := e.workers[0].static(0); IsMate(v) || v == 0 {
			t.Errorf("%s: static evaluation %d", fen, v)
		}
	}
}

func TestThreads(t *testing.T) {
	for threads := 2; threads <= 4; threads++ {
		e := New(eval.Default(), DefaultParams(), Options{Threads: threads, HashMB: 1})
		for _, fen := range BenchFENs()[:8] {
			g := newGame(t, fen)
			for _, l := range []Limits{{Nodes: 10000}, {Depth: 7}, {MoveTime: 5 * time.Millisecond}, {Depth: 5, MultiPV: 3}} {
				depth := 0
				r := e.Search(context.Background(), g, l, func(i Info) {
					if i.Depth < depth {
						t.Errorf("%s: depth %d told after %d", fen, i.Depth, depth)
					}
					depth = i.Depth
				})
				checkResult(t, g, &r)
				if r.Nodes < l.Nodes || l.Depth > 0 && r.Depth != l.Depth || r.Depth != depth {
					t.Errorf("%s: %d nodes, depth %d, last told %d; limits %+v", fen, r.Nodes, r.Depth, depth, l)
				}
			}
			for id, w := range e.workers {
				checkRoot(t, g, id, w.root)
			}
		}
	}
}

// checkResult plays the line of a result.
func checkResult(t *testing.T, g *referee.Game, r *Result) {
	t.Helper()
	p := *g.Position()
	if len(r.PV) == 0 || r.PV[0] != r.Move {
		t.Errorf("%s: move %s, line %v", p.FEN(), r.Move, r.PV)
	}
	for _, m := range r.PV {
		if !p.IsLegal(m) {
			t.Fatalf("%s: %s in %v is not legal", g.Position().FEN(), m, r.PV)
		}
		var u movegen.Undo
		p.Make(m, &u)
	}
}

// checkRoot looks whether a thread still has each legal move once, with a line of its own.
func checkRoot(t *testing.T, g *referee.Game, id int, root []rootMove) {
	t.Helper()
	var l movegen.MoveList
	p := *g.Position()
	p.Legal(&l)
	seen := map[movegen.Move]bool{}
	for _, r := range root {
		if seen[r.move] || !p.IsLegal(r.move) || len(r.pv) == 0 || r.pv[0] != r.move {
			t.Errorf("%s: thread %d has move %s with line %v", p.FEN(), id, r.move, r.pv)
		}
		seen[r.move] = true
	}
	if len(seen) != l.Len() {
		t.Errorf("%s: thread %d has %d of %d moves", p.FEN(), id, len(seen), l.Len())
	}
}

func TestMultiPV(t *testing.T) {
	g := newGame(t, movegen.StartFEN)
	var last []Info
	newEngine().Search(context.Background(), g, Limits{Depth: 6, MultiPV: 4}, func(i Info) {
		if i.Line == 1 {
			last = last[:0]
		}
		i.PV = slices.Clone(i.PV)
		last = append(last, i)
	})
	if len(last) != 4 {
		t.Fatalf("%d lines, want 4", len(last))
	}
	for i := range last[1:] {
		if last[i].Score < last[i+1].Score || last[i].PV[0] == last[i+1].PV[0] {
			t.Errorf("line %d: %v, next %v", i+1, last[i], last[i+1])
		}
	}
}

func TestSearchMoves(t *testing.T) {
	g := newGame(t, movegen.StartFEN)
	m, _ := movegen.ParseMove("a0a1")
	if r := newEngine().Search(context.Background(), g, Limits{Depth: 5, SearchMoves: []movegen.Move{m}}, nil); r.Move != m {
		t.Errorf("move %s, want %s", r.Move, m)
	}
}

// TestPrincipalVariation plays every line reported: all its moves must be legal.
func TestPrincipalVariation(t *testing.T) {
	e := newEngine()
	for _, fen := range BenchFENs() {
		g := newGame(t, fen)
		e.Search(context.Background(), g, Limits{Nodes: 1500}, func(i Info) {
			p := *g.Position()
			for _, m := range i.PV {
				if !p.IsLegal(m) {
					t.Fatalf("%s: %s in %v is not legal", fen, m, i.PV)
				}
				var u movegen.Undo
				p.Make(m, &u)
			}
		})
	}
}

func TestTimeIsKept(t *testing.T) {
	p := DefaultParams()
	rng := rand.New(rand.NewSource(1))
	for range 2000 {
		l := Limits{Overhead: time.Duration(rng.Intn(50)) * time.Millisecond, MovesToGo: rng.Intn(3) * rng.Intn(40)}
		l.Time[0] = time.Duration(1+rng.Intn(100000)) * time.Millisecond
		l.Inc[0] = time.Duration(rng.Intn(3)*rng.Intn(1000)) * time.Millisecond
		var c clock
		c.plan(&l, movegen.Red, &p)
		if most := max(l.Time[0]-l.Overhead, least); c.maximum > most || c.optimum > c.maximum || c.optimum < least {
			t.Fatalf("%+v: optimum %v, maximum %v", l, c.optimum, c.maximum)
		}
	}
}

func TestTablePacking(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	tt := newTable(1, true)
	for range 10000 {
		want := entry{move: movegen.Move(rng.Intn(1<<14-1) + 1), score: rng.Intn(2*Mate) - Mate, eval: rng.Intn(2000) - 1000,
			depth: rng.Intn(MaxPly+2) - 1, bound: bound(1 + rng.Intn(3)), pv: rng.Intn(2) > 0}
		if got := unpack(pack(&want, uint64(rng.Intn(128)))); got != want {
			t.Fatalf("%+v became %+v", want, got)
		}
		key := rng.Uint64()
		e := want
		tt.store(key, &e)
		if got, ok := tt.probe(key); !ok || got != want {
			t.Fatalf("stored %+v, found %+v, %v", want, got, ok)
		}
	}
}

func TestMateScoresInTheTable(t *testing.T) {
	for _, s := range []int{0, 1, -1, 900, mateBound - 1, mateBound, Mate - 7, -Mate + 7, 1 - mateBound} {
		for ply := range 20 {
			if s+ply > Mate || s-ply < -Mate {
				continue
			}
			if got := fromTable(toTable(s, ply), ply); got != s {
				t.Errorf("score %d at ply %d comes back as %d", s, ply, got)
			}
		}
	}
	for _, c := range []struct{ score, want int }{{Mate - 1, 1}, {Mate - 2, 1}, {Mate - 3, 2}, {-Mate, 0}, {-Mate + 2, -1}, {-Mate + 4, -2}} {
		if got := MateIn(c.score); got != c.want {
			t.Errorf("MateIn(%d) is %d, want %d", c.score, got, c.want)
		}
	}
}

func TestParams(t *testing.T) {
	p := DefaultParams()
	seen := map[string]bool{}
	for _, d := range ParamList() {
		if d.Name == "" || seen[d.Name] || d.Doc == "" || d.Min >= d.Max || d.Step < 1 || d.Default < d.Min || d.Default > d.Max {
			t.Errorf("bad parameter %+v", d)
		}
		seen[d.Name] = true
		if v, err := p.Get(d.Name); err != nil || v != d.Default {
			t.Errorf("%s is %d, %v, want %d", d.Name, v, err, d.Default)
		}
		for _, v := range []int{d.Min, d.Max} {
			if err := p.Set(d.Name, v); err != nil {
				t.Error(err)
			}
			if got, _ := p.Get(d.Name); got != v {
				t.Errorf("%s is %d after setting %d", d.Name, got, v)
			}
		}
		for _, v := range []int{d.Min - 1, d.Max + 1} {
			if p.Set(d.Name, v) == nil {
				t.Errorf("%s takes %d", d.Name, v)
			}
		}
	}
	if p.Set("Nonsense", 1) == nil {
		t.Error("an unknown parameter is taken")
	}
}

// TestExtremeParams searches with every parameter at each of its bounds.
func TestExtremeParams(t *testing.T) {
	g := newGame(t, BenchFENs()[10])
	for _, d := range ParamList() {
		for _, v := range []int{d.Min, d.Max} {
			p := DefaultParams()
			if err := p.Set(d.Name, v); err != nil {
				t.Fatal(err)
			}
			e := New(eval.Default(), p, Options{HashMB: 1})
			if r := e.Search(context.Background(), g, Limits{Nodes: 500}, nil); !g.Position().IsLegal(r.Move) {
				t.Errorf("%s = %d: move %s", d.Name, v, r.Move)
			}
		}
	}
}

func TestBench(t *testing.T) {
	if raced {
		t.Skip("one thread, and a minute under the race detector")
	}
	fens := BenchFENs()
	if len(fens) < 40 {
		t.Errorf("%d positions, want at least 40", len(fens))
	}
	a, err := Bench(context.Background(), eval.Default(), DefaultParams(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Positions) != len(fens) || a.Suite != Suite {
		t.Errorf("suite %s with %d positions", a.Suite, len(a.Positions))
	}
	want, err := os.ReadFile("testdata/signature")
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Signature; got != strings.TrimSpace(string(want)) {
		t.Errorf("signature %s, testdata/signature has %s: if the search was meant to change, write the new one there", got, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Bench(ctx, eval.Default(), DefaultParams(), Options{}); err == nil {
		t.Error("no error from a bench whose context has ended")
	}
}

func TestLog2(t *testing.T) {
	for n, want := range map[int]int{1: 0, 2: 256, 4: 512, 64: 1536, 3: 405, 10: 850} {
		if got := log2(n); got != want {
			t.Errorf("log2(%d) is %d/256, want %d", n, got, want)
		}
	}
}

// BenchmarkSuite is what the profile for the compiler is taken from: see make pgo.
func BenchmarkSuite(b *testing.B) {
	for b.Loop() {
		if _, err := Bench(context.Background(), eval.Default(), DefaultParams(), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkThreads measures by how much two threads reach a depth sooner than one on the
// suite's positions, and how many nodes more they need. The depth is greater than the
// suite's, which takes hundredths of a second a position.
func BenchmarkThreads(b *testing.B) {
	const depth, hash = 13, 64
	var sooner, more []float64
	for b.Loop() {
		var took [2]time.Duration
		var nodes [2]uint64
		for i := range took {
			e := New(eval.Default(), DefaultParams(), Options{HashMB: hash, Threads: i + 1})
			for _, fen := range BenchFENs() {
				e.NewGame()
				r := e.Search(context.Background(), newGame(b, fen), Limits{Depth: depth}, nil)
				took[i] += r.Elapsed
				nodes[i] += r.Nodes
			}
		}
		sooner = append(sooner, took[0].Seconds()/took[1].Seconds())
		more = append(more, float64(nodes[1])/float64(nodes[0]))
		b.Logf("one thread %v %d nodes, two %v %d", took[0], nodes[0], took[1], nodes[1])
	}
	slices.Sort(sooner)
	slices.Sort(more)
	b.ReportMetric(sooner[len(sooner)/2], "times-sooner")
	b.ReportMetric(more[len(more)/2], "times-the-nodes")
}

func BenchmarkSearch(b *testing.B) {
	e := newEngine()
	g := newGame(b, BenchFENs()[1])
	b.ReportAllocs()
	for b.Loop() {
		e.NewGame()
		e.Search(context.Background(), g, Limits{Nodes: 100000}, nil)
	}
}

// TestNewGameForgetsEverything: what is marked as written is all that is written.
func TestNewGameForgetsEverything(t *testing.T) {
	for _, mb := range []int{1, 3, 5, 16} {
		for _, threads := range []int{1, 2} {
			e := New(eval.Default(), DefaultParams(), Options{HashMB: mb, Threads: threads})
			g := newGame(t, movegen.StartFEN)
			e.Search(context.Background(), g, Limits{Nodes: 30000}, nil)
			e.Search(context.Background(), g, Limits{Nodes: 1}, nil)
			if e.table.full() == 0 && !e.workers[0].hist.learnt {
				t.Fatal("nothing was learnt")
			}
			e.NewGame()
			for i := range e.table.buckets {
				if e.table.buckets[i] != (bucket{}) {
					t.Fatalf("%d MB, %d threads: bucket %d of %d is not empty", mb, threads, i, len(e.table.buckets))
				}
			}
			for _, w := range e.workers {
				if *w.hist != (history{}) {
					t.Errorf("%d MB, %d threads: the histories are not empty", mb, threads)
				}
			}
		}
	}
}
