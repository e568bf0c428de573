package pgn

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/xqlab/xqlab/movegen"
)

// Bounds of a tree of moves, all variations together.
const (
	maxNodes    = 200_000
	maxBranches = 10_000
)

// node is a move of a tree that a file holds in the order in which it is walked: a move,
// then all that follows it, then its next sibling.
type node struct {
	move    movegen.Move // NoMove when the squares are not on the board
	text    string       // of a move that is none
	comment string
	next    bool // a move follows it
	sibling bool // another move in its place comes when all that follows has come
}

// tree makes games of nodes.
type tree struct {
	o        Options
	next     func() (node, error)
	pending  *node // taken already
	nodes    int
	branches int
	plies    int // played, for faults
}

// branch is a move in whose place others will come.
type branch struct {
	index  int // in the line, −1 behind a move that is not legal
	before movegen.Position
}

// look returns the next node and leaves it there.
func (t *tree) look() (node, error) {
	n, err := t.take()
	t.pending = &n
	return n, err
}

func (t *tree) take() (node, error) {
	if t.pending != nil {
		n := *t.pending
		t.pending = nil
		return n, nil
	}
	if t.nodes++; t.nodes > maxNodes {
		return node{}, fmt.Errorf("more than %d moves, all variations together", maxNodes)
	}
	return t.next()
}

// read fills a game's moves and notes from its start on. With an error the game has the
// moves before it; ply is the number of the move at fault, 0 when it is in a variation.
func (t *tree) read(g *Game) (ply int, err error) {
	start, err := g.Start()
	if err != nil {
		return 0, err
	}
	l, _, err := t.line(start, 0)
	g.Moves, g.Notes = l.Moves, l.Notes
	return t.plies, err
}

// line reads a line to its end with the variations in it. Unless it is the main line
// (depth 0), a move in it that is not legal ends it, and more tells that another line
// comes in the place of its first move.
func (t *tree) line(start *movegen.Position, depth int) (l Line, more bool, err error) {
	if depth > maxDepth {
		return l, false, fmt.Errorf("more than %d variations inside each other", maxDepth)
	}
	var branches []branch
	game := Game{} // the line's moves and notes
	p := *start
	dead := false // behind a move that is not legal
	for first, going := true, true; going; first = false {
		n, fault := t.take()
		if depth == 0 {
			t.plies = len(game.Moves) + 1
		}
		if fault == nil && len(game.Moves) >= MaxPlies {
			fault = fmt.Errorf("more than %d plies", MaxPlies)
		}
		if fault == nil && !dead {
			if fault = playable(&p, &n); fault != nil && depth > 0 {
				dead = true
				game.comment(&l, fault.Error())
				fault = nil
			}
		}
		if fault == nil && n.sibling && t.branches >= maxBranches {
			fault = fmt.Errorf("more than %d variations", maxBranches)
		}
		if fault != nil {
			l.Moves, l.Notes = game.Moves, game.wholeNotes()
			return l, false, fault
		}
		index, before := -1, p
		if !dead {
			index = len(game.Moves)
			t.play(&game, &p, &n)
		}
		if n.sibling && first && depth > 0 {
			more = true
		} else if n.sibling {
			t.branches++
			branches = append(branches, branch{index, before})
		}
		going = n.next
	}
	if depth == 0 {
		t.plies = 0
	}
	if depth > 0 || t.o.Variations {
		err = t.variations(&game, branches, depth)
	}
	l.Moves, l.Notes = game.Moves, game.wholeNotes()
	return l, more, err
}

// play adds a node's move to a line.
func (t *tree) play(g *Game, p *movegen.Position, n *node) {
	var u movegen.Undo
	p.Make(n.move, &u)
	g.Moves = append(g.Moves, n.move)
	if t.o.Notes && n.comment != "" {
		g.note(len(g.Moves) - 1).addComment(n.comment)
	}
}

// wholeNotes returns the notes, if there are any one for each move.
func (g *Game) wholeNotes() []Note {
	if len(g.Notes) > 0 {
		g.note(len(g.Moves) - 1)
	}
	return g.Notes
}

// variations reads what comes in the place of moves of a line: for the last one first.
func (t *tree) variations(g *Game, branches []branch, depth int) error {
	for _, b := range slices.Backward(branches) {
		for more := true; more; {
			var l Line
			var err error
			if l, more, err = t.line(&b.before, depth+1); err != nil {
				return err
			}
			switch {
			case b.index < 0:
			case len(l.Moves) > 0:
				g.note(b.index).addVariation(l, true)
			case l.Comment != "":
				g.note(b.index).addComment(l.Comment)
			}
		}
	}
	return nil
}

// comment adds a text to a line's last move, or to the line.
func (g *Game) comment(l *Line, text string) {
	if n := len(g.Moves); n > 0 {
		g.note(n - 1).addComment(text)
		return
	}
	l.Comment = join(l.Comment, text)
}

// playable tells why a node's move is not legal.
func playable(p *movegen.Position, n *node) error {
	switch {
	case n.move == movegen.NoMove:
		return fmt.Errorf("%s is not on the board", n.text)
	case !p.IsLegal(n.move):
		return illegal(p, n.move)
	}
	return nil
}

// pieceOrder is how files list the pieces of a side, Red's 16 first.
const pieceOrder = "RNBAKABNRCCPPPPPrnbakabnrccppppp"

// placement is a board as letters of FEN, by square; 0 is an empty square.
type placement [movegen.Squares]byte

func (b *placement) put(file, rank int, letter byte) error {
	s := movegen.SquareAt(file, rank)
	if b[s] != 0 {
		return fmt.Errorf("two pieces, %c and %c, on %s", b[s], letter, s)
	}
	b[s] = letter
	return nil
}

// side returns who owns the piece that moves first: that side begins.
func (b *placement) side(m movegen.Move) movegen.Color {
	if m != movegen.NoMove && b[m.From()] >= 'a' {
		return movegen.Black
	}
	return movegen.Red
}

// fen returns the position's FEN, or why it is none.
func (b *placement) fen(side movegen.Color) (string, error) {
	var text strings.Builder
	for rank := movegen.Ranks - 1; rank >= 0; rank-- {
		empty := 0
		for file := range movegen.Files {
			letter := b[movegen.SquareAt(file, rank)]
			if letter == 0 {
				empty++
				continue
			}
			if empty > 0 {
				text.WriteByte(byte('0' + empty))
				empty = 0
			}
			text.WriteByte(letter)
		}
		if empty > 0 {
			text.WriteByte(byte('0' + empty))
		}
		if rank > 0 {
			text.WriteByte('/')
		}
	}
	text.WriteString([...]string{movegen.Red: " w - - 0 1", movegen.Black: " b - - 0 1"}[side])
	p, err := movegen.ParseFEN(text.String())
	if err != nil {
		return "", err
	}
	return p.FEN(), nil
}

// byteReader reads binary files and counts bytes.
type byteReader struct {
	r    io.Reader
	at   int64
	undo func(b []byte, at int64) // if not nil, takes the cipher off what was read at a place
}

// errTruncated is wrapped by the error of a file that ends too early.
var errTruncated = errors.New("the file ends too early")

// full fills b.
func (r *byteReader) full(b []byte) error {
	n, err := io.ReadFull(r.r, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%w, at byte %d", errTruncated, r.at+int64(n))
	}
	if err != nil {
		return err
	}
	if r.undo != nil {
		r.undo(b, r.at)
	}
	r.at += int64(n)
	return nil
}

// long reads a 32-bit number, low byte first.
func (r *byteReader) long() (int, error) {
	var b [4]byte
	err := r.full(b[:])
	return int(int32(binary.LittleEndian.Uint32(b[:]))), err
}

// text reads n bytes and returns at most room of them.
func (r *byteReader) text(n, room int) ([]byte, error) {
	if n < 0 {
		return nil, fmt.Errorf("a comment of %d bytes at byte %d", n, r.at)
	}
	kept := make([]byte, 0, min(n, room, 4<<10))
	var part [4 << 10]byte
	for n > 0 {
		b := part[:min(n, len(part))]
		if err := r.full(b); err != nil {
			return kept, err
		}
		n -= len(b)
		kept = append(kept, b[:min(len(b), room-len(kept))]...)
	}
	return kept, nil
}
