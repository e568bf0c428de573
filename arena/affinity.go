package arena

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Pinned is a Player whose engine is a process of its own that can be bound to processors.
type Pinned interface {
	Player
	// Pin binds the engine's processes to processors from its next start on. It is called
	// once, before the first game.
	Pin(cpus []int)
	// Keep binds the running process to one processor, if it may run there, and reports
	// whether it did; −1 lets it run again where it might before. It lasts until the engine
	// thinks for long: a player frees it then without being told.
	Keep(cpu int) bool
}

// places hands out the sets of processors that games at the same time are bound to.
type places struct {
	mu   sync.Mutex
	sets [][]int
	used []bool
}

// nowhere is the place of a game that is not bound.
const nowhere = -1

// take returns a free place, or nowhere.
func (p *places) take() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used = slices.Grow(p.used, len(p.sets))[:len(p.sets)]
	i := slices.Index(p.used, false)
	if i >= 0 {
		p.used[i] = true
	}
	return i
}

func (p *places) give(place int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if place != nowhere {
		p.used[place] = false
	}
}

// pin binds the calling goroutine while a game is played in it, and returns what takes that
// back. It works only while the game's engines do not: elsewhere it would be in the way of
// other games, and the way to it and back is longer.
func (p *places) pin(place int) (release func()) {
	if place == nowhere {
		return func() {}
	}
	return pinThread(p.sets[place])
}

// Places shares processors out to games that are played at once: to each as many physical
// cores as an engine has threads, one hardware thread of each. cores lists the hardware
// threads of each physical core that this process may use. The error says why games
// cannot be bound without being in each other's way.
func Places(cores [][]int, games, threads int) ([][]int, error) {
	if need := games * threads; need > len(cores) {
		return nil, fmt.Errorf("%d games at once of %d threads need %d cores, there are %d", games, threads, need, len(cores))
	}
	sets := make([][]int, games)
	for i := range sets {
		for _, c := range cores[i*threads : (i+1)*threads] {
			sets[i] = append(sets[i], c[0])
		}
	}
	return sets, nil
}

// ParseCPUs reads a list of processors such as "3,5,7-11".
func ParseCPUs(text string) ([]int, error) {
	var cpus []int
	for _, part := range strings.Split(strings.TrimSpace(text), ",") {
		first, last, isRange := strings.Cut(part, "-")
		a, err := strconv.Atoi(first)
		b := a
		if err == nil && isRange {
			b, err = strconv.Atoi(last)
		}
		if err != nil || a < 0 || b < a || b > maxCPU {
			return nil, fmt.Errorf("%q, want numbers of processors such as 3,5,7-11", text)
		}
		for n := a; n <= b; n++ {
			if !slices.Contains(cpus, n) {
				cpus = append(cpus, n)
			}
		}
	}
	return cpus, nil
}

const maxCPU = 1023 // what a mask of the usual size holds
