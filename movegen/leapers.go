package movegen

// Targets of the pieces that step or leap, and the squares they attack a square from.
// Horses and elephants are indexed by which of the four squares that can block them are
// occupied, in the bit order of Position.legs and Position.eyes. Indexes are masked to
// 128 squares, so that they need no check; entries beyond the board are empty.
var (
	kingSteps    [128]Set
	advisorSteps [2][128]Set // of c's advisor, inside c's palace
	advisorFrom  [2][128]Set // where c's advisors attack a square from
	pawnSteps    [2][128]Set
	pawnFrom     [2][128]Set // where c's soldiers attack a square from

	elephantSteps [2][128][16]Set // by occupied eyes, inside c's half
	elephantFrom  [2][128][16]Set
	horseSteps    [128][16]Set // by occupied legs
	horseFrom     [128][16]Set // by occupied diagonal neighbours, where the legs of attackers are

	// Where horses, and c's soldiers, may attack a king there or where it can step.
	horseZone [128]Set
	pawnZone  [2][128]Set
)

func init() {
	for s := Square(0); s < Squares; s++ {
		for _, c := range [...]Color{Red, Black} {
			initSteps(c, s)
		}
		for blocked := range 16 {
			horseSteps[s][blocked], horseFrom[s][blocked] = horseSets(s, blocked)
		}
	}
	for s := Square(0); s < Squares; s++ {
		for b := kingSteps[s].With(s); !b.Empty(); {
			t := b.Pop()
			horseZone[s] = horseZone[s].Or(horseFrom[t][0])
			for c := range pawnZone {
				pawnZone[c][s] = pawnZone[c][s].Or(pawnFrom[c][t])
			}
		}
	}
}

// offset returns the square df files and dr ranks away, NoSquare beyond the board.
func (s Square) offset(df, dr int) Square {
	f, r := s.File()+df, s.Rank()+dr
	if f < 0 || f >= Files || r < 0 || r >= Ranks {
		return NoSquare
	}
	return SquareAt(f, r)
}

// add puts a square into a set under construction; NoSquare is left out.
func (t *Set) add(s Square) {
	if s != NoSquare {
		*t = t.With(s)
	}
}

// orthogonals and diagonals are in the bit order of Position.legs and Position.eyes.
var (
	orthogonals = [4][2]int{{-1, 0}, {0, -1}, {1, 0}, {0, 1}}
	diagonals   = [4][2]int{{-1, 1}, {-1, -1}, {1, 1}, {1, -1}}
)

func initSteps(c Color, s Square) {
	for _, d := range orthogonals {
		if t := s.offset(d[0], d[1]); t != NoSquare && inPalace(t, c) {
			kingSteps[s].add(t)
		}
	}
	for _, d := range diagonals {
		if t := s.offset(d[0], d[1]); t != NoSquare && inPalace(t, c) {
			advisorSteps[c][s].add(t)
			advisorFrom[c][t].add(s)
		}
	}
	steps := [][2]int{{0, forward(c)}}
	if crossed(s, c) {
		steps = append(steps, [2]int{-1, 0}, [2]int{1, 0})
	}
	for _, d := range steps {
		if t := s.offset(d[0], d[1]); t != NoSquare {
			pawnSteps[c][s].add(t)
			pawnFrom[c][t].add(s)
		}
	}
	for eyes := range 16 {
		for i, d := range diagonals {
			t := s.offset(2*d[0], 2*d[1])
			if t == NoSquare || eyes>>i&1 != 0 || !ownHalf(t, c) {
				continue
			}
			elephantSteps[c][s][eyes].add(t)
		}
		elephantFrom[c][s][eyes] = elephantOrigins(c, s, eyes)
	}
}

// elephantOrigins returns where c's elephants attack s from, when the given diagonal
// neighbours of s are occupied: an eye lies half-way, so it is the same from both ends.
func elephantOrigins(c Color, s Square, eyes int) (from Set) {
	for i, d := range diagonals {
		if eyes>>i&1 == 0 && ownHalf(s, c) {
			from.add(s.offset(2*d[0], 2*d[1]))
		}
	}
	return from
}

// horseSets returns where a horse on s can go when the given legs are occupied, and
// where horses attack s from when the given diagonal neighbours of s are occupied: the
// leg stands beside the horse, which is diagonally beside its target.
func horseSets(s Square, blocked int) (steps, from Set) {
	for i := range 4 {
		if blocked>>i&1 != 0 {
			continue
		}
		o, d := orthogonals[i], diagonals[i]
		for _, side := range [...]int{-1, 1} {
			steps.add(s.offset(2*o[0]+side*o[1], 2*o[1]+side*o[0]))
		}
		from.add(s.offset(2*d[0], d[1]))
		from.add(s.offset(d[0], 2*d[1]))
	}
	return steps, from
}

func forward(c Color) int { return 1 - 2*int(c) }

// ownHalf reports whether s is on c's side of the river.
func ownHalf(s Square, c Color) bool { return (s < Squares/2) == (c == Red) }

// crossed reports whether a soldier of c on s has crossed the river.
func crossed(s Square, c Color) bool { return !ownHalf(s, c) }

// legs returns which orthogonal neighbours of a square are occupied: left, below, right
// and above in bits 0–3.
func (p *Position) legs(at place) uint64 {
	rank, file := p.lines[at.rank&31].occupied(), p.lines[(at.file+fileLine)&31].occupied()
	return rank<<1>>(at.file&15)&5 | file<<1>>(at.rank&15)&5<<1
}

// eyes returns which diagonal neighbours of a square are occupied: left above, left
// below, right above and right below in bits 0–3.
func (p *Position) eyes(at place) uint64 {
	above, below := p.lines[(at.rank+1)&31].occupied(), p.lines[(at.rank-1)&31].occupied()
	return above<<1>>(at.file&15)&5 | below<<1>>(at.file&15)&5<<1
}
