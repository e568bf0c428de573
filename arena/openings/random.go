package openings

import (
	"fmt"
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

	mu     sync.Mutex
	known  [][]movegen.Move // the first openings, made by an earlier flyer of the same kind
	made   []Opening
	seen   map[uint64]bool // candidates met, accepted or not
	next   uint64          // the next candidate
	closed bool            // no further distinct opening is to be found
}

func newFlyer(s *Spec, seed uint64, o *Options) *flyer {
	return &flyer{seed: seed, plies: s.Plies, window: s.Window, judge: o.Judge, known: o.Made, seen: map[uint64]bool{}}
}

func (f *flyer) opening(k int) (Opening, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.made) <= k && !f.closed {
		if err := f.add(); err != nil {
			return Opening{}, err
		}
	}
	if len(f.made) == 0 {
		return Opening{}, fmt.Errorf("openings: no position after %d random plies has a score inside %s; a wider eval= or more plies= would", f.plies, f.window)
	}
	return f.made[k%len(f.made)], nil
}

func (f *flyer) repeats(k int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed && k >= len(f.made)
}

// add makes the next opening or closes the sequence.
func (f *flyer) add() error {
	for range maxTries {
		c, ok := randomCandidate(f.seed, f.next, f.plies)
		f.next++
		if !ok || f.seen[c.key] {
			continue
		}
		f.seen[c.key] = true
		accepted, err := f.accepts(&c)
		if err != nil {
			return err
		}
		if accepted {
			f.made = append(f.made, Opening{movegen.StartFEN, c.moves, fmt.Sprintf("random:%d", f.next-1)})
			return nil
		}
	}
	f.closed = true
	return nil
}

// accepts tells whether a candidate becomes the next opening: from what is known of it, else by
// its score.
func (f *flyer) accepts(c *candidate) (bool, error) {
	if n := len(f.made); n < len(f.known) {
		return slices.Equal(c.moves, f.known[n]), nil
	}
	if f.window == nil {
		return true, nil
	}
	score, err := f.judge(&c.end)
	if err != nil {
		return false, fmt.Errorf("openings: judging %s: %w", c.end.FEN(), err)
	}
	return f.window.Contains(score), nil
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
	r := rng(mix(seed, number))
	c := candidate{moves: make([]movegen.Move, 0, plies), end: *movegen.StartPosition()}
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
