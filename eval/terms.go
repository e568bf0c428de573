package eval

import (
	"math/bits"

	"github.com/xqlab/xqlab/movegen"
)

// terms returns Red's terms less Black's, all but what the accumulator holds. Attacks of
// all pieces come first, for later terms read them.
func (s *state) terms() Score {
	p := s.p
	s.occupied = p.Occupied()
	var v [2]Score
	v[p.Side()&1] = s.one(p.Side(), tempo)
	for c := movegen.Red; c <= movegen.Black; c++ {
		s.king[c] = p.Sight(p.King(c))
		s.attacks[c][movegen.King] = movegen.KingSteps(p.King(c))
		v[c] += s.soldiers(c) + s.guards(c)
	}
	for c := movegen.Red; c <= movegen.Black; c++ {
		v[c] += s.rooks(c) + s.cannons(c) + s.horses(c)
		a := &s.attacks[c]
		s.any[c] = a[movegen.King].Or(a[movegen.Advisor]).Or(a[movegen.Elephant]).Or(a[movegen.Horse]).
			Or(a[movegen.Rook]).Or(a[movegen.Cannon]).Or(a[movegen.Pawn])
	}
	for c := movegen.Red; c <= movegen.Black; c++ {
		them := c.Other()
		harmed := s.any[them].Or(p.Color(c)) // where a piece of c may not go or would be attacked
		v[c] += s.army(c) + s.palace(c, harmed) + s.threats(c) + s.posts(c) + s.wings(c) + s.screens(c) + s.safety(c, harmed)
		v[them] += s.room(them)
	}
	v[p.Side()&1] += s.canCheck(p.Side())
	return v[movegen.Red] - v[movegen.Black]
}

// A set has a word for each half of the board, ranks counted from the edge inwards (see
// movegen.Set). So what is at home for one colour is in one word, what is beyond the
// river in the other, and terms are the same for both colours.

// home returns the squares of t on c's half.
func home(c movegen.Color, t movegen.Set) uint64 {
	if c == movegen.Red {
		return t.Lo
	}
	return t.Hi
}

// away returns the squares of t beyond the river as c sees it.
func away(c movegen.Color, t movegen.Set) uint64 { return home(c^1, t) }

// halves returns the set with the given squares at c's home and beyond the river.
func halves(c movegen.Color, home, away uint64) movegen.Set {
	if c == movegen.Red {
		return movegen.Set{Lo: home, Hi: away}
	}
	return movegen.Set{Lo: away, Hi: home}
}

// Squares of one half.
const (
	firstFile  = 1 | 1<<9 | 1<<18 | 1<<27 | 1<<36
	half       = firstFile * 511
	lastFile   = firstFile << 8
	bottomRank = 511
	riverRank  = 511 << 36
	palace     = 7<<3 | 7<<12 | 7<<21
	left       = firstFile * 31
	right      = firstFile * (31 << 4)

	// soldierZone is where soldiers attack a square of the palace from.
	soldierZone = palace<<9 | palace<<1 | palace>>1
)

func count(squares uint64) int { return bits.OnesCount64(squares) }

func (s *state) pieces(c movegen.Color, t movegen.PieceType) movegen.Set {
	return s.p.Pieces(movegen.NewPiece(c, t))
}

// number returns how many pieces of a type a side has, at most those it begins with.
func (s *state) number(c movegen.Color, t movegen.PieceType) int {
	return min(s.p.Count(movegen.NewPiece(c, t)), 2)
}

// soldiers counts what soldiers are to each other and what stops them.
func (s *state) soldiers(c movegen.Color) Score {
	own, them := s.pieces(c, movegen.Pawn), s.p.Color(c.Other())
	near, far := home(c, own), away(c, own)
	beside := (far&^lastFile)<<1 | (far&^firstFile)>>1
	steps := near << 9 & half
	crossing := near & riverRank // by one step, from the same word's rank
	beyond := far>>9 | crossing | beside
	s.attacks[c][movegen.Pawn] = halves(c, steps, beyond)
	s.attackers[c] += count(far & soldierZone)
	s.soldierFiles[c] = files(near | far)
	v := s.add(c, soldierJoin, count(far&(beside|far<<9)))
	v += s.add(c, soldierChain, count(near&steps)+count(far&beyond))
	v += s.add(c, soldierStop, count(home(c, them)&steps)+count(away(c, them)&crossing))
	v += s.one(c, soldierArmy+min(count(far), 3)*3+s.number(c.Other(), movegen.Advisor))
	return v + s.one(c, kingSoldier+min(count(beyond&palace), 6))
}

// files returns the files on which a half has a piece, as its bottom rank.
func files(squares uint64) uint64 {
	return (squares | squares>>9 | squares>>18 | squares>>27 | squares>>36) & bottomRank
}

// guards counts how advisors and elephants stand together.
func (s *state) guards(c movegen.Color) (v Score) {
	var a, e movegen.Set
	advisors := s.pieces(c, movegen.Advisor)
	for all := advisors; !all.Empty(); {
		a = a.Or(movegen.AdvisorSteps(c, all.Pop()))
	}
	elephants, own := s.pieces(c, movegen.Elephant), s.p.Color(c)
	for all := elephants; !all.Empty(); {
		steps := s.p.ElephantSteps(c, all.Pop())
		e = e.Or(steps)
		v += s.one(c, mobilityElephant+steps.AndNot(own).Count())
	}
	s.attacks[c][movegen.Advisor], s.attacks[c][movegen.Elephant] = a, e
	if !a.And(advisors).Empty() {
		v += s.one(c, advisorLink)
	}
	if !e.And(elephants).Empty() {
		v += s.one(c, elephantLink)
	}
	return v
}

// barred returns the squares where a piece of c may not go or would be taken by a soldier.
func (s *state) barred(c movegen.Color) movegen.Set {
	return s.p.Color(c).Or(s.attacks[c.Other()][movegen.Pawn])
}

// strikes counts a piece that attacks a square of the enemy palace.
func (s *state) strikes(c movegen.Color, steps movegen.Set) {
	if away(c, steps)&palace != 0 {
		s.attackers[c]++
	}
}

func (s *state) rooks(c movegen.Color) (v Score) {
	barred := s.barred(c)
	rooks := s.pieces(c, movegen.Rook)
	var attacks movegen.Set
	for all := rooks; !all.Empty(); {
		from := all.Pop()
		reach := s.p.RookSteps(from)
		attacks = attacks.Or(reach)
		s.strikes(c, reach)
		steps := reach.AndNot(barred)
		v += s.one(c, mobilityRook+min(steps.Count(), 17))
		v += s.one(c, rookFile+steps.And(fileOf[from&127]).Count())
	}
	s.attacks[c][movegen.Rook] = attacks
	if !rooks.Empty() {
		own, enemy := s.soldierFiles[c&1], s.soldierFiles[c.Other()]
		open, semi := firstFile*(^(own|enemy)&bottomRank), firstFile*(enemy&^own)
		v += s.add(c, rookOpen, count(rooks.Lo&open)+count(rooks.Hi&open))
		v += s.add(c, rookSemi, count(rooks.Lo&semi)+count(rooks.Hi&semi))
		aiming := s.king[c.Other()].Second.And(rooks)
		v += s.add(c, rookAim, aiming.Count())
		for !aiming.Empty() {
			v += s.pinned(c, pinRook, s.king[c.Other()].Reach.And(s.p.RookSteps(aiming.Pop())))
		}
	}
	return v + s.one(c, kingRook+min(count(away(c, attacks)&palace), 6))
}

func (s *state) cannons(c movegen.Color) (v Score) {
	cannons := s.pieces(c, movegen.Cannon)
	if cannons.Empty() {
		return s.one(c, kingCannon)
	}
	them, barred := c.Other(), s.barred(c)
	enemies := s.p.Color(them)
	var attacks, targets movegen.Set
	for all := cannons; !all.Empty(); {
		hops, moves := s.p.CannonSteps(all.Pop(), enemies)
		s.strikes(c, hops)
		attacks, targets = attacks.Or(hops), targets.Or(moves)
		v += s.one(c, mobilityCannon+min(moves.AndNot(barred).Count(), 17))
	}
	s.attacks[c][movegen.Cannon], s.cannonTo[c] = attacks, targets
	advisors, king := s.number(them, movegen.Advisor), &s.king[them]
	v += s.add(c, cannonHollow+advisors, king.Reach.And(cannons).Count())
	aiming := king.Third.And(cannons)
	v += s.add(c, cannonAim+advisors, aiming.Count())
	for !aiming.Empty() {
		nearer := king.Second.And(s.p.RookSteps(aiming.Pop()))
		v += s.pinned(c, pinCannon, nearer)
		for !nearer.Empty() {
			v += s.pinned(c, pinCannon, king.Reach.And(s.p.RookSteps(nearer.Pop())))
		}
	}
	v += s.add(c, cannonBottom+advisors+s.number(them, movegen.Elephant), count(away(c, cannons)&bottomRank))
	return v + s.one(c, kingCannon+min(count(away(c, attacks)&palace), 6))
}

// pinned counts the enemies of c among squares of the line to their king, by type.
func (s *state) pinned(c movegen.Color, feature int, squares movegen.Set) (v Score) {
	for all := squares.And(s.p.Color(c.Other())); !all.Empty(); {
		v += s.one(c, feature+kindIndex(s.p.At(all.Pop()).Type()))
	}
	return v
}

// screens counts horses that stand in line with the enemy king with one free square
// between, where a cannon behind them gives a check that the king cannot step away from
// sideways; and those behind which a cannon can go.
func (s *state) screens(c movegen.Color) (v Score) {
	if s.pieces(c, movegen.Cannon).Empty() {
		return 0
	}
	them := c.Other()
	king := &s.king[them]
	for all := s.pieces(c, movegen.Horse).And(king.Reach).And(twoAway[s.p.King(them)&127]); !all.Empty(); {
		v += s.one(c, horseScreen)
		if behind := s.p.RookSteps(all.Pop()).And(king.Behind); !behind.And(s.cannonTo[c]).Empty() {
			v += s.one(c, horseScreen+1)
		}
	}
	return v
}

// twoAway are the squares two steps from a square along its rank and file.
var twoAway = func() (t [128]movegen.Set) {
	for s := movegen.Square(0); s < movegen.Squares; s++ {
		for o := movegen.Square(0); o < movegen.Squares; o++ {
			df, dr := s.File()-o.File(), s.Rank()-o.Rank()
			if df*df+dr*dr == 4 {
				t[s] = t[s].With(o)
			}
		}
	}
	return t
}()

func (s *state) horses(c movegen.Color) (v Score) {
	barred := s.barred(c)
	var attacks movegen.Set
	for all := s.pieces(c, movegen.Horse); !all.Empty(); {
		steps := s.p.HorseSteps(all.Pop())
		s.strikes(c, steps)
		attacks = attacks.Or(steps)
		v += s.one(c, mobilityHorse+steps.AndNot(barred).Count())
	}
	s.attacks[c][movegen.Horse] = attacks
	return v + s.one(c, kingHorse+min(count(away(c, attacks)&palace), 6))
}

// fileOf are the squares of a square's file.
var fileOf = func() (t [128]movegen.Set) {
	for s := movegen.Square(0); s < movegen.Squares; s++ {
		for r := range movegen.Ranks {
			t[s] = t[s].With(movegen.SquareAt(s.File(), r))
		}
	}
	return t
}()

// posts counts horses that are defended, and those well posted beyond the river.
func (s *state) posts(c movegen.Color) Score {
	horses := s.pieces(c, movegen.Horse)
	if horses.Empty() {
		return 0
	}
	a, them := &s.attacks[c], &s.attacks[c.Other()]
	guarded := a[movegen.Horse].Or(a[movegen.Rook]).Or(a[movegen.Cannon]).Or(a[movegen.Pawn])
	posted := away(c, horses) &^ away(c, them[movegen.Pawn].Or(them[movegen.Elephant]).Or(them[movegen.Advisor]))
	v := s.add(c, horseGuarded, horses.And(guarded).Count())
	v += s.add(c, horseOutpost, count(posted&^away(c, guarded)))
	return v + s.add(c, horseOutpost+1, count(posted&away(c, guarded)))
}

// palace counts the attack on the enemy king: pieces that attack its palace and checks that
// cost nothing, and notes which there are for the side that can give them.
func (s *state) palace(c movegen.Color, harmed movegen.Set) Score {
	them := c.Other()
	king := &s.king[them]
	guards := s.number(them, movegen.Advisor) + s.number(them, movegen.Elephant)
	v := s.one(c, kingAttack+min(s.attackers[c], 7)*5+guards)
	rooks := min(king.Reach.And(s.attacks[c][movegen.Rook]).AndNot(harmed).Count(), 3)
	horses := min(s.p.HorseOrigins(s.p.King(them)).And(s.attacks[c][movegen.Horse]).AndNot(harmed).Count(), 3)
	cannons := min(king.Behind.And(s.cannonTo[c]).AndNot(harmed).Count(), 3)
	v += s.one(c, checkRook+rooks) + s.one(c, checkHorse+horses) + s.one(c, checkCannon+cannons)
	s.checks[c&1] = min(rooks, 1) | min(horses, 1)<<1 | min(cannons, 1)<<2
	return v
}

// safety counts the squares that cannons and horses can go to without being attacked there.
func (s *state) safety(c movegen.Color, harmed movegen.Set) Score {
	v := s.add(c, safeCannons, s.cannonTo[c].AndNot(harmed).Count())
	return v + s.add(c, safeHorses, s.attacks[c][movegen.Horse].AndNot(harmed).Count())
}

// room counts the steps that c's king has and whether it looks at the other palace.
func (s *state) room(c movegen.Color) Score {
	steps := s.attacks[c][movegen.King].AndNot(s.p.Color(c)).AndNot(s.any[c.Other()])
	v := s.one(c, kingSteps+steps.Count())
	if away(c, s.king[c].Reach)&palace != 0 {
		v += s.one(c, kingFile)
	}
	return v
}

// threats counts what c attacks, what hangs, and what is undefended: see threatFeatures.
func (s *state) threats(c movegen.Color) Score {
	them := c.Other()
	a, safe := &s.attacks[c], s.any[them]
	guards := a[movegen.Advisor].Or(a[movegen.Elephant]).Or(a[movegen.King])
	minors := a[movegen.Horse].Or(a[movegen.Cannon])
	enemies := s.p.Color(them).Without(s.p.King(them)).AndNot(safe.AndNot(s.any[c]))
	to := uint64(s.p.Side()^c^1) * turn
	by := aims{guards.Lo, a[movegen.Pawn].Lo, minors.Lo, a[movegen.Rook].Lo, safe.Lo, to}
	v := s.threatsIn(c, 0, enemies.Lo, &by)
	by = aims{guards.Hi, a[movegen.Pawn].Hi, minors.Hi, a[movegen.Rook].Hi, safe.Hi, to}
	return v + s.threatsIn(c, 1, enemies.Hi, &by)
}

// aims is what one half of the board is attacked by, what is defended there, and turn if the
// attacker is to move.
type aims struct{ guards, soldiers, minors, rooks, safe, turn uint64 }

// threatsIn is threats for one half of the board.
func (s *state) threatsIn(c movegen.Color, half int, enemies uint64, by *aims) (v Score) {
	squares := &squareOf[half]
	for ; enemies != 0; enemies &= enemies - 1 {
		i := bits.TrailingZeros64(enemies) & 63
		state := by.guards>>i&1 | by.soldiers>>i&1<<1 | by.minors>>i&1<<2 | by.rooks>>i&1<<3 | by.safe>>i&1<<4 | by.turn
		kind := s.p.At(squares[i]).Type()
		v += s.e.threat[kind&7][state&(threatRoom-1)]
		if s.trace != nil {
			threatFeatures(kind, int(state), func(owner bool, i int) { s.traceFor(c, owner, i, 1) })
		}
	}
	return v
}

// squareOf is the square of a bit of a Set's words.
var squareOf = func() (t [2][64]movegen.Square) {
	for s := movegen.Square(0); s < movegen.Squares; s++ {
		switch at := movegen.SetOf(s); {
		case at.Lo != 0:
			t[0][bits.TrailingZeros64(at.Lo)] = s
		default:
			t[1][bits.TrailingZeros64(at.Hi)] = s
		}
	}
	return t
}()

// wings counts the pieces massed beyond the river on one wing.
func (s *state) wings(c movegen.Color) Score {
	over := away(c, s.pieces(c, movegen.Rook).Or(s.pieces(c, movegen.Horse)).Or(s.pieces(c, movegen.Cannon)))
	return s.one(c, wing+min(max(count(over&left), count(over&right)), 5))
}
