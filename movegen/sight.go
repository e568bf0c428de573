package movegen

// Sight is what a square sees along its rank and its file, whatever stands on it.
type Sight struct {
	Reach  Set // up to the first pieces, those included: where a rook attacks
	Behind Set // beyond the first pieces up to the second, those included: where a cannon attacks
	Second Set // the second pieces
	Third  Set // the third pieces
}

// Sight returns what a square sees.
func (p *Position) Sight(s Square) Sight {
	at := places[s&127]
	r := viewRank(at.file, p.lines[at.rank&31].occupied())
	f := viewFile(at.rank, p.lines[(at.file+fileLine)&31].occupied())
	return Sight{
		Reach:  rankSet(at.rank, r.reach()).Or(fileSet(at.file, f.reach())),
		Behind: rankSet(at.rank, r.span2()&^r.reach()).Or(fileSet(at.file, f.span2()&^f.reach())),
		Second: rankSet(at.rank, r.second()).Or(fileSet(at.file, f.second())),
		Third:  rankSet(at.rank, r.third()).Or(fileSet(at.file, f.third())),
	}
}

// RookSteps returns the squares that a rook on s attacks: its Sight's Reach.
func (p *Position) RookSteps(s Square) Set { return p.rookTargets(s) }

// CannonSteps returns the squares that a cannon on s attacks, its Sight's Behind, and
// those it can go to when the given pieces are its enemies.
func (p *Position) CannonSteps(s Square, enemies Set) (attacks, to Set) {
	at := places[s&127]
	rank, file := p.lines[at.rank&31].occupied(), p.lines[(at.file+fileLine)&31].occupied()
	r, f := viewRank(at.file, rank), viewFile(at.rank, file)
	attacks = rankSet(at.rank, r.span2()&^r.reach()).Or(fileSet(at.file, f.span2()&^f.reach()))
	to = rankSet(at.rank, r.reach()&^rank).Or(fileSet(at.file, f.reach()&^file))
	return attacks, to.Or(attacks.And(enemies))
}

// HorseSteps returns the squares that a horse on s attacks.
func (p *Position) HorseSteps(s Square) Set {
	return horseSteps[s&127][p.legs(places[s&127])&15]
}

// HorseOrigins returns the squares from which a horse attacks s.
func (p *Position) HorseOrigins(s Square) Set {
	return horseFrom[s&127][p.eyes(places[s&127])&15]
}

// ElephantSteps returns the squares that an elephant of c on s attacks.
func (p *Position) ElephantSteps(c Color, s Square) Set {
	return elephantSteps[c&1][s&127][p.eyes(places[s&127])&15]
}

// AdvisorSteps returns the squares that an advisor of c on s attacks.
func AdvisorSteps(c Color, s Square) Set { return advisorSteps[c&1][s&127] }

// KingSteps returns the squares beside s inside its palace.
func KingSteps(s Square) Set { return kingSteps[s&127] }

// PawnSteps returns the squares that a soldier of c on s attacks.
func PawnSteps(c Color, s Square) Set { return pawnSteps[c&1][s&127] }
