package openings

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/xqlab/xqlab/movegen"
)

// maxTries bounds the candidates looked at for one random opening. When none of them is
// new, or none is inside the window, the openings have run out.
const maxTries = 20000

// flyer makes random openings. They are made in the order of their number, each different
// from all before it (mirror images are the same), and remembered. The seed and the judge
// decide about them, but for those that a run has had already: they stay what they were,
// also when the judge says something else now, and are not given to another number.
type flyer struct {
	seed   uint64
	plies  int
	window *Window
	judge  Judge
	known  map[int]candidate // by number: made by an earlier flyer with the same seed
	taken  map[uint64]bool   // the keys of known
	last   int               // highest number in known, −1 for none

	mu   sync.Mutex
	made []Opening
	seen map[uint64]bool // candidates met, accepted or not
	next uint64          // the next candidate
	idle int             // candidates since the last opening
	err  error           // of judging; no more is made then
}

func newFlyer(s *Spec, seed uint64, o *Options) (*flyer, error) {
	f := &flyer{seed: seed, plies: s.Plies, window: s.Window, judge: o.Judge,
		known: map[int]candidate{}, taken: map[uint64]bool{}, last: -1, seen: map[uint64]bool{}}
	for _, k := range slices.Sorted(maps.Keys(o.Made)) {
		moves := o.Made[k]
		c := candidate{moves: moves, end: *movegen.StartPosition()}
		var u movegen.Undo
		for _, m := range moves {
			if !c.end.IsLegal(m) {
				return nil, fmt.Errorf("openings: number %d that the run has had: %s is not legal", k+1, m)
			}
			c.end.Make(m, &u)
		}
		if c.key = pairKey(&c.end); f.taken[c.key] {
			continue // the openings had run out and were used again
		}
		n := k + s.Start - 1
		f.known[n], f.taken[c.key], f.last = c, true, max(f.last, n)
	}
	return f, nil
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

// add makes the next opening, or goes through some candidates for it. Their judging, the
// expensive part, goes on in parallel; they are accepted in their order, so that the
// number of processors changes nothing.
func (f *flyer) add() error {
	if c, ok := f.known[len(f.made)]; ok {
		return f.repeat(&c)
	}
	batch := make([]judged, 0, runtime.GOMAXPROCS(0))
	room := cap(batch)
	if f.window == nil || len(f.made) < f.last { // judging costs nothing, or there is one place to fill
		room = 1
	}
	for len(batch) < room && !f.closed() {
		if c, ok := f.candidate(); ok && !f.taken[c.key] {
			batch = append(batch, c)
		}
	}
	if f.window != nil {
		if err := judgeAll(context.Background(), f.judge, room, batch); err != nil {
			return fmt.Errorf("openings: %w", err)
		}
	}
	for i := range batch {
		if c := &batch[i]; f.window == nil || f.window.Contains(c.score) {
			f.accept(c)
			f.idle = int(f.next - 1 - c.number)
		}
	}
	return nil
}

func (f *flyer) accept(c *judged) {
	f.made = append(f.made, Opening{movegen.StartFEN, c.moves, fmt.Sprintf("random:%d", c.number)})
}

// candidate goes to the next candidate. It is not ok when its game is over or its
// position was met before.
func (f *flyer) candidate() (judged, bool) {
	number := f.next
	f.next++
	f.idle++
	c, ok := randomCandidate(f.seed, number, f.plies)
	if !ok || f.seen[c.key] {
		return judged{}, false
	}
	f.seen[c.key] = true
	return judged{candidate: c, number: number}, true
}

// repeat makes the next opening one that the run has had, and goes behind it, without
// judging what it goes over, unless filling a place before it has already.
func (f *flyer) repeat(known *candidate) error {
	if f.seen[known.key] {
		f.accept(&judged{candidate: *known})
		f.idle = 0
		return nil
	}
	for !f.closed() {
		if c, ok := f.candidate(); ok && c.key == known.key {
			f.accept(&judged{candidate: *known, number: c.number})
			f.idle = 0
			return nil
		}
	}
	return fmt.Errorf("openings: number %d that the run has had, %v, is none that seed %d gives", len(f.made)+1, known.moves, f.seed)
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
