package movegen

// Static exchange evaluation: what a move wins or loses when both sides go on taking on
// its target square, each with its cheapest piece, and stop when that is better. Pieces
// that stand behind others come into play, cannons find and lose their screens, legs and
// eyes open. Pins are not seen; a king takes only what is not protected.

// exchange is the state of the captures on one square.
type exchange struct {
	sight
	p    *Position
	gone Set // pieces that have left their squares
}

// begin sets up the exchange that m begins.
func (e *exchange) begin(p *Position, m Move) {
	s := m.To()
	at := places[s&127]
	e.p, e.square, e.eyes = p, s, p.eyes(at)
	e.rank, e.file = p.lines[at.rank&31], p.lines[(at.file+fileLine)&31]
	e.leave(m.From())
}

// leave takes the piece on s away from its square.
func (e *exchange) leave(s Square) {
	at, a, b := places[e.square&127], places[s&127], &pieceBits[e.p.board[s&127]&15]
	if a.rank == at.rank {
		e.rank ^= b.rank << (a.file & 15)
	}
	if a.file == at.file {
		e.file ^= b.file << (a.rank & 15)
	}
	e.eyes &^= diagonalBit(at, a)
	e.gone = e.gone.With(s)
}

// attackers returns the pieces of c that can take on the square now, on which the other
// king has just taken or not.
func (e *exchange) attackers(c Color, king bool) Set {
	return e.p.attackers(&e.sight, c, king).AndNot(e.gone)
}

// cheapest returns the attacker of c with the least value, its king last, NoSquare if
// there is none.
func (e *exchange) cheapest(c Color, values *[PieceTypes]int) Square {
	best, least := NoSquare, 0
	king := e.p.king[c&1]
	for a := e.attackers(c, false); !a.Empty(); {
		s := a.Pop()
		if s == king {
			if best == NoSquare {
				best, least = s, int(^uint(0)>>1)
			}
			continue
		}
		if v := values[e.p.board[s&127]&7]; best == NoSquare || v < least {
			best, least = s, v
		}
	}
	return best
}

// next takes with c's cheapest piece and returns that piece, NoPiece if c has none or
// only a king that would be taken.
func (e *exchange) next(c Color, values *[PieceTypes]int) Piece {
	s := e.cheapest(c, values)
	if s == NoSquare {
		return NoPiece
	}
	pc := e.p.board[s&127]
	e.leave(s)
	if pc.Type() == King && !e.attackers(c.Other(), true).Empty() {
		return NoPiece
	}
	return pc
}

// SEE returns what m wins by static exchange, in the units of values, which has the value
// of each type of piece (that of the king does not matter). A quiet move starts at 0.
func (p *Position) SEE(m Move, values *[PieceTypes]int) int {
	var e exchange
	e.begin(p, m)
	var gain [33]int
	gain[0] = values[p.board[m.To()&127]&7]
	onSquare := p.board[m.From()&127]
	n, side := 0, p.side.Other()
	for onSquare.Type() != King && n < len(gain)-1 {
		pc := e.next(side, values)
		if pc == NoPiece {
			break
		}
		n++
		gain[n] = values[onSquare&7] - gain[n-1]
		onSquare, side = pc, side.Other()
	}
	for ; n > 0; n-- {
		gain[n-1] = -max(-gain[n-1], gain[n])
	}
	return gain[0]
}

// SEEAtLeast reports whether SEE(m, values) is at least the threshold, with as few
// captures looked at as that takes.
func (p *Position) SEEAtLeast(m Move, threshold int, values *[PieceTypes]int) bool {
	gain := values[p.board[m.To()&127]&7] - threshold
	if gain < 0 {
		return false
	}
	onSquare := p.board[m.From()&127]
	// need is by how much the side that takes next must better its balance to come out
	// ahead, if it takes what is on the square now and is not retaken.
	need := values[onSquare&7] - gain
	if onSquare.Type() == King || need <= 0 {
		return true // even if the piece is lost for nothing
	}
	var e exchange
	e.begin(p, m)
	good := true // for the mover, if the exchange stops now
	for side := p.side.Other(); ; side = side.Other() {
		pc := e.next(side, values)
		if pc == NoPiece {
			return good
		}
		good = !good
		if pc.Type() == King {
			return good
		}
		// If even losing pc leaves this side ahead (level is enough for the mover, who
		// has to reach the threshold, not for the other), the rest does not matter.
		need = values[pc&7] - need
		if need < 0 || good && need == 0 {
			return good
		}
	}
}
