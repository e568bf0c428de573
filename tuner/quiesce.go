package tuner

import (
	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/search"
)

// quietPlies bounds a line of captures and the evasions among them.
const quietPlies = 24

// quiescer plays captures out, as the search does at its leaves, but as a function of the
// position alone: no table, no histories. It is for one goroutine.
type quiescer struct {
	e      *eval.Evaluator
	values [movegen.PieceTypes]int // exchange values
	frames [quietPlies + 2]quietFrame
}

type quietFrame struct {
	moves movegen.MoveList
	undo  movegen.Undo
	acc   eval.Accumulator
	line  [quietPlies + 2]movegen.Move // the best one from here
	n     int
}

func newQuiescer(w *eval.Weights) *quiescer {
	q := &quiescer{e: eval.New(w)}
	p := search.DefaultParams()
	q.values[movegen.King] = search.Mate
	for t, name := range map[movegen.PieceType]string{
		movegen.Advisor: "SeeAdvisor", movegen.Elephant: "SeeElephant", movegen.Horse: "SeeHorse",
		movegen.Rook: "SeeRook", movegen.Cannon: "SeeCannon", movegen.Pawn: "SeeSoldier",
	} {
		v, err := p.Get(name)
		if err != nil {
			panic("tuner: the search has no parameter " + name)
		}
		q.values[t] = v
	}
	return q
}

// quiet reports whether no capture of the side to move gains anything by the static
// evaluation. The side is not in check.
func (q *quiescer) quiet(p *movegen.Position) bool {
	pos := *p
	q.frames[0].acc = q.e.Refresh(&pos)
	static := q.e.EvaluateWith(&pos, q.frames[0].acc, nil)
	return q.search(&pos, 0, static, static+1) <= static
}

// resolve plays the best captures out on p.
func (q *quiescer) resolve(p *movegen.Position) {
	q.frames[0].acc = q.e.Refresh(p)
	pos := *p
	q.search(&pos, 0, -search.Infinite, search.Infinite)
	f := &q.frames[0]
	var u movegen.Undo
	for _, m := range f.line[:f.n] {
		p.Make(m, &u)
	}
}

// search returns the score from the side to move once captures that lose nothing are
// played out; in check it looks at every evasion.
func (q *quiescer) search(p *movegen.Position, ply, alpha, beta int) int {
	f, next := &q.frames[ply], &q.frames[ply+1]
	f.n = 0
	inCheck := p.InCheck()
	best := -search.Mate + ply
	f.moves.Clear()
	if !inCheck || ply >= quietPlies {
		best = q.e.EvaluateWith(p, f.acc, nil)
		if best >= beta || ply >= quietPlies {
			return best
		}
		alpha = max(alpha, best)
		p.Captures(&f.moves)
	} else {
		p.Evasions(&f.moves)
	}
	moves := f.moves.Slice()
	for i := range moves {
		q.bring(p, moves[i:])
		m := moves[i]
		victim := p.At(m.To())
		if !inCheck && !p.SEEAtLeast(m, 0, &q.values) {
			continue
		}
		next.acc = q.e.Moved(f.acc, p.At(m.From()), victim, m)
		p.Make(m, &f.undo)
		s := -q.search(p, ply+1, -beta, -alpha)
		p.Unmake(m, &f.undo)
		if s <= best {
			continue
		}
		if best = s; s <= alpha {
			continue
		}
		alpha = s
		f.line[0] = m
		f.n = 1 + copy(f.line[1:], next.line[:next.n])
		if s >= beta {
			break
		}
	}
	return best
}

// bring puts the move with the most valuable victim, of those the one by the cheapest
// piece, first.
func (q *quiescer) bring(p *movegen.Position, moves []movegen.Move) {
	best, worth := 0, -1<<30
	for i, m := range moves {
		if v := 16*q.values[p.At(m.To()).Type()] - q.values[p.At(m.From()).Type()]; v > worth {
			best, worth = i, v
		}
	}
	moves[0], moves[best] = moves[best], moves[0]
}
