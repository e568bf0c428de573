package movegen

// Position is a board, the side to move and the counters, with what generation needs
// kept up by Make and Unmake. It is a value without pointers: an assignment copies it.
type Position struct {
	board    [128]Piece // only the first 90 are used; 128 so that masked indexes need no check
	pieces   [Pieces]Set
	colors   [2]Set
	king     [2]Square
	side     Color
	halfmove uint16 // plies since the last capture
	fullmove uint16
	key      uint64
}

// Undo holds what Make cannot take back from the move alone. The caller keeps one per
// ply, on a stack of its own, and hands it to Unmake.
type Undo struct {
	Captured Piece
	halfmove uint16
	key      uint64
}

// At returns the piece on s.
func (p *Position) At(s Square) Piece { return p.board[s&127] }

// Side returns the side to move.
func (p *Position) Side() Color { return p.side }

// King returns the square of c's king.
func (p *Position) King(c Color) Square { return p.king[c&1] }

// Key returns the Zobrist key of the board and the side to move. Keys are the same in
// every run and on every machine.
func (p *Position) Key() uint64 { return p.key }

// HalfMoves returns the plies since the last capture, as the FEN counts them.
func (p *Position) HalfMoves() int { return int(p.halfmove) }

// FullMove returns the number of the move, which goes up after Black's.
func (p *Position) FullMove() int { return int(p.fullmove) }

// Pieces returns the squares of a coloured piece.
func (p *Position) Pieces(pc Piece) Set { return p.pieces[pc&15] }

// Count returns how many of a coloured piece are on the board.
func (p *Position) Count(pc Piece) int { return p.pieces[pc&15].Count() }

// Color returns the squares of all pieces of c.
func (p *Position) Color(c Color) Set { return p.colors[c&1] }

// Occupied returns the squares of all pieces.
func (p *Position) Occupied() Set { return p.colors[Red].Or(p.colors[Black]) }

// refresh computes from the board and the side what Make and Unmake keep up.
func (p *Position) refresh() {
	p.pieces, p.colors, p.key = [Pieces]Set{}, [2]Set{}, 0
	p.king = [2]Square{NoSquare, NoSquare}
	for s := Square(0); s < Squares; s++ {
		if pc := p.board[s]; pc != NoPiece {
			p.put(pc, s)
		}
	}
	if p.side == Black {
		p.key ^= zobristSide
	}
}

func (p *Position) put(pc Piece, s Square) {
	p.board[s&127] = pc
	p.pieces[pc&15] = p.pieces[pc&15].With(s)
	p.colors[pc.Color()] = p.colors[pc.Color()].With(s)
	p.key ^= zobrist[pc&15][s&127]
	if pc.Type() == King {
		p.king[pc.Color()] = s
	}
}

func (p *Position) take(pc Piece, s Square) {
	p.board[s&127] = NoPiece
	p.pieces[pc&15] = p.pieces[pc&15].Without(s)
	p.colors[pc.Color()] = p.colors[pc.Color()].Without(s)
	p.key ^= zobrist[pc&15][s&127]
}

// Make plays a legal move and fills u for Unmake.
func (p *Position) Make(m Move, u *Undo) {
	from, to := m.From(), m.To()
	pc, captured := p.board[from&127], p.board[to&127]
	*u = Undo{Captured: captured, halfmove: p.halfmove, key: p.key}
	p.halfmove++
	if captured != NoPiece {
		p.take(captured, to)
		p.halfmove = 0
	}
	p.take(pc, from)
	p.put(pc, to)
	p.pass()
}

// pass gives the move to the other side.
func (p *Position) pass() {
	p.fullmove += uint16(p.side)
	p.side ^= 1
	p.key ^= zobristSide
}

// Unmake takes back the move that filled u.
func (p *Position) Unmake(m Move, u *Undo) {
	from, to := m.From(), m.To()
	pc := p.board[to&127]
	p.take(pc, to)
	p.put(pc, from)
	if u.Captured != NoPiece {
		p.put(u.Captured, to)
	}
	p.side ^= 1
	p.fullmove -= uint16(p.side)
	p.halfmove, p.key = u.halfmove, u.key
}

// MakeNull gives the move to the other side without a move; the side to move must not
// be in check.
func (p *Position) MakeNull(u *Undo) {
	*u = Undo{halfmove: p.halfmove, key: p.key}
	p.halfmove++
	p.pass()
}

// UnmakeNull takes back MakeNull.
func (p *Position) UnmakeNull(u *Undo) {
	p.side ^= 1
	p.fullmove -= uint16(p.side)
	p.halfmove, p.key = u.halfmove, u.key
}
