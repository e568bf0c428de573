package referee

import "github.com/xqlab/xqlab/movegen"

// shortestCycle is the fewest plies in which a position can come again.
const shortestCycle = 4

// judge judges the position after a move.
func (g *Game) judge() Verdict {
	if v := g.judgeMate(); v.Status != Ongoing {
		return v
	}
	if first := g.cycleStart(); first >= 0 {
		return g.judgeCycle(first)
	}
	return g.judgeExhaustion()
}

func (g *Game) judgeMate() Verdict {
	if g.pos.HasLegal() {
		return Verdict{}
	}
	v := Verdict{WonBy(g.pos.Side().Other()), Stalemate, g.Len()}
	if g.InCheck() {
		v.Reason = Checkmate
	}
	return v
}

// cycleStart returns the ply of the oldest of the occurrences that are judged now, −1 if
// the position has not occurred often enough.
func (g *Game) cycleStart() int {
	n := g.Len()
	seen := 1
	for i := n - shortestCycle; i >= n-int(g.plies[n].back); i -= 2 {
		if g.plies[i].key == g.plies[n].key {
			if seen++; seen == g.rules.Occurrences {
				return i
			}
		}
	}
	return -1
}

// judgeExhaustion judges the move limit and the material of a position with legal moves.
func (g *Game) judgeExhaustion() Verdict {
	switch t := &g.plies[g.Len()]; {
	case t.count >= g.limit:
		return Verdict{Draw, MoveLimit, g.Len()}
	case t.material == dead, t.material == deadUnlessMate && !g.matesAtOnce():
		return Verdict{Draw, InsufficientMaterial, g.Len()}
	}
	return Verdict{}
}

// matesAtOnce reports whether the side to move has a move after which there is none.
func (g *Game) matesAtOnce() bool {
	var l movegen.MoveList
	var u movegen.Undo
	p := &g.walk.pos
	*p = g.pos
	p.Legal(&l)
	for _, m := range l.Slice() {
		p.Make(m, &u)
		mated := !p.HasLegal()
		p.Unmake(m, &u)
		if mated {
			return true
		}
	}
	return false
}

// Node judges repetition, limit and material (not mate) at a node of a search whose root
// is height plies above. What it says of repetitions is described in the package comment.
// A node without legal moves is never judged to be more than None: its end is mate.
func (g *Game) Node(height int) Outcome {
	t := &g.plies[len(g.plies)-1]
	if t.back >= shortestCycle && g.filter[t.key%filterSize] > 1 {
		if o := g.judgeRepetition(height); o != None {
			return o
		}
	}
	if t.count >= g.limit || t.material != decisive {
		return g.judgeEnd()
	}
	return None
}

// judgeRepetition is Node's part for a position that may have occurred before.
func (g *Game) judgeRepetition(height int) Outcome {
	n := g.Len()
	seen := 1
	for i := n - shortestCycle; i >= n-int(g.plies[n].back); i -= 2 {
		if g.plies[i].key != g.plies[n].key {
			continue
		}
		if seen++; seen == g.rules.Occurrences {
			return g.outcome(g.judgeCycle(i))
		}
		if i > n-height && g.judgeCycle(i).Status == Draw {
			return Drawn
		}
	}
	return None
}

func (g *Game) judgeEnd() Outcome {
	if !g.pos.HasLegal() {
		return None
	}
	return g.outcome(g.judgeExhaustion())
}

func (g *Game) outcome(v Verdict) Outcome {
	switch v.Status {
	case Ongoing:
		return None
	case Draw:
		return Drawn
	case WonBy(g.pos.Side()):
		return Won
	}
	return Lost
}

// degree is how gravely a side is at fault in a cycle.
type degree uint8

const (
	faultless degree = iota
	chasing
	chasingGravely // what chaseRule.graver says
	checking
)

// judgeCycle judges the moves after ply first, whose position is the present one.
func (g *Game) judgeCycle(first int) Verdict {
	faults, checks := g.perpetualChecks(first)
	if faults == [2]degree{} && g.rules.chase != nil && !(checks && g.rules.checkEndsIt) {
		faults = g.perpetualChases(first)
	}
	return g.compare(faults)
}

// compare gives the game to the side that is less at fault.
func (g *Game) compare(faults [2]degree) Verdict {
	red, black := faults[movegen.Red], faults[movegen.Black]
	v := Verdict{Draw, MutualPerpetual, g.Len()}
	switch {
	case red == faultless && black == faultless:
		v.Reason = Repetition
	case red != black:
		v.Status, v.Reason = BlackWins, PerpetualChase
		if black > red {
			v.Status = RedWins
		}
		if max(red, black) == checking {
			v.Reason = PerpetualCheck
		}
	}
	return v
}

// perpetualChecks returns who checks with every move of the cycle, and whether any move
// in it is a check.
func (g *Game) perpetualChecks(first int) (faults [2]degree, any bool) {
	faults = [2]degree{checking, checking}
	mover := g.pos.Side().Other()
	for i := g.Len(); i > first; i-- {
		if g.plies[i].check {
			any = true
		} else {
			faults[mover&1] = faultless
		}
		mover = mover.Other()
	}
	return faults, any
}
