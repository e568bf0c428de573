package pgn

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf16"

	"github.com/xqlab/xqlab/movegen"
)

// CBR is the format of CCBridge for one game: a header of 2214 bytes with texts in
// UTF-16, then a tree of moves. CBL is a library of such records, each in as many slots of
// 4096 bytes as it needs.
const (
	cbrMagic   = "CCBridge Record"
	cbrHeader  = 2214
	cbrResult  = 2076
	cbrSide    = 2112
	cbrBoard   = 2120
	cblMagic   = "CCBridgeLibrary"
	cblSlot    = 4096
	cblEntries = 60 // where the number of entries of the index is
	cblIndex   = 66624
	cblEntry   = 276     // bytes of an entry of the index
	cblMost    = 1 << 20 // entries
)

// cbrTags are the places of texts.
var cbrTags = []struct {
	name     string
	at, room int
}{
	{"Event", 692, 64}, {"Site", 948, 64}, {"Date", 884, 64}, {"Round", 756, 64}, {"Red", 1076, 64}, {"RedTeam", 1140, 64},
	{"Black", 1300, 64}, {"BlackTeam", 1364, 64}, {"Title", 180, 128},
}

// cbrPieces are the pieces by the low half of their byte; the high one is 1 for Red and 2
// for Black.
const cbrPieces = "\x00RNBAKCP"

// cbrReader reads a record, or the records of a library.
type cbrReader struct {
	o       Options
	file    *bufio.Reader
	library bool
	games   int
	err     error // final

	slot byteReader // of the library: what follows the last record's first slot
	r    byteReader // of the record
	room int        // for comments, in bytes
}

// newCBRReader reads the beginning of a library.
func newCBRReader(file *bufio.Reader, o Options) *cbrReader {
	c := &cbrReader{o: o, file: file}
	head, _ := file.Peek(len(cblMagic))
	if c.library = string(head) == cblMagic; !c.library {
		return c
	}
	c.slot = byteReader{r: file}
	c.err = c.skipIndex()
	return c
}

// skipIndex goes to the first slot.
func (c *cbrReader) skipIndex() error {
	var h [cblEntries + 4]byte
	if err := c.slot.full(h[:]); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint32(h[cblEntries:])
	if n > cblMost {
		return fmt.Errorf("a library with an index of %d entries", n)
	}
	_, err := io.CopyN(io.Discard, c.file, cblIndex+int64(n)*cblEntry-int64(len(h)))
	if err == io.EOF {
		err = fmt.Errorf("%w, in a library's index", errTruncated)
	}
	return err
}

// Next is Reader.Next for CBR and CBL.
func (c *cbrReader) Next() (*Game, error) {
	if c.err == nil && c.library {
		c.err = c.findRecord()
	}
	if c.err != nil {
		return nil, c.err
	}
	c.games++
	c.room = maxComments
	if c.library {
		c.r = byteReader{r: &record{file: c.file, left: cblSlot}}
	} else {
		c.r, c.err = byteReader{r: c.file}, io.EOF
	}
	return oneGame(c.o, c.games, c.game)
}

// findRecord goes to the next slot in which a record begins.
func (c *cbrReader) findRecord() error {
	if c.games > 0 {
		c.r.r.(*record).skipSlot()
	}
	for {
		if head, _ := c.file.Peek(len(cbrMagic)); string(head) == cbrMagic {
			return nil
		}
		if n, err := io.CopyN(io.Discard, c.file, cblSlot); n == 0 || err != nil {
			if err == nil || err == io.EOF {
				return io.EOF // what is left is no slot
			}
			return err
		}
	}
}

// record reads the slots of one record of a library: it ends before the slot in which
// another begins.
type record struct {
	file *bufio.Reader
	left int // bytes of the slot
}

// Read reads what is left of a slot, or of the next.
func (r *record) Read(b []byte) (int, error) {
	if r.left == 0 {
		if head, _ := r.file.Peek(len(cbrMagic)); string(head) == cbrMagic {
			return 0, io.EOF
		}
		r.left = cblSlot
	}
	n, err := r.file.Read(b[:min(len(b), r.left)])
	r.left -= n
	return n, err
}

// skipSlot goes to the end of the slot.
func (r *record) skipSlot() {
	n, _ := io.CopyN(io.Discard, r.file, int64(r.left)) // an end comes again from the next reading
	r.left -= int(n)
}

func (c *cbrReader) game(g *Game) (ply int, err error) {
	var h [cbrHeader]byte
	if err := c.r.full(h[:]); err != nil {
		return 0, err
	}
	if !bytes.HasPrefix(h[:], []byte(cbrMagic)) {
		return 0, fmt.Errorf("not a CBR file: it does not begin with %q", cbrMagic)
	}
	c.tags(g, h[:])
	var board placement
	for i, b := range h[cbrBoard : cbrBoard+movegen.Squares] {
		kind, color := int(b&15), b>>4
		if color < 1 || color > 2 || kind == 0 || kind >= len(cbrPieces) {
			continue // an empty square; what stands there differs
		}
		board[movegen.SquareAt(i%movegen.Files, movegen.Ranks-1-i/movegen.Files)] = cbrPieces[kind] + (color-1)*('a'-'A')
	}
	side := movegen.Red
	if h[cbrSide] == 2 {
		side = movegen.Black
	}
	g.FEN, err = board.fen(side)
	if err != nil {
		g.FEN = movegen.StartFEN
		return 0, err
	}
	root, err := c.node()
	if err != nil {
		return 0, err
	}
	if c.o.Notes {
		g.Comment = root.comment
	}
	if !root.next {
		return 0, nil
	}
	t := &tree{o: c.o, next: c.node}
	return t.read(g)
}

// tags takes the texts and the result from the header.
func (c *cbrReader) tags(g *Game, h []byte) {
	for _, t := range cbrTags {
		if text := utf16Text(h[t.at:t.at+t.room], true); text != "" {
			g.Tags.Set(t.name, text)
		}
	}
	g.setCode(h[cbrResult])
}

// utf16Text decodes UTF-16, low byte first; a field's text ends at its first zero.
func utf16Text(raw []byte, field bool) string {
	var units []uint16
	for i := 0; i+1 < len(raw); i += 2 {
		u := binary.LittleEndian.Uint16(raw[i:])
		if u == 0 && field {
			break
		}
		units = append(units, u)
	}
	return clearText(string(utf16.Decode(units)))
}

// node reads a move: flags, a byte without meaning, and two squares counted from Black's
// left-hand corner as Red sees it.
func (c *cbrReader) node() (n node, err error) {
	var b [4]byte
	if err := c.r.full(b[:]); err != nil {
		return n, err
	}
	n.next, n.sibling, n.move = b[0]&1 == 0, b[0]&2 != 0, movegen.NoMove
	if from, to := movegen.Square(b[2]), movegen.Square(b[3]); from < movegen.Squares && to < movegen.Squares {
		n.move = movegen.NewMove(from.Flip(), to.Flip())
	} else {
		n.text = fmt.Sprintf("the move from %d to %d before byte %d", from, to, c.r.at)
	}
	if b[0]&4 == 0 {
		return n, nil
	}
	length, err := c.r.long()
	if err != nil {
		return n, err
	}
	raw, err := c.r.text(length, c.room)
	c.room -= len(raw)
	n.comment = utf16Text(raw, false)
	return n, err
}
