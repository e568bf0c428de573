package search

import (
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
)

// node is what search knows of the node it is in.
type node struct {
	ply, depth  int
	alpha, beta int
	pv          bool // inside a principal variation: the window is open
	cut         bool // expected to fail high
	inCheck     bool
	improving   bool // the side to move stands better than two plies ago
	hit         bool
	table       entry
	tactical    bool // the table's move is a capture
	oldPV       bool // a principal variation goes or went through it
	eval        int  // static evaluation, bettered by the table
}

// judge returns the score of a node that the rules decide, or that is too deep.
func (w *worker) judge(ply int) (int, bool) {
	switch w.game.Node(ply) {
	case referee.Drawn:
		return 0, true
	case referee.Lost:
		return -Mate + ply, true
	case referee.Won:
		return Mate - ply, true
	}
	if ply >= MaxPly {
		if w.game.InCheck() {
			return 0, true
		}
		return w.static(ply), true
	}
	return 0, false
}

// search returns the score of the position at a ply, searched to a depth, within the
// window from alpha to beta; it may lie outside (fail-soft).
func (w *worker) search(ply, depth, alpha, beta int, cut bool) int {
	if depth <= 0 {
		return w.quiesce(ply, 0, alpha, beta)
	}
	w.pvLen[ply] = 0
	if w.stopped {
		return 0
	}
	w.selDepth = max(w.selDepth, ply)
	if v, done := w.judge(ply); done {
		return v
	}
	alpha, beta = max(alpha, -Mate+ply), min(beta, Mate-ply-1)
	if alpha >= beta {
		return alpha
	}
	n := node{ply: ply, depth: depth, alpha: alpha, beta: beta, pv: beta-alpha > 1, oldPV: beta-alpha > 1, cut: cut, inCheck: w.game.InCheck()}
	f := w.frame(ply)
	if v, done := w.probe(&n, f); done {
		return v
	}
	w.evaluate(&n, f)
	w.frame(ply + 1).killers = [2]movegen.Move{}
	w.frame(ply + 2).cutoffs = 0
	if !n.pv && !n.inCheck && f.excluded == movegen.NoMove {
		if v, done := w.pruneNode(&n, f); done {
			return v
		}
		if w.stopped {
			return 0
		}
	}
	if n.depth >= w.p.v[pInternalDepth] && n.table.move == movegen.NoMove && f.excluded == movegen.NoMove && (n.pv || n.cut) {
		n.depth--
	}
	return w.moves(&n, f)
}

// probe asks the table, and returns its score if that decides the node.
func (w *worker) probe(n *node, f *frame) (int, bool) {
	if f.excluded != movegen.NoMove {
		return 0, false
	}
	p := w.game.Position()
	n.table, n.hit = w.table.probe(p.Key())
	if !n.hit {
		return 0, false
	}
	n.table.score = fromTable(n.table.score, n.ply)
	if n.table.move != movegen.NoMove && !p.IsLegal(n.table.move) {
		n.table.move = movegen.NoMove // another position with the same key, or a torn entry
	}
	n.tactical = n.table.move != movegen.NoMove && p.At(n.table.move.To()) != movegen.NoPiece
	n.oldPV = n.pv || n.table.pv
	if n.pv || n.table.depth < n.depth || !n.table.decides(n.alpha, n.beta) || w.nearLimit() {
		return 0, false
	}
	w.rewardTable(n)
	return n.table.score, true
}

// decides reports whether an entry's bound proves a score outside the window.
func (e *entry) decides(alpha, beta int) bool {
	return e.bound == exactBound || e.bound == lowerBound && e.score >= beta || e.bound == upperBound && e.score <= alpha
}

// nearLimit reports whether the move limit is so near that a table score, which knows
// nothing of it, must not be trusted.
func (w *worker) nearLimit() bool {
	limit := w.game.Rules().Limit
	return limit > 0 && w.game.Position().HalfMoves() >= limit-w.p.v[pLimitGuard]
}

// evaluate sets the node's static evaluation.
func (w *worker) evaluate(n *node, f *frame) {
	if n.inCheck {
		f.raw, f.eval, n.eval = noScore, noScore, noScore
		return
	}
	if f.excluded == movegen.NoMove {
		w.assess(n.ply, f, n.table.eval)
		w.rewardChange(n.ply)
	}
	n.eval = f.eval
	if n.hit && !IsMate(n.table.score) && (n.table.bound == exactBound ||
		n.table.bound == lowerBound && n.table.score > n.eval || n.table.bound == upperBound && n.table.score < n.eval) {
		n.eval = n.table.score
	}
	if past := w.frame(n.ply - 2).eval; past != noScore {
		n.improving = f.eval > past
	} else {
		past = w.frame(n.ply - 4).eval
		n.improving = past == noScore || f.eval > past
	}
}

// assess sets a frame's evaluation from what the table knows of it, and corrects it by
// what searches of like positions have shown.
func (w *worker) assess(ply int, f *frame, known int) {
	if f.raw = known; known == noScore {
		f.raw = w.static(ply)
	}
	f.eval = f.raw
	if v := w.p.v[pCorrection]; v > 0 {
		f.corrections = w.hist.corrections(w.game.Position())
		sum := int(*f.corrections[0]) + int(*f.corrections[1])
		f.eval = min(max(f.raw+v*sum/(2*correctionMax), 1-mateBound), mateBound-1)
	}
}

// pruneNode tries to decide a node without looking at all its moves.
func (w *worker) pruneNode(n *node, f *frame) (int, bool) {
	v := &w.p.v
	if n.depth <= v[pRazorDepth] && n.eval+v[pRazorBase]+v[pRazorSlope]*n.depth*n.depth <= n.alpha {
		if s := w.quiesce(n.ply, 0, n.alpha, n.alpha+1); s <= n.alpha || w.stopped {
			return s, true
		}
	}
	if n.depth <= v[pReverseDepth] && n.eval < mateBound && n.beta > -mateBound {
		margin := v[pReverseSlope] * n.depth
		if n.improving {
			margin -= v[pReverseImproving]
		}
		if n.eval-margin >= n.beta {
			return (n.eval + n.beta) / 2, true
		}
	}
	if s, done := w.nullMove(n, f); done || w.stopped {
		return s, true
	}
	return w.probCut(n, f)
}

// nullMove lets the opponent move twice: a node that is good even so fails high. Deep
// ones are verified, for positions where every move is bad.
func (w *worker) nullMove(n *node, f *frame) (int, bool) {
	v := &w.p.v
	if n.depth < v[pNullDepth] || n.eval < n.beta || f.eval < n.beta || n.beta <= -mateBound || n.ply < w.nullMin ||
		w.frame(n.ply-1).move == movegen.NoMove && n.ply > 0 || !w.hasAttackers() {
		return 0, false
	}
	r := v[pNullBase] + n.depth/v[pNullDivisor] + min((n.eval-n.beta)/v[pNullEval], v[pNullEvalMax])
	w.makeNull(n.ply)
	s := -w.search(n.ply+1, n.depth-r, -n.beta, -n.beta+1, !n.cut)
	w.game.PopNull()
	if w.stopped || s < n.beta {
		return 0, false
	}
	if s >= mateBound {
		s = n.beta
	}
	if n.depth < v[pNullVerify] || w.nullMin > 0 {
		return s, true
	}
	w.nullMin = n.ply + 3*(n.depth-r)/4
	check := w.search(n.ply, n.depth-r, n.beta-1, n.beta, false)
	w.nullMin = 0
	return s, check >= n.beta
}

// hasAttackers reports whether the side to move has a rook, horse or cannon.
func (w *worker) hasAttackers() bool {
	p := w.game.Position()
	for _, t := range [...]movegen.PieceType{movegen.Rook, movegen.Horse, movegen.Cannon} {
		if !p.Pieces(movegen.NewPiece(p.Side(), t)).Empty() {
			return true
		}
	}
	return false
}

// probCut tries captures that a shallow search shows to beat beta by far (Buro's
// ProbCut, as chess programs use it).
func (w *worker) probCut(n *node, f *frame) (int, bool) {
	v := &w.p.v
	bound := n.beta + v[pProbMargin]
	if n.depth < v[pProbDepth] || IsMate(n.beta) ||
		n.hit && n.table.depth >= n.depth-v[pProbReduce]+1 && n.table.score < bound {
		return 0, false
	}
	k := &w.pickers[n.ply][0]
	w.startQuiesce(k, n.ply, n.table.move, false, false)
	for m := w.pick(k, true); m != movegen.NoMove; m = w.pick(k, true) {
		w.ready(m)
		if !w.seeAtLeast(m, bound-f.eval) {
			continue
		}
		w.make(n.ply, m)
		s := -w.quiesce(n.ply+1, 0, -bound, -bound+1)
		if s >= bound {
			s = -w.search(n.ply+1, n.depth-v[pProbReduce], -bound, -bound+1, !n.cut)
		}
		w.game.Pop()
		if w.stopped {
			return 0, false
		}
		if s >= bound {
			w.table.store(w.game.Position().Key(), &entry{move: m, score: toTable(s, n.ply), eval: f.raw, depth: n.depth - v[pProbReduce] + 1, bound: lowerBound})
			return s, true
		}
	}
	return 0, false
}

// moves searches the moves of a node.
func (w *worker) moves(n *node, f *frame) int {
	k := &w.pickers[n.ply][0]
	if f.excluded != movegen.NoMove {
		k = &w.pickers[n.ply][1]
	}
	w.startMain(k, n.ply, n.table.move)
	f.quietCount, f.captureCount = 0, 0
	f.doubles = w.frame(n.ply - 1).doubles
	p := w.game.Position()
	alpha, best, bestMove, count := n.alpha, -Infinite, movegen.NoMove, 0
	skipQuiets := false
	for m := w.pick(k, skipQuiets); m != movegen.NoMove; m = w.pick(k, skipQuiets) {
		if m == f.excluded {
			continue
		}
		count++
		w.ready(m)
		c := candidate{move: m, count: count, capture: p.At(m.To()) != movegen.NoPiece, special: k.isSpecial(m)}
		c.check = k.givesCheck(p, m)
		if best > -mateBound && w.pruneMove(n, f, &c, alpha, &skipQuiets) {
			continue
		}
		extend, cutoff := w.singular(n, f, m)
		if cutoff {
			return extend
		}
		if w.stopped {
			return 0
		}
		s := w.try(n, f, &c, alpha, extend)
		if w.stopped {
			return 0
		}
		if s > best {
			best = s
			if s > alpha {
				bestMove = m
				if n.pv {
					w.setPV(n.ply, m)
				}
				if s >= n.beta {
					f.cutoffs++
					break
				}
				alpha = s
			}
		}
		f.tried(&c)
	}
	if count == 0 {
		if f.excluded != movegen.NoMove {
			return n.alpha
		}
		return -Mate + n.ply
	}
	if best >= n.beta {
		w.reward(n.ply, n.depth, bestMove)
	} else if bestMove == movegen.NoMove {
		w.rewardPrevious(n)
	}
	if f.excluded == movegen.NoMove {
		w.learn(n, f, best, bestMove)
		e := entry{move: bestMove, score: toTable(best, n.ply), eval: f.raw, depth: n.depth, bound: upperBound, pv: n.pv || n.hit && n.table.pv}
		if best >= n.beta {
			e.bound = lowerBound
		} else if n.pv && bestMove != movegen.NoMove {
			e.bound = exactBound
		}
		w.table.store(p.Key(), &e)
	}
	return best
}

// candidate is a move under consideration.
type candidate struct {
	move    movegen.Move
	count   int // its number at the node, from 1
	capture bool
	check   bool // gives check
	special bool // killer or counter move
	history int
}

// tried notes a move that did not cut, for the histories.
func (f *frame) tried(c *candidate) {
	if c.capture {
		if f.captureCount < len(f.captures) {
			f.captures[f.captureCount] = c.move
			f.captureCount++
		}
	} else if f.quietCount < len(f.quiets) {
		f.quiets[f.quietCount] = c.move
		f.quietCount++
	}
}

// pruneMove reports whether a move at low depth is not worth a search.
func (w *worker) pruneMove(n *node, f *frame, c *candidate, alpha int, skipQuiets *bool) bool {
	v := &w.p.v
	if n.depth > v[pSeeDepth] && n.depth > v[pLateDepth] && n.depth > v[pFutilityDepth] {
		if c.capture {
			return false
		}
	}
	if c.capture {
		return !c.check && n.depth <= v[pSeeDepth] && !w.seeAtLeast(c.move, -v[pSeeCapture]*n.depth)
	}
	late := v[pLateBase] + n.depth*n.depth*v[pLateSlope]/100
	if !n.improving {
		late /= 2
	}
	if n.depth <= v[pLateDepth] && c.count > late {
		*skipQuiets = true
	}
	if c.check || n.inCheck {
		return false
	}
	q := w.quiets(n.ply)
	c.history = q.score(w.game.Position().At(c.move.From()), c.move)
	reduced := max(n.depth-1-w.reduction(n.depth, c.count)/1024, 0)
	if reduced <= v[pHistoryPruneDepth] && c.history < -v[pHistoryPrune]*(reduced+1) {
		return true
	}
	if reduced <= v[pFutilityDepth] && f.eval+v[pFutilityBase]+v[pFutilitySlope]*reduced <= alpha {
		*skipQuiets = true
		return true
	}
	return n.depth <= v[pSeeDepth] && !w.seeAtLeast(c.move, -v[pSeeQuiet]*reduced*reduced)
}

// reduction returns the late move reduction in 1024ths of a ply.
func (w *worker) reduction(depth, count int) int {
	return w.reduce[min(depth, 63)][min(count, 63)]
}

// singular searches the other moves when the table's move seems the only good one. It
// returns an extension, or a score that cuts because several moves are good.
func (w *worker) singular(n *node, f *frame, m movegen.Move) (extend int, cutoff bool) {
	v := &w.p.v
	if m != n.table.move || f.excluded != movegen.NoMove || n.depth < v[pSingularDepth] || n.table.bound&lowerBound == 0 ||
		n.table.depth < n.depth-v[pSingularTable] || IsMate(n.table.score) || n.ply == 0 {
		return 0, false
	}
	bound := n.table.score - v[pSingularMargin]*n.depth/16
	// The excluded search shares this ply's frame: what the loop has noted is put back.
	f.excluded = m
	s := w.search(n.ply, (n.depth-1)/2, bound-1, bound, n.cut)
	f.excluded = movegen.NoMove
	f.quietCount, f.captureCount = 0, 0
	switch {
	case w.stopped:
		return 0, false
	case s < bound:
		if !n.pv && s < bound-v[pDoubleMargin] && f.doubles < v[pDoubleMax] {
			f.doubles++
			return 2, false
		}
		return 1, false
	case bound >= n.beta:
		return bound, true
	case n.table.score >= n.beta:
		return -1, false
	}
	return 0, false
}

// try makes a move and searches what follows: late moves first reduced, all but the
// first with a closed window.
func (w *worker) try(n *node, f *frame, c *candidate, alpha, extend int) int {
	v := &w.p.v
	piece := w.game.Position().At(c.move.From())
	if !c.capture && c.history == 0 {
		q := w.quiets(n.ply)
		c.history = q.score(piece, c.move)
	}
	if c.check && extend == 0 && v[pCheckExtend] > 0 && n.depth < 3*n.ply+8 && w.seeAtLeast(c.move, 0) {
		extend = 1
	}
	w.make(n.ply, c.move)
	depth := n.depth - 1 + extend
	var s int
	full := !n.pv || c.count > 1
	if n.depth >= 2 && c.count > v[pReduceMoves] && (!c.capture || c.count > 3) {
		reduced := max(min(depth-w.lateReduction(n, c), depth), 1)
		s = -w.search(n.ply+1, reduced, -alpha-1, -alpha, true)
		full = s > alpha && reduced < depth
		if full && s > alpha+v[pDeeperMargin]+depth {
			depth++
		}
	}
	if full {
		s = -w.search(n.ply+1, depth, -alpha-1, -alpha, !n.cut)
	}
	if n.pv && (c.count == 1 || s > alpha && s < n.beta) {
		s = -w.search(n.ply+1, depth, -n.beta, -alpha, false)
	}
	w.game.Pop()
	return s
}

// lateReduction returns the plies by which a late move is searched less deep.
func (w *worker) lateReduction(n *node, c *candidate) int {
	v := &w.p.v
	r := w.reduction(n.depth, c.count)
	if n.pv {
		r -= v[pReducePV]
	}
	if n.oldPV {
		r -= v[pReduceOldPV]
	}
	if n.cut {
		r += v[pReduceCut]
		if n.table.move == movegen.NoMove {
			r += v[pReduceNoMove]
		}
	}
	if w.frame(n.ply+1).cutoffs > 3 {
		r += v[pReduceCutoffs]
	}
	if !n.improving {
		r += v[pReduceNotImproving]
	}
	if n.tactical {
		r += v[pReduceTTCapture]
	}
	if c.check {
		r -= v[pReduceCheck]
	}
	if c.special {
		r -= v[pReduceKiller]
	}
	if c.capture {
		r -= v[pReduceCapture]
	} else {
		r -= c.history / v[pReduceHistory]
	}
	return max(r/1024, 0)
}
