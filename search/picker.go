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
	next       int // index of the next move to choose from
	end        int // of the moves to choose from
	ply        int
	badCount   int
	table      movegen.Move // the transposition table's move
	special    [3]movegen.Move
	checks     bool // quiescence: quiet checks too
	onlyChecks bool // of the quiet moves only checks are left
	asked      int  // how often givesCheck has been
	checkMap   movegen.CheckMap
	list       movegen.MoveList
	score      [movegen.MaxMoves]int32
	bad        [movegen.MaxMoves]movegen.Move
}

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
			k.list.Clear()
			p.Captures(&k.list)
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
			k.list.Clear()
			if k.onlyChecks = skipQuiets; skipQuiets {
				p.Checks(&k.list)
			} else {
				p.Quiets(&k.list)
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
			k.list.Clear()
			p.Evasions(&k.list)
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
			k.list.Clear()
			p.Checks(&k.list)
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
	moves := k.list.Slice()[:k.end]
	n := k.next
	for i := k.next; i < len(moves); i++ {
		if k.givesCheck(p, moves[i]) {
			moves[n], k.score[n] = moves[i], k.score[i]
			n++
		}
	}
	k.end = n
}

// best swaps the highest move that is left to the front and returns it; the table's
// move, which came first, is left out.
func (k *picker) best() movegen.Move {
	moves := k.list.Slice()[:k.end]
	for k.next < len(moves) {
		top := k.next
		for i := k.next + 1; i < len(moves); i++ {
			if k.score[i&(movegen.MaxMoves-1)] > k.score[top&(movegen.MaxMoves-1)] {
				top = i
			}
		}
		m := moves[top]
		moves[top], k.score[top] = moves[k.next], k.score[k.next]
		k.next++
		if m != k.table {
			return m
		}
	}
	return movegen.NoMove
}

// captureScore orders captures by victim and history.
func (w *worker) captureScore(p *movegen.Position, m movegen.Move) int32 {
	victim, pc := p.At(m.To()), p.At(m.From())
	return int32(w.values[victim&7]*w.p.v[pCaptureHistory] + int(w.hist.capture[pc&15][m.To()&127][victim&7]))
}

func (w *worker) scoreCaptures(k *picker) {
	k.next, k.end = 0, k.list.Len()
	p := w.game.Position()
	for i, m := range k.list.Slice() {
		k.score[i] = w.captureScore(p, m)
	}
}

func (w *worker) scoreQuiets(k *picker) {
	k.next, k.end = 0, k.list.Len()
	p := w.game.Position()
	for i, m := range k.list.Slice() {
		k.score[i] = int32(w.quietScore(k.ply, p.At(m.From()), m))
	}
}

func (w *worker) scoreEvasions(k *picker) {
	const captureFirst = 1 << 28
	k.next, k.end = 0, k.list.Len()
	p := w.game.Position()
	for i, m := range k.list.Slice() {
		pc := p.At(m.From())
		if p.At(m.To()) != movegen.NoPiece {
			k.score[i] = captureFirst + w.captureScore(p, m) - int32(pc.Type())
		} else {
			k.score[i] = int32(w.quietScore(k.ply, pc, m))
		}
	}
}
