package movegen

import "math/bits"

// This file counts the last two plies of a perft in one node. A search has no use for it
// and nothing else depends on it.
//
// Let us be the side to move and they the other. The number of pairs (our move, their
// reply) is the sum over our legal moves of the number of their legal replies. Most of
// our moves change little for them, so their replies are counted once, as if we had
// passed, and each move adds or takes away what it changes:
//
//   - their rooks and cannons on the lines of the square we leave and the square we
//     enter: those lines are counted anew;
//   - legs of their horses and eyes of their elephants that we free or block.
//
// A move whose squares are in none of their lines, legs and eyes changes nothing at all,
// and a whole set of such moves is counted by its size times the replies.
//
// That holds as long as the safety of their king is judged the same after the move. The
// moves that may change it are told by sensitivity sets, one for each type of piece (see
// sensitive); they, the captures and the moves of our king are made, and the replies
// counted in full.

// pairs is one node.
type pairs struct {
	p           *Position
	us          Color
	theirs      Set             // squares of their pieces
	replies     int             // their legal moves if we had passed
	lines       [lineRoom]int16 // the moves of their rooks and cannons along each line
	near        Set             // squares that one of their pieces looks at: beyond it nothing changes
	legs        Set             // the part of near that is a leg or an eye
	steps       Set             // where their king can step if nothing of ours prevents it
	safe        int             // the steps it can take if we had passed
	check, step zone
	kingLine    uint8 // the file of their king, where it is no rook to us
	kingBit     uint64
	exposed     Set    // where taking one of their pieces may touch their king's safety
	guard       *guard // of their side; nil if all their pieces are free
	sum         int
}

// countPairs returns the number of paths of two plies.
func (p *Position) countPairs() uint64 {
	p.side ^= 1
	if !p.calm() {
		return p.countPairsGuarded()
	}
	n := pairs{p: p, us: p.side.Other(), theirs: p.colors[p.side&1]}
	n.countReplies()
	p.side ^= 1
	return n.count()
}

// countPairsGuarded is countPairs when their pieces are not all free. It is called with
// them to move.
func (p *Position) countPairsGuarded() uint64 {
	var g guard
	g.fill(p)
	n := pairs{p: p, us: p.side.Other(), theirs: p.colors[p.side&1], guard: &g}
	n.countReplies()
	p.side ^= 1
	return n.count()
}

// count adds up our moves.
func (n *pairs) count() uint64 {
	p := n.p
	own := p.colors[n.us&1]
	n.sensitive()
	g := n.gate(King)
	n.add(&g, p.king[n.us&1], p.kingTargets(anywhere))
	if p.calm() {
		n.addPieces(anywhere.AndNot(own), own)
		return uint64(n.sum)
	}
	var ours guard
	ours.fill(p)
	if mask := ours.mask.AndNot(own); !mask.Empty() {
		n.addPieces(mask, own.AndNot(ours.special))
	}
	for special := ours.special; !special.Empty(); {
		s := special.Pop()
		g = n.gate(p.board[s&127].Type())
		n.add(&g, s, p.targets(s).And(ours.allowed(s)).AndNot(own))
	}
	return uint64(n.sum)
}

// addPieces adds the moves to targets in mask of our pieces in free, the king's apart.
func (n *pairs) addPieces(mask, free Set) {
	p, us := n.p, n.us
	g := n.gate(Rook)
	for b := p.pieces[NewPiece(us, Rook)&15].And(free); !b.Empty(); {
		s := b.Pop()
		n.add(&g, s, p.rookTargets(s).And(mask))
	}
	g = n.gate(Cannon)
	for b := p.pieces[NewPiece(us, Cannon)&15].And(free); !b.Empty(); {
		s := b.Pop()
		n.add(&g, s, p.cannonTargets(s, n.theirs).And(mask))
	}
	g = n.gate(Horse)
	for b := p.pieces[NewPiece(us, Horse)&15].And(free); !b.Empty(); {
		s := b.Pop()
		n.add(&g, s, horseSteps[s&127][p.legs(places[s&127])&15].And(mask))
	}
	g = n.gate(Pawn)
	for b := p.pieces[NewPiece(us, Pawn)&15].And(free); !b.Empty(); {
		s := b.Pop()
		n.add(&g, s, pawnSteps[us&1][s&127].And(mask))
	}
	g = n.gate(Elephant)
	for b := p.pieces[NewPiece(us, Elephant)&15].And(free); !b.Empty(); {
		s := b.Pop()
		n.add(&g, s, elephantSteps[us&1][s&127][p.eyes(places[s&127])&15].And(mask))
	}
	for b := p.pieces[NewPiece(us, Advisor)&15].And(free); !b.Empty(); {
		s := b.Pop()
		n.add(&g, s, advisorSteps[us&1][s&127].And(mask))
	}
}

// try makes the moves of the piece on from and counts the replies in full.
func (n *pairs) try(from Square, targets Set) {
	for !targets.Empty() {
		m := NewMove(from, targets.Pop())
		var u Undo
		n.p.Make(m, &u)
		n.sum += n.p.count()
		n.p.Unmake(m, &u)
	}
}

// add adds the pairs of the legal moves of the piece on from.
func (n *pairs) add(g *gate, from Square, targets Set) {
	if g.checkLeave.Has(from) {
		n.try(from, targets)
		return
	}
	if full := targets.And(g.checkEnter.Or(n.exposed)); !full.Empty() {
		n.try(from, full)
		targets = targets.AndNot(full)
	}
	if targets.Empty() {
		return
	}
	var l lift
	n.lift(&l, from)
	replies := n.replies
	step := targets.And(g.stepEnter)
	if g.stepLeave.Has(from) {
		// Off the lines of the king's steps, leaving decides alone.
		step = step.Or(targets.And(n.stepLines(l.at)))
		if step != targets {
			replies += n.kingReplies(from, NoSquare) - n.safe
		}
	}
	targets = targets.AndNot(step)
	for !step.Empty() {
		to := step.Pop()
		n.sum += n.replies - n.safe + n.change(&l, from, to) + n.kingReplies(from, to)
	}
	one := targets.And(n.near.Or(l.along).Or(n.theirs))
	n.sum += (replies + l.change) * targets.AndNot(one).Count()
	for !one.Empty() {
		n.sum += replies + n.change(&l, from, one.Pop())
	}
}

// stepLines returns the lines through a square on which their king can step to a square.
func (n *pairs) stepLines(at place) (t Set) {
	if !n.steps.And(rankSet(at.rank, lineMask>>1)).Empty() {
		t = rankSet(at.rank, lineMask>>1)
	}
	if f := fileSet(at.file, lineMask); !n.steps.And(f).Empty() {
		t = t.Or(f)
	}
	return t
}

// lift is what changes for them when a piece of ours leaves a square.
type lift struct {
	at                  place
	rank, file          line // the lines without it
	dRank, dFile, dLegs int
	change              int // the sum of these
	along               Set // the lines along which they looked at it: entering there counts together with leaving
}

func (n *pairs) lift(l *lift, from Square) {
	at := places[from&127]
	l.at = at
	gone := line(1) << (10 * n.us)
	l.rank, l.file = n.p.lines[at.rank&31]^gone<<(at.file&15), n.p.lines[(at.file+fileLine)&31]^gone<<(at.rank&15)
	if !n.near.Has(from) {
		return
	}
	l.dRank, l.dFile = n.line(at.rank, l.rank), n.line(at.file+fileLine, l.file)
	if n.legs.Has(from) {
		l.dLegs = n.blocked(from)
	}
	l.change = l.dRank + l.dFile + l.dLegs
	op := n.us.Other()
	if l.rank.sliders(op) != 0 {
		l.along = rankSet(at.rank, lineMask>>1)
	}
	if l.file.sliders(op) != 0 {
		l.along = l.along.Or(fileSet(at.file, lineMask))
	}
}

// change returns by how much their replies, but for the steps of their king, change when
// the piece of ours on the square of l goes to another.
func (n *pairs) change(l *lift, from, to Square) int {
	z := places[to&127]
	victim := n.p.board[to&127]
	b := pieceBits[victim&15]
	come := line(1) << (10 * n.us)
	rank, file := n.p.lines[z.rank&31], n.p.lines[(z.file+fileLine)&31]
	d := l.change
	switch {
	case z.rank == l.at.rank:
		rank = l.rank
		d -= l.dRank
	case z.file == l.at.file:
		file = l.file
		d -= l.dFile
	}
	d += n.line(z.rank, rank^(come|b.rank)<<(z.file&15)) + n.line(z.file+fileLine, file^(come|b.file)<<(z.rank&15))
	if victim != NoPiece {
		return d + n.taken(victim, from, to)
	}
	if n.legs.Has(to) {
		d -= n.blocked(to)
	}
	return d
}

// taken returns by how much the replies of their horses, elephants, advisors and soldiers
// change when we take one of their pieces: its moves are lost, and those that protected it
// can take.
func (n *pairs) taken(victim Piece, from, to Square) int {
	p, op := n.p, n.us.Other()
	a, at := places[from&127], places[to&127]
	eyes := (p.eyes(at) &^ diagonalBit(at, a)) & 15
	var lost Set // with the leg or eye on from free: lift has counted it so
	switch victim.Type() {
	case Horse:
		lost = horseSteps[to&127][p.legs(at)&^orthogonalBit(at, a)&15]
	case Elephant:
		lost = elephantSteps[op&1][to&127][eyes]
	case Advisor:
		lost = advisorSteps[op&1][to&127]
	case Pawn:
		lost = pawnSteps[op&1][to&127]
	}
	d := -lost.And(n.allowed(to)).AndNot(n.theirs).Count()
	protectors := p.pieces[NewPiece(op, Horse)&15].And(horseFrom[to&127][eyes]).
		Or(p.pieces[NewPiece(op, Pawn)&15].And(pawnFrom[op&1][to&127])).
		Or(p.pieces[NewPiece(op, Elephant)&15].And(elephantFrom[op&1][to&127][eyes])).
		Or(p.pieces[NewPiece(op, Advisor)&15].And(advisorFrom[op&1][to&127]))
	if n.guard == nil {
		return d + protectors.Count()
	}
	for !protectors.Empty() {
		if n.allowed(protectors.Pop()).Has(to) {
			d++
		}
	}
	return d
}

// kingReplies counts the steps of their king after a move of ours that does not touch its
// safety where it stands; with to NoSquare, when the piece on from is gone.
func (n *pairs) kingReplies(from, to Square) int {
	p, us := n.p, n.us
	king := places[p.king[us.Other()]&127]
	pc := p.board[from&127]
	a, z, b, victim := places[from&127], places[to&127], &pieceBits[pc&15], &pieceBits[p.board[to&127]&15]
	horses, pawns := p.pieces[NewPiece(us, Horse)&15], p.pieces[NewPiece(us, Pawn)&15]
	switch pc.Type() {
	case Horse:
		horses = horses.Without(from).With(to)
	case Pawn:
		pawns = pawns.Without(from).With(to)
	}
	safe := 0
	for steps := n.steps; !steps.Empty(); {
		s := steps.Pop()
		at := places[s&127]
		rank, file := p.lines[at.rank&31], p.lines[(at.file+fileLine)&31]
		if a.rank == at.rank {
			rank ^= b.rank << (a.file & 15)
		}
		if z.rank == at.rank {
			rank ^= (b.rank ^ victim.rank) << (z.file & 15)
		}
		if a.file == at.file {
			file ^= b.file << (a.rank & 15)
		}
		if z.file == at.file {
			file ^= (b.file ^ victim.file) << (z.rank & 15)
		}
		occRank, occFile := liftKing(king, at, rank.occupied(), file.occupied())
		if hit(rank, viewRank(at.file, occRank), us)|hit(file, viewFile(at.rank, occFile), us) != 0 ||
			!pawns.And(pawnFrom[us&1][s&127]).Empty() {
			continue
		}
		if !horses.And(horseFrom[s&127][0]).Empty() {
			eyes := p.eyes(at)&^diagonalBit(at, a) | diagonalBit(at, z)
			if !horses.And(horseFrom[s&127][eyes&15]).Empty() {
				continue
			}
		}
		safe++
	}
	return safe
}

// liftKing takes the king away from the lines through a square beside it.
func liftKing(king, at place, rank, file uint64) (uint64, uint64) {
	if king.rank == at.rank {
		return rank &^ (1 << (king.file & 15)), file
	}
	return rank, file &^ (1 << (king.rank & 15))
}

// line returns by how much the moves of their rooks and cannons along a line change when
// it becomes w.
func (n *pairs) line(index uint8, w line) int {
	d := -int(n.lines[index&31])
	op := n.us.Other()
	x := w.sliders(op)
	if x == 0 {
		return d
	}
	if index == n.kingLine {
		x &^= n.kingBit
	}
	if n.guard != nil {
		return d + n.boundLine(index, w, x)
	}
	occ, own, prey := w.occupied(), w.color(op), w.color(n.us)
	at := uint64(rankPlace&^index) << 10
	for b := x & lineMask; b != 0; b &= b - 1 {
		v := views[(at+uint64(bits.TrailingZeros64(b))<<10|occ)&(1<<15-1)]
		d += bits.OnesCount64(v.reach() &^ own)
	}
	for b := x >> 20; b != 0; b &= b - 1 {
		v := views[(at+uint64(bits.TrailingZeros64(b))<<10|occ)&(1<<15-1)]
		d += bits.OnesCount64(v.reach()&^occ | v.second()&prey)
	}
	return d
}

// boundLine counts the moves along a line of their rooks and cannons (x) when not all of
// their pieces are free.
func (n *pairs) boundLine(index uint8, w line, x uint64) (sum int) {
	op := n.us.Other()
	occ, own, prey := w.occupied(), w.color(op), w.color(n.us)
	at := uint64(rankPlace&^index) << 10
	for b := x & lineMask; b != 0; b &= b - 1 {
		i := uint64(bits.TrailingZeros64(b))
		v := views[(at+i<<10|occ)&(1<<15-1)]
		sum += n.countOn(index, uint8(i), v.reach()&^own)
	}
	for b := x >> 20; b != 0; b &= b - 1 {
		i := uint64(bits.TrailingZeros64(b))
		v := views[(at+i<<10|occ)&(1<<15-1)]
		sum += n.countOn(index, uint8(i), v.reach()&^occ|v.second()&prey)
	}
	return sum
}

// countOn counts the moves m along a line of their slider at place i of it, as far as
// they are legal.
func (n *pairs) countOn(index, i uint8, m uint64) int {
	return lineSet(index, m).And(n.allowed(lineSquare(index, 1<<i))).Count()
}

// allowed returns where their piece on s may go.
func (n *pairs) allowed(s Square) Set {
	switch {
	case n.guard == nil:
		return anywhere
	case n.guard.special.Has(s):
		return n.guard.allowed(s)
	}
	return n.guard.mask
}

// countReplies counts their moves as if we had passed; it is called with them to move.
func (n *pairs) countReplies() {
	p, op := n.p, n.us.Other()
	king := places[p.king[op]&127]
	n.kingLine, n.kingBit = king.file+fileLine, 1<<(king.rank&15)
	n.steps = kingSteps[p.king[op]&127].AndNot(n.theirs)
	n.safe = p.kingTargets(anywhere).Count()
	n.replies = n.safe
	for b := p.pieces[NewPiece(op, Rook)&15]; !b.Empty(); {
		at := places[b.Pop()&127]
		rank, file := viewRank(at.file, p.lines[at.rank&31].occupied()), viewFile(at.rank, p.lines[(at.file+fileLine)&31].occupied())
		n.near = n.near.Or(rankSet(at.rank, rank.reach())).Or(fileSet(at.file, file.reach()))
		n.countLine(at.rank)
		n.countLine(at.file + fileLine)
	}
	for b := p.pieces[NewPiece(op, Cannon)&15]; !b.Empty(); {
		at := places[b.Pop()&127]
		rank, file := viewRank(at.file, p.lines[at.rank&31].occupied()), viewFile(at.rank, p.lines[(at.file+fileLine)&31].occupied())
		n.near = n.near.Or(rankSet(at.rank, rank.span2())).Or(fileSet(at.file, file.span2()))
		n.countLine(at.rank)
		n.countLine(at.file + fileLine)
	}
	for b := p.pieces[NewPiece(op, Horse)&15]; !b.Empty(); {
		s := b.Pop()
		n.legs = n.legs.Or(orthogonal[s&127])
		n.replies += horseSteps[s&127][p.legs(places[s&127])&15].And(n.allowed(s)).AndNot(n.theirs).Count()
	}
	for b := p.pieces[NewPiece(op, Elephant)&15]; !b.Empty(); {
		s := b.Pop()
		n.legs = n.legs.Or(diagonal[s&127])
		n.replies += elephantSteps[op&1][s&127][p.eyes(places[s&127])&15].And(n.allowed(s)).AndNot(n.theirs).Count()
	}
	for b := p.pieces[NewPiece(op, Advisor)&15]; !b.Empty(); {
		s := b.Pop()
		n.replies += advisorSteps[op&1][s&127].And(n.allowed(s)).AndNot(n.theirs).Count()
	}
	for b := p.pieces[NewPiece(op, Pawn)&15]; !b.Empty(); {
		s := b.Pop()
		n.replies += pawnSteps[op&1][s&127].And(n.allowed(s)).AndNot(n.theirs).Count()
	}
	n.near = n.near.Or(n.legs)
}

// countLine counts the moves along a line, once.
func (n *pairs) countLine(index uint8) {
	if n.lines[index&31] != 0 {
		return
	}
	moves := n.line(index, n.p.lines[index&31])
	n.lines[index&31] = int16(moves)
	n.replies += moves
}

// blocked returns how many moves their horses and elephants have past s, if it is empty.
func (n *pairs) blocked(s Square) int {
	p, op := n.p, n.us.Other()
	sum := 0
	for b := p.pieces[NewPiece(op, Horse)&15].And(orthogonal[s&127]); !b.Empty(); {
		h := b.Pop()
		past := horseSteps[h&127][0].AndNot(horseSteps[h&127][orthogonalBit(places[h&127], places[s&127])])
		sum += past.And(n.allowed(h)).AndNot(n.theirs).Count()
	}
	for b := p.pieces[NewPiece(op, Elephant)&15].And(diagonal[s&127]); !b.Empty(); {
		e := b.Pop()
		past := elephantSteps[op&1][e&127][0].AndNot(elephantSteps[op&1][e&127][diagonalBit(places[e&127], places[s&127])&15])
		sum += past.And(n.allowed(e)).AndNot(n.theirs).Count()
	}
	return sum
}

// orthogonalBit returns the bit of Position.legs for a square beside another, 0 if it is
// not beside it.
func orthogonalBit(at, s place) uint64 {
	switch df, dr := int(s.file)-int(at.file), int(s.rank)-int(at.rank); {
	case df == -1 && dr == 0:
		return 1
	case df == 0 && dr == -1:
		return 2
	case df == 1 && dr == 0:
		return 4
	case df == 0 && dr == 1:
		return 8
	}
	return 0
}

// Squares beside a square and diagonally beside it.
var orthogonal, diagonal [128]Set

func init() {
	for s := Square(0); s < Squares; s++ {
		for i := range 4 {
			orthogonal[s].add(s.offset(orthogonals[i][0], orthogonals[i][1]))
			diagonal[s].add(s.offset(diagonals[i][0], diagonals[i][1]))
		}
	}
}

// sensitive finds the moves of ours after which the safety of their king has to be judged
// anew: check for whether it is in check and which of their pieces are pinned, step for
// where it can step. A move to an empty square, with both squares outside, leaves all that
// as it is.
func (n *pairs) sensitive() {
	p, us := n.p, n.us
	king := p.king[us.Other()]
	at := places[king&127]
	rank, file := p.lines[at.rank&31], p.lines[(at.file+fileLine)&31]
	check, step := &n.check, &n.step
	check.kingLine(rank, viewRank(at.file, rank.occupied()), at.rank, at.file, us)
	check.kingLine(file, viewFile(at.rank, file.occupied()), at.file+fileLine, at.rank, us)
	check.leapers(p, king, us, true)
	for b := n.steps; !b.Empty(); {
		s := b.Pop()
		step.leapers(p, s, us, false)
		step.step(p, at, places[s&127], us)
	}
	n.exposed = n.theirs.And(check.lines.Or(kingSteps[king&127]))
}

// gate tells where a piece of ours of one type may touch the safety of their king by
// leaving a square or by entering one that is not theirs.
type gate struct{ checkLeave, checkEnter, stepLeave, stepEnter Set }

func (n *pairs) gate(kind PieceType) (g gate) {
	c, s := &n.check, &n.step
	g = gate{c.leave, c.enter, s.leave, s.enter}
	switch kind {
	case Rook, King:
		g.checkEnter, g.stepEnter = c.enter.Or(c.rook), s.enter.Or(s.rook)
	case Cannon:
		g.checkEnter, g.stepEnter = c.enter.Or(c.cannon), s.enter.Or(s.cannon)
	case Horse:
		g.checkEnter, g.stepEnter = c.enter.Or(c.horseEnter), s.enter.Or(s.horseEnter)
		g.checkLeave, g.stepLeave = c.leave.Or(c.horseLeave), s.leave.Or(s.horseLeave)
	case Pawn:
		g = gate{c.leave.Or(c.pawn), c.enter.Or(c.pawn), s.leave.Or(s.pawn), s.enter.Or(s.pawn)}
	}
	return g
}

// zone collects sensitive squares: to leave or enter for any piece, to enter for a rook or
// a cannon because of what it attacks, for a horse and a soldier likewise.
type zone struct {
	leave, enter, rook, cannon   Set
	lines                        Set // what the king sees along its lines, to the third piece
	horseLeave, horseEnter, pawn Set
}

// leapers adds what our horses and soldiers near s make sensitive, the square of their
// king or one where it can step. A horse matters to a king's square if it attacks it or
// pins what stands on its leg, to another square if it attacks it.
func (z *zone) leapers(p *Position, s Square, us Color, king bool) {
	z.pawn = z.pawn.Or(pawnFrom[us&1][s&127])
	horses := p.pieces[NewPiece(us, Horse)&15]
	if horses.Empty() {
		return
	}
	z.horseEnter = z.horseEnter.Or(horseFrom[s&127][0])
	for b := horses.And(horseFrom[s&127][0]); !b.Empty(); {
		h := b.Pop()
		leg := legTowards(h, s)
		z.leave, z.enter = z.leave.With(leg), z.enter.With(leg)
		if pc := p.board[leg&127]; pc == NoPiece || king && pc.Color() != us {
			z.horseLeave = z.horseLeave.With(h)
		}
	}
}

// kingLine adds what the line of the king makes sensitive. Of what stands on it, counted
// from the king: a rook of ours matters first (check) and second, if the piece before it
// is theirs (pin); a cannon first (empty cannon), second (check) and third, if a piece
// before it is theirs (pin). Leaving and entering shift what is behind by one. A rook
// first or a cannon second would be a check to the side that is not to move.
func (z *zone) kingLine(w line, v view, index, at uint8, us Color) {
	z.lines = z.lines.Or(lineSet(index, v.span3()))
	x := w.sliders(us)
	rooks, cannons, occ, theirs := x&lineMask, x>>20, w.occupied(), w.color(us.Other())
	var leave, enter, rook, cannon uint64
	for _, half := range [...]uint64{half(at, false), half(at, true)} {
		first, second, third := v.reach()&occ&half, v.second()&half, v.third()&half
		to1 := v.reach() & half &^ first            // empty up to the first
		to2 := v.span2() & half &^ (first | second) // and up to the second
		to3 := v.span3() & half &^ (first | second | third)
		rook |= to1
		cannon |= to2
		if first&theirs != 0 {
			rook |= to2
		}
		bound := (first | second) & theirs // by a cannon third
		if bound != 0 {
			cannon |= to3
		}
		if (rooks|cannons)&half == 0 {
			continue
		}
		if first&cannons != 0 {
			enter |= to1
			leave |= first
		}
		if second&rooks != 0 {
			leave |= first
			if first&theirs != 0 {
				enter |= to2
				leave |= second
			}
		}
		if third&rooks != 0 {
			if second&theirs != 0 {
				leave |= first
			}
			if first&theirs != 0 {
				leave |= second
			}
		}
		if third&cannons != 0 {
			leave |= first | second
			if bound != 0 {
				enter |= to3
				leave |= third
			}
		}
		if cannons&half&^v.span3() != 0 && (bound|third&theirs) != 0 {
			leave |= first | second | third
		}
	}
	z.leave, z.enter = z.leave.Or(lineSet(index, leave)), z.enter.Or(lineSet(index, enter))
	z.rook, z.cannon = z.rook.Or(lineSet(index, rook)), z.cannon.Or(lineSet(index, cannon))
}

// step adds what the lines through a square where the king can step make sensitive, seen
// with the king lifted.
func (z *zone) step(p *Position, king, s place, us Color) {
	rank, file := p.lines[s.rank&31], p.lines[(s.file+fileLine)&31]
	occRank, occFile := liftKing(king, s, rank.occupied(), file.occupied())
	z.stepLine(rank.sliders(us), occRank, viewRank(s.file, occRank), s.rank, s.file)
	z.stepLine(file.sliders(us), occFile, viewFile(s.rank, occFile), s.file+fileLine, s.rank)
}

// stepLine adds what a line through such a square makes sensitive: a rook matters first
// on it, a cannon second. x holds our sliders (see line.sliders).
func (z *zone) stepLine(x, occ uint64, v view, index, at uint8) {
	z.rook = z.rook.Or(lineSet(index, v.reach()))
	z.cannon = z.cannon.Or(lineSet(index, v.span2()&^v.reach()))
	if x == 0 {
		return
	}
	rooks, cannons := x&lineMask, x>>20
	var leave, enter uint64
	for _, half := range [...]uint64{half(at, false), half(at, true)} {
		first, second, third := v.reach()&occ&half, v.second()&half, v.third()&half
		if first&(rooks|cannons) != 0 {
			enter |= v.reach() & half
			leave |= first // a cannon may leap over the second and take the third
		}
		if second&rooks != 0 {
			leave |= first
		}
		if second&cannons != 0 {
			leave |= first | second
			enter |= v.span2() & half
		}
		if third&cannons != 0 {
			leave |= first | second
		}
	}
	z.leave, z.enter = z.leave.Or(lineSet(index, leave)), z.enter.Or(lineSet(index, enter))
}
