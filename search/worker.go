package search

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
)

// frame is what a thread keeps of one ply of the line it is in.
type frame struct {
	acc          eval.Accumulator // of the position
	raw          int              // static evaluation from the side to move, noScore in check
	eval         int              // the same, corrected
	corrections  [2]*int16        // by which it was
	cont         *moveTable       // what followed the move made from here
	contAt       uint16           // its contIndex
	move         movegen.Move     // made from here, NoMove for a null move
	piece        movegen.Piece    // that moved
	killers      [2]movegen.Move
	excluded     movegen.Move // left out by a singular search
	quiet        bool         // the move made from here is no capture and no null move
	cutoffs      int          // of nodes at this ply since the one two plies up was entered
	doubles      int          // double extensions in the line so far
	quietCount   int
	captureCount int
	quiets       [64]movegen.Move // tried without a cut
	captures     [32]movegen.Move
}

// before is how many frames lie before the root, for looks back from the first plies.
const before = 4

// control is what the threads of one search share.
type control struct {
	stop atomic.Bool
	// pondering is set while the opponent's clock runs; thread 0 clears it and starts
	// the own clock.
	pondering atomic.Bool
	clock     clock
	limits    Limits
	lead      atomic.Pointer[iteration] // the deepest that any thread has finished
	nodes     []counter                 // by thread
}

// iteration is what a thread found at a depth.
type iteration struct {
	depth int
	root  []rootMove
}

// overtakes reports whether some thread has finished a depth.
func (c *control) overtakes(depth int) bool {
	it := c.lead.Load()
	return it != nil && it.depth >= depth
}

// finished makes known what a thread found at a depth, for those that are not so far.
func (c *control) finished(depth int, root []rootMove) {
	it := &iteration{depth, slices.Clone(root)}
	for i := range it.root {
		it.root[i].pv = slices.Clone(it.root[i].pv)
	}
	for {
		old := c.lead.Load()
		if old != nil && old.depth >= depth || c.lead.CompareAndSwap(old, it) {
			return
		}
	}
}

// counter is a thread's node count as the others see it, alone in its cache line.
type counter struct {
	n atomic.Uint64
	_ [56]byte
}

// total returns the nodes of all threads but those since each one's last report.
func (c *control) total() uint64 {
	var n uint64
	for i := range c.nodes {
		n += c.nodes[i].n.Load()
	}
	return n
}

// worker is one thread of a search.
type worker struct {
	p        *Params
	eval     *eval.Evaluator
	table    *table
	hist     *history
	values   [movegen.PieceTypes]int // exchange values
	reduce   [64][64]int             // by depth and moves searched
	id       int
	game     referee.Game
	control  *control
	nodes    uint64
	hard     uint64 // nodes at which this thread stops
	pollAt   uint64
	hit      <-chan struct{} // Engine.PonderHit
	stopped  bool
	depth    int  // of the iteration under way
	behind   bool // stopped because another thread has finished that depth
	selDepth int
	nullMin  int // ply before which no null move is tried, for verification
	root     []rootMove
	rootPV   [movegen.MaxMoves][MaxPly + 4]movegen.Move // room for the root moves' lines
	slower   slower
	cache    [cacheSize]cached
	frames   [before + MaxPly + 4]frame
	pickers  [MaxPly + 4][2]picker
	list     movegen.MoveList // of a generator, on its way to a picker
	pv       [MaxPly + 4][MaxPly + 4]movegen.Move
	pvLen    [MaxPly + 4]int
}

// pollNodes is how often, in nodes, a thread looks at the clock and the stop flag.
const pollNodes = 256

func newWorker(id int, e *eval.Evaluator, p *Params, t *table, hit <-chan struct{}) *worker {
	w := &worker{hit: hit, p: p, eval: e, table: t, hist: &history{}, id: id}
	useHugePages(w.hist.cont[:])
	w.values = [movegen.PieceTypes]int{
		movegen.King: Mate, movegen.Advisor: p.v[pSeeAdvisor], movegen.Elephant: p.v[pSeeElephant],
		movegen.Horse: p.v[pSeeHorse], movegen.Rook: p.v[pSeeRook], movegen.Cannon: p.v[pSeeCannon],
		movegen.Pawn: p.v[pSeeSoldier],
	}
	for d := 1; d < len(w.reduce); d++ {
		for n := 1; n < len(w.reduce[d]); n++ {
			w.reduce[d][n] = p.v[pReduceBase] + p.v[pReduceScale]*log2(d)/logOne*log2(n)/logOne
		}
	}
	return w
}

// logOne is 1 in the fixed-point numbers of log2.
const logOne = 256

// log2 returns the binary logarithm of n ≥ 1 in 256ths, in integers alone so that it is
// the same on every machine.
func log2(n int) int {
	const one = 1 << 20
	x, v := uint64(n)*one, 0
	for x >= 2*one {
		x, v = x/2, v+logOne
	}
	for bit := logOne / 2; bit > 0; bit /= 2 {
		x = x * x / one
		if x >= 2*one {
			x, v = x/2, v+bit
		}
	}
	return v
}

func (w *worker) frame(ply int) *frame { return &w.frames[ply+before] }

// begin prepares a thread for a search of a game's position.
func (w *worker) begin(g *referee.Game, c *control, root []rootMove) {
	w.game.CopyFrom(g)
	w.control, w.nodes, w.pollAt, w.stopped, w.nullMin = c, 0, pollNodes, false, 0
	w.depth, w.behind = 0, false
	w.hard = c.limits.Nodes
	if len(c.nodes) > 1 {
		w.hard = 0 // counted together, in poll
	}
	w.root = append(w.root[:0], root...)
	for i := range w.root {
		w.root[i].pv = append(w.rootPV[i][:0], w.root[i].move)
	}
	for i := range w.frames {
		w.frames[i].cont, w.frames[i].contAt = &w.hist.cont[0][0], 0
		w.frames[i].move, w.frames[i].excluded = movegen.NoMove, movegen.NoMove
		w.frames[i].killers = [2]movegen.Move{}
		w.frames[i].raw, w.frames[i].eval = noScore, noScore
		w.frames[i].quiet, w.frames[i].cutoffs = false, 0
	}
	w.frame(0).acc = w.eval.Refresh(w.game.Position())
}

// make plays a legal move from a ply.
func (w *worker) make(ply int, m movegen.Move) {
	p := w.game.Position()
	f := w.frame(ply)
	pc, captured := p.At(m.From()), p.At(m.To())
	f.move, f.piece, f.cont, f.contAt = m, pc, &w.hist.cont[pc&15][m.To()&127], contIndex(pc, m.To())
	f.quiet = captured == movegen.NoPiece
	w.frame(ply + 1).acc = w.eval.Moved(f.acc, pc, captured, m)
	w.game.Push(m)
	if w.nodes++; w.nodes >= w.pollAt || w.nodes == w.hard {
		w.poll()
	}
}

// ready begins to load what the table knows of the position after a legal move.
func (w *worker) ready(m movegen.Move) {
	prefetch(w.table.bucket(w.game.Position().KeyAfter(m)))
}

// makeNull passes the move at a ply.
func (w *worker) makeNull(ply int) {
	f := w.frame(ply)
	f.move, f.piece, f.cont, f.contAt = movegen.NoMove, movegen.NoPiece, &w.hist.cont[0][0], 0
	f.quiet = false
	w.frame(ply + 1).acc = f.acc
	w.game.PushNull()
}

// poll looks whether the search has to stop.
func (w *worker) poll() {
	c := w.control
	w.slower.slow()
	w.pollAt = w.nodes + pollNodes
	c.nodes[w.id].n.Store(w.nodes)
	switch {
	case c.stop.Load(), w.hard > 0 && w.nodes >= w.hard:
		w.stopped = true
	case c.overtakes(w.depth):
		w.stopped, w.behind = true, true
	case w.id != 0 || c.pondering.Load() && !w.ponderHit():
	case c.clock.over(time.Now()) || len(c.nodes) > 1 && c.limits.Nodes > 0 && c.total() >= c.limits.Nodes:
		w.stopped = true
	}
}

// ponderHit reports whether the expected move has been played meanwhile, and if so starts
// the clock.
func (w *worker) ponderHit() bool {
	select {
	case <-w.hit:
		w.control.pondering.Store(false)
		w.control.clock.start = time.Now()
		return true
	default:
		return false
	}
}

// cached is an evaluation kept for when the same position comes again: the score in the
// low 16 bits, above them those of the position's key.
type cached uint64

// cacheSize is the number of evaluations a thread keeps. The key's bits that choose the
// place and those that are kept make up the whole key but for two.
const cacheSize = 1 << 14

// static returns the static evaluation of the current position, short of a mate score
// whatever the weights.
func (w *worker) static(ply int) int {
	p := w.game.Position()
	c := &w.cache[p.Key()%cacheSize]
	if key := p.Key() &^ 0xffff; uint64(*c)&^0xffff != key || *c == 0 {
		v := w.eval.EvaluateWith(p, w.frame(ply).acc, nil)
		*c = cached(key) | cached(uint16(min(max(v, 1-mateBound), mateBound-1)))
	}
	return int(int16(*c))
}

// setPV makes m and the line of the next ply the line of this one.
func (w *worker) setPV(ply int, m movegen.Move) {
	w.pv[ply][0] = m
	n := w.pvLen[ply+1]
	copy(w.pv[ply][1:], w.pv[ply+1][:n])
	w.pvLen[ply] = n + 1
}
