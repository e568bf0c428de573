package openings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/pgn"
)

// Opening is the start of both games of a pair.
type Opening struct {
	FEN   string         // the position before Moves
	Moves []movegen.Move // played before the engines begin
	ID    string         // where it comes from: the line's id, or book:line
}

// Judge returns a position's score in centipawns from Red's view.
type Judge func(*movegen.Position) (int, error)

// Options is what opening a book needs besides its Spec.
type Options struct {
	Seed  uint64 // the run's, used when the Spec has none
	Judge Judge  // for a Spec with a Window; called by several goroutines at a time

	// Made are the moves of the random openings that the run has had, by the number of the
	// pair. It has the same ones again, whatever Judge says of them now.
	Made map[int][]movegen.Move
}

// Book gives each pair its opening. It is safe for concurrent use.
type Book struct {
	spec   Spec
	seed   uint64
	name   string
	store  *store // nil for random openings
	random *flyer

	// What reading the book met. Notes are the first of the lines skipped, each with its number and
	// why; further ones are only counted.
	Broken, Duplicates int
	Notes              []string
}

// maxNotes bounds Book.Notes.
const maxNotes = 20

// Open reads the book.
func (s Spec) Open(o Options) (*Book, error) {
	b := &Book{spec: s, seed: o.Seed, name: filepath.Base(s.Book), store: newStore()}
	if s.HasSeed {
		b.seed = s.Seed
	}
	if s.Book == Fly {
		if s.Window != nil && o.Judge == nil {
			return nil, errors.New("random openings with eval= need an evaluation")
		}
		b.store = nil
		var err error
		b.random, err = newFlyer(&s, b.seed, &o)
		return b, err
	}
	f, err := openBook(s.Book)
	if err != nil {
		return nil, fmt.Errorf("openings: %w", err)
	}
	defer f.Close()
	if err := b.unpack(f); err != nil {
		return nil, fmt.Errorf("openings %s: %w", s.Book, err)
	}
	if b.store.n == 0 {
		return nil, fmt.Errorf("openings %s: no usable line%s", s.Book, b.firstNote())
	}
	if s.Start > b.store.n {
		return nil, fmt.Errorf("openings %s: start=%d, but the book has %d openings", s.Book, s.Start, b.store.n)
	}
	return b, nil
}

func openBook(name string) (io.ReadCloser, error) {
	switch name {
	case Balanced, Unbalanced, Start:
		return openEmbedded(name)
	}
	f, err := pgn.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file, and no book of that name in the program; want a file, %s or %s", name, strings.Join(Embedded(), ", "), Fly)
	}
	return f, err
}

func (b *Book) firstNote() string {
	if len(b.Notes) == 0 {
		return ""
	}
	return "; " + b.Notes[0]
}

// Len returns the number of distinct openings, 0 when they are made on the fly.
func (b *Book) Len() int {
	if b.random != nil {
		return 0
	}
	return b.store.n
}

// Seed returns the seed in use.
func (b *Book) Seed() uint64 { return b.seed }

// Digest returns a hash (hexadecimal SHA-256) over the openings in the file's order, by which a run that
// goes on can see that the book is still the same. Random openings have none.
func (b *Book) Digest() string {
	if b.random != nil {
		return ""
	}
	return fmt.Sprintf("%x", b.store.hash.Sum(nil))
}

// Repeats reports whether pair k gets an opening that an earlier pair had: more pairs
// than openings make error bars look smaller than they are.
func (b *Book) Repeats(k int) bool {
	if b.random != nil {
		return b.random.repeats(k + b.spec.Start - 1)
	}
	return k >= b.store.n
}

// Opening returns the opening of pair k, from 0. Only making random openings can fail.
func (b *Book) Opening(k int) (Opening, error) {
	if k < 0 {
		return Opening{}, fmt.Errorf("pair %d; pairs count from 0", k)
	}
	if b.random != nil {
		return b.random.opening(k + b.spec.Start - 1)
	}
	n := b.store.n
	i, pass := (k%n+b.spec.Start-1)%n, k/n
	if b.spec.Order == Random {
		i = newPermutation(n, mix(b.seed, uint64(pass))).at(i)
	}
	return decodeRecord(b.store.get(i)), nil
}

func (b *Book) unpack(f io.Reader) error {
	r, err := pgn.Unpack(f)
	if err != nil {
		return err
	}
	return b.read(r)
}

// read fills the store.
func (b *Book) read(r io.Reader) error {
	seen := map[uint64]uint32{} // position → line
	err := forEachOpening(r, b.spec.Plies, func(line int, o Opening, end *movegen.Position, err error) {
		if err == nil && !end.HasLegal() {
			err = errOver
		}
		if err != nil {
			b.Broken++
			b.note("line %d skipped: %v", line, err)
			return
		}
		if first, dup := seen[end.Key()]; dup {
			b.Duplicates++
			b.note("line %d skipped: the same position as line %d", line, first)
			return
		}
		seen[end.Key()] = uint32(line)
		if o.ID == "" {
			o.ID = fmt.Sprintf("%s:%d", b.name, line)
		}
		b.store.add(o.record())
	})
	b.store.finish()
	return err
}

func (b *Book) note(format string, args ...any) {
	if len(b.Notes) < maxNotes {
		b.Notes = append(b.Notes, fmt.Sprintf(format, args...))
	}
}

// record encodes an opening as a line of three fields.
func (o Opening) record() []byte {
	var b bytes.Buffer
	b.WriteString(o.FEN)
	b.WriteByte('\t')
	for i, m := range o.Moves {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(m.String())
	}
	b.WriteByte('\t')
	b.WriteString(strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, o.ID))
	return b.Bytes()
}

// decodeRecord reads what record wrote.
func decodeRecord(record []byte) Opening {
	f := strings.SplitN(string(record), "\t", 3)
	o := Opening{FEN: f[0], ID: f[2]}
	for _, text := range strings.Fields(f[1]) {
		m, err := movegen.ParseMove(text)
		if err != nil {
			panic("openings: a stored move does not parse: " + err.Error())
		}
		o.Moves = append(o.Moves, m)
	}
	return o
}

var errOver = errors.New("the game is over in this position")

// forEachOpening calls f for each line of an EPD book, or game of a PGN book cut to plies
// (0 for whole games): with the opening and the position after its moves, or with an
// error.
func forEachOpening(r io.Reader, plies int, f func(line int, o Opening, end *movegen.Position, err error)) error {
	games, err := pgn.NewSource(r, pgn.AnyFormat, pgn.Options{})
	if err != nil {
		return err
	}
	for {
		g, err := games.Next()
		var bad *pgn.GameError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			f(bad.Line, Opening{}, nil, reason(bad))
			continue
		case err != nil:
			return err
		}
		if plies > 0 && len(g.Moves) > plies {
			g.Moves = g.Moves[:plies]
		}
		o := Opening{FEN: g.FEN, Moves: g.Moves, ID: g.Tags.Get(pgn.EPDID)}
		end, err := o.end()
		f(g.Line, o, end, err)
	}
}

// reason returns what is wrong with a game without its place in the file, which notes
// give by its line.
func reason(e *pgn.GameError) error {
	if e.Ply > 0 {
		return fmt.Errorf("move %s: %w", e.Move, e.Err)
	}
	return e.Err
}

// end returns the position after the moves.
func (o *Opening) end() (*movegen.Position, error) {
	p, err := movegen.ParseFEN(o.FEN)
	if err != nil {
		return nil, err
	}
	for _, m := range o.Moves {
		var u movegen.Undo
		p.Make(m, &u)
	}
	return p, nil
}
