package search

import (
	"slices"
	"time"

	"github.com/xqlab/xqlab/movegen"
)

// rootMove is a move of the root and what is known of it.
type rootMove struct {
	move     movegen.Move
	score    int // of this iteration, −Infinite when it failed low or was not searched
	previous int // of the iteration before
	nodes    uint64
	selDepth int
	pv       []movegen.Move
}

// rootMoves lists the legal moves, of which only those in chosen if there are any.
func rootMoves(p *movegen.Position, chosen []movegen.Move) []rootMove {
	var l movegen.MoveList
	p.Legal(&l)
	moves := make([]rootMove, 0, l.Len())
	for _, m := range l.Slice() {
		if len(chosen) == 0 || slices.Contains(chosen, m) {
			moves = append(moves, rootMove{move: m, score: -Infinite, previous: -Infinite})
		}
	}
	return moves
}

// progress is what iterative deepening remembers from one iteration to the next.
type progress struct {
	stable   int // iterations with the same best move
	lastMove movegen.Move
	scores   []int // of each iteration
}

// deepen searches deeper and deeper until a limit is reached. Of several threads, those
// with odd numbers go a ply deeper than the rest: what they leave in the table is what the
// others need next. Whoever is the first to finish a depth lets all go on from there.
func (w *worker) deepen(e *Engine, info func(Info)) (depth int) {
	l := &w.control.limits
	lines := min(max(l.MultiPV, 1), len(w.root))
	deepest := MaxPly - 1
	if l.Depth > 0 {
		deepest = min(l.Depth, deepest)
	}
	var pr progress
	team := len(w.control.nodes) > 1 && lines == 1
	for d := 1; d <= deepest; d++ {
		if team && w.control.overtakes(d) {
			d = w.follow()
		} else {
			if team {
				d = min(d+w.id&1, deepest)
				w.depth = d
			}
			w.iterate(d, lines)
			if w.behind {
				d = w.follow()
			} else if team && !w.stopped {
				w.control.finished(d, w.root)
			}
		}
		if w.stopped && depth > 0 {
			w.report(e, info, depth, lines)
			break
		}
		depth = d
		w.report(e, info, d, lines)
		if w.stopped || w.id == 0 && w.enough(&pr, d) {
			break
		}
	}
	return depth
}

// iterate searches the root's lines to a depth.
func (w *worker) iterate(depth, lines int) {
	for i := range w.root {
		w.root[i].previous = w.root[i].score
	}
	for line := range lines {
		w.selDepth = 0
		w.aspire(line, depth)
		sortRoot(w.root[line:])
		sortRoot(w.root[:line+1])
		if w.stopped {
			break
		}
		w.root[line].selDepth = w.selDepth
	}
}

// follow takes over what another thread has found at the depth it has finished, which it
// returns.
func (w *worker) follow() int {
	it := w.control.lead.Load()
	w.stopped, w.behind = false, false
	for i := range it.root {
		pv := w.rootPV[i][:0]
		w.root[i] = it.root[i]
		w.root[i].pv = append(pv, it.root[i].pv...)
	}
	return it.depth
}

// sortRoot orders root moves by score; those not searched keep their order.
func sortRoot(moves []rootMove) {
	slices.SortStableFunc(moves, func(a, b rootMove) int {
		if a.score != b.score {
			return b.score - a.score
		}
		return b.previous - a.previous
	})
}

// aspire searches the root for one line, first in a narrow window about the score of the
// iteration before.
func (w *worker) aspire(line, depth int) {
	v := &w.p.v
	alpha, beta := -Infinite, Infinite
	width := v[pAspiration]
	expected := w.root[line].previous
	if depth >= v[pAspirationDepth] && expected != -Infinite && !IsMate(expected) {
		alpha, beta = max(expected-width, -Infinite), min(expected+width, Infinite)
	}
	reduced := 0
	for {
		s := w.searchRoot(line, max(depth-reduced, 1), alpha, beta)
		sortRoot(w.root[line:])
		switch {
		case w.stopped:
			return
		case s <= alpha && alpha > -Infinite:
			beta = (alpha + beta) / 2
			alpha, reduced = max(s-width, -Infinite), 0
		case s >= beta && beta < Infinite:
			beta = min(s+width, Infinite)
			reduced = min(reduced+1, 2)
		default:
			return
		}
		if width += width * v[pAspirationGrow] / 100; width > 1000 {
			alpha, beta = -Infinite, Infinite
		}
	}
}

// searchRoot searches the root moves from one line on.
func (w *worker) searchRoot(line, depth, alpha, beta int) int {
	best := -Infinite
	f := w.frame(0)
	f.doubles, f.eval = 0, noScore
	if !w.game.InCheck() {
		f.eval = w.static(0)
	}
	for i := range w.root[line:] {
		r := &w.root[line+i]
		before := w.nodes
		s := w.tryRoot(r.move, i+1, depth, alpha, beta)
		r.nodes += w.nodes - before
		if w.stopped {
			return best
		}
		if i > 0 && s <= alpha {
			r.score = -Infinite
			continue
		}
		r.score = s
		r.pv = append(append(r.pv[:0], r.move), w.pv[1][:w.pvLen[1]]...)
		if s > best {
			best = s
		}
		if s > alpha {
			alpha = s
			if s >= beta {
				for j := range w.root[line+i+1:] {
					w.root[line+i+1+j].score = -Infinite
				}
				break
			}
		}
	}
	w.storeRoot(line, depth, best, alpha, beta)
	return best
}

// storeRoot writes the root's result to the table, for the other threads.
func (w *worker) storeRoot(line, depth, best, alpha, beta int) {
	if line > 0 || len(w.control.limits.SearchMoves) > 0 {
		return
	}
	e := entry{score: best, eval: w.frame(0).eval, depth: depth, bound: exactBound, pv: true}
	if best >= beta {
		e.bound = lowerBound
	} else if best < alpha {
		e.bound = upperBound
	}
	for i := range w.root {
		if w.root[i].score == best {
			e.move = w.root[i].move
			break
		}
	}
	w.table.store(w.game.Position().Key(), &e)
}

// tryRoot searches one root move.
func (w *worker) tryRoot(m movegen.Move, count, depth, alpha, beta int) int {
	v := &w.p.v
	quiet := w.game.Position().At(m.To()) == movegen.NoPiece
	w.make(0, m)
	defer w.game.Pop()
	next := depth - 1
	if count > 1 {
		if r := (w.reduction(depth, count) - v[pReducePV]) / 1024; depth >= 3 && count > 3 && quiet && r > 0 && !w.game.InCheck() {
			if s := -w.search(1, max(next-r, 1), -alpha-1, -alpha, true); s <= alpha || w.stopped {
				return s
			}
		}
		if s := -w.search(1, next, -alpha-1, -alpha, true); s <= alpha || s >= beta || w.stopped {
			return s
		}
	}
	return -w.search(1, next, -beta, -alpha, false)
}

// enough reports whether a finished iteration is the last.
func (w *worker) enough(pr *progress, depth int) bool {
	l, c := &w.control.limits, &w.control.clock
	best := &w.root[0]
	if l.Infinite || w.control.pondering.Load() {
		return false
	}
	if l.Mate > 0 && best.score >= Mate-2*l.Mate {
		return true
	}
	if l.SoftNodes > 0 && w.nodes >= l.SoftNodes {
		return true
	}
	if l.Depth == 0 && l.Mate == 0 && max(l.MultiPV, 1) == 1 && IsMate(best.score) && depth >= Mate-max(best.score, -best.score)+w.p.v[pMateDepth] {
		return true
	}
	if !c.timed || c.fixed {
		return false
	}
	return len(w.root) == 1 && depth > 4 || time.Since(c.start) >= w.budget(pr)
}

// budget returns the time this move deserves, from how the iterations went.
func (w *worker) budget(pr *progress) time.Duration {
	v, c := &w.p.v, &w.control.clock
	best := &w.root[0]
	percent := 100
	if best.move == pr.lastMove {
		pr.stable = min(pr.stable+1, 5)
	} else {
		pr.stable = 0
		percent += v[pTimeUnstable]
	}
	pr.lastMove = best.move
	percent -= pr.stable * v[pTimeStable]
	pr.scores = append(pr.scores, best.score)
	if n := len(pr.scores); n > 3 && !IsMate(best.score) && !IsMate(pr.scores[n-4]) {
		percent += min(max((pr.scores[n-4]-best.score)*v[pTimeFalling]/100, 0), v[pTimeFallingMax])
	}
	var all uint64 // of the thread that found the moves
	for i := range w.root {
		all += w.root[i].nodes
	}
	if all > 0 {
		percent += (60 - int(best.nodes*100/all)) * v[pTimeNodes] / 100
	}
	return min(c.optimum*time.Duration(max(percent, 20))/100, c.maximum)
}

// report tells of the lines found so far.
func (w *worker) report(e *Engine, info func(Info), depth, lines int) {
	if w.id != 0 || info == nil {
		return
	}
	w.control.nodes[0].n.Store(w.nodes)
	elapsed := time.Since(w.control.clock.start)
	for i := range lines {
		r := &w.root[i]
		score := r.score
		if score == -Infinite {
			if score = r.previous; score == -Infinite {
				continue
			}
		}
		info(Info{Depth: depth, SelDepth: max(r.selDepth, len(r.pv)), Line: i + 1, Score: score, Nodes: w.control.total(),
			Elapsed: elapsed, Hashfull: e.table.full(), PV: r.pv})
	}
}
