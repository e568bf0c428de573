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
}

// contIndex is the place in history.written of what followed a piece's going to a square.
func contIndex(pc movegen.Piece, to movegen.Square) uint16 { return uint16(pc&15)<<7 | uint16(to&127) }

// push moves a value towards ±historyMax by a bonus; the nearer, the less.
func push(v *int16, bonus int) {
	*v += int16(bonus - int(*v)*max(bonus, -bonus)/historyMax)
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
