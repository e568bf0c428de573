package openings

import (
	"fmt"
	"sync"

	"github.com/xqlab/xqlab/movegen"
)

// maxTries bounds the candidates looked at for one random opening. When none of them is
// new, or none is inside the window, the openings have run out.
const maxTries = 20000

// flyer makes random openings. They are made in the order of their number, each different
// from all before it (mirror images are the same), and remembered; so the first call of a
// resumed run makes the earlier ones again. Nothing but the seed decides about them.
type flyer struct {
	seed   uint64
	plies  int
	window *Window
	judge  Judge

	mu     sync.Mutex
	made   []Opening
	seen   map[uint64]bool // candidates met, accepted or not
	next   uint64          // the next candidate
	closed bool            // no further distinct opening is to be found
}

func newFlyer(seed uint64, plies int, w *Window, j Judge) *flyer {
	return &flyer{seed: seed, plies: plies, window: w, judge: j, seen: map[uint64]bool{}}
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
	for try := 0; try < maxTries; try++ {
		c, ok := randomCandidate(f.seed, f.next, f.plies)
		f.next++
		if !ok || f.seen[c.key] {
			continue
		}
		f.seen[c.key] = true
		if f.window != nil {
			score, err := f.judge(&c.end)
			if err != nil {
				return fmt.Errorf("openings: judging %s: %w", c.end.FEN(), err)
			}
			if !f.window.Contains(score) {
				continue
			}
		}
		f.made = append(f.made, Opening{movegen.StartFEN, c.moves, fmt.Sprintf("random:%d", f.next-1)})
		return nil
	}
	f.closed = true
	return nil
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

// pairKey returns a key that a position shares with its mirror image only. It is a sum
// over the pieces, not the position's own key, because that has no cheap mirror image.
func pairKey(p *movegen.Position) uint64 {
	var key, mirrored uint64
	for all := p.Occupied(); !all.Empty(); {
		s := all.Pop()
		pc := uint64(p.At(s)) << 8
		key += mix(pc, uint64(s))
		mirrored += mix(pc, uint64(s.Mirror()))
	}
	return min(key, mirrored)<<1 | uint64(p.Side())
}
