package pgn

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/notation"
)

// Bounds of a game. A file beyond them gives an error for the game at fault.
const (
	MaxPlies    = 20000
	maxTags     = 256
	maxTagText  = 64 << 10 // bytes, all tags together
	maxText     = 1 << 20  // bytes of moves, all together
	maxComments = 1 << 20  // bytes, all together; what goes beyond is cut off
	maxWord     = 64 << 10 // bytes between blanks; Chinese moves need none
	maxDepth    = 50       // of variations inside variations
)

// Options says how to read. The zero value is right for files of unknown origin.
type Options struct {
	Name       string         // of the file, for errors
	Encoding   Encoding       // AnyEncoding: found out
	Ranks      notation.Ranks // of coordinates; AnyRanks: found out for each game from its moves
	Notes      bool           // comments, engine data and NAGs are kept
	Variations bool           // variations are kept too; implies Notes
}

// Reader reads a PGN file game by game, in any of the notations and encodings in use. Its
// memory is that of one game.
type Reader struct {
	o     Options
	lex   lexer
	games int
	base  notation.Ranks // in which the last game with coordinates was written
	game  draft
}

// NewReader returns a Reader of the PGN text.
func NewReader(r io.Reader, o Options) *Reader {
	o.Notes = o.Notes || o.Variations
	return &Reader{o: o, lex: lexer{dec: newDecoder(r, o.Encoding), line: 1}, base: notation.FromZero}
}

// GameError is what is wrong with a game.
type GameError struct {
	File string
	Line int    // from 1, 0 for a binary file
	Game int    // from 1
	Ply  int    // from 1, 0 when it is not about a move
	Move string // how the file counts it: "12 (Red)"
	Err  error
}

// Error returns one line.
func (e *GameError) Error() string {
	where := ""
	switch {
	case e.File != "" && e.Line > 0:
		where = fmt.Sprintf("%s:%d: ", e.File, e.Line)
	case e.File != "":
		where = e.File + ": "
	case e.Line > 0:
		where = fmt.Sprintf("line %d: ", e.Line)
	}
	if e.Ply > 0 {
		return fmt.Sprintf("%sgame %d, move %s: %v", where, e.Game, e.Move, e.Err)
	}
	return fmt.Sprintf("%sgame %d: %v", where, e.Game, e.Err)
}

// Unwrap returns the cause.
func (e *GameError) Unwrap() error { return e.Err }

// Next returns the next game, or io.EOF. With a *GameError comes what could be read of the game,
// and reading goes on behind it; other errors are of the file and final.
func (r *Reader) Next() (*Game, error) {
	for {
		d := &r.game
		d.reset()
		r.scan(d)
		if err := r.lex.readError(); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", r.o.Name, r.lex.line, err)
		}
		if d.isEmpty() {
			if r.lex.err != nil && r.lex.pos == len(r.lex.buf) {
				return nil, io.EOF
			}
			continue // a stray result or comment
		}
		r.games++
		g, err := r.resolve(d)
		if err != nil {
			err.File, err.Game = r.o.Name, r.games
			return g, err
		}
		return g, nil
	}
}

// tokenKind is what a token of a draft is.
type tokenKind uint8

const (
	moveToken tokenKind = iota
	commentToken
	nagToken
	openToken
	closeToken
)

// token is a piece of a draft's text.
type token struct {
	kind       tokenKind
	begin, end int32 // in draft.text; for nagToken begin is the number
	line       int32
}

// draft is a game as text: everything is found, nothing understood.
type draft struct {
	tags       Tags
	tagText    int
	text       []byte
	tokens     []token
	plies      int // move tokens of the main line
	comments   int // bytes
	result     Result
	line       int
	depth      int
	tagsClosed bool // an empty line came after the tags
	wxf        bool // it is a WXF file's: "END" ends it
	blackFirst bool // the first number is followed by "..."
	partial    int  // a Chinese move that the next word goes on with begins here, −1 for none
	failed     error
	failedLine int
	seen       bool // something of a game was there
}

func (d *draft) reset() {
	*d = draft{tags: nil, text: d.text[:0], tokens: d.tokens[:0], partial: -1}
}

func (d *draft) isEmpty() bool { return !d.seen }

func (d *draft) fail(line int, format string, args ...any) {
	if d.failed == nil {
		d.failed, d.failedLine = fmt.Errorf(format, args...), line
	}
}

func (d *draft) add(kind tokenKind, begin, line int) {
	switch {
	case kind == moveToken && d.plies >= MaxPlies:
		d.fail(line, "more than %d plies", MaxPlies)
		d.text = d.text[:begin]
		return
	case len(d.text) > maxText+maxComments || len(d.tokens) > 8*MaxPlies:
		d.fail(line, "the game is longer than %d bytes", maxText)
		d.text = d.text[:begin]
		return
	case kind == moveToken && d.depth == 0:
		d.plies++
	}
	d.tokens = append(d.tokens, token{kind, int32(begin), int32(len(d.text)), int32(line)})
}

// scan reads up to the end of a game: its result, the tags of the next one, or the end of
// the file.
func (r *Reader) scan(d *draft) {
	for ended := false; !ended; {
		emptyLine := r.lex.skipBlank()
		d.tagsClosed = d.tagsClosed || emptyLine && len(d.tags) > 0
		c, ok := r.lex.peek()
		if !ok {
			break
		}
		if d.line == 0 {
			d.line = r.lex.line
		}
		ended = r.item(d, c)
	}
	if d.depth > 0 {
		d.fail(r.lex.line, "a variation is not closed")
	}
	r.flushPartial(d)
}

// item reads what begins with c and reports whether the game ended with it or before it.
func (r *Reader) item(d *draft, c byte) (ended bool) {
	switch {
	case c == '[' && r.atTag():
		if d.plies > 0 || d.tagsClosed && r.repeatsTag(d) || d.failed != nil && len(d.tags) == 0 {
			return true // the tags after rubbish are those of a game
		}
		r.tag(d)
	case c == '[' || c == ']':
		r.lex.next()
		d.seen = true
		d.fail(r.lex.line, "stray %q", c)
	case r.special(d, c):
	case d.plies == 0 && string(r.lex.ahead(len(wxfFormat))) == wxfFormat:
		r.wxfHeader(d)
	default:
		return r.words(d)
	}
	return false
}

// atTag reports whether a tag pair begins here: a bracket and a letter.
func (r *Reader) atTag() bool {
	head := r.lex.ahead(2)
	return len(head) == 2 && isNameByte(head[1])
}

// repeatsTag reports whether the tag here is there already, so that a game begins.
func (r *Reader) repeatsTag(d *draft) bool {
	head := r.lex.ahead(64)[1:]
	n := 0
	for n < len(head) && isNameByte(head[n]) {
		n++
	}
	return d.tags.Has(string(head[:n]))
}

func isNameByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c >= utf8.RuneSelf
}

// tag reads a tag pair. The value may hold quotation marks: it ends with one before a
// bracket, or with the line.
func (r *Reader) tag(d *draft) {
	d.seen = true
	line := r.lex.line
	r.lex.next()
	var name, value []byte
	for c, ok := r.lex.peek(); ok && isNameByte(c); c, ok = r.lex.peek() {
		r.lex.next()
		if len(name) < maxTagText {
			name = append(name, c)
		}
	}
	value, closed := r.tagValue()
	d.tagText += len(name) + len(value)
	switch {
	case !closed:
		d.fail(line, "tag %s does not end in the line", name)
	case d.tagText > maxTagText || len(d.tags) >= maxTags:
		d.fail(line, "more than %d tags or %d bytes of them", maxTags, maxTagText)
	case d.tags.Has(string(name)) && len(value) == 0: // an empty repetition says nothing
	default:
		d.tags.Set(string(name), string(value))
	}
}

// tagValue reads from behind the name to the closing bracket, which is the first behind a
// second quotation mark or, where the value has no marks, the first; failing that, the one
// at the end of the line.
func (r *Reader) tagValue() (value []byte, closed bool) {
	quotes := 0
	for {
		c, ok := r.lex.peek()
		if !ok || c == '\n' {
			text, bracket := strings.CutSuffix(strings.TrimSpace(string(value)), "]")
			return []byte(strings.Trim(text, ` "`)), bracket
		}
		r.lex.next()
		if c == ']' {
			text := strings.TrimSpace(string(value))
			if quotes == 0 {
				return []byte(text), true
			}
			if quotes > 1 && endsInQuote(text) {
				text = strings.TrimPrefix(text[:len(text)-1], `"`)
				return []byte(unescapes.Replace(text)), true
			}
		}
		if c == '"' {
			quotes++
		}
		if len(value) <= maxTagText {
			value = append(value, c)
		}
	}
}

// endsInQuote reports whether the text ends in a quotation mark that is not escaped.
func endsInQuote(text string) bool {
	body, quoted := strings.CutSuffix(text, `"`)
	escapes := len(body) - len(strings.TrimRight(body, `\`))
	return quoted && escapes%2 == 0
}

// special reads what begins with a special character; it reports whether it was one.
func (r *Reader) special(d *draft, c byte) bool {
	line := r.lex.line
	begin := len(d.text)
	switch c {
	case '{':
		r.lex.next()
		r.flushPartial(d)
		var closed bool
		if d.text, closed = r.lex.until(d.text, '}', r.commentRoom(d)); !closed {
			d.seen = true
			d.fail(line, "a comment is not closed")
		}
		r.comment(d, begin, line)
	case ';':
		r.lex.next()
		r.flushPartial(d)
		d.text = r.lex.restOfLine(d.text, r.commentRoom(d))
		r.comment(d, begin, line)
	case '%':
		if r.lex.pos > 0 && r.lex.buf[r.lex.pos-1] != '\n' {
			return false
		}
		d.text = r.lex.restOfLine(d.text, 0) // an escape line
	case '$':
		r.nag(d)
	case '(', ')':
		r.lex.next()
		r.flushPartial(d)
		r.variation(d, c, line)
	case '}': // left over from comments inside comments
		r.lex.next()
	default:
		return false
	}
	return true
}

// commentRoom returns how many bytes of a comment may be kept.
func (r *Reader) commentRoom(d *draft) int {
	if !r.o.Notes || d.depth > 0 && !r.o.Variations {
		return 0
	}
	return max(maxComments-d.comments, 0)
}

// comment makes what was read behind begin a comment.
func (r *Reader) comment(d *draft, begin, line int) {
	d.comments += len(d.text) - begin
	if len(d.text) > begin {
		d.add(commentToken, begin, line)
	}
}

func (r *Reader) nag(d *draft) {
	r.lex.next()
	n := 0
	for c, ok := r.lex.peek(); ok && '0' <= c && c <= '9'; c, ok = r.lex.peek() {
		r.lex.next()
		n = min(n*10+int(c-'0'), 255)
	}
	if r.o.Notes && (d.depth == 0 || r.o.Variations) {
		d.add(nagToken, len(d.text), r.lex.line)
		d.tokens[len(d.tokens)-1].begin = int32(n)
	}
}

func (r *Reader) variation(d *draft, c byte, line int) {
	if c == ')' {
		if d.depth == 0 {
			d.seen = true
			d.fail(line, "a closing parenthesis without an opening one")
			return
		}
		if d.depth--; r.o.Variations {
			d.add(closeToken, len(d.text), line)
		}
		return
	}
	if d.depth++; d.depth > maxDepth {
		d.fail(line, "more than %d variations inside each other", maxDepth)
	}
	if r.o.Variations {
		d.add(openToken, len(d.text), line)
	}
}

// words reads a word of move text. It reports whether the result was in it, which ends the
// game.
func (r *Reader) words(d *draft) (ended bool) {
	begin := len(d.text)
	line := r.lex.line
	d.text = r.lex.word(d.text, maxWord)
	word := d.text[begin:]
	if d.depth > 0 && !r.o.Variations {
		d.text = d.text[:begin]
		return false
	}
	if d.partial < 0 && isPlain(word) { // the common case, without a look at results and numbers
		d.seen = true
		d.add(moveToken, begin, line)
		return false
	}
	if isNumber(word) {
		d.text = d.text[:begin]
		r.flushPartial(d)
		return false
	}
	text := string(word)
	d.text = d.text[:begin]
	if len(text) == maxWord {
		d.seen = true
		d.fail(line, "a word of %d bytes or more, %q, is no move", maxWord, clip(text))
		return false
	}
	for _, part := range strings.FieldsFunc(text, isWideBlank) {
		if r.word(d, part, line) {
			return true
		}
	}
	return false
}

// isNumber reports whether a word is digits and one dot.
func isNumber(w []byte) bool {
	n := len(w) - 1
	if n < 1 || w[n] != '.' {
		return false
	}
	for _, c := range w[:n] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// isWideBlank reports whether r is an ideographic or a no-break blank.
func isWideBlank(r rune) bool { return r == '\u3000' || r == '\u00a0' }

// word reads a result, a number, or moves with or without a number before them.
func (r *Reader) word(d *draft, text string, line int) (ended bool) {
	if result, ok := resultWords[text]; ok && d.depth == 0 {
		r.flushPartial(d)
		d.result = result
		return true
	}
	text, number, dots := cutNumber(text, d.partial < 0)
	if number || dots > 0 {
		r.flushPartial(d)
		if d.plies == 0 && dots > 1 {
			d.blackFirst = true
		}
	}
	if result, ok := resultWords[text]; ok && d.depth == 0 { // behind a number
		d.result = result
		return true
	}
	if text == "" || d.wxf && text == "END" {
		return text != ""
	}
	d.seen = true
	r.moves(d, text, line)
	return false
}

// isPlain reports whether a word is a move in coordinates.
func isPlain(w []byte) bool {
	return (len(w) == 4 || len(w) == 5 && w[2] == '-') && w[0]|0x20 >= 'a' && w[0]|0x20 <= 'i' && w[1]-'0' <= 9 && w[len(w)-1]-'0' <= 9 && w[len(w)-2]|0x20 >= 'a'
}

// cutNumber cuts the number of a move and its dots from the beginning of a word. A number
// may stand without dots only if bare allows it.
func cutNumber(word string, bare bool) (rest string, number bool, dots int) {
	rest = strings.TrimLeft(word, "0123456789")
	n := len(word) - len(rest)
	rest, dots = cutDots(rest)
	switch {
	case n > 0 && rest == "" && (bare || dots > 0):
		return "", true, dots
	case dots > 0 && n >= 2 && len(rest) == 1: // 15.6 is WXF: the first soldier of file 5
		return word, false, 0
	case dots > 0:
		return rest, n > 0, dots
	}
	return word, false, 0
}

// cutDots cuts the dots behind a number and counts them; an ellipsis has three.
func cutDots(text string) (rest string, dots int) {
	for {
		c, size := utf8.DecodeRuneInString(text)
		switch c {
		case '.', '．', '、', '。':
			dots++
		case '…':
			dots += 3
		default:
			return text, dots
		}
		text = text[size:]
	}
}

// moves adds the moves of a word: Chinese ones may stand together without a blank, or have
// blanks inside.
func (r *Reader) moves(d *draft, text string, line int) {
	if d.partial >= 0 {
		text = string(d.text[d.partial:]) + text
		d.text, d.partial = d.text[:d.partial], -1
	}
	for text != "" {
		move, rest, complete := notation.CutChinese(text)
		begin := len(d.text)
		d.text = append(d.text, move...)
		if !complete && rest == "" && notation.IsPartial(move) {
			d.partial = begin
			return
		}
		d.add(moveToken, begin, line)
		text, _, _ = cutNumber(rest, false)
	}
}

// flushPartial makes a move of a word that nothing completes; it will be found wrong.
func (r *Reader) flushPartial(d *draft) {
	if d.partial >= 0 {
		begin := d.partial
		d.partial = -1
		d.add(moveToken, begin, r.lex.line)
	}
}

// resolve makes a game of a draft.
func (r *Reader) resolve(d *draft) (*Game, *GameError) {
	g := &Game{Tags: d.tags, Result: d.result, Line: d.line}
	if g.Result == "" || g.Result == Unknown {
		if result, ok := ParseResult(d.tags.Get("Result")); ok {
			g.Result = result
		}
	}
	if g.Result == "" {
		g.Result = Unknown
	}
	start, err := startOf(d)
	if err != nil {
		return g, &GameError{Line: d.line, Err: err}
	}
	g.FEN = start.FEN()
	line := resolver{text: d.text, tokens: d.tokens, ranks: r.ranks()}
	fault := line.mainLine(start)
	g.Moves = line.moves
	if line.coordinates && fault == nil {
		r.base = line.ranks[line.used]
	}
	if fault == nil && r.o.Notes {
		line.annotate(g, start)
	}
	switch {
	case fault != nil && (d.failed == nil || int(fault.line) <= d.failedLine):
		return g, &GameError{Line: int(fault.line), Ply: fault.ply, Move: moveName(start, fault.ply), Err: fault.err}
	case d.failed != nil:
		return g, &GameError{Line: d.failedLine, Err: d.failed}
	}
	return g, nil
}

// ranks returns the ways of counting ranks to try, the likeliest first.
func (r *Reader) ranks() []notation.Ranks {
	switch {
	case r.o.Ranks != notation.AnyRanks:
		return []notation.Ranks{r.o.Ranks}
	case r.base == notation.FromOne:
		return []notation.Ranks{notation.FromOne, notation.FromZero}
	}
	return []notation.Ranks{notation.FromZero, notation.FromOne}
}

// startOf returns the start position: the FEN tag's, else the usual one. Where the FEN
// names no side, or Red, but the moves begin with "1...", it is Black's turn.
func startOf(d *draft) (*movegen.Position, error) {
	fen := strings.TrimSpace(d.tags.Get("FEN"))
	if fen == "" {
		return movegen.StartPosition(), nil
	}
	p, err := movegen.ParseFEN(fen)
	if d.blackFirst && (err != nil || p.Side() == movegen.Red) {
		board, _, _ := strings.Cut(fen, " ")
		if q, err := movegen.ParseFEN(board + " b"); err == nil {
			return q, nil
		}
	}
	return p, err
}

// moveName names a ply as files number it.
func moveName(start *movegen.Position, ply int) string {
	n := ply - 1 + int(start.Side())
	return fmt.Sprintf("%d (%s)", start.FullMove()+n/2, movegen.Color(n%2))
}

var errNoGame = errors.New("no game in it")
