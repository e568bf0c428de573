package movegen

import "math/bits"

// guard is what the safety of the king allows the other pieces of the side to move: it
// decides legality by sets, with no move made. A move that is not the king's is legal
// when its target is in allowed of the piece that makes it.
//
// What is on the four lines of the king up to the third piece, the horses and the
// soldiers near it say everything, for a move empties one square and fills one:
//
//   - a rook (or the other king) that is first, a cannon that is second, a horse with a
//     free leg, a soldier: a check, answered by a capture or by something put between; the
//     screen of a cannon, if one's own, may also leave;
//   - an empty cannon, first on its line: nothing may step between;
//   - a rook second behind one's own piece, a leg of a horse: that piece is pinned;
//   - a cannon third: neither of the two before it may leave nor take the other.
type guard struct {
	mask    Set // targets of pieces that are not special
	special Set // own pieces that a limit singles out
	forbid  Set // before empty cannons
	n       int
	limits  [maxLimits]limit
}

// limit is a set of targets. One of a check is for all pieces but the given one, its
// screen; the others are for the given piece alone.
type limit struct {
	piece Square
	check bool
	set   Set
}

// maxLimits covers any legal number of pieces: rooks and the other king 3, cannons 2 each
// and one more for a screen, horses 2, soldiers that attack one square 3; with room to
// spare, as its index is masked.
const maxLimits = 16

// anywhere is every square.
var anywhere = Set{1<<45 - 1, 1<<45 - 1}

// check demands that all pieces but a screen go to one of the targets.
func (g *guard) check(screen Square, targets Set) {
	g.limits[g.n&(maxLimits-1)] = limit{screen, true, targets}
	g.n++
	g.mask = g.mask.And(targets)
}

// bind limits the targets of one piece.
func (g *guard) bind(piece Square, targets Set) {
	g.limits[g.n&(maxLimits-1)] = limit{piece, false, targets}
	g.n++
	g.special = g.special.With(piece)
}

// allowed returns the targets of the piece on s.
func (g *guard) allowed(s Square) Set {
	t := anywhere.AndNot(g.forbid)
	for i := range min(g.n, maxLimits) {
		if l := &g.limits[i]; (l.piece == s) != l.check {
			t = t.And(l.set)
		}
	}
	return t
}

// calm reports whether no enemy is so near to the king of the side to move that its
// pieces are not free to move: then no guard is needed.
func (p *Position) calm() bool {
	us := p.side
	s, them := p.king[us&1], us.Other()
	at := places[s&127]
	rank, file := p.lines[at.rank&31], p.lines[(at.file+fileLine)&31]
	if x := rank.sliders(them); x != 0 && threat(viewRank(at.file, rank.occupied()), x) {
		return false
	}
	if x := file.sliders(them); x != 0 && threat(viewFile(at.rank, file.occupied()), x) {
		return false
	}
	near, step := &horseFrom[s&127][0], &pawnFrom[them&1][s&127]
	horses, pawns := &p.pieces[NewPiece(them, Horse)&15], &p.pieces[NewPiece(them, Pawn)&15]
	return horses.Lo&near.Lo|horses.Hi&near.Hi|pawns.Lo&step.Lo|pawns.Hi&step.Hi == 0
}

// threat reports whether a slider of x (see line.sliders) is near enough on its line to
// bind something: a rook first or second, a cannon up to third.
func threat(v view, x uint64) bool {
	near := uint64(v) | uint64(v)>>10
	return (near&x|(near|uint64(v)>>20)&(x>>20))&lineMask != 0
}

// fill computes the guard of the side to move. It is for a zero guard.
func (g *guard) fill(p *Position) {
	g.mask = anywhere
	us := p.side
	s, them := p.king[us&1], us.Other()
	at := places[s&127]
	if w := p.lines[at.rank&31]; w.sliders(them) != 0 {
		g.scan(w, viewRank(at.file, w.occupied()), at.rank, at.file, us)
	}
	if w := p.lines[(at.file+fileLine)&31]; w.sliders(them) != 0 {
		g.scan(w, viewFile(at.rank, w.occupied()), at.file+fileLine, at.rank, us)
	}
	own := p.colors[us&1]
	for horses := p.pieces[NewPiece(them, Horse)&15].And(horseFrom[s&127][0]); !horses.Empty(); {
		h := horses.Pop()
		leg := legTowards(h, s)
		target := SetOf(h)
		switch {
		case p.board[leg&127] == NoPiece:
			g.check(NoSquare, target.With(leg))
		case own.Has(leg):
			g.bind(leg, target)
		}
	}
	for pawns := p.pieces[NewPiece(them, Pawn)&15].And(pawnFrom[them&1][s&127]); !pawns.Empty(); {
		g.check(NoSquare, SetOf(pawns.Pop()))
	}
	g.mask = g.mask.AndNot(g.forbid)
}

// legTowards returns the leg of a horse on h for its leap to s.
func legTowards(h, s Square) Square {
	df, dr := s.File()-h.File(), s.Rank()-h.Rank()
	return SquareAt(h.File()+df/2, h.Rank()+dr/2)
}

// scan adds what the line of the king at place at, with the view v, demands. index is the
// line's in Position.lines.
func (g *guard) scan(w line, v view, index, at uint8, us Color) {
	x := w.sliders(us.Other())
	rooks, cannons, occ, own := x&lineMask, x>>20, w.occupied(), w.color(us)
	below := uint64(1)<<(at&15) - 1
	for _, half := range [...]uint64{below, lineMask &^ below} {
		first, second, third := v.reach()&occ&half, v.second()&half, v.third()&half
		before := v.reach() & half &^ first // empty squares before the first piece
		behind := v.span2() & half &^ second
		if first&rooks != 0 {
			g.check(NoSquare, lineSet(index, v.reach()&half))
		}
		if first&cannons != 0 {
			g.forbid = g.forbid.Or(lineSet(index, before))
		}
		if second&rooks != 0 && first&own != 0 {
			g.bind(lineSquare(index, first), lineSet(index, v.span2()&half))
		}
		if second&cannons != 0 {
			screen := NoSquare
			if first&own != 0 {
				screen = lineSquare(index, first)
				g.bind(screen, anywhere.AndNot(lineSet(index, behind)))
			}
			g.check(screen, lineSet(index, behind&^first|second))
		}
		if third&cannons != 0 {
			targets := lineSet(index, v.span3()&half&^first&^second)
			for _, b := range [...]uint64{first & own, second & own} {
				if b != 0 {
					g.bind(lineSquare(index, b), targets)
				}
			}
		}
	}
}

// lineSet returns the squares of a line, by its index in Position.lines, that m holds.
func lineSet(index uint8, m uint64) Set {
	if index < fileLine {
		return rankSet(index, m)
	}
	return fileSet(index-fileLine, m)
}

// lineSquare returns the square of the single bit in m.
func lineSquare(index uint8, m uint64) Square {
	i := bits.TrailingZeros64(m)
	if index < fileLine {
		return SquareAt(i, int(index))
	}
	return SquareAt(int(index)-fileLine, i)
}
