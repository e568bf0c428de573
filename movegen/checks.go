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

// Checks appends every legal move that captures nothing and gives check.
func (p *Position) Checks(l *MoveList) {
	us := p.side
	var direct [PieceTypes]Set
	loose := p.checkSquares(&direct)
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
		if !loose.Has(s) {
			l.addAll(s, t.And(direct[kind]))
			continue
		}
		for !t.Empty() {
			if m := NewMove(s, t.Pop()); p.GivesCheck(m) {
				l.Add(m)
			}
		}
	}
}

// checkSquares finds the empty squares from which each kind of piece of the side to move
// checks, or before an empty cannon becomes its screen, and returns the pieces for which
// that is not all, because they may uncover something.
func (p *Position) checkSquares(direct *[PieceTypes]Set) (loose Set) {
	us := p.side
	king := p.king[us.Other()]
	at := places[king&127]
	eyes := p.eyes(at)
	if horses := p.pieces[NewPiece(us, Horse)&15].And(horseFrom[king&127][0]); !horses.Empty() {
		for i, d := range diagonals {
			if eyes>>i&1 != 0 {
				loose.add(king.offset(d[0], d[1]))
			}
		}
	}
	var hollow Set
	rank, file := p.lines[at.rank&31], p.lines[(at.file+fileLine)&31]
	scan := func(w line, v view, index uint8, half uint64) {
		first := v.reach() & w.occupied() & half
		direct[Rook] = direct[Rook].Or(lineSet(index, v.reach()&half&^first))
		direct[Cannon] = direct[Cannon].Or(lineSet(index, v.span2()&half&^v.reach()&^v.second()))
		x := w.sliders(us)
		if (x|x>>20)&lineMask&half == 0 {
			return
		}
		loose = loose.Or(lineSet(index, v.span3()&half&w.occupied()))
		if first&(x>>20) != 0 {
			hollow = hollow.Or(lineSet(index, v.reach()&half&^first))
		}
	}
	for _, above := range [...]bool{false, true} {
		scan(rank, viewRank(at.file, rank.occupied()), at.rank, half(at.file, above))
		scan(file, viewFile(at.rank, file.occupied()), at.file+fileLine, half(at.rank, above))
	}
	direct[Horse] = horseFrom[king&127][eyes&15]
	direct[Pawn] = pawnFrom[us&1][king&127]
	for k := range direct {
		direct[k] = direct[k].Or(hollow)
	}
	return loose
}

// half returns the places of a line on one side of at.
func half(at uint8, above bool) uint64 {
	below := uint64(1)<<(at&15) - 1
	if above {
		return lineMask &^ below &^ (1 << (at & 15))
	}
	return below
}
