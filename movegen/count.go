package movegen

import "math/bits"

// Counting the legal moves of one position without listing them.

// count returns the number of legal moves.
func (p *Position) count() int {
	us := p.side
	n := p.kingTargets(anywhere).Count()
	if p.calm() {
		return n + p.countFree(p.colors[us&1])
	}
	return n + p.countGuarded()
}

// countGuarded counts the legal moves of all pieces but the king.
func (p *Position) countGuarded() int {
	var g guard
	g.fill(p)
	own := p.colors[p.side&1]
	free := own.AndNot(g.special)
	n := 0
	switch {
	case g.mask == anywhere:
		n = p.countFree(free)
	case g.mask.Or(g.forbid) == anywhere: // only empty cannons
		n = p.countFree(free)
		for b := g.forbid; !b.Empty(); {
			n -= p.movers(b.Pop(), free)
		}
	default:
		for b := g.mask.AndNot(own); !b.Empty(); {
			n += p.movers(b.Pop(), free)
		}
	}
	for special := g.special; !special.Empty(); {
		s := special.Pop()
		n += p.targets(s).And(g.allowed(s)).AndNot(own).Count()
	}
	return n
}

// movers counts the pieces of the side to move in free, the king apart, that can go to s,
// which must not be one of their own.
func (p *Position) movers(s Square, free Set) int {
	us := p.side
	at := places[s&127]
	rank, file := p.lines[at.rank&31], p.lines[(at.file+fileLine)&31]
	r, f := viewRank(at.file, rank.occupied()), viewFile(at.rank, file.occupied())
	x, y := rank.sliders(us), file.sliders(us)
	cr, cf := r.reach(), f.reach() // where a cannon that goes there stands
	if p.board[s&127] != NoPiece {
		cr, cf = r.second(), f.second()
	}
	sliders := rankSet(at.rank, r.reach()&x|cr&(x>>20)).Or(fileSet(at.file, f.reach()&y|cf&(y>>20)))
	eyes := p.eyes(at) & 15
	return sliders.And(free).Without(p.king[us&1]).Count() +
		p.pieces[NewPiece(us, Horse)&15].And(horseFrom[s&127][eyes]).And(free).Count() +
		p.pieces[NewPiece(us, Pawn)&15].And(pawnFrom[us&1][s&127]).And(free).Count() +
		p.pieces[NewPiece(us, Elephant)&15].And(elephantFrom[us&1][s&127][eyes]).And(free).Count() +
		p.pieces[NewPiece(us, Advisor)&15].And(advisorFrom[us&1][s&127]).And(free).Count()
}

// countFree counts the moves of the side's pieces in free, the king's apart, when they
// may go anywhere.
func (p *Position) countFree(free Set) int {
	us := p.side
	n := 0
	for b := p.pieces[NewPiece(us, Rook)&15].And(free); !b.Empty(); {
		at := places[b.Pop()&127]
		rank, file := p.lines[at.rank&31], p.lines[(at.file+fileLine)&31]
		n += bits.OnesCount64(viewRank(at.file, rank.occupied()).reach()&^rank.color(us) |
			viewFile(at.rank, file.occupied()).reach()&^file.color(us)<<10)
	}
	for b := p.pieces[NewPiece(us, Cannon)&15].And(free); !b.Empty(); {
		at := places[b.Pop()&127]
		rank, file := p.lines[at.rank&31], p.lines[(at.file+fileLine)&31]
		n += bits.OnesCount64(cannonMoves(rank, viewRank(at.file, rank.occupied()), us) |
			cannonMoves(file, viewFile(at.rank, file.occupied()), us)<<10)
	}
	blocked := p.colors[us&1]
	for b := p.pieces[NewPiece(us, Horse)&15].And(free); !b.Empty(); {
		s := b.Pop()
		n += horseSteps[s&127][p.legs(places[s&127])&15].AndNot(blocked).Count()
	}
	for b := p.pieces[NewPiece(us, Elephant)&15].And(free); !b.Empty(); {
		s := b.Pop()
		n += elephantSteps[us&1][s&127][p.eyes(places[s&127])&15].AndNot(blocked).Count()
	}
	for b := p.pieces[NewPiece(us, Advisor)&15].And(free); !b.Empty(); {
		n += advisorSteps[us&1][b.Pop()&127].AndNot(blocked).Count()
	}
	return n + countPawns(us, p.pieces[NewPiece(us, Pawn)&15].And(free), blocked)
}

// Edges of a half of the board, in either word of a Set.
const (
	fileA    = 1 | 1<<9 | 1<<18 | 1<<27 | 1<<36
	fileI    = fileA << 8
	riverRow = (1<<9 - 1) << 36 // the rank at the river
)

// countPawns counts the steps of soldiers of us that end on no blocked square, all at
// once.
func countPawns(us Color, pawns, blocked Set) int {
	home, away, homeFull, awayFull := pawns.Lo, pawns.Hi, blocked.Lo, blocked.Hi
	if us == Black {
		home, away, homeFull, awayFull = away, home, awayFull, homeFull
	}
	n := bits.OnesCount64(home << 9 & (1<<45 - 1) &^ homeFull)
	n += bits.OnesCount64((away>>9 | home&riverRow) &^ awayFull)
	return n + bits.OnesCount64(away&^fileA>>1&^awayFull) + bits.OnesCount64(away&^fileI<<1&^awayFull)
}

// cannonMoves returns where on a line a cannon of us with the given view can go.
func cannonMoves(w line, v view, us Color) uint64 {
	return v.reach()&^w.occupied() | v.second()&w.color(us.Other())
}
