package pgn

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/xqlab/xqlab/movegen"
)

// UBB is the text in which dpxq.com and others give games to forums: a block
// [DhtmlXQ]…[/DhtmlXQ] of fields [DhtmlXQ_name]value[/DhtmlXQ_name]. Squares are two digits,
// the file from the left and the rank from the top.
const (
	ubbOpen     = "[DhtmlXQ"
	ubbPrefix   = "DhtmlXQ_"
	ubbMaxValue = 1 << 20 // bytes of a field
	ubbMaxBlock = 4 << 20 // bytes of a block's fields
)

// ubbTags are the fields that become tags.
var ubbTags = map[string]string{
	"event": "Event", "place": "Site", "date": "Date", "round": "Round", "redname": "Red", "red": "Red", "redteam": "RedTeam",
	"blackname": "Black", "black": "Black", "blackteam": "BlackTeam", "title": "Title", "open": "Opening", "author": "Author", "remark": "Remark",
}

// ubbReader reads the blocks of a file in any of the encodings.
type ubbReader struct {
	o     Options
	lex   lexer
	games int
}

func newUBBReader(r io.Reader, o Options) *ubbReader {
	return &ubbReader{o: o, lex: lexer{dec: newDecoder(r, o.Encoding), line: 1}}
}

// ubbBlock is a block's fields.
type ubbBlock struct {
	tags     Tags
	result   string
	board    string // binit
	fen      string
	main     string
	comments map[ubbPlace]string
	lines    []ubbLine
	size     int
	line     int
	seen     bool
	fault    error
}

// ubbPlace is a ply of a branch; 0 is the main line, plies count from 1.
type ubbPlace struct{ branch, ply int }

// ubbLine is a variation: it begins in the place of the ply of another branch.
type ubbLine struct {
	parent ubbPlace
	branch int
	moves  string
}

// Next is Reader.Next for UBB.
func (u *ubbReader) Next() (*Game, error) {
	b := &ubbBlock{comments: map[ubbPlace]string{}}
	for ended := false; !ended; {
		if !u.skipTo('[') {
			break
		}
		ended = u.field(b)
	}
	if err := u.lex.readError(); err != nil {
		return nil, fmt.Errorf("line %d: %w", u.lex.line, err)
	}
	if !b.seen {
		return nil, io.EOF
	}
	u.games++
	g, fault := b.game(u.o)
	if fault != nil {
		fault.File, fault.Game, fault.Line = u.o.Name, u.games, b.line
		return g, fault
	}
	return g, nil
}

// skipTo goes to the next c.
func (u *ubbReader) skipTo(c byte) bool {
	for {
		if next, ok := u.lex.peek(); !ok || next == c {
			return ok
		}
		u.lex.next()
	}
}

// field reads what begins with a bracket and reports whether the block ended with it or
// before it.
func (u *ubbReader) field(b *ubbBlock) (ended bool) {
	const end, start = "[/DhtmlXQ]", "[DhtmlXQ]"
	switch {
	case string(u.lex.ahead(len(end))) == end:
		u.lex.next()
		return b.seen
	case string(u.lex.ahead(len(start))) == start:
		if b.seen {
			return true
		}
		u.lex.next()
		return false
	case string(u.lex.ahead(1 + len(ubbPrefix)))[1:] != ubbPrefix:
		u.lex.next()
		return false
	}
	if !b.seen {
		b.seen, b.line = true, u.lex.line
	}
	line := u.lex.line
	for range 1 + len(ubbPrefix) {
		u.lex.next()
	}
	name := u.name()
	value, closed := u.value()
	if b.size += len(value); b.fault == nil {
		switch {
		case !closed:
			b.fault = fmt.Errorf("line %d: the field %q is not closed", line, clip(name))
		case len(value) >= ubbMaxValue || b.size > ubbMaxBlock:
			b.fault = fmt.Errorf("line %d: a field of more than %d bytes or a block of more than %d", line, ubbMaxValue, ubbMaxBlock)
		default:
			b.fault = b.set(strings.ToLower(name), clearText(value))
		}
	}
	return false
}

// name reads a field's name and the bracket behind it.
func (u *ubbReader) name() string {
	const longest = 64
	var name []byte
	for len(name) < longest {
		c, ok := u.lex.peek()
		if !ok || c == '[' || c == '\n' {
			break
		}
		if u.lex.next(); c == ']' {
			break
		}
		name = append(name, c)
	}
	return string(name)
}

// value reads a field's value and the closing bracket of its end.
func (u *ubbReader) value() (text string, closed bool) {
	const end, next = "[/DhtmlXQ", "[DhtmlXQ"
	var value []byte
	for {
		c, ok := u.lex.peek()
		if !ok {
			return string(value), false
		}
		if c == '[' {
			if string(u.lex.ahead(len(end))) == end {
				for c != ']' && ok {
					c, ok = u.lex.next()
				}
				return string(value), true
			}
			if string(u.lex.ahead(len(next))) == next {
				return string(value), false
			}
		}
		u.lex.next()
		if len(value) < ubbMaxValue {
			value = append(value, c)
		}
	}
}

// set takes in a field.
func (b *ubbBlock) set(name, value string) error {
	if tag, ok := ubbTags[name]; ok {
		if value != "" && (!b.tags.Has(tag) || strings.HasSuffix(name, "name")) {
			b.tags.Set(tag, value)
		}
		return nil
	}
	switch {
	case name == "result":
		b.result = value
	case name == "binit":
		b.board = value
	case name == "fen":
		b.fen = value
	case name == "movelist":
		return b.setMoves(value)
	case strings.HasPrefix(name, "move_"):
		return b.addLine(strings.TrimPrefix(name, "move_"), value)
	case strings.HasPrefix(name, "comment"):
		return b.addComment(strings.TrimPrefix(name, "comment"), value)
	}
	return nil
}

// setMoves takes a list of moves, which may hold the variations too, as
// [0_1_0]main line[/0_1_0][0_4_1]variation[/0_4_1].
func (b *ubbBlock) setMoves(value string) error {
	if !strings.HasPrefix(value, "[") {
		b.main = value
		return nil
	}
	for value != "" {
		id, rest, ok := strings.Cut(strings.TrimPrefix(value, "["), "]")
		moves, rest, closed := strings.Cut(rest, "[/"+id+"]")
		if !ok || !closed {
			return fmt.Errorf("the list of moves is not closed at %q", clip(value))
		}
		if id == "0_1_0" {
			b.main = moves
		} else if err := b.addLine(id, moves); err != nil {
			return err
		}
		value = strings.TrimSpace(rest)
	}
	return nil
}

// addLine takes a variation PARENT_PLY_BRANCH.
func (b *ubbBlock) addLine(id, moves string) error {
	n, ok := ubbNumbers(id)
	if !ok || len(n) != 3 || len(b.lines) >= maxBranches {
		return fmt.Errorf("variation %q, want PARENT_PLY_BRANCH, and at most %d of them", clip(id), maxBranches)
	}
	b.lines = append(b.lines, ubbLine{ubbPlace{n[0], n[1]}, n[2], moves})
	return nil
}

// addComment takes a comment of PLY of the main line, or of BRANCH_PLY.
func (b *ubbBlock) addComment(id, value string) error {
	n, ok := ubbNumbers(id)
	if ok && len(n) == 1 {
		n = []int{0, n[0]}
	}
	if !ok || len(n) != 2 {
		return nil // another field whose name begins so
	}
	b.comments[ubbPlace{n[0], n[1]}] = strings.ReplaceAll(value, "||", "\n")
	return nil
}

// ubbNumbers reads numbers between underscores.
func ubbNumbers(id string) ([]int, bool) {
	var n []int
	for _, text := range strings.Split(id, "_") {
		i, err := strconv.Atoi(text)
		if err != nil || i < 0 || i > maxNodes {
			return nil, false
		}
		n = append(n, i)
	}
	return n, true
}

// ubbMove reads the move at a ply of a list, counted from 0.
func ubbMove(list string, i int) movegen.Move {
	var s [2]movegen.Square
	for j := range s {
		file, rank := list[4*i+2*j]-'0', list[4*i+2*j+1]-'0'
		if file >= movegen.Files || rank > 9 {
			return movegen.NoMove
		}
		s[j] = movegen.SquareAt(int(file), movegen.Ranks-1-int(rank))
	}
	return movegen.NewMove(s[0], s[1])
}

// start returns the position that the game begins with.
func (b *ubbBlock) start() (string, error) {
	if b.fen != "" {
		p, err := movegen.ParseFEN(b.fen)
		if err != nil {
			return "", err
		}
		return p.FEN(), nil
	}
	digits := b.board
	if digits == "" {
		digits = ubbStart
	}
	if len(digits) != 2*len(pieceOrder) || !isDigits(digits) {
		return "", fmt.Errorf("binit %q, want %d digits", clip(digits), 2*len(pieceOrder))
	}
	var board placement
	for i := range len(pieceOrder) {
		file, rank := int(digits[2*i]-'0'), int(digits[2*i+1]-'0')
		if file >= movegen.Files {
			continue // captured
		}
		if err := board.put(file, movegen.Ranks-1-rank, pieceOrder[i]); err != nil {
			return "", err
		}
	}
	side := movegen.Red
	if len(b.main) >= 4 {
		side = board.side(ubbMove(b.main, 0))
	}
	return board.fen(side)
}

// ubbStart is the start position.
const ubbStart = "8979695949392919097717866646260600102030405060708012720323436383"

// game makes a game of a block.
func (b *ubbBlock) game(o Options) (*Game, *GameError) {
	g := &Game{Tags: b.tags, Result: Unknown, FEN: movegen.StartFEN}
	if result, ok := ParseResult(b.result); ok {
		g.Result = result
	}
	fen, err := b.start()
	if b.fault != nil {
		err = b.fault
	}
	if err != nil {
		return g, &GameError{Err: err}
	}
	g.FEN = fen
	start, err := g.Start()
	if err != nil {
		return g, &GameError{Err: err}
	}
	w := &ubbWalk{block: b, o: o}
	l, ply, err := w.line(start, 0, 1, b.main, 0)
	g.Moves, g.Notes = l.Moves, l.Notes
	if err != nil {
		fault := &GameError{Ply: ply, Err: err}
		if ply > 0 {
			fault.Move = moveName(start, ply)
		}
		return g, fault
	}
	if o.Notes {
		g.Comment = b.comments[ubbPlace{0, 0}]
	}
	return g, nil
}

// ubbWalk makes lines of a block's lists. Each list is used once, so that lists that name
// each other end.
type ubbWalk struct {
	block *ubbBlock
	o     Options
	plies int // played, all lines together
}

// line plays a list whose first move has the number first. ply is the number of the move
// at fault, 0 if there is none.
func (w *ubbWalk) line(start *movegen.Position, branch, first int, list string, depth int) (l Line, ply int, err error) {
	game := Game{}
	p := *start
	before := []movegen.Position{}
	for i := 0; 4*i < len(list) && err == nil; i++ {
		n := node{move: movegen.NoMove, text: fmt.Sprintf("the move %q", clip(list[4*i:min(4*i+4, len(list))]))}
		if 4*i+4 <= len(list) {
			n.move = ubbMove(list, i)
		}
		if w.plies++; i >= MaxPlies || w.plies > maxNodes {
			err = fmt.Errorf("more than %d plies", MaxPlies)
		} else {
			err = playable(&p, &n)
		}
		if err != nil {
			ply = i + 1
			break
		}
		if w.o.Variations {
			before = append(before, p)
		}
		var u movegen.Undo
		p.Make(n.move, &u)
		game.Moves = append(game.Moves, n.move)
		if c := w.block.comments[ubbPlace{branch, first + i}]; c != "" && w.o.Notes {
			game.note(i).addComment(c)
		}
	}
	if w.o.Variations && depth < maxDepth {
		w.variations(&game, before, branch, first, depth)
	}
	l.Moves, l.Notes = game.Moves, game.wholeNotes()
	return l, ply, err
}

// variations adds the lists that begin in a branch. What is not legal in them is left out,
// and says so in a comment.
func (w *ubbWalk) variations(g *Game, before []movegen.Position, branch, first, depth int) {
	for i := range w.block.lines {
		v := w.block.lines[i]
		index := v.parent.ply - first
		if v.moves == "" || v.parent.branch != branch || index < 0 || index >= len(before) {
			continue
		}
		w.block.lines[i].moves = ""
		l, _, err := w.line(&before[index], v.branch, v.parent.ply, v.moves, depth+1)
		if len(l.Moves) > 0 {
			g.note(index).addVariation(l, true)
		}
		if err != nil {
			g.note(index).addComment(err.Error())
		}
	}
}
