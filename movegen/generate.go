package movegen

// Legal appends every legal move.
func (p *Position) Legal(l *MoveList) { p.list(l, anywhere) }

// Captures appends every legal capture.
func (p *Position) Captures(l *MoveList) { p.list(l, p.colors[p.side.Other()]) }

// Quiets appends every legal move that captures nothing.
func (p *Position) Quiets(l *MoveList) { p.list(l, anywhere.AndNot(p.Occupied())) }

// Evasions appends every legal move, for a side that is in check: the answers are found
// as a set of targets, so nothing is tried in vain.
func (p *Position) Evasions(l *MoveList) { p.list(l, anywhere) }

// list appends the legal moves to targets in stage.
func (p *Position) list(l *MoveList, stage Set) {
	us := p.side
	stage = stage.AndNot(p.colors[us&1])
	if k := p.kingTargets(stage); !k.Empty() {
		l.addAll(p.king[us&1], k)
	}
	if p.calm() {
		p.listPieces(l, stage, p.colors[us&1])
		return
	}
	var g guard
	g.fill(p)
	if mask := stage.And(g.mask); !mask.Empty() {
		p.listPieces(l, mask, p.colors[us&1].AndNot(g.special))
	}
	for special := g.special; !special.Empty(); {
		s := special.Pop()
		l.addAll(s, p.targets(s).And(stage).And(g.allowed(s)))
	}
}

// listPieces appends the moves to targets in mask of the side's pieces that are in free,
// the king's apart.
func (p *Position) listPieces(l *MoveList, mask, free Set) {
	us := p.side
	for b := p.pieces[NewPiece(us, Rook)&15].And(free); !b.Empty(); {
		s := b.Pop()
		if t := p.rookTargets(s).And(mask); !t.Empty() {
			l.addAll(s, t)
		}
	}
	enemy := p.colors[us.Other()]
	for b := p.pieces[NewPiece(us, Cannon)&15].And(free); !b.Empty(); {
		s := b.Pop()
		if t := p.cannonTargets(s, enemy).And(mask); !t.Empty() {
			l.addAll(s, t)
		}
	}
	for b := p.pieces[NewPiece(us, Horse)&15].And(free); !b.Empty(); {
		s := b.Pop()
		if t := horseSteps[s&127][p.legs(places[s&127])&15].And(mask); !t.Empty() {
			l.addAll(s, t)
		}
	}
	for b := p.pieces[NewPiece(us, Pawn)&15].And(free); !b.Empty(); {
		s := b.Pop()
		if t := pawnSteps[us&1][s&127].And(mask); !t.Empty() {
			l.addAll(s, t)
		}
	}
	for b := p.pieces[NewPiece(us, Elephant)&15].And(free); !b.Empty(); {
		s := b.Pop()
		if t := elephantSteps[us&1][s&127][p.eyes(places[s&127])&15].And(mask); !t.Empty() {
			l.addAll(s, t)
		}
	}
	for b := p.pieces[NewPiece(us, Advisor)&15].And(free); !b.Empty(); {
		s := b.Pop()
		if t := advisorSteps[us&1][s&127].And(mask); !t.Empty() {
			l.addAll(s, t)
		}
	}
}

// rookTargets returns the squares that a rook on s reaches, the first pieces included.
func (p *Position) rookTargets(s Square) Set {
	at := places[s&127]
	rank, file := p.lines[at.rank&31].occupied(), p.lines[(at.file+fileLine)&31].occupied()
	return rankSet(at.rank, viewRank(at.file, rank).reach()).
		Or(fileSet(at.file, viewFile(at.rank, file).reach()))
}

// cannonTargets returns the squares that a cannon on s can go to: what is empty up to
// the first pieces, and the second pieces that are enemies.
func (p *Position) cannonTargets(s Square, enemy Set) Set {
	at := places[s&127]
	rank, file := p.lines[at.rank&31].occupied(), p.lines[(at.file+fileLine)&31].occupied()
	r, f := viewRank(at.file, rank), viewFile(at.rank, file)
	hops := rankSet(at.rank, r.second()).Or(fileSet(at.file, f.second()))
	return rankSet(at.rank, r.reach()&^rank).Or(fileSet(at.file, f.reach()&^file)).Or(hops.And(enemy))
}

// targets returns the squares to which the piece on s can go by its way of moving,
// whoever may stand there but for a cannon; king safety is left to the guard, except for
// the king itself.
func (p *Position) targets(s Square) Set {
	at, pc := places[s&127], p.board[s&127]
	us := pc.Color()
	switch pc.Type() {
	case King:
		return p.kingTargets(anywhere)
	case Advisor:
		return advisorSteps[us][s&127]
	case Elephant:
		return elephantSteps[us][s&127][p.eyes(at)&15]
	case Horse:
		return horseSteps[s&127][p.legs(at)&15]
	case Rook:
		return p.rookTargets(s)
	case Cannon:
		return p.cannonTargets(s, p.colors[us.Other()])
	case Pawn:
		return pawnSteps[us][s&127]
	}
	return Set{}
}

// kingTargets returns the squares in stage to which the king of the side to move can step
// without being taken there.
func (p *Position) kingTargets(stage Set) Set {
	us := p.side
	them := us.Other()
	king := p.king[us&1]
	home := places[king&127]
	steps := kingSteps[king&127].And(stage).AndNot(p.colors[us&1])
	if steps.Empty() {
		return steps
	}
	leapers := p.pieces[NewPiece(them, Horse)&15].And(horseZone[king&127]).
		Or(p.pieces[NewPiece(them, Pawn)&15].And(pawnZone[them&1][king&127]))
	safe := steps
	for b := steps; !b.Empty(); {
		s := b.Pop()
		at := places[s&127]
		rank, file := p.lines[at.rank&31], p.lines[(at.file+fileLine)&31]
		occRank, occFile := rank.occupied(), file.occupied()
		if home.rank == at.rank {
			occRank &^= 1 << (home.file & 15)
		} else {
			occFile &^= 1 << (home.rank & 15)
		}
		var hits uint64
		if rank.sliders(them) != 0 {
			hits = hit(rank, viewRank(at.file, occRank), them)
		}
		if file.sliders(them) != 0 {
			hits |= hit(file, viewFile(at.rank, occFile), them)
		}
		if hits != 0 || !leapers.Empty() && p.leaped(s, at, them) {
			safe = safe.Without(s)
		}
	}
	return safe
}

// deadly reports whether us's king, stepping from one square to the next, would be taken
// there: the lines are seen with the king lifted.
func (p *Position) deadly(from, to Square, us Color) bool {
	a, at := places[from&127], places[to&127]
	them := us.Other()
	rank, file := p.lines[at.rank&31], p.lines[(at.file+fileLine)&31]
	if rank.sliders(them) != 0 {
		occ := rank.occupied()
		if a.rank == at.rank {
			occ &^= 1 << (a.file & 15)
		}
		if hit(rank, viewRank(at.file, occ), them) != 0 {
			return true
		}
	}
	if file.sliders(them) != 0 {
		occ := file.occupied()
		if a.file == at.file {
			occ &^= 1 << (a.rank & 15)
		}
		if hit(file, viewFile(at.rank, occ), them) != 0 {
			return true
		}
	}
	return p.leaped(to, at, them)
}

// HasLegal reports whether the side to move has a legal move; without one it has lost.
func (p *Position) HasLegal() bool {
	us := p.side
	stage := anywhere.AndNot(p.colors[us&1])
	if !p.kingTargets(stage).Empty() {
		return true
	}
	var g guard
	g.fill(p)
	for own := p.colors[us&1].Without(p.king[us&1]); !own.Empty(); {
		s := own.Pop()
		allowed := stage.And(g.mask)
		if g.special.Has(s) {
			allowed = stage.And(g.allowed(s))
		}
		if !p.targets(s).And(allowed).Empty() {
			return true
		}
	}
	return false
}

// IsLegal reports whether m, which may be any value, is legal.
func (p *Position) IsLegal(m Move) bool {
	from, to := m.From(), m.To()
	us := p.side
	if m>>14 != 0 || from >= Squares || to >= Squares || !p.colors[us&1].Has(from) || p.colors[us&1].Has(to) {
		return false
	}
	if p.board[from&127].Type() == King {
		return kingSteps[from&127].Has(to) && !p.deadly(from, to, us)
	}
	if !p.targets(from).Has(to) {
		return false
	}
	if p.calm() {
		return true
	}
	var g guard
	g.fill(p)
	return g.allowed(from).Has(to)
}
