package tuner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
)

// Quiet says what is done about captures that hang over a position.
type Quiet string

// What is done.
const (
	Anything Quiet = ""        // nothing
	Static   Quiet = "static"  // only positions in which no capture gains anything
	Resolve  Quiet = "resolve" // the position at the end of the best captures is taken
)

// Extraction says which positions of stored games become samples, and of what evaluation.
type Extraction struct {
	Positions results.PositionFilter
	Quiet     Quiet
	Weights   *eval.Weights // that captures are judged with; with Quiet the side to move must not be in check
	// Evaluation returns an evaluation for one goroutine; By tells it from others, weights
	// that it depends on included.
	Evaluation func() Evaluation
	By         string

	Threads  int             // 0 for all cores; changes nothing but the time
	Progress func(Extracted) // may be nil; called from one goroutine
}

// Extracted is how far an extraction is.
type Extracted struct {
	Games     int // gone through
	Of        int
	Positions int
	Damaged   int   // games that could not be read or replayed, and were left out
	Damage    error // the first of them
}

// extractVersion is part of every key: it changes when the same inputs give other samples.
const extractVersion = 3

// Inputs returns what decides about the dataset, as JSON, its hash, and the number of games.
func (x *Extraction) Inputs(ctx context.Context, db *results.Store) (inputs []byte, key string, games int, err error) {
	switch x.Quiet {
	case Anything:
	case Static, Resolve:
		if !x.Positions.NotInCheck {
			return nil, "", 0, fmt.Errorf("quiet=%s is for positions without check: leave those in check out", x.Quiet)
		}
	default:
		return nil, "", 0, fmt.Errorf("quiet %q, want static, resolve or nothing", x.Quiet)
	}
	games, digest, err := db.Digest(ctx, x.Positions.Games())
	if err != nil {
		return nil, "", 0, err
	}
	in := struct {
		Version    int
		Games      int
		Digest     string // of the games
		Filter     results.PositionFilter
		Quiet      Quiet  `json:",omitempty"`
		Weights    string `json:",omitempty"` // that captures are judged with
		Evaluation string
		Features   string // hash of their names
	}{extractVersion, games, digest, x.Positions, x.Quiet, "", x.By, hashOf(x.Evaluation().Names())}
	if x.Quiet != Anything {
		in.Weights = x.Weights.Hash()
	}
	if inputs, err = json.Marshal(in); err != nil {
		return nil, "", 0, err
	}
	sum := sha256.Sum256(inputs)
	return inputs, hex.EncodeToString(sum[:]), games, nil
}

func hashOf(names []string) string {
	h := sha256.New()
	for _, n := range names {
		fmt.Fprintln(h, n)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// DatasetDir returns the folder of the datasets of the database at path.
func DatasetDir(path string) string { return path + ".datasets" }

// staleAfter is how long a file that is being written may lie untouched.
const staleAfter = time.Hour

// Dataset returns the samples of the games in db, which it extracts unless the file in dir
// is there already. The same games and filter give the same file, whatever the number of
// threads; an extraction that is interrupted leaves nothing of that name.
func (x *Extraction) Dataset(ctx context.Context, db *results.Store, dir string) (*Dataset, Extracted, error) {
	inputs, key, games, err := x.Inputs(ctx, db)
	if err != nil {
		return nil, Extracted{}, err
	}
	path := filepath.Join(dir, key[:32]+".samples")
	if d, err := Open(path); err == nil && d.Key == key {
		return d, Extracted{Games: games, Of: games, Positions: d.Positions()}, nil
	} else if err == nil {
		_ = d.Close()
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, Extracted{}, fmt.Errorf("datasets: %w", err)
	}
	sweep(dir)
	w, err := Create(path, Info{Key: key, Inputs: inputs, Features: x.Evaluation().Names()})
	if err != nil {
		return nil, Extracted{}, err
	}
	r := &extraction{Extraction: x, w: w, made: Extracted{Of: games}}
	err = r.run(ctx, db)
	if err == nil && r.made.Games != games {
		err = fmt.Errorf("datasets: %d games were there at first, %d in the end: finish the runs that go on, or leave them out", games, r.made.Games)
	}
	if err != nil {
		return nil, r.made, errors.Join(err, w.Abort())
	}
	if err := w.Close(); err != nil {
		return nil, r.made, err
	}
	d, err := Open(path)
	return d, r.made, err
}

// sweep removes what killed extractions left.
func sweep(dir string) {
	parts, _ := filepath.Glob(filepath.Join(dir, "*.part")) // the pattern is right
	for _, p := range parts {
		if info, err := os.Stat(p); err == nil && time.Since(info.ModTime()) > staleAfter {
			_ = os.Remove(p)
		}
	}
}

// extraction is one under way: games are read in order, gone through in batches by several
// goroutines, and written in order. Distinct needs the batches in order between the two
// steps of a batch, which is cheap.
type extraction struct {
	*Extraction
	w    *Writer
	made Extracted
	free chan []Game // that were written, to be filled again
}

// batchGames is how many games a goroutine takes at once.
const batchGames = 16

// batch is some games in order, and what comes of them.
type batch struct {
	games  []*results.Game
	errs   []error // of reading, picking or extracting, by game
	chosen [][]results.Candidate
	pairs  []string
	out    []Game
	picked chan struct{}
	done   chan struct{}
}

// run reads, picks, extracts and writes.
func (x *extraction) run(ctx context.Context, db *results.Store) error {
	threads := x.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	g, ctx := errgroup.WithContext(ctx)
	x.free = make(chan []Game, 4*threads)
	work := make(chan func(*hand), 2*threads)
	picking, writing := make(chan *batch, 2*threads), make(chan *batch, 2*threads)
	var givers sync.WaitGroup // of work
	givers.Add(2)
	g.Go(func() error { defer givers.Done(); defer close(picking); return x.read(ctx, db, work, picking) })
	g.Go(func() error { defer givers.Done(); defer close(writing); return x.order(ctx, work, picking, writing) })
	g.Go(func() error { givers.Wait(); close(work); return nil })
	g.Go(func() error { return x.write(ctx, writing) })
	for range threads {
		g.Go(func() error {
			h := x.newHand()
			for do := range work {
				do(h)
			}
			return nil
		})
	}
	return g.Wait()
}

// send sends unless ctx ends.
func send[T any](ctx context.Context, to chan<- T, v T) error {
	select {
	case to <- v:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func wait(ctx context.Context, c <-chan struct{}) error {
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// read fills batches and has their positions picked.
func (x *extraction) read(ctx context.Context, db *results.Store, work chan<- func(*hand), picking chan<- *batch) error {
	b := newBatch()
	hand := func() error {
		full := b
		b = newBatch()
		if err := send(ctx, work, func(h *hand) { h.pick(full); close(full.picked) }); err != nil {
			return err
		}
		return send(ctx, picking, full)
	}
	for g, err := range db.Games(ctx, x.Positions.Games()) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil && !errors.Is(err, results.ErrBlob) {
			return err
		}
		b.games, b.errs = append(b.games, g), append(b.errs, err)
		if len(b.games) == batchGames {
			if err := hand(); err != nil {
				return err
			}
		}
	}
	return hand()
}

func newBatch() *batch { return &batch{picked: make(chan struct{}), done: make(chan struct{})} }

// order drops what earlier games had, and has the rest extracted.
func (x *extraction) order(ctx context.Context, work chan<- func(*hand), picking <-chan *batch, writing chan<- *batch) error {
	met := results.Met{}
	for b := range picking {
		if err := wait(ctx, b.picked); err != nil {
			return err
		}
		if x.Positions.Distinct {
			for i := range b.chosen {
				b.chosen[i] = met.Drop(b.chosen[i])
			}
		}
		if err := send(ctx, work, func(h *hand) { h.extract(b); close(b.done) }); err != nil {
			return err
		}
		if err := send(ctx, writing, b); err != nil {
			return err
		}
	}
	return nil
}

// write puts the games into the file.
func (x *extraction) write(ctx context.Context, writing <-chan *batch) error {
	for b := range writing {
		if err := wait(ctx, b.done); err != nil {
			return err
		}
		for i := range b.games {
			x.made.Games++
			if err := b.errs[i]; err != nil {
				if x.made.Damaged++; x.made.Damage == nil {
					x.made.Damage = err
				}
				continue
			}
			if err := x.w.Put(&b.out[i]); err != nil {
				return err
			}
			x.made.Positions += b.out[i].Len()
		}
		select {
		case x.free <- b.out:
		default:
		}
		if x.Progress != nil {
			x.Progress(x.made)
		}
	}
	return nil
}

// hand is what one goroutine works with.
type hand struct {
	x      *extraction
	picker *results.Picker
	eval   Evaluation
	quiet  *quiescer // nil when nothing is done about captures
	sample Sample
	leaves map[uint64]struct{} // of one game
	stack  []movegen.Position
}

func (x *extraction) newHand() *hand {
	h := &hand{x: x, picker: results.NewPicker(x.Positions), eval: x.Evaluation(), leaves: map[uint64]struct{}{}}
	if x.Quiet != Anything {
		h.quiet = newQuiescer(x.Weights)
	}
	return h
}

// pick lists the candidates of each game.
func (h *hand) pick(b *batch) {
	n := len(b.games)
	b.chosen, b.pairs = make([][]results.Candidate, n), make([]string, n)
	select {
	case out := <-h.x.free:
		b.out = out[:n]
	default:
		b.out = make([]Game, batchGames)[:n]
	}
	for i, g := range b.games {
		if b.errs[i] != nil {
			continue
		}
		var list []results.Candidate
		if list, b.errs[i] = h.picker.Pick(g); b.errs[i] == nil {
			b.chosen[i], b.pairs[i] = append([]results.Candidate(nil), list...), h.picker.Opening()
		}
	}
}

// extract draws from the candidates and turns them into samples.
func (h *hand) extract(b *batch) {
	for i, g := range b.games {
		if b.errs[i] == nil {
			b.errs[i] = h.game(g, b.chosen[i], b.pairs[i], &b.out[i])
		}
	}
}

// game fills out with the samples of a game.
func (h *hand) game(g *results.Game, chosen []results.Candidate, pair string, out *Game) error {
	out.Reset(pair)
	points, ok := Points(g.Result)
	if !ok || len(chosen) == 0 {
		return nil
	}
	f := &h.x.Positions
	drawn := h.x.Quiet == Static && f.PerGame > 0 && len(chosen) > f.PerGame
	if drawn {
		chosen = h.drawQuiet(g, chosen)
	} else {
		chosen = f.Sample(g, chosen)
	}
	clear(h.leaves)
	var failed error
	h.replay(g, chosen, func(c results.Candidate, p *movegen.Position) {
		switch h.x.Quiet {
		case Static:
			if !drawn && !h.quiet.quiet(p) {
				return
			}
		case Resolve:
			if p = h.leaf(p); p == nil {
				return
			}
		}
		h.sample.Result, h.sample.Score = points, g.Plies[c.Ply].Score
		if err := h.add(out, p); err != nil && failed == nil {
			failed = fmt.Errorf("%s, ply %d: %w", g.GameKey, c.Ply, err)
		}
	})
	return failed
}

// add appends a position to a game; result and score are those of h.sample.
func (h *hand) add(out *Game, p *movegen.Position) error {
	if o, ok := h.eval.(own); ok { // the short way to the same record
		o.e.Evaluate(p, o.t)
		h.sample.setFactors(o.t)
		return out.addTrace(&h.sample, o.t.Coef[:])
	}
	h.eval.Extract(p, &h.sample)
	return out.Add(&h.sample)
}

// leaf returns the end of the best captures, nil when the game had it or it is in check.
func (h *hand) leaf(p *movegen.Position) *movegen.Position {
	end := *p
	h.quiet.resolve(&end)
	n := len(h.leaves)
	h.leaves[end.Key()] = struct{}{}
	if len(h.leaves) == n || end.InCheck() {
		return nil
	}
	return &end
}

// replay calls f with each of a game's candidates, in the order of the plies.
func (h *hand) replay(g *results.Game, chosen []results.Candidate, f func(results.Candidate, *movegen.Position)) {
	start, err := movegen.ParseFENLenient(g.Opening)
	if err != nil {
		panic("tuner: a game that was replayed cannot be: " + err.Error())
	}
	var u movegen.Undo
	ply := 0
	for _, c := range chosen {
		for ; ply < c.Ply; ply++ {
			start.Make(g.Plies[ply].Move, &u)
		}
		f(c, start)
	}
}

// drawQuiet draws until PerGame of the drawn positions are quiet.
func (h *hand) drawQuiet(g *results.Game, chosen []results.Candidate) []results.Candidate {
	h.stack = h.stack[:0]
	at := make(map[int]int, len(chosen)) // place in the stack by ply
	h.replay(g, chosen, func(c results.Candidate, p *movegen.Position) {
		at[c.Ply] = len(h.stack)
		h.stack = append(h.stack, *p)
	})
	f := &h.x.Positions
	f.Shuffle(g, chosen)
	n := 0
	for _, c := range chosen {
		if n == f.PerGame {
			break
		}
		if h.quiet.quiet(&h.stack[at[c.Ply]]) {
			chosen[n] = c
			n++
		}
	}
	results.SortByPly(chosen[:n])
	return chosen[:n]
}
