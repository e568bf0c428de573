package movegen

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plain is a second move generator, written from the rules on a board of ten ranks and
// nine files, that shares no table and no set with the package. It walks and looks.
type plain struct {
	at  [10][9]byte // FEN letters, 0 for empty; [0][0] is a0
	red bool        // to move
}

type plainMove struct{ fr, ff, tr, tf int }

func plainOf(p *Position) *plain {
	b := &plain{red: p.Side() == Red}
	for r := range 10 {
		for f := range 9 {
			if pc := p.At(SquareAt(f, r)); pc != NoPiece {
				b.at[r][f] = pc.Letter()
			}
		}
	}
	return b
}

func isRed(c byte) bool { return c >= 'A' && c <= 'Z' }

func upper(c byte) byte {
	if c >= 'a' {
		return c - 32
	}
	return c
}

func onBoard(r, f int) bool { return r >= 0 && r <= 9 && f >= 0 && f <= 8 }

func palace(r, f int, red bool) bool {
	if f < 3 || f > 5 {
		return false
	}
	if red {
		return r >= 0 && r <= 2
	}
	return r >= 7 && r <= 9
}

// reach lists where the piece on (r, f) goes, own pieces not excluded. With attack, it
// lists what it attacks: the squares where it could take something.
func (b *plain) reach(r, f int, attack bool) (out [][2]int) {
	c := b.at[r][f]
	red := isRed(c)
	add := func(r, f int) { out = append(out, [2]int{r, f}) }
	switch upper(c) {
	case 'K':
		for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			if palace(r+d[0], f+d[1], red) {
				add(r+d[0], f+d[1])
			}
		}
		if attack { // the other king along an open file
			step := 1
			if !red {
				step = -1
			}
			for x := r + step; onBoard(x, f); x += step {
				if b.at[x][f] != 0 {
					if upper(b.at[x][f]) == 'K' {
						add(x, f)
					}
					break
				}
			}
		}
	case 'A':
		for _, d := range [][2]int{{1, 1}, {-1, 1}, {1, -1}, {-1, -1}} {
			if palace(r+d[0], f+d[1], red) {
				add(r+d[0], f+d[1])
			}
		}
	case 'B':
		for _, d := range [][2]int{{1, 1}, {-1, 1}, {1, -1}, {-1, -1}} {
			x, y := r+2*d[0], f+2*d[1]
			if onBoard(x, y) && (x <= 4) == red && b.at[r+d[0]][f+d[1]] == 0 {
				add(x, y)
			}
		}
	case 'N':
		for _, d := range [][4]int{{1, 0, 2, 1}, {1, 0, 2, -1}, {-1, 0, -2, 1}, {-1, 0, -2, -1},
			{0, 1, 1, 2}, {0, 1, -1, 2}, {0, -1, 1, -2}, {0, -1, -1, -2}} {
			if x, y := r+d[2], f+d[3]; onBoard(x, y) && b.at[r+d[0]][f+d[1]] == 0 {
				add(x, y)
			}
		}
	case 'P':
		up := 1
		if !red {
			up = -1
		}
		if onBoard(r+up, f) {
			add(r+up, f)
		}
		if (r >= 5) == red {
			for _, y := range []int{f - 1, f + 1} {
				if onBoard(r, y) {
					add(r, y)
				}
			}
		}
	case 'R', 'C':
		for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			seen := 0
			for x, y := r+d[0], f+d[1]; onBoard(x, y); x, y = x+d[0], y+d[1] {
				full := b.at[x][y] != 0
				switch {
				case upper(c) == 'R' && seen == 0,
					upper(c) == 'C' && seen == 0 && !full && !attack,
					upper(c) == 'C' && seen == 1 && (full || attack):
					add(x, y)
				}
				if full {
					seen++
				}
			}
		}
	}
	return out
}

func (b *plain) king(red bool) (int, int) {
	for r := range 10 {
		for f := range 9 {
			if upper(b.at[r][f]) == 'K' && isRed(b.at[r][f]) == red {
				return r, f
			}
		}
	}
	return -1, -1
}

// attackMap lists for every square red's (or black's) pieces that attack it.
func (b *plain) attackMap(red bool) (m [10][9]Set) {
	for x := range 10 {
		for y := range 9 {
			if b.at[x][y] == 0 || isRed(b.at[x][y]) != red {
				continue
			}
			for _, to := range b.reach(x, y, true) {
				m[to[0]][to[1]] = m[to[0]][to[1]].With(SquareAt(y, x))
			}
		}
	}
	return m
}

func (b *plain) checked(red bool) bool {
	r, f := b.king(red)
	return !b.attackMap(!red)[r][f].Empty()
}

func (b *plain) play(m plainMove) plain {
	n := *b
	n.at[m.tr][m.tf], n.at[m.fr][m.ff] = n.at[m.fr][m.ff], 0
	n.red = !b.red
	return n
}

func (b *plain) legal() (out []Move) {
	for r := range 10 {
		for f := range 9 {
			if b.at[r][f] == 0 || isRed(b.at[r][f]) != b.red {
				continue
			}
			for _, t := range b.reach(r, f, false) {
				if x := b.at[t[0]][t[1]]; x != 0 && isRed(x) == b.red {
					continue
				}
				if n := b.play(plainMove{r, f, t[0], t[1]}); !n.checked(b.red) {
					out = append(out, NewMove(SquareAt(f, r), SquareAt(t[1], t[0])))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

func (b *plain) after(m Move) plain {
	return b.play(plainMove{m.From().Rank(), m.From().File(), m.To().Rank(), m.To().File()})
}

func (b *plain) perft(depth int) (n uint64) {
	if depth == 0 {
		return 1
	}
	for _, m := range b.legal() {
		next := b.after(m)
		n += next.perft(depth - 1)
	}
	return n
}

// checkAgainstPlain compares everything the package says of p with the plain generator.
func checkAgainstPlain(t failer, p *Position) {
	t.Helper()
	b := plainOf(p)
	want := b.legal()
	compareLists(t, p, b, want)
	if got := p.count(); got != len(want) {
		t.Fatalf("%s: count %d, want %d", p.FEN(), got, len(want))
	}
	checkChecks(t, p, b, want)
	checkMakeUnmake(t, p, want)
	checkOtherMoves(t, p, want)
	if p.HasLegal() != (len(want) > 0) {
		t.Fatalf("%s: HasLegal %t with %d moves", p.FEN(), p.HasLegal(), len(want))
	}
	for _, c := range []Color{Red, Black} {
		if p.Checked(c) != b.checked(c == Red) {
			t.Fatalf("%s: %s checked: %t", p.FEN(), c, p.Checked(c))
		}
		attackers := b.attackMap(c == Red)
		for s := Square(0); s < Squares; s++ {
			if got, want := p.Attackers(s, c), attackers[s.Rank()][s.File()]; got != want {
				t.Fatalf("%s: %s attackers of %s: %v, want %v", p.FEN(), c, s, got, want)
			}
		}
	}
}

// checkChecks compares GivesCheck of every move, and the list of quiet checks.
func checkChecks(t failer, p *Position, b *plain, legal []Move) {
	t.Helper()
	var want []Move
	var checks CheckMap
	p.CheckMap(&checks)
	for _, m := range legal {
		next := b.after(m)
		check := next.checked(next.red)
		if p.GivesCheck(m) != check || checks.GivesCheck(p, m) != check {
			t.Fatalf("%s: GivesCheck(%s) is %t, by the map %t, want %t", p.FEN(), m, p.GivesCheck(m), checks.GivesCheck(p, m), check)
		}
		if check && p.At(m.To()) == NoPiece {
			want = append(want, m)
		}
	}
	var l MoveList
	p.Checks(&l)
	got := slices.Clone(l.Slice())
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Fatalf("%s: Checks gives %v, want %v", p.FEN(), got, want)
	}
}

// checkMakeUnmake plays every move: what Make keeps up must equal what is computed
// afresh, and Unmake must restore every field.
func checkMakeUnmake(t failer, p *Position, legal []Move) {
	t.Helper()
	before := *p
	for _, m := range legal {
		var u Undo
		p.Make(m, &u)
		fresh := *p
		if fresh.refresh(); fresh != *p {
			t.Fatalf("%s: after %s something was not kept up", before.FEN(), m)
		}
		p.Unmake(m, &u)
		if *p != before {
			t.Fatalf("%s: taking back %s does not restore the position", before.FEN(), m)
		}
	}
	if !p.InCheck() {
		var u Undo
		p.MakeNull(&u)
		fresh := *p
		if fresh.refresh(); fresh != *p {
			t.Fatalf("%s: after a null move something was not kept up", before.FEN())
		}
		if p.UnmakeNull(&u); *p != before {
			t.Fatalf("%s: taking back a null move does not restore the position", before.FEN())
		}
	}
}

// checkOtherMoves asks for the legality of a share of all 65,536 values, and of all
// moves of the side's pieces; what is not legal must be explained.
func checkOtherMoves(t failer, p *Position, legal []Move) {
	t.Helper()
	ask := func(m Move) {
		want := slices.Contains(legal, m)
		if p.IsLegal(m) != want {
			t.Fatalf("%s: IsLegal(%s = %#x) is %t", p.FEN(), m, uint16(m), !want)
		}
		if (p.Explain(m) == "") != want {
			t.Fatalf("%s: Explain(%s) = %q", p.FEN(), m, p.Explain(m))
		}
	}
	for _, m := range legal {
		ask(m)
	}
	for i := range 64 {
		ask(Move(i)<<10 | Move(p.key>>(i%50))&1023)
	}
}

func compareLists(t failer, p *Position, b *plain, want []Move) {
	t.Helper()
	var captures, quiets []Move
	for _, m := range want {
		if p.At(m.To()) != NoPiece {
			captures = append(captures, m)
		} else {
			quiets = append(quiets, m)
		}
	}
	for _, c := range []struct {
		name string
		list func(*MoveList)
		want []Move
	}{{"Legal", p.Legal, want}, {"Captures", p.Captures, captures}, {"Quiets", p.Quiets, quiets}} {
		var l MoveList
		c.list(&l)
		got := slices.Clone(l.Slice())
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Fatalf("%s: %s gives %v, want %v", p.FEN(), c.name, got, c.want)
		}
	}
}

// picker draws numbers below n: from rapid, from a fuzzer's bytes or from a generator.
type picker func(n int) int

// buildPosition places any legal number of pieces, sliders more often than not on the
// lines of the kings, where legality is decided. It may give a position that is not
// valid.
func buildPosition(pick picker) *Position {
	p := &Position{fullmove: 1, side: Color(pick(2))}
	var kings [2]Square
	for _, c := range []Color{Red, Black} {
		s := SquareAt(3+pick(3), pick(3))
		if c == Black {
			s = s.Flip()
		}
		kings[c] = s
		p.board[s] = NewPiece(c, King)
	}
	for _, c := range []Color{Red, Black} {
		for _, k := range []PieceType{Rook, Cannon, Horse, Pawn, Elephant, Advisor} {
			for range pick(surplus[k] + 1) {
				if s := pickSquare(pick, NewPiece(c, k), kings); p.board[s] == NoPiece {
					p.board[s] = NewPiece(c, k)
				}
			}
		}
	}
	p.refresh()
	return p
}

func pickSquare(pick picker, pc Piece, kings [2]Square) Square {
	for range 20 {
		s := Square(pick(Squares))
		if k := kings[pick(2)]; pick(3) > 0 && (pc.Type() == Rook || pc.Type() == Cannon) {
			if pick(2) == 0 {
				s = SquareAt(k.File(), s.Rank())
			} else {
				s = SquareAt(s.File(), k.Rank())
			}
		}
		if canStand(pc, s) {
			return s
		}
	}
	return kings[0] // taken
}

// rng is a picker with a seed.
func rng(seed uint64) picker {
	return func(n int) int { return int(splitmix64(&seed) >> 33 % uint64(n)) }
}

// anyPosition draws a valid position.
func anyPosition(t *rapid.T) *Position {
	p := buildPosition(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") })
	if p.Validate() != nil {
		t.Skip("not valid")
	}
	return p
}

func TestAgainstPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkAgainstPlain(t, anyPosition(t)) })
}

// TestAgainstPlainRandom goes through many positions with a fixed seed: built ones, and
// those of games played at random from the start position.
func TestAgainstPlainRandom(t *testing.T) {
	randomPositions(1, *positions, func(p *Position) { checkAgainstPlain(t, p) })
}

// randomPositions gives f so many positions, or a few more: built ones, and those of games
// played at random from them and from the start position.
func randomPositions(seed uint64, n int, f func(*Position)) {
	pick := rng(seed)
	for seen := 0; seen < n; {
		p := buildPosition(pick)
		if pick(4) == 0 {
			p = StartPosition()
		}
		if p.Validate() != nil {
			continue
		}
		for range 1 + pick(60) {
			f(p)
			seen++
			var l MoveList
			var u Undo
			if p.Legal(&l); l.Len() == 0 {
				break
			}
			p.Make(l.At(pick(l.Len())), &u)
		}
	}
}

func FuzzAgainstPlain(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		if p := buildPosition(rng(seed)); p.Validate() == nil {
			checkAgainstPlain(t, p)
		}
	})
}

// failer is the part of testing.TB and rapid.T that the comparisons use.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}
