package notation

import (
	"strings"

	"github.com/xqlab/xqlab/movegen"
)

// relative is a move of WXF or Chinese notation, not yet looked for on a board.
type relative struct {
	piece  movegen.PieceType // NoType never
	file   int               // 1–9 from the mover's right, 0 when not given
	order  order
	number int // for numbered
	op     operator
	arg    int               // steps, or the file to go to
	coded  movegen.PieceType // another reading of piece: xqbase's digits 1–7
}

// maxSymbols is the length of the longest form, as in 前兵九平八.
const maxSymbols = 5

// marks may follow a move in any notation.
const marks = "!?#+！？，。,;"

// parseRelative reads the text; it fails on everything that is not of the form.
func parseRelative(text string) (relative, bool) {
	text = strings.TrimRight(text, marks)
	var symbols [maxSymbols]symbol
	n := 0
	for _, r := range text {
		if n == maxSymbols {
			return relative{}, false
		}
		symbols[n] = symbolOf(r)
		n++
	}
	if n < 3 {
		return relative{}, false
	}
	var m relative
	m.op, m.arg = symbols[n-2].op, int(symbols[n-1].digit)
	ok := m.op != noOperator && m.arg != 0 && m.subject(symbols[:n-2])
	return m, ok
}

// subject reads what stands before the operator: the piece, its file, its order.
func (m *relative) subject(s []symbol) bool {
	switch len(s) {
	case 1:
		m.piece = s[0].piece
	case 2:
		m.pair(s[0], s[1])
	case 3:
		m.triple(s)
	}
	return m.piece != movegen.NoType
}

// pair reads a piece with a file or an order, or a soldier that is not named.
func (m *relative) pair(a, b symbol) {
	switch {
	case a.piece != movegen.NoType && b.digit != 0:
		m.piece, m.file = a.piece, int(b.digit)
	case a.piece != movegen.NoType && m.setOrder(b, a.piece == movegen.Pawn):
		m.piece = a.piece
	case b.piece != movegen.NoType && m.setOrder(a, false):
		m.piece = b.piece
	case b.digit != 0 && m.setOrder(a, false):
		m.piece, m.file = movegen.Pawn, int(b.digit)
		if a.digit < uint8(movegen.PieceTypes) {
			m.coded = movegen.PieceType(a.digit)
		}
	}
}

// setOrder takes a sign, a number, or where allowed a letter as the order.
func (m *relative) setOrder(s symbol, letters bool) bool {
	switch {
	case s.order != noOrder:
		m.order = s.order
	case s.digit != 0:
		m.order, m.number = numbered, int(s.digit)
	case s.letter != 0 && letters:
		m.order, m.number = numbered, int(s.letter)
	}
	return m.order != noOrder
}

// triple reads piece, order and file: the piece in any place, the order before the file
// unless a sign makes it clear.
func (m *relative) triple(s []symbol) {
	rest := make([]symbol, 0, 2)
	for _, x := range s {
		if x.piece != movegen.NoType && m.piece == movegen.NoType {
			m.piece = x.piece
			continue
		}
		rest = append(rest, x)
	}
	if len(rest) != 2 {
		m.piece = movegen.NoType
		return
	}
	if rest[0].digit != 0 && rest[1].order != noOrder {
		rest[0], rest[1] = rest[1], rest[0]
	}
	if m.file = int(rest[1].digit); m.file == 0 || !m.setOrder(rest[0], false) {
		m.piece = movegen.NoType
	}
}

// crowd lists the pieces of a kind on one file, front to back.
type crowd struct {
	squares [5]movegen.Square
	n       int
}

// crowds lists the files of a kind of the side to move from its right.
type crowds [movegen.Files]crowd

// boardFile converts between files 1–9 from the mover's right and 0–8 from Red's left; it
// is its own kind of inverse with humanFile.
func boardFile(c movegen.Color, file int) int {
	if c == movegen.Red {
		return movegen.Files - file
	}
	return file - 1
}

// humanFile returns 1–9 from the mover's right.
func humanFile(c movegen.Color, file int) int {
	if c == movegen.Red {
		return movegen.Files - file
	}
	return file + 1
}

// gather fills the crowds of a kind.
func (c *crowds) gather(p *movegen.Position, t movegen.PieceType) {
	side := p.Side()
	for set := p.Pieces(movegen.NewPiece(side, t)); !set.Empty(); {
		s := set.Pop()
		file := &c[humanFile(side, s.File())-1]
		if file.n == len(file.squares) {
			continue // no valid position has six
		}
		i := file.n
		for ; i > 0 && isAhead(side, s, file.squares[i-1]); i-- {
			file.squares[i] = file.squares[i-1]
		}
		file.squares[i] = s
		file.n++
	}
}

// isAhead reports whether a is nearer to the enemy than b.
func isAhead(side movegen.Color, a, b movegen.Square) bool {
	return (a.Rank() > b.Rank()) == (side == movegen.Red)
}

// crowded returns how many files hold two or more.
func (c *crowds) crowded() int {
	n := 0
	for i := range c {
		if c[i].n >= 2 {
			n++
		}
	}
	return n
}

// all returns the pieces of the crowded files, from the mover's right and front to back.
func (c *crowds) all() crowd {
	var all crowd
	for i := range c {
		if c[i].n >= 2 {
			all.n += copy(all.squares[all.n:], c[i].squares[:c[i].n])
		}
	}
	return all
}

// find adds every legal move that m may mean.
func (m *relative) find(p *movegen.Position, out *Candidates) {
	var c crowds
	c.gather(p, m.piece)
	m.choose(&c, func(from movegen.Square) {
		if to, ok := m.target(p.Side(), from); ok {
			out.addLegal(p, movegen.NewMove(from, to))
		}
	}, out.nextRank)
	if m.coded != movegen.NoType {
		out.nextRank()
		(&relative{piece: m.coded, file: m.file, op: m.op, arg: m.arg}).find(p, out)
	}
}

// choose calls try for each piece that m may mean, and next before those that it means
// only if none of the earlier ones can move so.
func (m *relative) choose(c *crowds, try func(movegen.Square), next func()) {
	if m.file != 0 {
		file := &c[m.file-1]
		if m.order == noOrder {
			file.each(try)
			return
		}
		m.pick(file, try, next)
		return
	}
	if m.order == noOrder { // no file and no order: the only one of its kind, as a king is
		for i := range c {
			c[i].each(try)
		}
		return
	}
	if m.order == numbered {
		all := c.all()
		m.pick(&all, try, next)
		next()
	}
	for i := range c {
		if c[i].n >= 2 {
			m.pick(&c[i], try, func() {})
		}
	}
	if m.order == minus || m.order == dot { // the other scheme for three on a file
		next()
		for i := range c {
			if c[i].n == 3 {
				m.otherOfThree(&c[i], try)
			}
		}
	}
}

func (c *crowd) each(try func(movegen.Square)) {
	for _, s := range c.squares[:c.n] {
		try(s)
	}
}

// pick tries the piece that the order means in one file.
func (m *relative) pick(c *crowd, try func(movegen.Square), next func()) {
	if c.n == 0 {
		return
	}
	switch m.order {
	case front:
		try(c.squares[0])
	case middle:
		for _, s := range c.squares[1:max(c.n-1, 1)] {
			try(s)
		}
	case rear, dot:
		try(c.squares[c.n-1])
	case minus:
		if c.n == 3 {
			try(c.squares[1])
			return
		}
		try(c.squares[c.n-1])
	case numbered:
		if m.number <= c.n {
			try(c.squares[m.number-1])
		}
	}
	if m.file != 0 && c.n == 3 && (m.order == minus || m.order == dot) {
		next()
		m.otherOfThree(c, try)
	}
}

// otherOfThree tries what "-" and "." mean where they are not as xqbase writes them.
func (m *relative) otherOfThree(c *crowd, try func(movegen.Square)) {
	if m.order == minus {
		try(c.squares[2])
	} else {
		try(c.squares[1])
	}
}

// target returns where the move would lead from a square, if the board reaches so far.
func (m *relative) target(side movegen.Color, from movegen.Square) (movegen.Square, bool) {
	file, rank := from.File(), from.Rank()
	dir := 1
	if (side == movegen.Red) != (m.op == forward) {
		dir = -1
	}
	switch m.piece {
	case movegen.Advisor, movegen.Elephant, movegen.Horse:
		if m.op == sideways {
			return movegen.NoSquare, false
		}
		to := boardFile(side, m.arg)
		step := diagonalStep(m.piece, to-file)
		file, rank = to, rank+dir*step
		if step == 0 {
			return movegen.NoSquare, false
		}
	default:
		if m.op == sideways {
			file = boardFile(side, m.arg)
		} else {
			rank += dir * m.arg
		}
	}
	if rank < 0 || rank >= movegen.Ranks {
		return movegen.NoSquare, false
	}
	return movegen.SquareAt(file, rank), true
}

// diagonalStep returns the ranks that a piece crosses with a change of file, 0 if it
// cannot change so.
func diagonalStep(t movegen.PieceType, df int) int {
	df = max(df, -df)
	switch {
	case t == movegen.Advisor && df == 1:
		return 1
	case t == movegen.Elephant && df == 2:
		return 2
	case t == movegen.Horse && (df == 1 || df == 2):
		return 3 - df
	}
	return 0
}
