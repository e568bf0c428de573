package referee

import "github.com/xqlab/xqlab/movegen"

// worth says whether a capture is a threat.
type worth uint8

const (
	never worth = iota
	ifUnprotected
	always
)

// worthTable gives the worth of a capture by the kinds of the attacker and the victim.
type worthTable [movegen.PieceTypes][movegen.PieceTypes]worth

// chaseRule says what a chase is.
type chaseRule struct {
	worth worthTable
	// captors returns the pieces of by that threaten the piece on victim in a position with
	// by to move; m is the move after which the question is asked, or that leads away from
	// the position.
	captors func(w *walk, r *chaseRule, by movegen.Color, m movegen.Move, victim movegen.Square) movegen.Set
	// fresh: a threat that was there before the move is none.
	fresh bool
	// graver, if not nil, returns those of the victims of by that weigh more.
	graver func(w *walk, by movegen.Color, victims pieceSet) pieceSet
}

// pieceSet is a set of the pieces of a cycle, one bit each. No piece is captured in a
// cycle, so that a number stays a piece's while it moves.
type pieceSet uint32

const everyPiece pieceSet = 1<<32 - 1

// walk goes back through a cycle. It belongs to the game so that nothing is allocated.
type walk struct {
	pos movegen.Position
	num [128]uint8 // the piece's number by square
}

// begin goes to the game's position and numbers its pieces.
func (w *walk) begin(g *Game) {
	w.pos = g.pos
	n := uint8(0)
	for all := g.pos.Occupied(); !all.Empty(); n++ {
		w.num[all.Pop()&127] = n
	}
}

// back takes a move back.
func (w *walk) back(m movegen.Move, u *movegen.Undo) {
	w.pos.Unmake(m, u)
	w.num[m.From()&127] = w.num[m.To()&127]
}

// piece returns the set of the piece on s alone.
func (w *walk) piece(s movegen.Square) pieceSet { return 1 << (w.num[s&127] & 31) }

// perpetualChases returns who chases in the cycle after ply first: the side for which some
// one piece is newly threatened by each of its moves.
func (g *Game) perpetualChases(first int) (faults [2]degree) {
	victims := [2]pieceSet{everyPiece, everyPiece}
	grave := victims
	g.walk.begin(g)
	for i := g.Len(); i > first && victims != [2]pieceSet{}; i-- {
		by := g.walk.pos.Side().Other() & 1
		var graver pieceSet
		victims[by], graver = g.victims(i, victims[by])
		grave[by] &= graver
	}
	for c := range victims {
		switch {
		case grave[c]&victims[c] != 0:
			faults[c] = chasingGravely
		case victims[c] != 0:
			faults[c] = chasing
		}
	}
	return faults
}

// victims returns those pieces among the given ones that the move of ply i newly
// threatens, and which of them weigh more. The walk is at ply i and goes back by one. A
// check threatens nobody else.
func (g *Game) victims(i int, among pieceSet) (victims, grave pieceSet) {
	w, r, t := &g.walk, g.rules.chase, &g.plies[i]
	by := w.pos.Side().Other()
	if among == 0 || t.check {
		w.back(t.move, &t.undo)
		return 0, 0
	}
	victims = w.threatened(r, by, t.move, among)
	if r.graver != nil && victims != 0 {
		grave = r.graver(w, by, victims)
	}
	w.back(t.move, &t.undo)
	if r.fresh && victims != 0 {
		victims &^= w.threatened(r, by, t.move, victims)
	}
	return victims, grave & victims
}

// threatened returns those among the given pieces that by threatens. If it is not by's
// turn the move is passed.
func (w *walk) threatened(r *chaseRule, by movegen.Color, m movegen.Move, among pieceSet) (threatened pieceSet) {
	if w.pos.Side() != by {
		var u movegen.Undo
		w.pos.MakeNull(&u)
		defer w.pos.UnmakeNull(&u)
	}
	for all := w.pos.Color(by.Other()); !all.Empty(); {
		s := all.Pop()
		if p := w.piece(s); p&among != 0 && w.mayBeChased(s) && !r.captors(w, r, by, m, s).Empty() {
			threatened |= p
		}
	}
	return threatened
}

// mayBeChased is false for kings and for soldiers that have not crossed the river.
func (w *walk) mayBeChased(s movegen.Square) bool {
	switch pc := w.pos.At(s); pc.Type() {
	case movegen.King:
		return false
	case movegen.Pawn:
		return (s.Rank() >= movegen.Ranks/2) == (pc.Color() == movegen.Red)
	}
	return true
}

// profitable returns the pieces whose capture on victim is legal and, by the table, worth
// it whatever comes, or after which nobody can legally capture back. A piece that attacks
// one of its own kind offers an exchange, unless that one cannot legally capture it.
func profitable(w *walk, r *chaseRule, by movegen.Color, _ movegen.Move, victim movegen.Square) (captors movegen.Set) {
	kind := w.pos.At(victim).Type()
	for all := w.pos.Attackers(victim, by); !all.Empty(); {
		from := all.Pop()
		attacker := w.pos.At(from).Type()
		if worth := r.worth[attacker&7][kind&7]; worth == never ||
			attacker == kind && w.canCapture(victim, from) ||
			!w.pays(movegen.NewMove(from, victim), worth) {
			continue
		}
		captors = captors.With(from)
	}
	return captors
}

// pays reports whether the capture is legal and nobody can capture back, which does not
// matter if it is always worth it.
func (w *walk) pays(m movegen.Move, worth worth) bool {
	var u movegen.Undo
	by := w.pos.Side()
	w.pos.Make(m, &u)
	ok := !w.pos.Checked(by) && (worth == always || !w.canRecapture(m.To()))
	w.pos.Unmake(m, &u)
	return ok
}

// canRecapture reports whether the side to move can legally capture on s.
func (w *walk) canRecapture(s movegen.Square) bool {
	for all := w.pos.Attackers(s, w.pos.Side()); !all.Empty(); {
		if w.isSafe(movegen.NewMove(all.Pop(), s)) {
			return true
		}
	}
	return false
}

// canCapture reports whether the piece of the side not to move on from could legally
// capture the one on to.
func (w *walk) canCapture(from, to movegen.Square) bool {
	if !w.pos.Attackers(to, w.pos.Side().Other()).Has(from) {
		return false
	}
	var u movegen.Undo
	w.pos.MakeNull(&u)
	ok := w.isSafe(movegen.NewMove(from, to))
	w.pos.UnmakeNull(&u)
	return ok
}

// isSafe reports whether the mover's king is not attacked after the move.
func (w *walk) isSafe(m movegen.Move) bool {
	var u movegen.Undo
	mover := w.pos.Side()
	w.pos.Make(m, &u)
	safe := !w.pos.Checked(mover)
	w.pos.Unmake(m, &u)
	return safe
}

// pinnedByHorse returns the rooks that may not move because they stand on the leg of a
// horse that attacks their king.
func pinnedByHorse(w *walk, by movegen.Color, victims pieceSet) (pinned pieceSet) {
	king := w.pos.King(by.Other())
	rooks := w.pos.Pieces(movegen.NewPiece(by.Other(), movegen.Rook))
	for horses := w.pos.Pieces(movegen.NewPiece(by, movegen.Horse)); !horses.Empty(); {
		h := horses.Pop()
		df, dr := king.File()-h.File(), king.Rank()-h.Rank()
		if df*dr != 2 && df*dr != -2 {
			continue
		}
		if leg := movegen.SquareAt(h.File()+df/2, h.Rank()+dr/2); rooks.Has(leg) {
			pinned |= w.piece(leg) & victims
		}
	}
	return pinned
}

// byMovedPiece is the league's: only the piece that has just moved threatens, rook and
// cannon only across the line of their movement; protected is what any piece of the
// victim's side attacks, pinned or not; and of several threats of one move only the first
// counts, in the order of before.
func byMovedPiece(w *walk, r *chaseRule, by movegen.Color, m movegen.Move, victim movegen.Square) movegen.Set {
	if !w.leagueThreat(r, by, m, victim) {
		return movegen.Set{}
	}
	for all := w.pos.Color(by.Other()); !all.Empty(); {
		if s := all.Pop(); before(w.pos.At(m.To()).Type(), s, victim) && w.mayBeChased(s) && w.leagueThreat(r, by, m, s) {
			return movegen.Set{}
		}
	}
	return movegen.SetOf(m.To())
}

func (w *walk) leagueThreat(r *chaseRule, by movegen.Color, m movegen.Move, victim movegen.Square) bool {
	kind := w.pos.At(m.To()).Type()
	worth := r.worth[kind&7][w.pos.At(victim).Type()&7]
	if worth == never || kind != movegen.Horse && !isAcross(m, victim) || !w.pos.Attackers(victim, by).Has(m.To()) {
		return false
	}
	return worth == always || !w.pos.Attacked(victim, by.Other())
}

// isAcross reports whether the line from the move's target to s is not that of the move.
func isAcross(m movegen.Move, s movegen.Square) bool {
	return (m.From().File() == m.To().File()) == (m.To().Rank() == s.Rank())
}

// before is the order in which ElephantEye looks for victims: for a horse ranks
// downwards and in a rank files upwards, for rook and cannon files downwards or ranks
// upwards. (It favours a side and a wing; but the rule set is what its program does.)
func before(attacker movegen.PieceType, s, than movegen.Square) bool {
	switch {
	case attacker != movegen.Horse && s.Rank() == than.Rank():
		return s.File() > than.File()
	case attacker != movegen.Horse, s.Rank() == than.Rank():
		return s < than
	}
	return s.Rank() > than.Rank()
}
