package pgn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/notation"
)

// Format is a format of game files.
type Format uint8

// The formats. For reading all PGN is one: each move says what notation it is in.
const (
	AnyFormat Format = iota // found out from the content
	PGNICCS
	PGNUCI
	PGNWXF
	PGNChinese
	JSONL
	EPDFormat // for writing: the last position of each game
	XQF       // of XQStudio; this and those below are only read
	CBR       // of CCBridge, a game or a library of them (CBL)
	UBB       // DhtmlXQ, of dpxq.com and others
)

var formatNames = [...]string{"auto", "pgn-iccs", "pgn-uci", "pgn-wxf", "pgn-chinese", "jsonl", "epd", "xqf", "cbr", "ubb"}

// Written are the names of the formats that can be written, ReadOnly those of the others.
var (
	Written  = formatNames[PGNICCS:XQF]
	ReadOnly = formatNames[XQF:]
)

// String returns the name on the command line.
func (f Format) String() string { return formatNames[int(f)%len(formatNames)] }

// ParseFormat reads a name of the command line; "" and "auto" are AnyFormat.
func ParseFormat(name string) (Format, error) {
	if name == "" {
		return AnyFormat, nil
	}
	for i, known := range formatNames {
		if strings.EqualFold(name, known) {
			return Format(i), nil
		}
	}
	return AnyFormat, fmt.Errorf("format %q, want one of %s", name, strings.Join(formatNames[1:], ", "))
}

// Source gives games one by one, as Reader.Next does.
type Source interface {
	Next() (*Game, error)
}

// NewSource returns a source of the games in r, whose format is found out when it is
// AnyFormat.
func NewSource(r io.Reader, f Format, o Options) (Source, error) {
	o.Notes = o.Notes || o.Variations
	b := bufio.NewReaderSize(r, 64<<10)
	if f == AnyFormat {
		head, err := b.Peek(headSize)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if isSQLite(head) {
			return nil, errors.New("an SQLite database, not a file of games; databases of this program are joined by results merge, and books such as OBK hold hashes of positions, from which no games can be made")
		}
		f = guessFormat(head)
	}
	switch f {
	case XQF:
		return newXQFReader(b, o), nil
	case CBR:
		return newCBRReader(b, o), nil
	case UBB:
		return newUBBReader(b, o), nil
	case JSONL:
		return newJSONReader(b, o), nil
	case EPDFormat:
		return &epdReader{o: o, lines: NewLineReader(b, maxEPDLine)}, nil
	}
	return NewReader(b, o), nil
}

// headSize is how much of a file is looked at to find its format.
const headSize = 16 << 10

// isSQLite reports whether a file begins as a database does.
func isSQLite(head []byte) bool { return bytes.HasPrefix(head, []byte("SQLite format 3\x00")) }

// guessFormat looks at the first bytes and lines: a FEN makes an EPD file unless a tag is before it.
func guessFormat(head []byte) Format {
	switch {
	case isXQF(head):
		return XQF
	case bytes.HasPrefix(head, []byte(cbrMagic)), bytes.HasPrefix(head, []byte(cblMagic)):
		return CBR
	}
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		board, _, _ := bytes.Cut(line, []byte(" "))
		switch {
		case len(line) == 0 || line[0] == '#':
		case bytes.Contains(line, []byte(ubbOpen)):
			return UBB
		case line[0] == '{' && bytes.Contains(line, []byte(`":`)):
			return JSONL
		case line[0] == '[' || line[0] == '{':
			return PGNICCS
		case bytes.Count(board, []byte("/")) == movegen.Ranks-1:
			return EPDFormat
		}
	}
	return PGNICCS
}

// maxEPDLine bounds an EPD line, in bytes.
const maxEPDLine = 64 << 10

// EPDID is the tag with the id of an EPD line.
const EPDID = "EPDId"

// epdReader reads each line of an EPD file as a game, mostly one without moves.
type epdReader struct {
	o     Options
	lines *LineReader
	games int
}

// Next is Reader.Next for EPD.
func (r *epdReader) Next() (*Game, error) {
	for {
		raw, err := r.lines.Next()
		if err == io.EOF || err != nil && !errors.Is(err, ErrLongLine) {
			return nil, err
		}
		text := strings.TrimSpace(string(raw))
		if err == nil && (text == "" || text[0] == '#') {
			continue
		}
		r.games++
		g := &Game{Result: Unknown, Line: r.lines.Number()}
		var e EPD
		if err == nil {
			e, err = ParseEPD(text)
		}
		if err != nil {
			return g, &GameError{File: r.o.Name, Line: g.Line, Game: r.games, Err: err}
		}
		g.FEN, g.Moves = e.Position.FEN(), e.Moves
		if id := e.Op("id"); id != "" {
			g.Tags.Set(EPDID, id)
		}
		return g, nil
	}
}

// Sink takes games one by one.
type Sink interface {
	Write(*Game) error
	Flush() error
}

// SinkOptions says how to write.
type SinkOptions struct {
	Traditional bool // Chinese in traditional characters
	WideDigits  bool // Black's Chinese digits in full width
}

// NewSink returns a sink that writes the format to w.
func NewSink(w io.Writer, f Format, o SinkOptions) (Sink, error) {
	switch f {
	case PGNICCS:
		return NewWriter(w, notation.ICCS), nil
	case PGNUCI:
		return NewWriter(w, notation.Coordinates), nil
	case PGNWXF:
		return NewWriter(w, notation.WXF), nil
	case PGNChinese:
		style := notation.Chinese
		if o.Traditional {
			style = notation.Traditional
		}
		if o.WideDigits {
			style++
		}
		return NewWriter(w, style), nil
	case JSONL:
		return &jsonWriter{w: bufio.NewWriter(w)}, nil
	case EPDFormat:
		return &epdWriter{w: bufio.NewWriter(w)}, nil
	}
	return nil, fmt.Errorf("the format %s is not written; give one of %s", f, strings.Join(Written, ", "))
}

// epdWriter writes the last position of each game.
type epdWriter struct{ w *bufio.Writer }

// Write writes a line.
func (w *epdWriter) Write(g *Game) error {
	p, err := g.Start()
	if err != nil {
		return err
	}
	for _, m := range g.Moves {
		if !p.IsLegal(m) {
			return illegal(p, m)
		}
		var u movegen.Undo
		p.Make(m, &u)
	}
	_, err = fmt.Fprintln(w.w, p.FEN())
	return err
}

// Flush writes what is buffered.
func (w *epdWriter) Flush() error { return w.w.Flush() }

func illegal(p *movegen.Position, m movegen.Move) error {
	return notation.Diagnose(p, m.String(), notation.FromZero)
}

// Count is what a conversion did.
type Count struct {
	Games int // written
	Bad   int // not written, since they could not be read whole
}

// CopyFile writes every game of a file that can be read whole to the sink. The error is
// one line: of the first game that could not be read, with the number of others.
// WriteError is wrapped where the sink failed, after which there is no use in going on.
func CopyFile(to Sink, path string, f Format, o Options) (Count, error) {
	o.Name = path
	file, err := Open(path)
	if err != nil {
		return Count{}, err
	}
	defer file.Close()
	from, err := NewSource(file, f, o)
	if err != nil {
		return Count{}, fmt.Errorf("%s: %w", path, err)
	}
	return copyGames(to, from, path)
}

// ErrWrite is wrapped by CopyFile's error when the sink failed.
var ErrWrite = errors.New("writing")

func copyGames(to Sink, from Source, path string) (Count, error) {
	var n Count
	var first error
	for {
		g, err := from.Next()
		var bad *GameError
		switch {
		case err == io.EOF:
			return n, summary(n, first, path)
		case errors.As(err, &bad):
			if n.Bad++; first == nil {
				first = err
			}
			continue
		case err != nil:
			return n, fmt.Errorf("%s: %w", path, err)
		}
		if err := to.Write(g); err != nil {
			return n, fmt.Errorf("%w: %w", ErrWrite, err)
		}
		n.Games++
	}
}

func summary(n Count, first error, path string) error {
	switch {
	case n.Bad > 1:
		return fmt.Errorf("%w (and %d more of its %d games)", first, n.Bad-1, n.Games+n.Bad)
	case n.Games+n.Bad == 0:
		return fmt.Errorf("%s: %w", path, errNoGame)
	}
	return first
}

// Conversion is what xqlab convert does.
type Conversion struct {
	From Format
	To   Format
	Read Options
	Sink SinkOptions
}

// Run converts the files to out. For each that cannot be read whole report is called with
// one line; the others are converted all the same. The error is of writing, or of To.
func (c Conversion) Run(out io.Writer, paths []string, report func(error)) (Count, error) {
	var total Count
	to, err := NewSink(out, c.To, c.Sink)
	if err != nil {
		return total, err
	}
	switch c.To {
	case PGNICCS, PGNUCI, PGNWXF, PGNChinese:
		c.Read.Notes, c.Read.Variations = true, true
	}
	for _, path := range paths {
		n, err := CopyFile(to, path, c.From, c.Read)
		total.Games, total.Bad = total.Games+n.Games, total.Bad+n.Bad
		if errors.Is(err, ErrWrite) {
			return total, err
		}
		if err != nil {
			if n.Bad == 0 {
				total.Bad++ // the file itself
			}
			report(err)
		}
	}
	return total, to.Flush()
}
