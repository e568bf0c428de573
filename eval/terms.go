package eval

import "github.com/xqlab/xqlab/movegen"

// terms adds every term that the accumulator does not hold, for both sides. Attacks of
// all pieces come first, for later terms read them.
func (s *state) terms() {
	p := s.p
	s.occupied = p.Occupied()
	s.one(p.Side(), tempo)
	for c := movegen.Red; c <= movegen.Black; c++ {
		s.king[c] = p.Sight(p.King(c))
		s.attacks[c][movegen.King] = movegen.KingSteps(p.King(c))
		s.soldiers(c)
		s.guards(c)
	}
	for c := movegen.Red; c <= movegen.Black; c++ {
		s.rooks(c)
		s.cannons(c)
		s.horses(c)
		a := &s.attacks[c]
		s.any[c] = a[movegen.King].Or(a[movegen.Advisor]).Or(a[movegen.Elephant]).Or(a[movegen.Horse]).
			Or(a[movegen.Rook]).Or(a[movegen.Cannon]).Or(a[movegen.Pawn])
	}
	for c := movegen.Red; c <= movegen.Black; c++ {
		s.army(c)
		s.palace(c)
		s.threats(c)
		s.wings(c)
	}
}

// The parts of the board, by owner.
var (
	palaces = [2]movegen.Set{box(3, 5, 0, 2), box(3, 5, 7, 9)}
	halves  = [2]movegen.Set{box(0, 8, 0, 4), box(0, 8, 5, 9)}
	bottoms = [2]movegen.Set{box(0, 8, 0, 0), box(0, 8, 9, 9)}
	fileOf  = func() (t [16]movegen.Set) {
		for f := range movegen.Files {
			t[f] = box(f, f, 0, 9)
		}
		return t
	}()
	left, right = box(0, 4, 0, 9), box(4, 8, 0, 9)
)

// box returns the squares within files and ranks.
func box(file0, file1, rank0, rank1 int) (t movegen.Set) {
	for f := file0; f <= file1; f++ {
		for r := rank0; r <= rank1; r++ {
			t = t.With(movegen.SquareAt(f, r))
		}
	}
	return t
}

func (s *state) pieces(c movegen.Color, t movegen.PieceType) movegen.Set {
	return s.p.Pieces(movegen.NewPiece(c, t))
}

// soldiers counts what soldiers are to each other and what stops them.
func (s *state) soldiers(c movegen.Color) {
	own := s.pieces(c, movegen.Pawn)
	them := s.p.Color(c.Other())
	crossed, joined, chained, stopped := 0, 0, 0, 0
	for all := own; !all.Empty(); {
		sq := all.Pop()
		steps := movegen.PawnSteps(c, sq)
		s.attacks[c][movegen.Pawn] = s.attacks[c][movegen.Pawn].Or(steps)
		zone := steps.And(palaces[c.Other()]).Count()
		if zone > 0 {
			s.attackers[c]++
		}
		if halves[c].Has(sq) {
			if !steps.And(them).Empty() {
				stopped++
			}
			continue
		}
		crossed++
		mates := steps.And(own)
		if !mates.Empty() {
			joined++
		}
	}
	chained = s.attacks[c][movegen.Pawn].And(own).Count()
	s.add(c, soldierJoin, joined)
	s.add(c, soldierChain, chained)
	s.add(c, soldierStop, stopped)
	s.one(c, soldierArmy+min(crossed, 3)*3+min(s.p.Count(movegen.NewPiece(c.Other(), movegen.Advisor)), 2))
	s.one(c, kingSoldier+min(s.attacks[c][movegen.Pawn].And(palaces[c.Other()]).Count(), 6))
}

// guards counts how advisors and elephants stand together.
func (s *state) guards(c movegen.Color) {
	a, e := &s.attacks[c][movegen.Advisor], &s.attacks[c][movegen.Elephant]
	for all := s.pieces(c, movegen.Advisor); !all.Empty(); {
		*a = a.Or(movegen.AdvisorSteps(c, all.Pop()))
	}
	elephants := s.pieces(c, movegen.Elephant)
	for all := elephants; !all.Empty(); {
		steps := s.p.ElephantSteps(c, all.Pop())
		*e = e.Or(steps)
		s.one(c, mobilityElephant+steps.AndNot(s.p.Color(c)).Count())
	}
	if !a.And(s.pieces(c, movegen.Advisor)).Empty() {
		s.one(c, advisorLink)
	}
	if !e.And(elephants).Empty() {
		s.one(c, elephantLink)
	}
}

// safe returns the squares a piece of c may go to without being taken by a soldier.
func (s *state) safe(c movegen.Color) movegen.Set {
	return s.p.Color(c).Or(s.attacks[c.Other()][movegen.Pawn])
}

// strikes notes the squares that a piece attacks.
func (s *state) strikes(c movegen.Color, t movegen.PieceType, steps movegen.Set) {
	s.attacks[c][t] = s.attacks[c][t].Or(steps)
	if !steps.And(palaces[c.Other()]).Empty() {
		s.attackers[c]++
	}
}

func (s *state) rooks(c movegen.Color) {
	barred := s.safe(c)
	soldiers, enemies := s.pieces(c, movegen.Pawn), s.pieces(c.Other(), movegen.Pawn)
	rooks := s.pieces(c, movegen.Rook)
	for all := rooks; !all.Empty(); {
		sq := all.Pop()
		reach := s.p.RookSteps(sq)
		s.strikes(c, movegen.Rook, reach)
		s.one(c, mobilityRook+min(reach.AndNot(barred).Count(), 17))
		if file := fileOf[sq.File()&15]; soldiers.And(file).Empty() {
			if enemies.And(file).Empty() {
				s.one(c, rookOpen)
			} else {
				s.one(c, rookSemi)
			}
		}
	}
	s.add(c, rookAim, s.king[c.Other()].Second.And(rooks).Count())
	s.one(c, kingRook+min(s.attacks[c][movegen.Rook].And(palaces[c.Other()]).Count(), 6))
}

func (s *state) cannons(c movegen.Color) {
	barred := s.safe(c)
	cannons := s.pieces(c, movegen.Cannon)
	if cannons.Empty() {
		s.one(c, kingCannon)
		return
	}
	them := c.Other()
	for all := cannons; !all.Empty(); {
		sight := s.p.Sight(all.Pop())
		s.strikes(c, movegen.Cannon, sight.Behind)
		to := sight.Reach.AndNot(s.occupied).Or(sight.Second.And(s.p.Color(them)))
		s.cannonTo[c] = s.cannonTo[c].Or(to)
		s.one(c, mobilityCannon+min(to.AndNot(barred).Count(), 17))
	}
	advisors := min(s.p.Count(movegen.NewPiece(them, movegen.Advisor)), 2)
	elephants := min(s.p.Count(movegen.NewPiece(them, movegen.Elephant)), 2)
	s.add(c, cannonHollow+advisors, s.king[them].Reach.And(cannons).Count())
	s.add(c, cannonAim+advisors, s.king[them].Third.And(cannons).Count())
	s.add(c, cannonBottom+advisors+elephants, bottoms[them].And(cannons).Count())
	s.one(c, kingCannon+min(s.attacks[c][movegen.Cannon].And(palaces[them]).Count(), 6))
}

func (s *state) horses(c movegen.Color) {
	barred := s.safe(c)
	for all := s.pieces(c, movegen.Horse); !all.Empty(); {
		steps := s.p.HorseSteps(all.Pop())
		s.strikes(c, movegen.Horse, steps)
		s.one(c, mobilityHorse+steps.AndNot(barred).Count())
	}
	s.one(c, kingHorse+min(s.attacks[c][movegen.Horse].And(palaces[c.Other()]).Count(), 6))
}

// army counts the material against the defenders that it meets, and pieces that help
// each other.
func (s *state) army(c movegen.Color) {
	n := func(c movegen.Color, t movegen.PieceType) int { return s.p.Count(movegen.NewPiece(c, t)) }
	r, h, k, w := n(c, movegen.Rook), n(c, movegen.Horse), n(c, movegen.Cannon), n(c, movegen.Pawn)
	advisors, elephants := min(n(c.Other(), movegen.Advisor), 2), min(n(c.Other(), movegen.Elephant), 2)
	s.one(c.Other(), rooksAdvis+3*min(r, 2)+advisors)
	s.one(c.Other(), cannonsAdvis+3*min(k, 2)+advisors)
	s.one(c.Other(), horsesEleph+3*min(h, 2)+elephants)
	s.one(c.Other(), cannonsEleph+3*min(k, 2)+elephants)
	for i, v := range [...]int{r * (r - 1) / 2, r * h, r * k, h * (h - 1) / 2, h * k, k * (k - 1) / 2, r * w, h * w, k * w} {
		s.add(c, pairs+i, v)
	}
}

// palace counts the attack on the enemy king: squares of its palace attacked, checks that
// cost nothing, and how much room it has.
func (s *state) palace(c movegen.Color) {
	them := c.Other()
	s.one(c, kingAttack+min(s.attackers[c], 7))
	open := s.any[them].Or(s.p.Color(c))
	sight := &s.king[them]
	s.one(c, checkRook+min(sight.Reach.And(s.attacks[c][movegen.Rook]).AndNot(open).Count(), 3))
	s.one(c, checkHorse+min(s.p.HorseOrigins(s.p.King(them)).And(s.attacks[c][movegen.Horse]).AndNot(open).Count(), 3))
	s.one(c, checkCannon+min(sight.Behind.And(s.cannonTo[c]).AndNot(open).Count(), 3))
	steps := s.attacks[them][movegen.King].AndNot(s.p.Color(them)).AndNot(s.any[c])
	s.one(them, kingSteps+steps.Count())
	if !sight.Reach.And(palaces[c]).Empty() {
		s.one(them, kingFile)
	}
}

// threats counts what c attacks, what hangs, and what is undefended.
func (s *state) threats(c movegen.Color) {
	them := c.Other()
	a := &s.attacks[c]
	guards := a[movegen.Advisor].Or(a[movegen.Elephant]).Or(a[movegen.King])
	minors := a[movegen.Horse].Or(a[movegen.Cannon])
	enemies := s.p.Color(them).Without(s.p.King(them))
	for all := enemies.And(s.any[c]); !all.Empty(); {
		sq := all.Pop()
		k := kindIndex(s.p.At(sq).Type())
		if minors.Has(sq) {
			s.one(c, byMinor+k)
		}
		if a[movegen.Rook].Has(sq) {
			s.one(c, byRook+k)
		}
		if a[movegen.Pawn].Has(sq) {
			s.one(c, bySoldier+k)
		}
		if guards.Has(sq) {
			s.one(c, byGuard+k)
		}
		if !s.any[them].Has(sq) {
			s.one(c, hanging+k)
		}
	}
	for all := enemies.AndNot(s.any[them]); !all.Empty(); {
		s.one(them, loose+kindIndex(s.p.At(all.Pop()).Type()))
	}
	for all := s.pieces(c, movegen.Horse); !all.Empty(); {
		s.horsePost(c, all.Pop())
	}
}

// horsePost counts whether a horse is defended, and whether it is well posted.
func (s *state) horsePost(c movegen.Color, sq movegen.Square) {
	a, them := &s.attacks[c], &s.attacks[c.Other()]
	guarded := a[movegen.Horse].Or(a[movegen.Rook]).Or(a[movegen.Cannon]).Or(a[movegen.Pawn]).Has(sq)
	if guarded {
		s.one(c, horseGuarded)
	}
	if halves[c].Has(sq) || them[movegen.Pawn].Or(them[movegen.Elephant]).Or(them[movegen.Advisor]).Has(sq) {
		return
	}
	if guarded {
		s.one(c, horseOutpost+1)
	} else {
		s.one(c, horseOutpost)
	}
}

// wings counts the pieces massed beyond the river on one wing.
func (s *state) wings(c movegen.Color) {
	over := s.pieces(c, movegen.Rook).Or(s.pieces(c, movegen.Horse)).Or(s.pieces(c, movegen.Cannon)).And(halves[c.Other()])
	s.one(c, wing+min(max(over.And(left).Count(), over.And(right).Count()), 5))
}
