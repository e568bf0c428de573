package notation

import (
	"unicode/utf8"

	"github.com/xqlab/xqlab/movegen"
)

// Style is a notation to write.
type Style uint8

// The styles.
const (
	Coordinates     Style = iota // h2e2
	FromOneRanks                 // h3e3, ranks 1–10
	ICCS                         // H2-E2
	WXF                          // C2=5
	Chinese                      // 炮二平五, 炮8平5
	ChineseWide                  // 炮二平五, 炮８平５
	Traditional                  // 馬二進三, 馬8進7
	TraditionalWide              // 馬二進三, 馬８進７
	Styles                       // one more than the last
)

// String returns a name for messages.
func (s Style) String() string {
	return [...]string{"coordinates", "coordinates with ranks 1–10", "ICCS", "WXF", "Chinese", "Chinese with full-width digits",
		"traditional Chinese", "traditional Chinese with full-width digits"}[s%Styles]
}

// Format writes a legal move of the position.
func Format(p *movegen.Position, m movegen.Move, s Style) string {
	var b [24]byte
	return string(Append(b[:0], p, m, s))
}

// Append is Format into a buffer.
func Append(b []byte, p *movegen.Position, m movegen.Move, s Style) []byte {
	from, to := m.From(), m.To()
	switch s {
	case Coordinates:
		return append(b, byte('a'+from.File()), byte('0'+from.Rank()), byte('a'+to.File()), byte('0'+to.Rank()))
	case FromOneRanks:
		return appendFromOne(appendFromOne(b, from), to)
	case ICCS:
		return append(b, byte('A'+from.File()), byte('0'+from.Rank()), '-', byte('A'+to.File()), byte('0'+to.Rank()))
	case WXF:
		return appendWXF(b, p, m)
	}
	return appendChinese(b, p, m, s)
}

func appendFromOne(b []byte, s movegen.Square) []byte {
	b = append(b, byte('a'+s.File()))
	if s.Rank() == 9 {
		return append(b, "10"...)
	}
	return append(b, byte('1'+s.Rank()))
}

// place is how a piece is named among its equals.
type place struct {
	file  int   // 1–9 from the mover's right
	order order // noOrder when the file alone names it; numbered for index
	index int   // in the file from the front, from 0
	n     int   // pieces on the file
	all   int   // index over all crowded files, from the mover's right
	files int   // crowded files
}

// locate finds the name. Advisors and elephants need no order: of two on a file only one
// can make the move.
func locate(p *movegen.Position, from movegen.Square) place {
	side := p.Side()
	l := place{file: humanFile(side, from.File()), n: 1}
	t := p.At(from).Type()
	if t == movegen.King || t == movegen.Advisor || t == movegen.Elephant {
		return l
	}
	var c crowds
	c.gather(p, t)
	crowd := &c[l.file-1]
	if l.n = crowd.n; l.n < 2 {
		return l
	}
	l.index, l.files = crowd.index(from), c.crowded()
	all := c.all()
	l.all = all.index(from)
	switch {
	case l.files > 1 || l.n > 2:
		l.order = numbered
	case l.index == 0:
		l.order = front
	default:
		l.order = rear
	}
	return l
}

func (c *crowd) index(s movegen.Square) int {
	for i, x := range c.squares[:c.n] {
		if x == s {
			return i
		}
	}
	return 0
}

// manner returns the operator of a move and its number: steps or the file it goes to.
func manner(side movegen.Color, t movegen.PieceType, m movegen.Move) (operator, int) {
	from, to := m.From(), m.To()
	up := to.Rank() - from.Rank()
	if side == movegen.Black {
		up = -up
	}
	file := humanFile(side, to.File())
	op, arg := sideways, file
	switch {
	case up > 0:
		op, arg = forward, up
	case up < 0:
		op, arg = back, -up
	}
	if t == movegen.Advisor || t == movegen.Elephant || t == movegen.Horse {
		arg = file
	}
	return op, arg
}

const (
	wxfLetters   = ".KAEHRCP"
	wxfOperators = ".+-="
)

func appendWXF(b []byte, p *movegen.Position, m movegen.Move) []byte {
	side, t := p.Side(), p.At(m.From()).Type()
	switch l := locate(p, m.From()); l.order {
	case noOrder:
		b = append(b, wxfLetters[t], byte('0'+l.file))
	case front:
		b = append(b, wxfLetters[t], '+')
	case rear:
		b = append(b, wxfLetters[t], '-')
	default:
		b = append(b, byte('1'+l.index), byte('0'+l.file))
	}
	op, arg := manner(side, t, m)
	return append(b, wxfOperators[op], byte('0'+arg))
}

// script holds the characters of one form of Chinese.
type script struct {
	pieces    [2][movegen.PieceTypes]rune // by colour
	operators [4]rune
	orders    [4]rune
}

var (
	simplified = script{
		pieces:    [2][movegen.PieceTypes]rune{{'?', '帅', '仕', '相', '马', '车', '炮', '兵'}, {'?', '将', '士', '象', '马', '车', '炮', '卒'}},
		operators: [4]rune{'?', '进', '退', '平'},
		orders:    [4]rune{'?', '前', '中', '后'},
	}
	traditional = script{
		pieces:    [2][movegen.PieceTypes]rune{{'?', '帥', '仕', '相', '馬', '車', '炮', '兵'}, {'?', '將', '士', '象', '馬', '車', '炮', '卒'}},
		operators: [4]rune{'?', '進', '退', '平'},
		orders:    [4]rune{'?', '前', '中', '後'},
	}
	numerals = [10]rune{'〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'}
)

func appendChinese(b []byte, p *movegen.Position, m movegen.Move, s Style) []byte {
	words := &simplified
	if s == Traditional || s == TraditionalWide {
		words = &traditional
	}
	side, t := p.Side(), p.At(m.From()).Type()
	piece := words.pieces[side&1][t]
	digit := func(n int) rune {
		switch {
		case side == movegen.Red:
			return numerals[n]
		case s == ChineseWide || s == TraditionalWide:
			return '０' + rune(n)
		}
		return '0' + rune(n)
	}
	if l := locate(p, m.From()); l.order == noOrder {
		b = utf8.AppendRune(utf8.AppendRune(b, piece), digit(l.file))
	} else {
		b = utf8.AppendRune(utf8.AppendRune(b, words.orderOf(l)), piece)
	}
	op, arg := manner(side, t, m)
	return utf8.AppendRune(utf8.AppendRune(b, words.operators[op]), digit(arg))
}

// orderOf returns the word before the piece: a numeral over both crowded files or for four
// and more soldiers, else front, middle, rear.
func (w *script) orderOf(l place) rune {
	switch {
	case l.files > 1:
		return numerals[l.all+1]
	case l.n > 3:
		return numerals[l.index+1]
	case l.index == 0:
		return w.orders[front]
	case l.index == l.n-1:
		return w.orders[rear]
	}
	return w.orders[middle]
}
