package eval

import "github.com/xqlab/xqlab/movegen"

// Features that depend on a small number alone are added up once for each weight vector;
// the functions here say which features a number stands for, to the sum and to a trace.

// An army index is made of how many rooks, horses, cannons and soldiers a side has, and
// how many advisors and elephants stand against them.
const (
	armyHorse    = 3
	armyCannon   = 3 * armyHorse
	armySoldier  = 3 * armyCannon
	armyAdvisor  = 6 * armySoldier
	armyElephant = 3 * armyAdvisor
	armySize     = 3 * armyElephant
	armyRoom     = 2048 // armySize rounded up to a power of two
)

// armyFeatures calls add with the features of an army and how often each counts; those
// with owner are the defender's.
func armyFeatures(index int, add func(owner bool, feature, n int)) {
	r, h, k, w := index%3, index/armyHorse%3, index/armyCannon%3, index/armySoldier%6
	advisors, elephants := index/armyAdvisor%3, index/armyElephant
	add(true, rooksAdvis+3*r+advisors, 1)
	add(true, cannonsAdvis+3*k+advisors, 1)
	add(true, horsesEleph+3*h+elephants, 1)
	add(true, cannonsEleph+3*k+elephants, 1)
	for i, n := range [...]int{r * (r - 1) / 2, r * h, r * k, h * (h - 1) / 2, h * k, k * (k - 1) / 2, r * w, h * w, k * w} {
		add(false, pairs+i, n)
	}
}

// army counts c's pieces against the defenders that they meet, and those that help each
// other.
func (s *state) army(c movegen.Color) Score {
	them := c.Other()
	soldiers := min(s.p.Count(movegen.NewPiece(c, movegen.Pawn)), 5)
	index := s.number(c, movegen.Rook) + armyHorse*s.number(c, movegen.Horse) + armyCannon*s.number(c, movegen.Cannon) +
		armySoldier*soldiers + armyAdvisor*s.number(them, movegen.Advisor) + armyElephant*s.number(them, movegen.Elephant)
	if s.trace != nil {
		armyFeatures(index, func(owner bool, i, n int) { s.traceFor(c, owner, i, n) })
	}
	return s.e.army[index&(armyRoom-1)]
}

// threatRoom is the number of states of a piece: bit 0 attacked by a guard or the king, 1
// by a soldier, 2 by a horse or cannon, 3 by a rook, 4 defended, 5 the attacker is to move.
const (
	threatRoom = 64
	defended   = 1 << 4
	turn       = 1 << 5
)

// threatFeatures calls add with the features of a piece in a state; those with owner are
// its owner's, the others the attacker's.
func threatFeatures(kind movegen.PieceType, state int, add func(owner bool, feature int)) {
	k := kindIndex(kind)
	for i, groups := range [...][2]int{{byGuard, turnGuard}, {bySoldier, turnSoldier}, {byMinor, turnMinor}, {byRook, turnRook}} {
		if state>>i&1 == 0 {
			continue
		}
		add(false, groups[0]+k)
		if state&turn != 0 {
			add(false, groups[1]+k)
		}
	}
	if state&defended != 0 {
		return
	}
	add(true, loose+k)
	if state&^turn == 0 {
		return
	}
	add(false, hanging+k)
	if state&turn != 0 {
		add(false, turnHanging+k)
	}
}

// canCheck counts the kinds of pieces that the side to move can check with and not lose.
func (s *state) canCheck(c movegen.Color) Score {
	kinds := s.checks[c&1]
	if s.trace != nil {
		checkFeatures(kinds, func(i int) { s.trace.add(c, i, 1) })
	}
	return s.e.checks[kinds&(checkRoom-1)]
}

// checkRoom is the number of sets of rook, horse and cannon.
const checkRoom = 8

// checkFeatures calls add with the features of a set of kinds.
func checkFeatures(kinds int, add func(feature int)) {
	for i := range 3 {
		if kinds>>i&1 != 0 {
			add(turnChecks + i)
		}
	}
}

// traceFor notes a feature for a side, or for the other, which owns it.
func (s *state) traceFor(c movegen.Color, owner bool, i, n int) {
	if owner {
		c = c.Other()
	}
	s.trace.add(c, i, n)
}
