package movegen

// GivesCheck reports whether a legal move attacks the other king, itself or by what it
// uncovers, unblocks or becomes the screen of.
func (p *Position) GivesCheck(m Move) bool {
	from, to, us := m.From(), m.To(), p.side
	a, z := places[from&127], places[to&127]
	pc, captured := p.board[from&127], p.board[to&127]
	king := p.king[us.Other()]
	at := places[king&127]
	rank, file := p.lines[at.rank&31], p.lines[(at.file+fileLine)&31]
	mover, victim := &pieceBits[pc&15], &pieceBits[captured&15]
	if a.rank == at.rank {
		rank ^= mover.rank << (a.file & 15)
	}
	if z.rank == at.rank {
		rank ^= (mover.rank ^ victim.rank) << (z.file & 15)
	}
	if a.file == at.file {
		file ^= mover.file << (a.rank & 15)
	}
	if z.file == at.file {
		file ^= (mover.file ^ victim.file) << (z.rank & 15)
	}
	if hit(rank, viewRank(at.file, rank.occupied()), us)|hit(file, viewFile(at.rank, file.occupied()), us) != 0 {
		return true
	}
	if pc.Type() == Pawn && pawnFrom[us&1][king&127].Has(to) {
		return true
	}
	horses := p.pieces[NewPiece(us, Horse)&15]
	if pc.Type() == Horse {
		horses = horses.Without(from).With(to)
	}
	if horses.And(horseFrom[king&127][0]).Empty() {
		return false
	}
	eyes := p.eyes(at)&^diagonalBit(at, a) | diagonalBit(at, z)
	return !horses.And(horseFrom[king&127][eyes&15]).Empty()
}

// diagonalBit returns the bit of Position.eyes for a square beside another, 0 if it is
// not diagonally beside it.
func diagonalBit(at, s place) uint64 {
	df, dr := s.file-at.file+1, s.rank-at.rank+1 // 0 or 2 when diagonal, in eight bits
	if (df|dr)&^2 != 0 {
		return 0
	}
	return 1 << (df&3 | (dr>>1^1)&1)
}

// CheckMap tells which moves of a position give check, for who asks about many of them.
type CheckMap struct {
	direct [PieceTypes]Set // targets from which a kind of piece checks
	loose  Set             // pieces of which that is not all, because they may uncover something
}

// GivesCheck is Position.GivesCheck of the position the map was made from.
func (c *CheckMap) GivesCheck(p *Position, m Move) bool {
	if from := m.From(); !c.loose.Has(from) {
		return c.direct[p.board[from&127]&7].Has(m.To())
	}
	return p.GivesCheck(m)
}

// CheckMap fills c for the side to move.
func (p *Position) CheckMap(c *CheckMap) {
	us := p.side
	king := p.king[us.Other()]
	at := places[king&127]
	eyes := p.eyes(at)
	c.loose = Set{}
	if horses := p.pieces[NewPiece(us, Horse)&15].And(horseFrom[king&127][0]); !horses.Empty() {
		for i, d := range diagonals {
			if eyes>>i&1 != 0 {
				c.loose.add(king.offset(d[0], d[1]))
			}
		}
	}
	rank, file := p.lines[at.rank&31], p.lines[(at.file+fileLine)&31]
	r, f := viewRank(at.file, rank.occupied()), viewFile(at.rank, file.occupied())
	c.direct[Rook] = rankSet(at.rank, r.reach()).Or(fileSet(at.file, f.reach()))
	c.direct[Cannon] = rankSet(at.rank, r.span2()&^r.reach()).Or(fileSet(at.file, f.span2()&^f.reach()))
	c.direct[Horse] = horseFrom[king&127][eyes&15]
	c.direct[Pawn] = pawnFrom[us&1][king&127]
	c.direct[Advisor], c.direct[Elephant], c.direct[King] = Set{}, Set{}, Set{}
	if rank.sliders(us) != 0 {
		c.line(rank, r, at.rank, at.file, us)
	}
	if file.sliders(us) != 0 {
		c.line(file, f, at.file+fileLine, at.rank, us)
	}
}

// line adds what a line of the king at place at, with the view v, has when us has rooks or
// cannons there. Before an empty cannon, first on its line, any piece is a screen.
func (c *CheckMap) line(w line, v view, index, at uint8, us Color) {
	occ := w.occupied()
	c.loose = c.loose.Or(lineSet(index, v.span3()&occ))
	empty := v.reach() & occ & (w.sliders(us) >> 20)
	if empty == 0 {
		return
	}
	for _, above := range [...]bool{false, true} {
		if side := half(at, above); empty&side != 0 {
			hollow := lineSet(index, v.reach()&side&^occ)
			for k := range c.direct {
				c.direct[k] = c.direct[k].Or(hollow)
			}
		}
	}
}

// half returns the places of a line on one side of at.
func half(at uint8, above bool) uint64 {
	below := uint64(1)<<(at&15) - 1
	if above {
		return lineMask &^ below &^ (1 << (at & 15))
	}
	return below
}

// Checks appends every legal move that captures nothing and gives check.
func (p *Position) Checks(l *MoveList) {
	us := p.side
	var c CheckMap
	p.CheckMap(&c)
	var g guard
	g.fill(p)
	quiet := anywhere.AndNot(p.Occupied())
	for own := p.colors[us&1]; !own.Empty(); {
		s := own.Pop()
		kind := p.board[s&127].Type()
		t := p.targets(s).And(quiet)
		switch {
		case kind == King:
		case g.special.Has(s):
			t = t.And(g.allowed(s))
		default:
			t = t.And(g.mask)
		}
		if !c.loose.Has(s) {
			l.addAll(s, t.And(c.direct[kind]))
			continue
		}
		for !t.Empty() {
			if m := NewMove(s, t.Pop()); p.GivesCheck(m) {
				l.Add(m)
			}
		}
	}
}
