package movegen

// Position is a board, the side to move and the counters, with what generation needs
// kept up by Make and Unmake. It is a value without pointers: an assignment copies it.
type Position struct {
	board    [128]Piece // only the first 90 are used; 128 so that masked indexes need no check
	lines    [lineRoom]line
	pieces   [Pieces]Set
	colors   [2]Set
	key      uint64
	material uint64 // how many of each piece, four bits each
	king     [2]Square
	side     Color
	halfmove uint16 // plies since the last capture
	fullmove uint16
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

// MaterialKey returns how many of each piece there are, in four bits each at 4 × Piece.
// Positions with equal material have equal keys.
func (p *Position) MaterialKey() uint64 { return p.material }

// Pieces returns the squares of a coloured piece.
func (p *Position) Pieces(pc Piece) Set { return p.pieces[pc&15] }

// Count returns how many of a coloured piece are on the board.
func (p *Position) Count(pc Piece) int { return int(p.material >> (4 * (pc & 15)) & 15) }

// Color returns the squares of all pieces of c.
func (p *Position) Color(c Color) Set { return p.colors[c&1] }

// Occupied returns the squares of all pieces.
func (p *Position) Occupied() Set { return p.colors[Red].Or(p.colors[Black]) }

// refresh computes from the board and the side what Make and Unmake keep up.
func (p *Position) refresh() {
	*p = Position{board: p.board, side: p.side, halfmove: p.halfmove, fullmove: p.fullmove,
		king: [2]Square{NoSquare, NoSquare}}
	for s := Square(0); s < Squares; s++ {
		if pc := p.board[s]; pc != NoPiece {
			p.toggle(pc, s)
			p.material += 1 << (4 * pc)
			if pc.Type() == King {
				p.king[pc.Color()] = s
			}
		}
	}
	if p.side == Black {
		p.key ^= zobristSide
	}
}

// toggle puts the piece on an empty square or takes it away, in all but the board, the
// material and the king's square.
func (p *Position) toggle(pc Piece, s Square) {
	at, b, bit := places[s&127], &pieceBits[pc&15], setBit[s&127]
	p.lines[at.rank&31] ^= b.rank << (at.file & 15)
	p.lines[(at.file+fileLine)&31] ^= b.file << (at.rank & 15)
	set := &p.pieces[pc&15]
	*set = Set{set.Lo ^ bit.Lo, set.Hi ^ bit.Hi}
	set = &p.colors[pc>>3&1]
	*set = Set{set.Lo ^ bit.Lo, set.Hi ^ bit.Hi}
	p.key ^= zobrist[pc&15][s&127]
}

// shift moves a piece in all but the board, the key and the king's square.
func (p *Position) shift(pc Piece, from, to Square) {
	a, z, b := places[from&127], places[to&127], &pieceBits[pc&15]
	p.lines[a.rank&31] ^= b.rank << (a.file & 15)
	p.lines[z.rank&31] ^= b.rank << (z.file & 15)
	p.lines[(a.file+fileLine)&31] ^= b.file << (a.rank & 15)
	p.lines[(z.file+fileLine)&31] ^= b.file << (z.rank & 15)
	lo := setBit[from&127].Lo | setBit[to&127].Lo
	hi := setBit[from&127].Hi | setBit[to&127].Hi
	set := &p.pieces[pc&15]
	*set = Set{set.Lo ^ lo, set.Hi ^ hi}
	set = &p.colors[pc>>3&1]
	*set = Set{set.Lo ^ lo, set.Hi ^ hi}
}

// Make plays a legal move and fills u for Unmake.
func (p *Position) Make(m Move, u *Undo) {
	from, to := m.From(), m.To()
	pc, captured := p.board[from&127], p.board[to&127]
	u.Captured, u.halfmove, u.key = captured, p.halfmove, p.key
	p.halfmove++
	if captured != NoPiece {
		p.toggle(captured, to)
		p.material -= 1 << (4 * (captured & 15))
		p.halfmove = 0
	}
	p.shift(pc, from, to)
	p.board[from&127] = NoPiece
	p.board[to&127] = pc
	if pc&7 == Piece(King) {
		p.king[pc>>3&1] = to
	}
	z := &zobrist[pc&15]
	p.key ^= z[from&127] ^ z[to&127] ^ zobristSide
	p.fullmove += uint16(p.side)
	p.side ^= 1
}

// KeyAfter returns the key after a legal move.
func (p *Position) KeyAfter(m Move) uint64 {
	from, to := m.From(), m.To()
	z := &zobrist[p.board[from&127]&15]
	return p.key ^ z[from&127] ^ z[to&127] ^ zobrist[p.board[to&127]&15][to&127] ^ zobristSide
}

// Unmake takes back the move that filled u.
func (p *Position) Unmake(m Move, u *Undo) {
	from, to := m.From(), m.To()
	pc, captured := p.board[to&127], u.Captured
	p.shift(pc, from, to)
	p.board[from&127] = pc
	p.board[to&127] = captured
	if pc&7 == Piece(King) {
		p.king[pc>>3&1] = from
	}
	if captured != NoPiece {
		p.toggle(captured, to)
		p.material += 1 << (4 * (captured & 15))
	}
	p.side ^= 1
	p.fullmove -= uint16(p.side)
	p.halfmove, p.key = u.halfmove, u.key
}

// MakeNull gives the move to the other side without a move; the side to move must not
// be in check.
func (p *Position) MakeNull(u *Undo) {
	u.Captured, u.halfmove, u.key = NoPiece, p.halfmove, p.key
	p.halfmove++
	p.key ^= zobristSide
	p.fullmove += uint16(p.side)
	p.side ^= 1
}

// UnmakeNull takes back MakeNull.
func (p *Position) UnmakeNull(u *Undo) {
	p.side ^= 1
	p.fullmove -= uint16(p.side)
	p.halfmove, p.key = u.halfmove, u.key
}
