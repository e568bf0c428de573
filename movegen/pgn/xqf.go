package pgn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/xqlab/xqlab/movegen"
)

// XQF is the format of XQStudio: a header of 1024 bytes, then a tree of moves. From
// version 0x0B on squares, moves and lengths are shifted by keys in the header and all
// that follows it has a repeating key added.
const (
	xqfHeader   = 0x400
	xqfVersion  = 2
	xqfPieces   = 0x10
	xqfResult   = 0x33
	xqfKeyed    = 0x0B // the first version with keys
	xqfRotated  = 0x0C // the first version that rotates the table of pieces
	xqfFromBase = 24   // what is added to the square that a move leaves
	xqfToBase   = 32   // what is added to the square that it goes to
)

// xqfTags are the places of texts: a byte with their length, then the text.
var xqfTags = []struct {
	name     string
	at, room int
}{
	{"Event", 0xD0, 63}, {"Site", 0x120, 15}, {"Date", 0x110, 15}, {"Red", 0x130, 15}, {"Black", 0x140, 15},
	{"Title", 0x50, 63}, {"Annotator", 0x1D0, 15}, {"Author", 0x1E0, 15},
}

// xqfKeys is what a file is enciphered with.
type xqfKeys struct {
	square, from, to byte
	length           int
	stream           [32]byte
}

// newXQFKeys derives the keys from a header.
func newXQFKeys(h []byte) (k xqfKeys) {
	if h[xqfVersion] < xqfKeyed {
		return k
	}
	f := func(b byte) byte { return 54*b*b + 221 }
	k.square = f(h[13]) * h[13]
	k.from = f(h[14]) * k.square
	k.to = f(h[15]) * k.from
	k.length = (int(h[12])<<8|int(h[13]))%32000 + 767
	copy(k.stream[:], "[(C) Copyright Mr. Dong Shiwei.]")
	for i := range k.stream {
		k.stream[i] &= h[8+i%4] | h[12+i%4]&h[3]
	}
	return k
}

// undo takes the stream off what was read at a place.
func (k *xqfKeys) undo(b []byte, at int64) {
	for i := range b {
		b[i] -= k.stream[(at+int64(i))%int64(len(k.stream))]
	}
}

// pieces returns the squares of the pieces in pieceOrder; above 89 is off the board.
func (k *xqfKeys) pieces(h []byte) (squares [32]byte) {
	for i, b := range h[xqfPieces : xqfPieces+len(squares)] {
		if h[xqfVersion] >= xqfRotated {
			i = (i + 1 + int(k.square)) % len(squares)
		}
		squares[i] = b - k.square
	}
	return squares
}

// isXQF reports whether a file begins as XQF does.
func isXQF(head []byte) bool {
	return len(head) > xqfVersion && head[0] == 'X' && head[1] == 'Q' && head[xqfVersion] > 0 && head[xqfVersion] < ' '
}

// xqfReader reads the one game of a file.
type xqfReader struct {
	o    Options
	r    byteReader
	keys xqfKeys
	old  bool // without keys, each move with a length
	room int  // for comments, in bytes
	done bool
}

func newXQFReader(r *bufio.Reader, o Options) *xqfReader {
	return &xqfReader{o: o, r: byteReader{r: r}, room: maxComments}
}

// Next is Reader.Next for XQF.
func (x *xqfReader) Next() (*Game, error) {
	if x.done {
		return nil, io.EOF
	}
	x.done = true
	return oneGame(x.o, 1, x.game)
}

// oneGame lets a reader of a binary file read a game, and says where its error is.
func oneGame(o Options, number int, read func(*Game) (int, error)) (*Game, error) {
	g := &Game{Result: Unknown, FEN: movegen.StartFEN}
	ply, err := read(g)
	if err == nil {
		return g, nil
	}
	fault := &GameError{File: o.Name, Game: number, Ply: ply, Err: err}
	if start, bad := g.Start(); ply > 0 && bad == nil {
		fault.Move = moveName(start, ply)
	}
	return g, fault
}

func (x *xqfReader) game(g *Game) (ply int, err error) {
	var h [xqfHeader]byte
	if err := x.r.full(h[:]); err != nil {
		return 0, err
	}
	if !isXQF(h[:]) {
		return 0, errors.New("not an XQF file: it does not begin with XQ and a version")
	}
	x.keys, x.old = newXQFKeys(h[:]), h[xqfVersion] < xqfKeyed
	x.r.undo = x.keys.undo
	x.tags(g, h[:])
	var board placement
	for i, s := range x.keys.pieces(h[:]) {
		if s >= 90 {
			continue // captured
		}
		if err := board.put(int(s/10), int(s%10), pieceOrder[i]); err != nil {
			return 0, err
		}
	}
	root, err := x.node()
	if err != nil {
		return 0, err
	}
	t := &tree{o: x.o, next: x.node}
	first := node{move: movegen.NoMove}
	if root.next {
		if first, err = t.look(); err != nil {
			return 0, err
		}
	}
	if g.FEN, err = board.fen(board.side(first.move)); err != nil || !root.next {
		g.FEN = orStart(g.FEN)
		return 0, err
	}
	if x.o.Notes {
		g.Comment = root.comment
	}
	return t.read(g)
}

func orStart(fen string) string {
	if fen == "" {
		return movegen.StartFEN
	}
	return fen
}

// tags takes the texts and the result from the header.
func (x *xqfReader) tags(g *Game, h []byte) {
	for _, t := range xqfTags {
		n := min(int(h[t.at]), t.room)
		if text := x.decode(h[t.at+1 : t.at+1+n]); text != "" {
			g.Tags.Set(t.name, text)
		}
	}
	g.setCode(h[xqfResult])
}

// setCode takes a result as XQF and CBR number it; 0 and what is no result leave it open.
func (g *Game) setCode(code byte) {
	switch code {
	case 1:
		g.Result = RedWins
	case 2:
		g.Result = BlackWins
	case 3:
		g.Result = Drawn
	}
}

// decode returns a text of the file, which is in GB18030 unless the reader was told
// otherwise.
func (x *xqfReader) decode(raw []byte) string {
	e := x.o.Encoding
	if e == AnyEncoding || e == UTF16 {
		e = GB18030
	}
	text, _ := decode(nil, raw, e, true)
	return clearText(string(text))
}

// clearText makes a comment or a name of what a binary file holds.
func clearText(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r < ' ':
			return -1
		}
		return r
	}, text))
}

// node reads a move.
func (x *xqfReader) node() (n node, err error) {
	var b [4]byte
	if err := x.r.full(b[:]); err != nil {
		return n, err
	}
	n.move = movegen.NoMove
	from, to := b[0]-xqfFromBase-x.keys.from, b[1]-xqfToBase-x.keys.to
	if from < 90 && to < 90 {
		n.move = movegen.NewMove(movegen.SquareAt(int(from/10), int(from%10)), movegen.SquareAt(int(to/10), int(to%10)))
	} else {
		n.text = fmt.Sprintf("the move from %d to %d before byte %d", from, to, x.r.at)
	}
	flags, length := b[2], 0
	if x.old {
		n.next, n.sibling = flags&0xF0 != 0, flags&0x0F != 0
		length, err = x.r.long()
	} else {
		n.next, n.sibling = flags&0x80 != 0, flags&0x40 != 0
		if flags&0x20 != 0 {
			length, err = x.r.long()
			length -= x.keys.length
		}
	}
	if err != nil {
		return n, err
	}
	raw, err := x.r.text(length, x.room)
	if x.room -= len(raw); len(raw) > 0 {
		n.comment = x.decode(bytes.TrimRight(raw, "\x00"))
	}
	return n, err
}
