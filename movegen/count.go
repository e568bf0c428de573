package movegen

import "math/bits"

// Counting the legal moves of one position without listing them.

// count returns the number of legal moves.
func (p *Position) count() int {
	us := p.side
	n := p.kingTargets().Count()
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
	switch mask := g.mask.AndNot(own); {
	case g.mask == anywhere:
		n = p.countFree(free)
	case !mask.Empty():
		n = p.countMasked(mask, free)
	}
	for special := g.special; !special.Empty(); {
		s := special.Pop()
		n += p.targets(s).And(g.allowed(s)).AndNot(own).Count()
	}
	return n
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
	for b := p.pieces[NewPiece(us, Pawn)&15].And(free); !b.Empty(); {
		n += pawnSteps[us&1][b.Pop()&127].AndNot(blocked).Count()
	}
	return n
}

// cannonMoves returns where on a line a cannon of us with the given view can go.
func cannonMoves(w line, v view, us Color) uint64 {
	return v.reach()&^w.occupied() | v.second()&w.color(us.Other())
}

// countMasked is countFree with the targets limited to mask.
func (p *Position) countMasked(mask, free Set) int {
	us := p.side
	n := 0
	for own := free.Without(p.king[us&1]); !own.Empty(); {
		n += p.targets(own.Pop()).And(mask).Count()
	}
	return n
}
