package notation

import "github.com/xqlab/xqlab/movegen"

// symbol is what a character may mean in a relative notation (WXF, Chinese). A character
// can have several meanings ("+" is forward or the front piece, "c" a cannon or the third
// soldier, "一" a file or the first soldier); its place decides.
type symbol struct {
	piece  movegen.PieceType
	digit  uint8 // 1–9, 0 for none
	letter uint8 // 1–5 for a–e, which number soldiers
	op     operator
	order  order
}

// operator is the direction of a move.
type operator uint8

const (
	noOperator operator = iota
	forward
	back
	sideways
)

// order says which of several equal pieces on a file is meant.
type order uint8

const (
	noOrder order = iota
	front
	middle
	rear
	minus    // WXF "-": the rear one of two, xqbase's middle one of three
	dot      // WXF ".": xqbase's rear one of two or three
	numbered // with a number from the front, or over all crowded files
)

// ascii and wide map characters to symbols.
var (
	ascii = asciiSymbols()
	wide  = wideSymbols()
)

func asciiSymbols() (t [128]symbol) {
	for letter, piece := range map[byte]movegen.PieceType{
		'K': movegen.King, 'G': movegen.King, 'A': movegen.Advisor, 'B': movegen.Elephant, 'E': movegen.Elephant,
		'N': movegen.Horse, 'H': movegen.Horse, 'R': movegen.Rook, 'C': movegen.Cannon, 'P': movegen.Pawn, 'S': movegen.Pawn,
	} {
		t[letter].piece, t[letter-'A'+'a'].piece = piece, piece
	}
	for i := uint8(1); i <= 5; i++ {
		t['A'+i-1].letter, t['a'+i-1].letter = i, i
	}
	for i := uint8(1); i <= 9; i++ {
		t['0'+i].digit = i
	}
	t['+'] = symbol{op: forward, order: front}
	t['-'] = symbol{op: back, order: minus}
	t['.'] = symbol{op: sideways, order: dot}
	t['='] = symbol{op: sideways, order: dot}
	return t
}

func wideSymbols() map[rune]symbol {
	t := map[rune]symbol{}
	for piece, runes := range map[movegen.PieceType]string{
		movegen.King: "帅帥将將", movegen.Advisor: "仕士", movegen.Elephant: "相象", movegen.Horse: "马馬傌㐷",
		movegen.Rook: "车車俥\uf902", movegen.Cannon: "炮砲包", movegen.Pawn: "兵卒",
	} {
		for _, r := range runes {
			t[r] = symbol{piece: piece}
		}
	}
	for _, digits := range [...]string{"一二三四五六七八九", "壹贰叁肆伍陆柒捌玖", "壹貳參肆伍陸柒捌玖", "①②③④⑤⑥⑦⑧⑨"} {
		n := uint8(0)
		for _, r := range digits {
			n++
			t[r] = symbol{digit: n}
		}
	}
	for op, runes := range [...]string{forward: "进進上", back: "退下", sideways: "平"} {
		for _, r := range runes {
			t[r] = symbol{op: operator(op)}
		}
	}
	for o, runes := range [...]string{front: "前", middle: "中", rear: "后後"} {
		for _, r := range runes {
			t[r] = symbol{order: order(o)}
		}
	}
	t['叄'] = symbol{digit: 3}
	t['—'], t['–'], t['−'] = ascii['-'], ascii['-'], ascii['-']
	return t
}

// symbolOf returns the meanings of a character; the zero symbol has none.
func symbolOf(r rune) symbol {
	if '！' <= r && r <= '～' { // full-width forms of ASCII
		r -= '！' - '!'
	}
	if 0 <= r && r < 128 {
		return ascii[r]
	}
	return wide[r]
}
