package movegen

// MaxMoves bounds the legal moves of any valid position.
const MaxMoves = 128

// MoveList is a list of moves that needs no allocation.
type MoveList struct {
	moves [MaxMoves]Move
	n     int
}

// Len returns the number of moves.
func (l *MoveList) Len() int { return l.n }

// At returns move i.
func (l *MoveList) At(i int) Move { return l.moves[i&(MaxMoves-1)] }

// Slice returns the moves; it is valid until the list changes.
func (l *MoveList) Slice() []Move { return l.moves[:l.n] }

// Clear empties the list.
func (l *MoveList) Clear() { l.n = 0 }

// Add appends a move.
func (l *MoveList) Add(m Move) {
	l.moves[l.n&(MaxMoves-1)] = m
	l.n++
}

// Legal appends every legal move.
func (p *Position) Legal(l *MoveList) { p.generate(l, true, true) }

// Captures appends every legal capture.
func (p *Position) Captures(l *MoveList) { p.generate(l, true, false) }

// Quiets appends every legal move that captures nothing.
func (p *Position) Quiets(l *MoveList) { p.generate(l, false, true) }

// HasLegal reports whether the side to move has a legal move; without one it has lost.
func (p *Position) HasLegal() bool {
	var l MoveList
	p.Legal(&l)
	return l.n > 0
}

// IsLegal reports whether m, which may be any value, is legal.
func (p *Position) IsLegal(m Move) bool {
	var l MoveList
	p.Legal(&l)
	for _, x := range l.Slice() {
		if x == m {
			return true
		}
	}
	return false
}

// InCheck reports whether the king of the side to move is attacked; kings that face each
// other attack each other.
func (p *Position) InCheck() bool { return p.Checked(p.side) }

// Checked reports whether c's king is attacked.
func (p *Position) Checked(c Color) bool { return p.Attacked(p.king[c], c.Other()) }

// Attacked reports whether a piece of colour by attacks s, its king along an open file
// included if the other king stands on s.
func (p *Position) Attacked(s Square, by Color) bool { return !p.Attackers(s, by).Empty() }

// Attackers returns the pieces of colour by that attack s, whoever stands there.
func (p *Position) Attackers(s Square, by Color) Set {
	var a Set
	for all := p.colors[by]; !all.Empty(); {
		from := all.Pop()
		if p.attacks(from, s) {
			a = a.With(from)
		}
	}
	return a
}

// attacks reports whether the piece on from attacks to, as if an enemy stood there.
func (p *Position) attacks(from, to Square) bool {
	df, dr := to.File()-from.File(), to.Rank()-from.Rank()
	pc := p.board[from]
	c := pc.Color()
	switch pc.Type() {
	case King:
		if p.board[to] == NewPiece(c.Other(), King) && df == 0 && p.between(from, to) == 0 {
			return true
		}
		return abs(df)+abs(dr) == 1 && inPalace(to, c)
	case Advisor:
		return abs(df) == 1 && abs(dr) == 1 && inPalace(to, c)
	case Elephant:
		return abs(df) == 2 && abs(dr) == 2 && (to.Rank() <= 4) == (c == Red) &&
			p.board[SquareAt(from.File()+df/2, from.Rank()+dr/2)] == NoPiece
	case Horse:
		return abs(df*dr) == 2 && p.board[SquareAt(from.File()+df/2, from.Rank()+dr/2)] == NoPiece
	case Rook:
		return from != to && (df == 0 || dr == 0) && p.between(from, to) == 0
	case Cannon:
		return from != to && (df == 0 || dr == 0) && p.between(from, to) == 1
	case Pawn:
		return df == 0 && dr == forward(c) || dr == 0 && abs(df) == 1 && crossed(from, c)
	}
	return false
}

// between counts the pieces between two squares on a line.
func (p *Position) between(a, b Square) int {
	if a > b {
		a, b = b, a
	}
	step := Square(1)
	if a.File() == b.File() {
		step = Files
	}
	n := 0
	for s := a + step; s < b; s += step {
		if p.board[s] != NoPiece {
			n++
		}
	}
	return n
}

func forward(c Color) int { return 1 - 2*int(c) }

// crossed reports whether a soldier of c on s has crossed the river.
func crossed(s Square, c Color) bool { return (s.Rank() >= 5) == (c == Red) }

func abs(n int) int { return max(n, -n) }

// moves reports whether the piece on from can go to to, king safety apart.
func (p *Position) moves(from, to Square) bool {
	pc, target := p.board[from], p.board[to]
	if target != NoPiece && target.Color() == pc.Color() {
		return false
	}
	if pc.Type() == Cannon && target == NoPiece {
		return from != to && (from.File() == to.File() || from.Rank() == to.Rank()) && p.between(from, to) == 0
	}
	return p.attacks(from, to)
}

func (p *Position) generate(l *MoveList, captures, quiets bool) {
	us := p.side
	for own := p.colors[us]; !own.Empty(); {
		from := own.Pop()
		for to := Square(0); to < Squares; to++ {
			if capture := p.board[to] != NoPiece; capture && !captures || !capture && !quiets {
				continue
			}
			if m := NewMove(from, to); p.moves(from, to) && p.safe(m) {
				l.Add(m)
			}
		}
	}
}

// safe reports whether the mover's king is not attacked after m.
func (p *Position) safe(m Move) bool {
	var u Undo
	us := p.side
	p.Make(m, &u)
	ok := !p.Checked(us)
	p.Unmake(m, &u)
	return ok
}
