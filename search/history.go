package search

import "github.com/xqlab/xqlab/movegen"

// historyMax bounds every history value.
const historyMax = 16384

// moveTable holds a value for a piece going to a square.
type moveTable [movegen.Pieces][128]int16

// history is what a thread has learnt of moves apart from positions.
type history struct {
	quiet   [2][1 << 14]int16 // by side and move
	capture [movegen.Pieces][128][8]int16
	counter [movegen.Pieces][128]movegen.Move
	cont    [movegen.Pieces][128]moveTable // what followed a piece's going to a square
	written [movegen.Pieces * 128]bool     // the tables of cont that are not empty
	learnt  bool                           // anything
	// correct is how far searches of positions with such soldiers, and with such
	// guards, ended from the evaluation, by side to move.
	correct [2][2][correctionSize]int16
}

// clear forgets everything. It costs in proportion to what was learnt, since games of few
// nodes would else spend more time on it than on their moves.
func (h *history) clear() {
	if !h.learnt {
		return
	}
	h.learnt = false
	clear(h.quiet[:])
	clear(h.capture[:])
	clear(h.counter[:])
	for i, w := range h.written {
		if w {
			h.cont[i/128][i%128] = moveTable{}
		}
	}
	clear(h.written[:])
	clear(h.correct[:])
}

// contIndex is the place in history.written of what followed a piece's going to a square.
func contIndex(pc movegen.Piece, to movegen.Square) uint16 { return uint16(pc&15)<<7 | uint16(to&127) }

// push moves a value towards ±historyMax by a bonus; the nearer, the less.
func push(v *int16, bonus int) { pushWithin(v, bonus, historyMax) }

// pushWithin is push for values that keep within ±most.
func pushWithin(v *int16, bonus, most int) {
	*v += int16(bonus - int(*v)*max(bonus, -bonus)/most)
}

// contBack are the plies back whose moves the continuation history knows.
var contBack = [...]int{1, 2, 4}

// quiets is what the histories say of the quiet moves at a ply.
type quiets struct {
	side       *[1 << 14]int16
	c1, c2, c4 *moveTable // what followed the moves one, two and four plies back
}

func (w *worker) quiets(ply int) quiets {
	return quiets{&w.hist.quiet[w.game.Position().Side()&1], w.frame(ply - 1).cont, w.frame(ply - 2).cont, w.frame(ply - 4).cont}
}

// score returns the history of a quiet move by piece.
func (q *quiets) score(pc movegen.Piece, m movegen.Move) int {
	to := m.To() & 127
	pc &= 15
	return int(q.side[m&0x3fff]) + 2*int(q.c1[pc][to]) + int(q.c2[pc][to]) + int(q.c4[pc][to])
}

// pushQuiet changes the histories of a quiet move at a ply.
func (w *worker) pushQuiet(ply int, pc movegen.Piece, m movegen.Move, bonus int) {
	push(&w.hist.quiet[pc.Color()][m&0x3fff], bonus)
	for _, back := range contBack {
		f := w.frame(ply - back)
		w.hist.written[f.contAt] = true
		push(&f.cont[pc&15][m.To()&127], bonus)
	}
}

func (w *worker) pushCapture(pc, victim movegen.Piece, m movegen.Move, bonus int) {
	push(&w.hist.capture[pc&15][m.To()&127][victim&7], bonus)
}

// reward raises the histories of the move that cut and lowers those of the moves tried
// before it.
func (w *worker) reward(ply, depth int, best movegen.Move) {
	w.hist.learnt = true
	p := w.game.Position()
	f := w.frame(ply)
	bonus := min(w.p.v[pHistoryBonus]*depth, w.p.v[pHistoryBonusMax])
	malus := -min(w.p.v[pHistoryMalus]*depth, w.p.v[pHistoryMalusMax])
	pc, victim := p.At(best.From()), p.At(best.To())
	if victim != movegen.NoPiece {
		w.pushCapture(pc, victim, best, bonus)
	} else {
		w.pushQuiet(ply, pc, best, bonus)
		if f.killers[0] != best {
			f.killers[0], f.killers[1] = best, f.killers[0]
		}
		if prev := w.frame(ply - 1); prev.move != movegen.NoMove {
			w.hist.counter[prev.piece&15][prev.move.To()&127] = best
		}
		for _, m := range f.quiets[:f.quietCount] {
			if m != best {
				w.pushQuiet(ply, p.At(m.From()), m, malus)
			}
		}
	}
	for _, m := range f.captures[:f.captureCount] {
		if m != best {
			w.pushCapture(p.At(m.From()), p.At(m.To()), m, malus)
		}
	}
}

// rewardPrevious raises the histories of the quiet move that led to a node that failed low.
func (w *worker) rewardPrevious(n *node) {
	v := &w.p.v
	if prev := w.frame(n.ply - 1); v[pPriorBonus] > 0 && prev.quiet {
		w.hist.learnt = true
		w.pushQuiet(n.ply-1, prev.piece, prev.move, min(v[pPriorBonus]*n.depth, v[pHistoryBonusMax]))
	}
}

// rewardTable raises the histories of a quiet table move whose score cuts at once.
func (w *worker) rewardTable(n *node) {
	v := &w.p.v
	if m := n.table.move; v[pTableBonus] > 0 && n.table.score >= n.beta && m != movegen.NoMove && !n.tactical {
		w.hist.learnt = true
		w.pushQuiet(n.ply, w.game.Position().At(m.From()), m, min(v[pTableBonus]*n.depth, v[pHistoryBonusMax]))
	}
}

// evalHistoryMax bounds what a change of the evaluation adds to a history.
const evalHistoryMax = 1500

// rewardChange rates the quiet move that led to a ply by how the evaluation changed.
func (w *worker) rewardChange(ply int) {
	v, prev := w.p.v[pEvalHistory], w.frame(ply-1)
	if v > 0 && prev.quiet && prev.eval != noScore {
		w.hist.learnt = true
		bonus := min(max(-v*(prev.eval+w.frame(ply).eval), -evalHistoryMax), evalHistoryMax)
		push(&w.hist.quiet[prev.piece.Color()][prev.move&0x3fff], bonus)
	}
}

// A correction is kept by hashes of a position's soldiers and of its kings, advisors and
// elephants, as chess programs keep it by the pawns.
const (
	correctionBits = 14
	correctionSize = 1 << correctionBits
	correctionMax  = 1024
)

// corrections returns the entries that correct the evaluation of a position.
func (h *history) corrections(p *movegen.Position) [2]*int16 {
	side := p.Side() & 1
	piece := func(c movegen.Color, t movegen.PieceType) movegen.Set { return p.Pieces(movegen.NewPiece(c, t)) }
	soldiers := mix(piece(movegen.Red, movegen.Pawn), piece(movegen.Black, movegen.Pawn))
	guards := mix(
		piece(movegen.Red, movegen.King).Or(piece(movegen.Black, movegen.King)).
			Or(piece(movegen.Red, movegen.Advisor)).Or(piece(movegen.Black, movegen.Advisor)),
		piece(movegen.Red, movegen.Elephant).Or(piece(movegen.Black, movegen.Elephant)))
	return [2]*int16{&h.correct[side][0][soldiers], &h.correct[side][1][guards]}
}

// mix returns a place in a table of corrections for two sets.
func mix(a, b movegen.Set) uint64 {
	x := a.Lo*0x9e3779b97f4a7c15 ^ (a.Hi+0x51ed27)*0xd6e8feb86659fd93
	x = (x ^ x>>29) * 0xbf58476d1ce4e5b9
	x ^= b.Lo*0x94d049bb133111eb ^ (b.Hi+0x7f4a7c)*0xff51afd7ed558ccd
	x = (x ^ x>>32) * 0xc4ceb9fe1a85ec53
	return x >> (64 - correctionBits)
}

// learn corrects the evaluation of positions like a node's by the score of its search,
// unless that is only a bound which the evaluation keeps to or comes from a capture.
func (w *worker) learn(n *node, f *frame, best int, bestMove movegen.Move) {
	if w.p.v[pCorrection] == 0 || n.inCheck || IsMate(best) || best >= n.beta && best <= f.eval ||
		bestMove == movegen.NoMove && best >= f.eval ||
		bestMove != movegen.NoMove && w.game.Position().At(bestMove.To()) != movegen.NoPiece {
		return
	}
	w.hist.learnt = true
	bonus := min(max((best-f.eval)*n.depth/8, -correctionMax/4), correctionMax/4)
	for _, c := range f.corrections {
		pushWithin(c, bonus, correctionMax)
	}
}
