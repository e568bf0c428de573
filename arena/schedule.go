package arena

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/xqlab/xqlab/results"
)

// Pairing is two engines that play a pair of games; First has Red in leg 0.
type Pairing struct{ First, Second int }

// Event is the form of a match or tournament.
type Event string

// The events.
const (
	RoundRobin Event = "roundrobin" // everyone against everyone, a match of two too
	Gauntlet   Event = "gauntlet"   // the seeds against everyone else
	Ladder     Event = "ladder"     // neighbours in the list
)

// Pairings returns who meets whom in each round of an event, in a fixed order. Every
// pairing of a round plays the same opening, so that all opponents have equal openings.
func Pairings(event Event, engines, seeds int) ([]Pairing, error) {
	var list []Pairing
	for a := 0; a < engines; a++ {
		for b := a + 1; b < engines; b++ {
			switch event {
			case RoundRobin:
			case Gauntlet:
				if a >= seeds || b < seeds {
					continue
				}
			case Ladder:
				if b != a+1 {
					continue
				}
			default:
				return nil, fmt.Errorf("unknown event %q", event)
			}
			list = append(list, Pairing{a, b})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s of %d engines with %d seeds has no games", event, engines, seeds)
	}
	return list, nil
}

// task is one game to play.
type task struct {
	key     results.GameKey
	round   int // the number of the opening
	pairing Pairing
}

// engines returns who has Red and who Black.
func (t task) engines() (red, black int) {
	if t.key.Leg == 0 {
		return t.pairing.First, t.pairing.Second
	}
	return t.pairing.Second, t.pairing.First
}

// maxReplays is how often a pair that was late is played again.
const maxReplays = 2

// schedule enumerates the games of a run: pair by pair, both legs of a pair together, and
// before others those that have to be played again.
type schedule struct {
	run        string
	pairings   []Pairing
	pairs      int // 0 without end
	replayLate bool

	mu    sync.Mutex
	next  int                // next game: pair*2 + leg
	have  map[int][2]outcome // by pair
	again []task
}

// outcome is what is stored of a leg of a pair: its last attempt.
type outcome struct {
	stored  bool
	attempt int
	asked   int  // the last attempt that was planned or stored
	void    bool // has to be played again for itself
	late    bool
}

// newSchedule returns what is left to play when rows are stored.
func newSchedule(m *Match) *schedule {
	s := &schedule{run: m.Run, pairings: m.Pairings, pairs: m.Pairs, replayLate: m.ReplayLate, have: map[int][2]outcome{}}
	for _, r := range m.Done {
		s.note(&r)
	}
	for pair := range s.have {
		s.plan(pair)
	}
	slices.SortFunc(s.again, func(a, b task) int { return cmp.Or(a.key.Pair-b.key.Pair, a.key.Leg-b.key.Leg) })
	return s
}

// note takes in a stored game.
func (s *schedule) note(r *results.Row) {
	legs := s.have[r.Pair]
	leg := &legs[r.Leg&1]
	if !leg.stored || r.Attempt >= leg.attempt {
		*leg = outcome{stored: true, attempt: r.Attempt, asked: max(leg.asked, r.Attempt), void: r.Reason == results.HostVoid, late: Late(r)}
	}
	s.have[r.Pair] = legs
}

// plan has those legs of a pair played again that the pair needs and that are not planned
// already.
func (s *schedule) plan(pair int) {
	legs := s.have[pair]
	for leg := range legs {
		if n := s.needed(legs[leg], legs[1-leg]); n > legs[leg].asked {
			legs[leg].asked = n
			s.again = append(s.again, s.task(pair, leg, n))
		}
	}
	s.have[pair] = legs
}

// needed returns the attempt of a leg that the pair needs, given the other leg: one more
// after a void game; where late pairs are replayed, as many as the other leg has, and one
// more of both while either is late.
func (s *schedule) needed(leg, other outcome) int {
	switch {
	case leg.void:
		return leg.attempt + 1
	case !s.replayLate || !leg.stored || !other.stored || other.void:
	case leg.attempt < other.attempt:
		return other.attempt
	case leg.attempt == other.attempt && leg.attempt < maxReplays && (leg.late || other.late):
		return leg.attempt + 1
	}
	return leg.attempt
}

// stored takes in a game that has just been stored.
func (s *schedule) stored(r *results.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(r)
	s.plan(r.Pair)
}

func (s *schedule) task(pair, leg, attempt int) task {
	n := len(s.pairings)
	key := results.GameKey{Run: s.run, Pair: pair, Leg: leg, Attempt: attempt}
	return task{key: key, round: pair / n, pairing: s.pairings[pair%n]}
}

// take returns the next game to play, false when there is none at the moment.
func (s *schedule) take() (task, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.again) > 0 {
		t := s.again[0]
		s.again = s.again[1:]
		return t, true
	}
	for {
		pair, leg := s.next/2, s.next%2
		if s.pairs > 0 && pair >= s.pairs {
			return task{}, false
		}
		s.next++
		if !s.have[pair][leg].stored {
			return s.task(pair, leg, 0), true
		}
	}
}

// Late reports whether a game has a move that came after its clock had run out, forgiven
// by the margin or not.
func Late(r *results.Row) bool {
	return r.Reason == results.TimeLoss || r.Sides[0].Late+r.Sides[1].Late > 0
}

// Final reports whether the pair of two stored legs counts as it is. With replayLate it does
// not while a leg is behind the other, or either was late and may be played again.
func Final(replayLate bool, legs [2]results.Row) bool {
	if !replayLate {
		return true
	}
	return legs[0].Attempt == legs[1].Attempt && (legs[0].Attempt >= maxReplays || !Late(&legs[0]) && !Late(&legs[1]))
}
