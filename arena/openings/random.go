package openings

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/xqlab/xqlab/movegen"
)

// maxTries bounds the candidates looked at for one random opening. When none of them is
// new, or none is inside the window, the openings have run out.
const maxTries = 20000

// flyer makes random openings. They are made in the order of their number, each different
// from all before it (mirror images are the same), and remembered. Nothing but the seed
// decides about them; a run that goes on may bring the ones it has to save their judging.
type flyer struct {
	seed   uint64
	plies  int
	window *Window
	judge  Judge

	mu    sync.Mutex
	known [][]movegen.Move // the first openings, made by an earlier flyer of the same kind
	made  []Opening
	seen  map[uint64]bool // candidates met, accepted or not
	next  uint64          // the next candidate
	idle  int             // candidates since the last opening
	err   error           // of judging; no more is made then
}

func newFlyer(s *Spec, seed uint64, o *Options) *flyer {
	return &flyer{seed: seed, plies: s.Plies, window: s.Window, judge: o.Judge, known: o.Made, seen: map[uint64]bool{}}
}

func (f *flyer) opening(k int) (Opening, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.made) <= k && !f.closed() && f.err == nil {
		f.err = f.add()
	}
	switch {
	case k < len(f.made):
		return f.made[k], nil
	case f.err != nil:
		return Opening{}, f.err
	case len(f.made) == 0:
		return Opening{}, fmt.Errorf("openings: no position after %d random plies has a score inside %s; a wider eval= or more plies= would", f.plies, f.window)
	}
	return f.made[k%len(f.made)], nil
}

func (f *flyer) repeats(k int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed() && k >= len(f.made)
}

// closed reports whether no further distinct opening is to be found.
func (f *flyer) closed() bool { return f.idle >= maxTries }

// add goes through some more candidates. Their judging, the expensive part, goes on in
// parallel; they are accepted in their order, so that the number of processors changes
// nothing.
func (f *flyer) add() error {
	batch := make([]judged, 0, runtime.GOMAXPROCS(0))
	judging := f.window != nil && len(f.made) >= len(f.known)
	for len(batch) < cap(batch) && !f.closed() {
		number := f.next
		c, ok := randomCandidate(f.seed, number, f.plies)
		f.next++
		f.idle++
		if !ok || f.seen[c.key] {
			continue
		}
		f.seen[c.key] = true
		batch = append(batch, judged{candidate: c, number: number})
		if !judging {
			break // one at a time costs nothing
		}
	}
	if judging {
		if err := judgeAll(context.Background(), f.judge, cap(batch), batch); err != nil {
			return fmt.Errorf("openings: %w", err)
		}
	}
	for i := range batch {
		if c := &batch[i]; f.accepts(c) {
			f.made = append(f.made, Opening{movegen.StartFEN, c.moves, fmt.Sprintf("random:%d", c.number)})
			f.idle = int(f.next - 1 - c.number)
		}
	}
	return nil
}

// accepts tells whether a candidate becomes the next opening: from what is known of it,
// else by its score.
func (f *flyer) accepts(c *judged) bool {
	if n := len(f.made); n < len(f.known) {
		return slices.Equal(c.moves, f.known[n])
	}
	return f.window == nil || f.window.Contains(c.score)
}

// candidate is a line that may become an opening.
type candidate struct {
	moves []movegen.Move
	end   movegen.Position
	key   uint64 // of end, the same for its mirror image
}

// randomCandidate plays random legal moves from the start position, by seed and number
// alone. It is not ok when the game ends.
func randomCandidate(seed, number uint64, plies int) (candidate, bool) {
	return randomLine(movegen.StartPosition(), seed, number, plies)
}

// RandomLine returns random legal moves from a position, which depend on seed and number
// alone. It is not ok when the game ends before or after plies of them.
func RandomLine(from *movegen.Position, seed, number uint64, plies int) ([]movegen.Move, bool) {
	c, ok := randomLine(from, seed, number, plies)
	return c.moves, ok
}

func randomLine(from *movegen.Position, seed, number uint64, plies int) (candidate, bool) {
	r := rng(mix(seed, number))
	c := candidate{moves: make([]movegen.Move, 0, plies), end: *from}
	var l movegen.MoveList
	var u movegen.Undo
	for range plies {
		l.Clear()
		c.end.Legal(&l)
		if l.Len() == 0 {
			return c, false
		}
		m := pick(&r, l.Slice())
		c.end.Make(m, &u)
		c.moves = append(c.moves, m)
	}
	c.key = pairKey(&c.end)
	return c, c.end.HasLegal()
}

// pick chooses a move by its rank among the sorted ones, so that the choice does not
// depend on the order in which the generator lists them.
func pick(r *rng, moves []movegen.Move) movegen.Move {
	n := r.below(len(moves))
	for _, m := range moves {
		below := 0
		for _, x := range moves {
			if x < m {
				below++
			}
		}
		if below == n {
			return m
		}
	}
	panic("openings: a move list holds a move twice")
}

// pairKey returns a key that a position shares with its mirror image only.
func pairKey(p *movegen.Position) uint64 {
	m := p.Mirror()
	return min(p.Key(), m.Key())
}
