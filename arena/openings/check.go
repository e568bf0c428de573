package openings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/pgn"
	"github.com/xqlab/xqlab/movegen/referee"
	"golang.org/x/sync/errgroup"
)

// Checker checks a book's file.
type Checker struct {
	Rules   *referee.Rules // by which a game may be over
	Window  *Window        // scores outside are faults; nil checks no scores
	Judge   Judge          // for Window; called by several goroutines at a time
	Workers int            // judgements at a time, at least 1
	Plies   int            // PGN games are cut to it, 0 for whole ones
	// Progress, if not nil, is called with the number of positions judged.
	Progress func(judged, of int)
}

// Findings are what a Checker found. Every line that is not good has one fault, the first
// of this order.
type Findings struct {
	Good       int
	Broken     int    // not readable, or an illegal move
	Over       int    // the game is over
	Repeated   int    // the last position has occurred before in the line
	Duplicates int    // the position of an earlier line
	Outside    int    // the score is outside the window
	Mirrored   int    // good, but the mirror image of an earlier line
	Spread     Spread // of the lines without a fault but for their score
	Faults     []Fault
}

// Fault is what is wrong with a line.
type Fault struct {
	Line int
	Err  error
}

// String returns one line.
func (f Fault) String() string { return fmt.Sprintf("line %d: %v", f.Line, f.Err) }

// OK reports whether no fault was found.
func (f *Findings) OK() bool { return f.Bad() == 0 }

// Bad returns the number of lines with a fault.
func (f *Findings) Bad() int { return f.Broken + f.Over + f.Repeated + f.Duplicates + f.Outside }

// String returns a line for people.
func (f *Findings) String() string {
	return fmt.Sprintf("%d good, %d broken, %d over, %d in a repetition, %d duplicates, %d outside the window; %d mirror images",
		f.Good, f.Broken, f.Over, f.Repeated, f.Duplicates, f.Outside, f.Mirrored)
}

// maxFaults bounds Findings.Faults; further ones are only counted.
const maxFaults = 1000

// Check checks the file, EPD or PGN, or the embedded book of that name. The error is of
// reading or judging; what is wrong with lines is in the Findings.
func (c Checker) Check(ctx context.Context, book string) (*Findings, error) {
	f, err := openBook(book)
	if err != nil {
		return nil, fmt.Errorf("openings: %w", err)
	}
	defer f.Close()
	r, err := pgn.Unpack(f)
	if err != nil {
		return nil, fmt.Errorf("openings %s: %w", book, err)
	}
	k := &checking{Checker: c, seen: map[uint64]int{}, mirrors: map[uint64]bool{}}
	if err := k.read(r); err != nil {
		return nil, fmt.Errorf("openings %s: %w", book, err)
	}
	if err := k.judge(ctx); err != nil {
		return nil, fmt.Errorf("openings %s: %w", book, err)
	}
	return &k.found, nil
}

type checking struct {
	Checker
	found   Findings
	seen    map[uint64]int  // position → line
	mirrors map[uint64]bool // pairKey
	good    []standing
}

// standing is a position to be judged.
type standing struct {
	line int
	fen  string
}

func (k *checking) fault(count *int, line int, err error) {
	*count++
	if len(k.found.Faults) < maxFaults {
		k.found.Faults = append(k.found.Faults, Fault{line, err})
	}
}

func (k *checking) read(r io.Reader) error {
	return forEachOpening(r, k.Plies, func(line int, o Opening, end *movegen.Position, err error) {
		if err != nil {
			k.fault(&k.found.Broken, line, err)
			return
		}
		if over, err := k.isOver(&o); over {
			k.fault(&k.found.Over, line, err)
			return
		}
		if o.repeats() {
			k.fault(&k.found.Repeated, line, errors.New("the position has occurred before in the line"))
			return
		}
		if first, dup := k.seen[end.Key()]; dup {
			k.fault(&k.found.Duplicates, line, fmt.Errorf("the same position as line %d", first))
			return
		}
		k.seen[end.Key()] = line
		if key := pairKey(end); k.mirrors[key] {
			k.found.Mirrored++
		} else {
			k.mirrors[key] = true
		}
		k.found.Good++
		k.found.Spread.add(end)
		if k.Window != nil {
			k.good = append(k.good, standing{line, end.FEN()})
		}
	})
}

// isOver reports whether the referee ends the game within the line.
func (k *checking) isOver(o *Opening) (bool, error) {
	start, err := movegen.ParseFEN(o.FEN)
	if err != nil {
		return true, err
	}
	g := referee.NewGame(start, k.Rules)
	for _, m := range o.Moves {
		if g.Verdict().Status != referee.Ongoing {
			break
		}
		if _, err := g.Play(m); err != nil {
			return true, err
		}
	}
	if v := g.Verdict(); v.Status != referee.Ongoing {
		return true, fmt.Errorf("the game is over (%s)", v.Reason)
	}
	return false, nil
}

// repeats reports whether the last position occurs earlier in the line.
func (o *Opening) repeats() bool {
	p, err := movegen.ParseFEN(o.FEN)
	if err != nil {
		return false
	}
	keys := []uint64{p.Key()}
	for _, m := range o.Moves {
		var u movegen.Undo
		p.Make(m, &u)
		keys = append(keys, p.Key())
	}
	return slices.Contains(keys[:len(keys)-1], p.Key())
}

// judgeBatch is how many positions are judged between two calls of Progress.
const judgeBatch = 256

// judge finds the scores outside the window.
func (k *checking) judge(ctx context.Context) error {
	for done := 0; done < len(k.good); {
		batch := k.good[done:min(done+judgeBatch, len(k.good))]
		scores := make([]int, len(batch))
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(max(k.Workers, 1))
		for i, s := range batch {
			g.Go(func() error {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				p, err := movegen.ParseFEN(s.fen)
				if err == nil {
					scores[i], err = k.Judge(p)
				}
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for i, s := range batch {
			if !k.Window.Contains(scores[i]) {
				k.found.Good--
				k.fault(&k.found.Outside, s.line, fmt.Errorf("the score is %d centipawns for Red, outside %s", scores[i], k.Window))
			}
		}
		if done += len(batch); k.Progress != nil {
			k.Progress(done, len(k.good))
		}
	}
	return nil
}
