package pgn

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/notation"
)

// Writer writes PGN: the tag Game first, then those of every file in their usual order,
// then the others; one move of each side a line. Comments and an engine's data follow
// their move in braces, variations in parentheses.
type Writer struct {
	w     *bufio.Writer
	style notation.Style
	line  []byte
	games int
}

// NewWriter returns a Writer in the notation. Flush it at the end.
func NewWriter(w io.Writer, style notation.Style) *Writer {
	return &Writer{w: bufio.NewWriter(w), style: style}
}

// leading are the tags that every game has, in their order; the value is that of an
// absent one.
var leading = []Tag{{"Event", ""}, {"Site", ""}, {"Date", ""}, {"Round", ""}, {"Red", ""}, {"RedTeam", ""}, {"Black", ""}, {"BlackTeam", ""}}

// own are the tags that the Writer writes itself.
var own = lowered("Game", "Result", "FEN", "SetUp", "Format")

func lowered(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[strings.ToLower(n)] = true
	}
	return m
}

// formats are the values of the tag Format.
var formats = [notation.Styles]string{
	notation.Coordinates: "UCI", notation.FromOneRanks: "UCI", notation.ICCS: "ICCS", notation.WXF: "WXF",
	notation.Chinese: "Chinese", notation.ChineseWide: "Chinese", notation.Traditional: "Chinese", notation.TraditionalWide: "Chinese",
}

// Write writes a game. Its moves must be legal.
func (w *Writer) Write(g *Game) error {
	start, err := g.Start()
	if err != nil {
		return err
	}
	if w.games++; w.games > 1 {
		w.w.WriteByte('\n')
	}
	w.tags(g, start)
	w.w.WriteByte('\n')
	if err := w.moves(g, start); err != nil {
		return err
	}
	w.w.WriteString(string(g.result()))
	return w.w.WriteByte('\n')
}

// Flush writes what is buffered.
func (w *Writer) Flush() error { return w.w.Flush() }

func (g *Game) result() Result {
	if g.Result == "" {
		return Unknown
	}
	return g.Result
}

func (w *Writer) tags(g *Game, start *movegen.Position) {
	w.tag("Game", "Chinese Chess")
	written := map[string]bool{}
	for _, t := range leading {
		value := g.Tags.Get(t.Name)
		if t.Name == "Red" {
			value = g.Tags.Player(movegen.Red)
			written["white"] = g.Tags.Get("White") == value
		}
		written[strings.ToLower(t.Name)] = true
		w.tag(t.Name, value)
	}
	w.tag("Result", string(g.result()))
	for _, t := range g.Tags {
		if name := strings.ToLower(t.Name); !written[name] && !own[name] {
			w.tag(t.Name, t.Value)
		}
	}
	if fen := start.FEN(); fen != movegen.StartFEN {
		w.tag("FEN", fen)
	}
	w.tag("Format", formats[w.style])
}

var (
	escapes   = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	unescapes = strings.NewReplacer(`\"`, `"`, `\\`, `\`)
	unbraced  = strings.NewReplacer("{", "(", "}", ")", "\n", " ", "\r", " ")
)

// tag writes a tag pair in one line, with a name that can be read back.
func (w *Writer) tag(name, value string) {
	value = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, value)
	name = strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf || isNameByte(byte(r)) {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		name = "_"
	}
	fmt.Fprintf(w.w, "[%s \"%s\"]\n", name, escapes.Replace(value))
}

// moves writes the main line, one number a line.
func (w *Writer) moves(g *Game, start *movegen.Position) error {
	if c := clean(g.Comment); c != "" {
		fmt.Fprintf(w.w, "{%s}\n", c)
	}
	p := *start
	for i, m := range g.Moves {
		if !p.IsLegal(m) {
			return fmt.Errorf("ply %d: %s is not legal in %s", i+1, m, p.FEN())
		}
		w.line = w.line[:0]
		if p.Side() == movegen.Red {
			w.line = fmt.Appendf(w.line, "%d. ", p.FullMove())
		} else if i == 0 {
			w.line = fmt.Appendf(w.line, "%d. ... ", p.FullMove())
		}
		w.line = w.appendMove(w.line, &p, m, g.Notes, i)
		end := byte('\n')
		if p.Side() == movegen.Black && i+1 < len(g.Moves) { // the side to move now
			end = ' '
		}
		w.line = append(w.line, end)
		if _, err := w.w.Write(w.line); err != nil {
			return err
		}
	}
	return nil
}

// appendMove writes a move with its notes and plays it.
func (w *Writer) appendMove(b []byte, p *movegen.Position, m movegen.Move, notes []Note, i int) []byte {
	before := *p
	b = notation.Append(b, p, m, w.style)
	var u movegen.Undo
	p.Make(m, &u)
	if i >= len(notes) {
		return b
	}
	n := &notes[i]
	for _, nag := range n.NAGs {
		b = fmt.Appendf(b, " $%d", nag)
	}
	if c := n.text(); c != "" {
		b = fmt.Appendf(b, " {%s}", c)
	}
	for _, v := range n.Variations {
		b = append(b, " ("...)
		b = w.appendLine(b, &before, v)
		b = append(b, ')')
	}
	return b
}

// appendLine writes a variation.
func (w *Writer) appendLine(b []byte, start *movegen.Position, l Line) []byte {
	p := *start
	if c := clean(l.Comment); c != "" {
		b = fmt.Appendf(b, "{%s} ", c)
	}
	for i, m := range l.Moves {
		if i > 0 {
			b = append(b, ' ')
		}
		if p.Side() == movegen.Red {
			b = fmt.Appendf(b, "%d. ", p.FullMove())
		} else if i == 0 {
			b = fmt.Appendf(b, "%d. ... ", p.FullMove())
		}
		b = w.appendMove(b, &p, m, l.Notes, i)
	}
	return b
}

// text returns the content of a move's braces.
func (n *Note) text() string {
	comment := clean(n.Comment)
	if n.Eval == (Eval{}) {
		return comment
	}
	b := n.Eval.append(nil)
	if comment != "" {
		b = append(append(b, ", "...), comment...)
	}
	return string(b)
}

// clean makes a text fit for braces.
func clean(comment string) string {
	return strings.TrimSpace(unbraced.Replace(comment))
}
