package referee

import "strings"

// The slow referee: repetition as the rules are worded for people (the computer rule, and
// axf and ucci-league as differences from it), on a board of letters, with its own moves.
// It shares nothing with the package, so that both may only be wrong in the same way if
// the wording is.

type point struct{ f, r int }

func (p point) in() bool { return p.f >= 0 && p.f < 9 && p.r >= 0 && p.r < 10 }

// slowBoard is a board of FEN letters; id names each piece through its moves.
type slowBoard struct {
	at  map[point]byte
	id  map[point]int
	red bool // to move
}

func slowFEN(fen string) slowBoard {
	b := slowBoard{at: map[point]byte{}, id: map[point]int{}}
	fields := strings.Fields(fen)
	for i, row := range strings.Split(fields[0], "/") {
		f := 0
		for _, c := range row {
			if c >= '1' && c <= '9' {
				f += int(c - '0')
				continue
			}
			b.at[point{f, 9 - i}] = byte(c)
			b.id[point{f, 9 - i}] = len(b.id)
			f++
		}
	}
	b.red = fields[1] == "w"
	return b
}

func isRed(c byte) bool   { return c >= 'A' && c <= 'Z' }
func kindOf(c byte) byte  { return c &^ 0x20 }
func sign(n int) int      { return min(max(n, -1), 1) }
func magnitude(n int) int { return max(n, -n) }

func palace(p point, red bool) bool {
	return p.f >= 3 && p.f <= 5 && (red && p.r <= 2 || !red && p.r >= 7)
}

func over(p point, red bool) bool { return red && p.r >= 5 || !red && p.r <= 4 }

// screens counts the pieces strictly between two points of a line.
func (b slowBoard) screens(a, z point) int {
	n, df, dr := 0, sign(z.f-a.f), sign(z.r-a.r)
	for p := (point{a.f + df, a.r + dr}); p != z; p = (point{p.f + df, p.r + dr}) {
		if b.at[p] != 0 {
			n++
		}
	}
	return n
}

// reaches reports whether the piece on a attacks z, on which an enemy stands or is
// imagined, king safety apart.
func (b slowBoard) reaches(a, z point) bool {
	c := b.at[a]
	df, dr := z.f-a.f, z.r-a.r
	ahead := 1
	if !isRed(c) {
		ahead = -1
	}
	line := a != z && (df == 0 || dr == 0)
	switch kindOf(c) {
	case 'K':
		if kindOf(b.at[z]) == 'K' && isRed(b.at[z]) != isRed(c) && df == 0 && b.screens(a, z) == 0 {
			return true
		}
		return magnitude(df)+magnitude(dr) == 1 && palace(z, isRed(c))
	case 'A':
		return magnitude(df) == 1 && magnitude(dr) == 1 && palace(z, isRed(c))
	case 'B':
		return magnitude(df) == 2 && magnitude(dr) == 2 && !over(z, isRed(c)) && b.at[point{a.f + df/2, a.r + dr/2}] == 0
	case 'N':
		return magnitude(df*dr) == 2 && b.at[point{a.f + df/2, a.r + dr/2}] == 0
	case 'R':
		return line && b.screens(a, z) == 0
	case 'C':
		return line && b.screens(a, z) == 1
	case 'P':
		return df == 0 && dr == ahead || dr == 0 && magnitude(df) == 1 && over(a, isRed(c))
	}
	return false
}

// side lists the points of a colour.
func (b slowBoard) side(red bool) (points []point) {
	for f := range 9 {
		for r := range 10 {
			if c := b.at[point{f, r}]; c != 0 && isRed(c) == red {
				points = append(points, point{f, r})
			}
		}
	}
	return points
}

func (b slowBoard) checked(red bool) bool {
	king := byte('k')
	if red {
		king = 'K'
	}
	for _, z := range b.side(red) {
		if b.at[z] == king {
			return b.attackedBy(z, !red)
		}
	}
	panic("no king")
}

func (b slowBoard) attackedBy(z point, red bool) bool {
	for _, a := range b.side(red) {
		if b.reaches(a, z) {
			return true
		}
	}
	return false
}

// moved returns the board after a move.
func (b slowBoard) moved(a, z point) slowBoard {
	n := slowBoard{at: map[point]byte{}, id: map[point]int{}, red: !b.red}
	for p, c := range b.at {
		if p != a && p != z {
			n.at[p], n.id[p] = c, b.id[p]
		}
	}
	n.at[z], n.id[z] = b.at[a], b.id[a]
	return n
}

// legalCapture reports whether the piece on a may take the one on z.
func (b slowBoard) legalCapture(a, z point) bool {
	return b.reaches(a, z) && !b.moved(a, z).checked(isRed(b.at[a]))
}

// same compares boards and the side to move, not which of two like pieces stands where.
func (b slowBoard) same(o slowBoard) bool {
	if b.red != o.red || len(b.at) != len(o.at) {
		return false
	}
	for p, c := range b.at {
		if o.at[p] != c {
			return false
		}
	}
	return true
}

// chased is the set of the pieces that a colour threatens; axf leaves out defenders that
// threaten protected pieces.
func (b slowBoard) chased(red, axf bool) map[int]bool {
	set := map[int]bool{}
	for _, z := range b.side(!red) {
		if v := kindOf(b.at[z]); v == 'K' || v == 'P' && !over(z, !red) {
			continue
		}
		for _, a := range b.side(red) {
			if b.threatens(a, z, axf) {
				set[b.id[z]] = true
			}
		}
	}
	return set
}

func (b slowBoard) threatens(a, z point, axf bool) bool {
	x, v := kindOf(b.at[a]), kindOf(b.at[z])
	if x == 'K' || x == 'P' || !b.legalCapture(a, z) {
		return false
	}
	if (x == 'N' || x == 'C') && v == 'R' {
		return true
	}
	if !axf && (x == 'A' || x == 'B') && strings.ContainsRune("RNC", rune(v)) {
		return true
	}
	after := b.moved(a, z)
	for _, root := range after.side(!isRed(b.at[a])) {
		if after.legalCapture(root, z) {
			return false
		}
	}
	return x != v || !b.legalCapture(z, a)
}

// leagueVictim is the league's: the piece that moved from a to z chases whom?
func (b slowBoard) leagueVictim(a, z point) (int, bool) {
	c := b.at[z]
	var targets []point // in the order in which the first found counts
	switch kindOf(c) {
	case 'N':
		for _, d := range []point{{-1, 2}, {1, 2}, {-2, 1}, {2, 1}, {-2, -1}, {2, -1}, {-1, -2}, {1, -2}} {
			targets = append(targets, point{z.f + d.f, z.r + d.r})
		}
	case 'R', 'C':
		if a.f == z.f {
			for f := 8; f >= 0; f-- {
				targets = append(targets, point{f, z.r})
			}
		} else {
			for r := range 10 {
				targets = append(targets, point{z.f, r})
			}
		}
	}
	list := map[byte]string{'N': "CP", 'C': "NP", 'R': "NCP"}[kindOf(c)]
	for _, t := range targets {
		v := b.at[t]
		if !t.in() || v == 0 || isRed(v) == isRed(c) || !b.reaches(z, t) {
			continue
		}
		if kindOf(v) == 'R' && kindOf(c) != 'R' {
			return b.id[t], true
		}
		if strings.IndexByte(list, kindOf(v)) >= 0 && (kindOf(v) != 'P' || over(t, isRed(v))) && !b.attackedBy(t, isRed(v)) {
			return b.id[t], true
		}
	}
	return 0, false
}

// horsePinned reports whether the rook with this id stands on the leg of a horse of red
// that would otherwise check.
func (b slowBoard) horsePinned(id int, red bool) bool {
	for _, z := range b.side(!red) {
		if b.id[z] != id || kindOf(b.at[z]) != 'R' {
			continue
		}
		open := slowBoard{at: map[point]byte{}, id: map[point]int{}}
		for p, c := range b.at {
			if p != z {
				open.at[p] = c
			}
		}
		for _, h := range b.side(red) {
			for _, k := range b.side(!red) {
				if kindOf(b.at[h]) == 'N' && kindOf(b.at[k]) == 'K' && open.reaches(h, k) && !b.reaches(h, k) {
					return true
				}
			}
		}
	}
	return false
}

// slowVerdict plays the moves and returns the first verdict on a repetition: who loses
// (red_loses, black_loses, draw, none) and the ply.
func slowVerdict(fen string, moves []string, rules string) (string, int) {
	history := []slowBoard{slowFEN(fen)}
	var path [][2]point
	captured := 0 // the ply of the last capture
	for i, m := range moves {
		a, z := point{int(m[0] - 'a'), int(m[1] - '0')}, point{int(m[2] - 'a'), int(m[3] - '0')}
		b := history[i]
		if b.at[z] != 0 {
			captured = i + 1
		}
		path = append(path, [2]point{a, z})
		history = append(history, b.moved(a, z))
		want := 3
		if rules == "ucci-league" {
			want = 4
		}
		seen := 1
		for j := i - 3; j >= captured; j -= 2 {
			if history[j].same(history[i+1]) {
				if seen++; seen == want {
					return slowCycle(history[j:], path[j:], rules), i + 1
				}
			}
		}
	}
	return "none", 0
}

// slowCycle judges a cycle; history begins and ends with the same position.
func slowCycle(history []slowBoard, path [][2]point, rules string) string {
	level := map[bool]int{true: 3, false: 3} // by colour: does every move of it check?
	check := false
	for i, b := range history[1:] {
		if b.checked(b.red) {
			check = true
		} else {
			level[history[i].red] = 0
		}
	}
	if level[true] == 0 && level[false] == 0 {
		if rules == "check-only" || rules == "computer" && check {
			return "draw"
		}
		level[true], level[false] = slowChase(history, path, true, rules), slowChase(history, path, false, rules)
	}
	switch {
	case level[true] > level[false]:
		return "red_loses"
	case level[false] > level[true]:
		return "black_loses"
	}
	return "draw"
}

// slowChase is 0 without a perpetual chase by the colour, 1 with one, 2 (axf) if the
// victim is a rook pinned by a horse each time.
func slowChase(history []slowBoard, path [][2]point, red bool, rules string) int {
	times, pinned, moves := map[int]int{}, map[int]int{}, 0
	for i := range path {
		before, after := history[i], history[i+1]
		if before.red != red {
			continue
		}
		moves++
		if after.checked(!red) {
			continue
		}
		if rules == "ucci-league" {
			if id, ok := after.leagueVictim(path[i][0], path[i][1]); ok {
				times[id]++
			}
			continue
		}
		old := before.chased(red, rules == "axf")
		for id := range after.chased(red, rules == "axf") {
			if !old[id] {
				times[id]++
				if after.horsePinned(id, red) {
					pinned[id]++
				}
			}
		}
	}
	level := 0
	for id, n := range times {
		if n == moves {
			level = max(level, 1)
			if rules == "axf" && pinned[id] == moves {
				level = 2
			}
		}
	}
	return level
}
