package arena

import (
	"fmt"

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

// schedule enumerates the games of a run: pair by pair, both legs of a pair together.
type schedule struct {
	run      string
	pairings []Pairing
	pairs    int // 0 without end
	done     map[results.GameKey]bool
	next     int // next game: pair*2 + leg
}

// take returns the next game that has not been played, false at the end.
func (s *schedule) take() (task, bool) {
	for {
		pair, leg := s.next/2, s.next%2
		if s.pairs > 0 && pair >= s.pairs {
			return task{}, false
		}
		s.next++
		key := results.GameKey{Run: s.run, Pair: pair, Leg: leg}
		if s.done[key] {
			continue
		}
		n := len(s.pairings)
		return task{key: key, round: pair / n, pairing: s.pairings[pair%n]}, true
	}
}
