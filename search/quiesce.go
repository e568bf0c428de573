package search

import "github.com/xqlab/xqlab/movegen"

// quiesce returns the score of the position at a ply once captures are played out; in
// check it looks at every evasion. depth is 0 in its first ply and falls from there.
func (w *worker) quiesce(ply, depth, alpha, beta int) int {
	w.pvLen[ply] = 0
	if w.stopped {
		return 0
	}
	w.selDepth = max(w.selDepth, ply)
	if v, done := w.judge(ply); done {
		return v
	}
	p, f := w.game.Position(), w.frame(ply)
	inCheck := w.game.InCheck()
	t, hit := w.table.probe(p.Key())
	if hit {
		t.score = fromTable(t.score, ply)
		if beta-alpha == 1 && t.decides(alpha, beta) && !w.nearLimit() {
			return t.score
		}
		if t.move != movegen.NoMove && !p.IsLegal(t.move) {
			t.move = movegen.NoMove
		}
	}
	best, start := -Infinite, alpha
	if inCheck {
		f.raw, f.eval = noScore, noScore
	} else {
		w.assess(ply, f, t.eval)
		if best = f.eval; hit && !IsMate(t.score) && (t.bound == exactBound ||
			t.bound == lowerBound && t.score > best || t.bound == upperBound && t.score < best) {
			best = t.score
		}
		if best >= beta {
			if !hit {
				w.table.store(p.Key(), &entry{score: toTable(best, ply), eval: f.raw, depth: -1, bound: lowerBound})
			}
			return best
		}
		alpha = max(alpha, best)
	}
	bestMove, count := movegen.NoMove, 0
	futile := f.eval + w.p.v[pQuiesceDelta]
	k := &w.pickers[ply][0]
	w.startQuiesce(k, ply, t.move, inCheck, depth == 0 && w.p.v[pQuiesceChecks] > 0)
	for m := w.pick(k, false); m != movegen.NoMove; m = w.pick(k, false) {
		count++
		w.ready(m)
		if best > -mateBound && w.pruneQuiet(m, inCheck, alpha, futile, &best) {
			continue
		}
		w.make(ply, m)
		s := -w.quiesce(ply+1, depth-1, -beta, -alpha)
		w.game.Pop()
		if w.stopped {
			return 0
		}
		if s > best {
			best = s
			if s > alpha {
				bestMove = m
				if beta-alpha > 1 {
					w.setPV(ply, m)
				}
				if s >= beta {
					break
				}
				alpha = s
			}
		}
	}
	if inCheck && count == 0 {
		return -Mate + ply
	}
	e := entry{move: bestMove, score: toTable(best, ply), eval: f.raw, depth: -1, bound: upperBound, pv: hit && t.pv}
	if best >= beta {
		e.bound = lowerBound
	} else if best > start && beta-start > 1 {
		e.bound = exactBound
	}
	w.table.store(p.Key(), &e)
	return best
}

// pruneQuiet reports whether a move of the quiescence search is not worth a look, and
// raises best to what it could reach at most.
func (w *worker) pruneQuiet(m movegen.Move, inCheck bool, alpha, futile int, best *int) bool {
	p := w.game.Position()
	victim := p.At(m.To())
	if inCheck {
		return victim == movegen.NoPiece && !w.seeAtLeast(m, 0)
	}
	if reach := futile + w.values[victim.Type()]; victim != movegen.NoPiece && reach <= alpha {
		*best = max(*best, reach)
		return true
	}
	return !w.seeAtLeast(m, 0)
}
