package openings

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/pgn"
	"golang.org/x/sync/errgroup"
)

// Maker makes a book: it goes through candidates in a fixed order, random lines or those of
// another book, and keeps the first N distinct positions whose score is inside the
// window. A position and its mirror image are the same. The book depends on what is given
// here except Workers; being stopped and started again changes nothing.
type Maker struct {
	Seed     uint64 // of the random lines
	Plies    int    // length of the random lines
	MaxPlies int    // if above Plies, each line's length is drawn from Plies to it
	From     *Book  // its openings, in the file's order, instead of random lines
	Window   Window
	N        int    // openings wanted
	Judge    Judge  // called by several goroutines at a time; of positions outside the window it may say any score outside
	By       string // what judges, so that a book is not gone on with by another judge
	Workers  int    // judgements at a time, at least 1
	// Progress, if not nil, is called after each batch.
	Progress func(Making)
}

// Making tells how far a book is.
type Making struct {
	Made, Wanted int
	Tried        uint64 // candidates gone through
	Resumed      int    // openings that an earlier, interrupted making had found
}

// String returns a line for people.
func (m Making) String() string {
	return fmt.Sprintf("%d of %d openings from %d candidates", m.Made, m.Wanted, m.Tried)
}

// Make writes the book to path as EPD, gzipped if the name ends in .gz: each line a
// position with its score (ce, from the side to move's view as EPD has it). While it is
// being made it is in path+".part", where each line has its candidate's number too, from
// which a later call goes on. When the candidates run out, the book is smaller than N. A
// file that is there already is an error.
func (m Maker) Make(ctx context.Context, path string) (Making, error) {
	k := &making{Maker: m, seen: map[uint64]bool{}}
	k.state.Wanted = m.N
	if m.Window.Low > m.Window.High || m.N < 1 || m.Judge == nil || m.From == nil && m.Plies < 1 {
		return k.state, errors.New("book: a window, a number of openings, a judge, and plies or lines are needed")
	}
	part := path + ".part"
	if _, err := os.Lstat(path); err == nil {
		return k.state, fmt.Errorf("book %s: there is such a file already; a book is made beside it under another name, or in its place when it is removed", path)
	}
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return k.state, fmt.Errorf("book: %w", err)
	}
	defer f.Close()
	if err := k.resume(f); err != nil {
		return k.state, fmt.Errorf("book %s: %w", part, err)
	}
	if err := k.run(ctx, f); err != nil && ctx.Err() != nil {
		return k.state, fmt.Errorf("book %s: %s: %w", part, k.state, context.Cause(ctx))
	} else if err != nil {
		return k.state, fmt.Errorf("book %s: %w", part, err)
	}
	if k.state.Made == 0 {
		return k.state, fmt.Errorf("book: none of %d candidates has a score inside %s", k.state.Tried, m.Window)
	}
	return k.state, k.finish(f, path)
}

// making is a book being made.
type making struct {
	Maker
	state Making
	seen  map[uint64]bool // candidates met
	dull  int             // candidates in a row that were met before
}

// header is the part file's first line: what the book depends on.
func (k *making) header() string {
	source := fmt.Sprintf("seed=%d plies=%d", k.Seed, k.Plies)
	if k.MaxPlies > k.Plies {
		source += fmt.Sprintf("..%d", k.MaxPlies)
	}
	if k.From != nil {
		source = "lines=" + k.From.Digest()
	}
	return fmt.Sprintf("# xqlab book %s window=%s n=%d by=%s", source, k.Window, k.N, strings.Join(strings.Fields(k.By), "_"))
}

// resume reads what an earlier making left and sets the file's position behind it. A last
// line that was cut off is written anew.
func (k *making) resume(f *os.File) error {
	r := bufio.NewReader(f)
	first, err := r.ReadString('\n')
	if err != nil { // an empty file, or one that was cut off in its first line
		if err := f.Truncate(0); err != nil {
			return err
		}
		return k.writeAt(f, 0, k.header()+"\n")
	}
	if first = strings.TrimSuffix(first, "\n"); first != k.header() {
		return fmt.Errorf("it was begun as %q, not as %q; remove it or use the same settings", first, k.header())
	}
	end := int64(len(first)) + 1
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		number, err := lineNumber(line)
		if err != nil {
			return err
		}
		if err := k.replay(number); err != nil {
			return err
		}
		k.state.Made++
		end += int64(len(line))
	}
	k.state.Resumed = k.state.Made
	return k.writeAt(f, end, "")
}

// writeAt cuts the file at end, writes the text there, and leaves the position behind it.
func (k *making) writeAt(f *os.File, end int64, text string) error {
	if err := f.Truncate(end); err != nil {
		return err
	}
	if _, err := f.Seek(end, io.SeekStart); err != nil {
		return err
	}
	_, err := f.WriteString(text)
	return err
}

// lineNumber returns the candidate's number of a line.
func lineNumber(line string) (uint64, error) {
	e, err := pgn.ParseEPD(strings.TrimSpace(line))
	if err != nil {
		return 0, err
	}
	number, err := strconv.ParseUint(e.Op("id"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("line %q has no candidate's number", strings.TrimSpace(line))
	}
	return number, nil
}

// replay meets the candidates up to number without judging them.
func (k *making) replay(number uint64) error {
	for k.state.Tried <= number {
		if _, ok, more := k.next(); !more || !ok && k.state.Tried > number {
			return fmt.Errorf("candidate %d is not one of this book's", number)
		}
	}
	return nil
}

// next goes to the next candidate. It is not ok when the game is over in it or its position was met
// before; there are no more when the lines end or nothing new turns up.
func (k *making) next() (c candidate, ok, more bool) {
	number := k.state.Tried
	if k.From != nil {
		if number >= uint64(k.From.Len()) {
			return c, false, false
		}
		c, ok = k.From.candidate(int(number))
	} else {
		c, ok = randomCandidate(k.Seed, number, k.length(number))
	}
	k.state.Tried++
	if ok = ok && !k.seen[c.key]; !ok {
		k.dull++
		return c, false, k.From != nil || k.dull < maxTries
	}
	k.dull = 0
	k.seen[c.key] = true
	return c, true, true
}

// length returns the plies of a random line.
func (k *making) length(number uint64) int {
	if k.MaxPlies <= k.Plies {
		return k.Plies
	}
	r := rng(mix(^k.Seed, number)) // not the sequence that the line's moves are drawn from
	return k.Plies + r.below(k.MaxPlies-k.Plies+1)
}

// candidate returns line i of the file as a candidate.
func (b *Book) candidate(i int) (candidate, bool) {
	o := decodeRecord(b.store.get(i))
	p, err := o.end()
	if err != nil {
		panic("openings: a stored line is no position: " + err.Error())
	}
	return candidate{moves: o.Moves, end: *p, key: pairKey(p)}, p.HasLegal()
}

// judged is a candidate with its number and Red's score.
type judged struct {
	candidate
	number uint64
	score  int
}

// run makes the openings that are missing.
func (k *making) run(ctx context.Context, f *os.File) error {
	found := k.state.Tried // when the last was found
	for more := true; more && k.state.Made < k.N; {
		if barren := k.state.Tried - found; barren > mostBarren {
			return fmt.Errorf("%s: none of the last %d has a score inside %s; a wider window or other plies would help", k.state, barren, k.Window)
		}
		var batch []judged
		batch, more = k.batch()
		if err := judgeAll(ctx, k.Judge, k.Workers, batch); err != nil {
			return err
		}
		var text strings.Builder
		for i := range batch {
			if c := &batch[i]; k.state.Made < k.N && k.Window.Contains(c.score) {
				text.WriteString(c.line())
				k.state.Made++
				found = k.state.Tried
			}
		}
		if _, err := f.WriteString(text.String()); err != nil {
			return err
		}
		if k.Progress != nil {
			k.Progress(k.state)
		}
	}
	return nil
}

// mostBarren is how many candidates in a row may give no opening.
const mostBarren = 500_000

// batch returns the next candidates that are worth judging.
func (k *making) batch() (batch []judged, more bool) {
	for len(batch) < 32*max(k.Workers, 1) {
		number := k.state.Tried
		c, ok, more := k.next()
		if !more {
			return batch, false
		}
		if ok {
			batch = append(batch, judged{candidate: c, number: number})
		}
	}
	return batch, true
}

// judgeAll scores the candidates, several at a time.
func judgeAll(ctx context.Context, judge Judge, workers int, batch []judged) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(workers, 1))
	for i := range batch {
		g.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			c := &batch[i]
			position := c.end
			score, err := judge(&position)
			if err != nil {
				return fmt.Errorf("judging %s: %w", c.end.FEN(), err)
			}
			c.score = score
			return nil
		})
	}
	return g.Wait()
}

// numberOp begins the operation with the candidate's number in a part file.
const numberOp = ` id "`

// line returns the candidate's line in the part file.
func (c *judged) line() string {
	score := c.score
	if c.end.Side() == movegen.Black {
		score = -score
	}
	return fmt.Sprintf("%s ce %d;%s%d\";\n", c.end.FEN(), score, numberOp, c.number)
}

// finish copies the part file without its header and the numbers to path and removes it.
func (k *making) finish(f *os.File, path string) error {
	if _, err := f.Seek(int64(len(k.header()))+1, io.SeekStart); err != nil {
		return err
	}
	temp := path + ".new"
	if err := writeBook(temp, f, strings.HasSuffix(path, ".gz")); err != nil {
		return fmt.Errorf("book: %w", err)
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("book: %w", err)
	}
	return os.Remove(f.Name())
}

// writeBook writes the lines of a part file to a new file and makes it durable.
func writeBook(path string, r io.Reader, zip bool) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if !zip {
		err = copyLines(out, r)
	} else {
		z, _ := gzip.NewWriterLevel(out, gzip.BestCompression) // the level is valid
		err = errors.Join(copyLines(z, r), z.Close())
	}
	return errors.Join(err, out.Sync())
}

// copyLines copies the lines of a part file without the numbers.
func copyLines(w io.Writer, r io.Reader) error {
	b := bufio.NewWriter(w)
	for lines := bufio.NewScanner(r); ; {
		if !lines.Scan() {
			return errors.Join(lines.Err(), b.Flush())
		}
		line, _, _ := strings.Cut(lines.Text(), numberOp)
		b.WriteString(line)
		b.WriteByte('\n')
	}
}
