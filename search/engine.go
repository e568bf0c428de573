package search

import (
	"context"
	"sync"
	"time"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
)

// Options are the resources of an engine.
type Options struct {
	HashMB  int // transposition table in MiB, at least 1; 0 is DefaultHashMB
	Threads int // 0 is 1
}

// DefaultHashMB is the size of the transposition table unless another is asked for.
const DefaultHashMB = 16

// Info is told after each iteration, for each line.
type Info struct {
	Depth    int
	SelDepth int // longest line in plies
	Line     int // 1 is the best
	Score    int // side to move
	Nodes    uint64
	Elapsed  time.Duration
	Hashfull int            // per mille
	PV       []movegen.Move // valid until the call returns
}

// Result is what a search has found.
type Result struct {
	Move     movegen.Move // NoMove when there is no legal one
	Ponder   movegen.Move // the reply expected, or NoMove
	Score    int          // side to move; a mate in n plies is ±(Mate − n)
	Depth    int
	SelDepth int
	Nodes    uint64 // moves made on the board, by all threads
	PV       []movegen.Move
	Hashfull int // per mille
	Elapsed  time.Duration
}

// Engine searches with one set of weights and parameters. It runs one search at a time.
type Engine struct {
	params  Params
	eval    *eval.Evaluator
	table   *table
	workers []*worker
	hit     chan struct{} // PonderHit
}

// New makes an engine, which keeps copies of the weights and parameters.
func New(w *eval.Weights, p Params, o Options) *Engine {
	if o.HashMB <= 0 {
		o.HashMB = DefaultHashMB
	}
	threads := max(o.Threads, 1)
	e := &Engine{params: p, eval: eval.New(w), table: newTable(o.HashMB, threads > 1), hit: make(chan struct{}, 1)}
	for id := range threads {
		e.workers = append(e.workers, newWorker(id, e.eval, &e.params, e.table, e.hit))
	}
	return e
}

// NewGame forgets everything learnt, so that the same limits give the same game.
func (e *Engine) NewGame() {
	e.table.clear()
	for _, w := range e.workers {
		w.hist.clear()
	}
}

// PonderHit tells a pondering search that the expected move was played and the own clock
// runs.
func (e *Engine) PonderHit() {
	select {
	case e.hit <- struct{}{}:
	default:
	}
}

// Search thinks about the game's position until a limit is reached or ctx ends, and
// always returns a legal move if there is one. The game is only read, and info (which
// may be nil) is called from the calling goroutine.
func (e *Engine) Search(ctx context.Context, g *referee.Game, l Limits, info func(Info)) Result {
	c := &control{limits: l, nodes: make([]counter, len(e.workers))}
	c.clock.start = time.Now()
	c.clock.plan(&l, g.Position().Side(), &e.params)
	root := rootMoves(g.Position(), l.SearchMoves)
	if len(root) == 0 {
		return Result{Score: -Mate, Elapsed: time.Since(c.clock.start)}
	}
	c.stop.Store(ctx.Err() != nil)
	defer context.AfterFunc(ctx, func() { c.stop.Store(true) })()
	if l.Ponder {
		c.pondering.Store(true)
	}
	e.table.newSearch()
	var helpers sync.WaitGroup
	for _, w := range e.workers {
		w.begin(g, c, root)
	}
	for _, w := range e.workers[1:] {
		helpers.Go(func() { w.deepen(e, nil) })
	}
	main := e.workers[0]
	depth := main.deepen(e, info)
	e.wait(ctx, c)
	c.stop.Store(true)
	helpers.Wait()
	return e.result(c, main, depth)
}

// wait holds a result back until the caller wants it: at the end of ctx in infinite
// mode, or when the expected move is played while pondering.
func (e *Engine) wait(ctx context.Context, c *control) {
	if c.pondering.Load() {
		select {
		case <-e.hit:
		case <-ctx.Done():
		}
	}
	if c.limits.Infinite {
		<-ctx.Done()
	}
	select {
	case <-e.hit: // a hit that came too late
	default:
	}
}

func (e *Engine) result(c *control, w *worker, depth int) Result {
	for _, w := range e.workers {
		c.nodes[w.id].n.Store(w.nodes)
	}
	best := &w.root[0]
	r := Result{Move: best.move, Score: best.score, Depth: depth, SelDepth: max(best.selDepth, len(best.pv)), Nodes: c.total(),
		PV: append([]movegen.Move(nil), best.pv...), Hashfull: e.table.full()}
	if r.Score == -Infinite {
		r.Score = best.previous
	}
	if r.Score == -Infinite { // stopped before its first move was searched
		r.Score = w.static(0)
	}
	if len(r.PV) > 1 {
		r.Ponder = r.PV[1]
	}
	r.Elapsed = time.Since(c.clock.start)
	return r
}
