package search

import "github.com/xqlab/xqlab/movegen"

// stage is how far a picker has come.
type stage uint8

const (
	stageTable stage = iota
	stageCapturesInit
	stageCaptures
	stageKillers
	stageQuietsInit
	stageQuiets
	stageBad

	stageEvasionsInit
	stageEvasions

	stageQuiesceInit
	stageQuiesce
	stageChecksInit
	stageChecks

	stageDone
)

// picker hands out the legal moves of a node, the most promising first, and generates
// each kind only when it is reached.
type picker struct {
	stage      stage
	next       int // of special, then of bad
	end        int // of moves
	ply        int
	badCount   int
	table      movegen.Move // the transposition table's move
	special    [3]movegen.Move
	checks     bool // quiescence: quiet checks too
	onlyChecks bool // of the quiet moves only checks are left
	asked      int  // how often givesCheck has been
	checkMap   movegen.CheckMap
	moves      [movegen.MaxMoves]scored
	bad        [movegen.MaxMoves]movegen.Move
}

// scored is a move and what it is ordered by: from the top 32 bits of score, 16 that put
// what was generated first before its equals, and the move.
type scored int64

// taken is below every move.
const taken = scored(-1 << 63)

func score(i int, m movegen.Move, v int) scored {
	return scored(v<<32 | (movegen.MaxMoves-1-i)<<16 | int(m))
}

func (s scored) index() int { return movegen.MaxMoves - 1 - int(s>>16&(movegen.MaxMoves-1)) }

func (s scored) move() movegen.Move { return movegen.Move(s & (1<<16 - 1)) }

// startMain prepares a picker for the full search.
func (w *worker) startMain(k *picker, ply int, table movegen.Move) {
	f := w.frame(ply)
	k.ply, k.table, k.stage, k.badCount, k.asked = ply, table, stageTable, 0, 0
	k.special = [3]movegen.Move{f.killers[0], f.killers[1], movegen.NoMove}
	if prev := w.frame(ply - 1); prev.move != movegen.NoMove {
		k.special[2] = w.hist.counter[prev.piece&15][prev.move.To()&127]
	}
}

// startQuiesce prepares a picker for captures (evasions in check) of the quiescence
// search, and quiet checks after them if asked.
func (w *worker) startQuiesce(k *picker, ply int, table movegen.Move, inCheck, checks bool) {
	k.ply, k.table, k.checks, k.asked = ply, movegen.NoMove, checks, 0
	k.stage = stageQuiesceInit
	if inCheck {
		k.stage, k.table = stageTable, table
	} else if table != movegen.NoMove && w.game.Position().At(table.To()) != movegen.NoPiece {
		k.table = table
	}
}

// isSpecial reports whether a quiet move was handed out before the others.
func (k *picker) isSpecial(m movegen.Move) bool {
	return m == k.special[0] || m == k.special[1] || m == k.special[2]
}

// pick returns the next move or NoMove at the end; with skipQuiets, quiet moves that
// neither come from the table nor give check are left out.
func (w *worker) pick(k *picker, skipQuiets bool) movegen.Move {
	p := w.game.Position()
	for {
		switch k.stage {
		case stageTable:
			k.stage = stageCapturesInit
			if w.game.InCheck() {
				k.stage = stageEvasionsInit
			}
			if k.table != movegen.NoMove {
				return k.table
			}
		case stageCapturesInit, stageQuiesceInit:
			w.list.Clear()
			p.Captures(&w.list)
			w.scoreCaptures(k)
			k.stage++
		case stageCaptures:
			if m := w.pickCapture(k); m != movegen.NoMove {
				return m
			}
			k.stage, k.next = stageKillers, 0
		case stageKillers:
			if m := w.pickSpecial(k, skipQuiets); m != movegen.NoMove {
				return m
			}
			k.stage = stageQuietsInit
		case stageQuietsInit:
			w.list.Clear()
			if k.onlyChecks = skipQuiets; skipQuiets {
				p.Checks(&w.list)
			} else {
				p.Quiets(&w.list)
			}
			w.scoreQuiets(k)
			k.stage = stageQuiets
		case stageQuiets:
			if skipQuiets && !k.onlyChecks {
				k.keepChecks(p)
			}
			if m := k.best(); m != movegen.NoMove {
				if k.isSpecial(m) {
					continue
				}
				return m
			}
			k.stage, k.next = stageBad, 0
		case stageBad:
			if k.next < k.badCount {
				k.next++
				return k.bad[k.next-1]
			}
			k.stage = stageDone
		case stageEvasionsInit:
			w.list.Clear()
			p.Evasions(&w.list)
			w.scoreEvasions(k)
			k.stage = stageEvasions
		case stageEvasions, stageQuiesce, stageChecks:
			if m := k.best(); m != movegen.NoMove {
				return m
			}
			if k.stage == stageQuiesce && k.checks {
				k.stage = stageChecksInit
				continue
			}
			k.stage = stageDone
		case stageChecksInit:
			w.list.Clear()
			p.Checks(&w.list)
			w.scoreQuiets(k)
			k.stage = stageChecks
		default:
			return movegen.NoMove
		}
	}
}

// pickCapture returns the next capture that loses nothing and keeps the others for
// later.
func (w *worker) pickCapture(k *picker) movegen.Move {
	for {
		m := k.best()
		if m == movegen.NoMove || w.seeAtLeast(m, 0) {
			return m
		}
		k.bad[k.badCount] = m
		k.badCount++
	}
}

// pickSpecial returns the next killer or counter move that is a legal quiet move here.
func (w *worker) pickSpecial(k *picker, skipQuiets bool) movegen.Move {
	p := w.game.Position()
	for k.next < len(k.special) {
		m := k.special[k.next]
		k.next++
		if skipQuiets || m == movegen.NoMove || m == k.table || k.next == 3 && (m == k.special[0] || m == k.special[1]) ||
			p.At(m.To()) != movegen.NoPiece || !p.IsLegal(m) {
			k.special[k.next-1] = movegen.NoMove
			continue
		}
		return m
	}
	return movegen.NoMove
}

// givesCheck reports whether a legal move gives check. The first move of a node, which
// often is the last, is looked at alone, the others by a map of all checks.
func (k *picker) givesCheck(p *movegen.Position, m movegen.Move) bool {
	switch k.asked++; k.asked {
	case 1:
		return p.GivesCheck(m)
	case 2:
		p.CheckMap(&k.checkMap)
	}
	return k.checkMap.GivesCheck(p, m)
}

// keepChecks leaves out the quiet moves that are left and give no check.
func (k *picker) keepChecks(p *movegen.Position) {
	k.onlyChecks = true
	for i, s := range k.moves[:k.end] {
		if s != taken && !k.givesCheck(p, s.move()) {
			k.moves[i] = taken
		}
	}
}

// best takes the highest move that is left; the table's move, which came first, is left
// out. NoMove is the end.
func (k *picker) best() movegen.Move {
	for {
		top := taken
		for _, s := range k.moves[:k.end] {
			top = max(top, s)
		}
		if top == taken {
			return movegen.NoMove
		}
		k.moves[top.index()] = taken
		if m := top.move(); m != k.table {
			return m
		}
	}
}

// captureScore orders captures by victim and history.
func (w *worker) captureScore(p *movegen.Position, m movegen.Move) int {
	victim, pc := p.At(m.To()), p.At(m.From())
	return w.values[victim&7]*w.p.v[pCaptureHistory] + int(w.hist.capture[pc&15][m.To()&127][victim&7])
}

// scoreCaptures takes the generated captures over into the picker.
func (w *worker) scoreCaptures(k *picker) {
	p := w.game.Position()
	k.end = w.list.Len()
	for i, m := range w.list.Slice() {
		k.moves[i&(movegen.MaxMoves-1)] = score(i, m, w.captureScore(p, m))
	}
}

// scoreQuiets takes the generated quiet moves over into the picker.
func (w *worker) scoreQuiets(k *picker) {
	p, q := w.game.Position(), w.quiets(k.ply)
	k.end = w.list.Len()
	for i, m := range w.list.Slice() {
		k.moves[i&(movegen.MaxMoves-1)] = score(i, m, q.score(p.At(m.From()), m))
	}
}

// scoreEvasions takes all generated moves over into the picker, captures first.
func (w *worker) scoreEvasions(k *picker) {
	const captureFirst = 1 << 28
	p, q := w.game.Position(), w.quiets(k.ply)
	k.end = w.list.Len()
	for i, m := range w.list.Slice() {
		pc := p.At(m.From())
		v := q.score(pc, m)
		if p.At(m.To()) != movegen.NoPiece {
			v = captureFirst + w.captureScore(p, m) - int(pc.Type())
		}
		k.moves[i&(movegen.MaxMoves-1)] = score(i, m, v)
	}
}
