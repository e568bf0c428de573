package notation

import (
	"strings"
	"unicode/utf8"

	"github.com/xqlab/xqlab/movegen"
)

// Ranks says how coordinates count their ranks.
type Ranks int8

// The ways of counting ranks.
const (
	AnyRanks Ranks = iota // 0–9 if that is legal, else 1–10
	FromZero              // 0–9: UCCI, Pikafish, ICCS
	FromOne               // 1–10: Fairy-Stockfish's UCI
)

// Candidates are the legal moves that a text may mean, the likeliest first.
type Candidates struct {
	moves [8]movegen.Move
	n     int
	ties  int // how many of the first are equally likely
	ended bool
}

// Len returns the number of candidates.
func (c *Candidates) Len() int { return c.n }

// At returns candidate i.
func (c *Candidates) At(i int) movegen.Move { return c.moves[i&7] }

// Ties returns how many of the first candidates are equally likely: with more than one the
// text alone does not tell which is meant. Those behind them are meant only if the rest of
// a game does not fit the first.
func (c *Candidates) Ties() int { return c.ties }

func (c *Candidates) addLegal(p *movegen.Position, m movegen.Move) {
	if c.n == len(c.moves) || !p.IsLegal(m) {
		return
	}
	for _, x := range c.moves[:c.n] {
		if x == m {
			return
		}
	}
	c.moves[c.n] = m
	c.n++
	if !c.ended {
		c.ties = c.n
	}
}

// nextRank says that what follows is less likely than what was added so far.
func (c *Candidates) nextRank() { c.ended = c.n > 0 }

// Parse reads a move in any notation, coordinates with ranks 0–9 if that is legal, else
// 1–10. The error names the text, why it is not a move of this position, and what would be
// right.
func Parse(p *movegen.Position, text string) (movegen.Move, error) {
	return ParseRanks(p, text, AnyRanks)
}

// ParseRanks is Parse with the ranks of coordinates known.
func ParseRanks(p *movegen.Position, text string, ranks Ranks) (movegen.Move, error) {
	c := Find(p, text, ranks)
	if c.ties == 1 {
		return c.moves[0], nil
	}
	return movegen.NoMove, Diagnose(p, text, ranks)
}

// Find returns every legal move that the text may mean. It allocates nothing.
func Find(p *movegen.Position, text string, ranks Ranks) Candidates {
	var c Candidates
	if from, to, ok := parseCoordinates(text); ok {
		for _, base := range bases(ranks) {
			if m, ok := onBoard(from, to, base); ok {
				c.addLegal(p, m)
			}
			c.nextRank()
		}
		return c
	}
	if m, ok := parseRelative(text); ok {
		m.find(p, &c)
		return c
	}
	if s, ok := parseSAN(text); ok {
		for _, base := range bases(ranks) {
			s.find(p, base, &c)
			c.nextRank()
		}
	}
	return c
}

// bases returns the numbers of the first rank to try.
func bases(r Ranks) []int {
	all := [...]int{0, 1}
	switch r {
	case FromZero:
		return all[:1]
	case FromOne:
		return all[1:]
	}
	return all[:]
}

// point is a square as written: file 0–8, rank as the text counts it.
type point struct{ file, rank int }

// square returns the square if the board has it.
func (q point) square(base int) (movegen.Square, bool) {
	rank := q.rank - base
	if rank < 0 || rank >= movegen.Ranks {
		return movegen.NoSquare, false
	}
	return movegen.SquareAt(q.file, rank), true
}

func onBoard(from, to point, base int) (movegen.Move, bool) {
	a, ok1 := from.square(base)
	b, ok2 := to.square(base)
	return movegen.NewMove(a, b), ok1 && ok2
}

// HasRanks reports whether the text is one whose meaning depends on how ranks are counted.
func HasRanks(text string) bool {
	if _, _, ok := parseCoordinates(text); ok {
		return true
	}
	if _, ok := parseRelative(text); ok {
		return false
	}
	_, ok := parseSAN(text)
	return ok
}

// parseCoordinates reads two squares in upper or lower case, with "-" or "x" between them
// or nothing.
func parseCoordinates(text string) (from, to point, ok bool) {
	from, rest, ok := cutPoint(text)
	if !ok {
		return from, to, false
	}
	if rest != "" && (rest[0] == '-' || rest[0] == 'x') {
		rest = rest[1:]
	}
	to, rest, ok = cutPoint(rest)
	return from, to, ok && (rest == "" || strings.Trim(rest, marks) == "")
}

// cutPoint reads a file letter and a number up to 10 at the beginning of the text.
func cutPoint(text string) (point, string, bool) {
	if len(text) < 2 {
		return point{}, text, false
	}
	file, d := (text[0]|0x20)-'a', text[1]-'0'
	if file >= movegen.Files || d > 9 {
		return point{}, text, false
	}
	if d == 1 && len(text) > 2 && text[2] == '0' {
		return point{int(file), 10}, text[3:], true
	}
	return point{int(file), int(d)}, text[2:], true
}

// san is a move by piece and square, as in Che2 or Rxe9: not a notation of Xiangqi, but
// what some servers write.
type san struct {
	piece      movegen.PieceType
	file, rank int // of the square the piece leaves, −1 when not given
	to         point
}

// parseSAN reads such a move. The letter is in upper case; a square alone is a soldier's.
func parseSAN(text string) (san, bool) {
	s := san{piece: movegen.Pawn, file: -1, rank: -1}
	text = strings.TrimRight(text, marks)
	if text != "" && 'A' <= text[0] && text[0] <= 'Z' {
		s.piece, text = ascii[text[0]].piece, text[1:]
	}
	start := len(text) - 2
	if strings.HasSuffix(text, "10") {
		start--
	}
	if start < 0 || s.piece == movegen.NoType || text[start] < 'a' {
		return san{}, false
	}
	to, rest, ok := cutPoint(text[start:])
	if !ok || rest != "" {
		return san{}, false
	}
	s.to = to
	return s, s.origin(strings.TrimSuffix(text[:start], "x"))
}

// origin reads the file letter, the rank, or both, that tell equal pieces apart.
func (s *san) origin(text string) bool {
	if text != "" && 'a' <= text[0] && text[0] < 'a'+movegen.Files {
		s.file, text = int(text[0]-'a'), text[1:]
	}
	switch {
	case text == "10":
		s.rank = 10
	case len(text) == 1 && '0' <= text[0] && text[0] <= '9':
		s.rank = int(text[0] - '0')
	default:
		return text == ""
	}
	return true
}

// find adds the legal moves.
func (s *san) find(p *movegen.Position, base int, c *Candidates) {
	to, ok := s.to.square(base)
	if !ok {
		return
	}
	for set := p.Pieces(movegen.NewPiece(p.Side(), s.piece)); !set.Empty(); {
		from := set.Pop()
		if (s.file < 0 || from.File() == s.file) && (s.rank < 0 || from.Rank()+base == s.rank) {
			c.addLegal(p, movegen.NewMove(from, to))
		}
	}
}

// CutChinese cuts the first relative move from a text in which Chinese moves may stand
// together: up to the digit behind the first operator. A text without one is returned
// whole and is not complete. Text in ASCII is never cut.
func CutChinese(text string) (move, rest string, complete bool) {
	if isASCII(text) {
		return text, "", true
	}
	operated := false
	n := 0
	for i, r := range text {
		s := symbolOf(r)
		if operated && s.digit != 0 {
			i += utf8.RuneLen(r)
			rest = strings.TrimLeft(text[i:], marks)
			return text[:i], rest, true
		}
		operated = n > 0 && s.op != noOperator
		n++
	}
	return text, "", false
}

// IsPartial reports whether the text may be the beginning of a Chinese move that a blank
// has cut in two.
func IsPartial(text string) bool {
	n := 0
	for _, r := range text {
		if symbolOf(r) == (symbol{}) {
			return false
		}
		n++
	}
	return 0 < n && n < maxSymbols
}

func isASCII(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
