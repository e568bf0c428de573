package movegen

// InCheck reports whether the king of the side to move is attacked; kings that face each
// other attack each other.
func (p *Position) InCheck() bool { return p.Checked(p.side) }

// Checked reports whether c's king is attacked.
func (p *Position) Checked(c Color) bool {
	s := p.king[c&1]
	at := places[s&127]
	by := c.Other()
	rank, file := p.lines[at.rank&31], p.lines[(at.file+fileLine)&31]
	return hit(rank, viewRank(at.file, rank.occupied()), by)|
		hit(file, viewFile(at.rank, file.occupied()), by) != 0 || p.leaped(s, at, by)
}

// hit returns which of by's rooks and cannons on a line attack the place whose view is
// given.
func hit(w line, v view, by Color) uint64 {
	x := w.sliders(by)
	return v.reach()&x | v.second()&(x>>20)
}

// leaped reports whether a horse or soldier of by attacks s.
func (p *Position) leaped(s Square, at place, by Color) bool {
	horses, pawns := &p.pieces[NewPiece(by, Horse)&15], &p.pieces[NewPiece(by, Pawn)&15]
	near, step := &horseFrom[s&127][0], &pawnFrom[by&1][s&127]
	if pawns.Lo&step.Lo|pawns.Hi&step.Hi != 0 {
		return true
	}
	if horses.Lo&near.Lo|horses.Hi&near.Hi == 0 {
		return false
	}
	near = &horseFrom[s&127][p.eyes(at)&15]
	return horses.Lo&near.Lo|horses.Hi&near.Hi != 0
}

// Attacked reports whether a piece of colour by attacks s, its king along an open file
// included if the other king stands on s.
func (p *Position) Attacked(s Square, by Color) bool { return !p.Attackers(s, by).Empty() }

// Attackers returns the pieces of colour by that attack s, whoever stands there.
func (p *Position) Attackers(s Square, by Color) Set {
	if s >= Squares {
		return Set{}
	}
	at := places[s&127]
	return p.attackers(&sight{s, p.lines[at.rank&31], p.lines[(at.file+fileLine)&31], p.eyes(at)}, by, s == p.king[by.Other()])
}

// sight is what can be seen from a square: the lines through it and the occupied squares
// diagonally beside it (see Position.eyes).
type sight struct {
	square     Square
	rank, file line
	eyes       uint64
}

// attackers is Attackers with the lines and eyes of the square given. With facing, the
// other king stands or is about to stand there, and by's king attacks it along the file.
func (p *Position) attackers(from *sight, by Color, facing bool) Set {
	s := from.square
	at := places[s&127]
	var a Set
	if from.rank.sliders(by) != 0 {
		a = rankSet(at.rank, hit(from.rank, viewRank(at.file, from.rank.occupied()), by))
	}
	if from.file.sliders(by) != 0 {
		a = a.Or(fileSet(at.file, hit(from.file, viewFile(at.rank, from.file.occupied()), by)))
	}
	own, eyes := p.pieces[by<<3&8:by<<3&8+8], from.eyes&15
	a = a.Or(own[Horse].And(horseFrom[s&127][eyes])).Or(own[Pawn].And(pawnFrom[by&1][s&127]))
	king := p.king[by&1]
	if !facing {
		a = a.Without(king) // it is a rook for the other king alone
	}
	if !ownHalf(s, by) {
		return a
	}
	if kingSteps[king&127].Has(s) {
		a = a.With(king)
	}
	return a.Or(own[Elephant].And(elephantFrom[by&1][s&127][eyes])).Or(own[Advisor].And(advisorFrom[by&1][s&127]))
}
