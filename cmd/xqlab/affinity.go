package main

import (
	"fmt"
	"slices"

	"github.com/xqlab/xqlab/arena"
)

// coresToBind is the least number of cores that games are bound on without being told
// which: with fewer, other work of the machine meets a game on each, and the system must
// be free to move engines out of its way.
const coresToBind = 4

// places returns the processors that --affinity binds games to, nil for none, and a line
// that says why games are not bound though it was asked for.
func (f *arenaFlags) places(games, threads int) (sets [][]int, note string, err error) {
	if f.affinity == "" || f.affinity == "off" {
		return nil, "", nil
	}
	cores, err := arena.Cores()
	if err != nil {
		return nil, "--affinity: " + err.Error(), nil
	}
	if f.affinity != "on" {
		sets, err = listedPlaces(f.affinity, cores, games, threads)
		if err != nil {
			return nil, "", usagef("--affinity %s: %v", f.affinity, err)
		}
		return sets, "", nil
	}
	if len(cores) < coresToBind {
		return nil, fmt.Sprintf("--affinity on: games are not bound, with %d cores the system must be free to move engines out of the way of other work; --affinity LIST binds them all the same", len(cores)), nil
	}
	if sets, err = arena.Places(cores, games, threads); err != nil {
		return nil, fmt.Sprintf("--affinity on: games are not bound: %v", err), nil
	}
	return sets, "", nil
}

// listedPlaces takes the processors from a list, in its order.
func listedPlaces(list string, cores [][]int, games, threads int) ([][]int, error) {
	cpus, err := arena.ParseCPUs(list)
	if err != nil {
		return nil, fmt.Errorf("%w; or on, off", err)
	}
	allowed := slices.Concat(cores...)
	each := make([][]int, len(cpus))
	for i, n := range cpus {
		if !slices.Contains(allowed, n) {
			slices.Sort(allowed)
			return nil, fmt.Errorf("processor %d is not among those this process may use: %v", n, allowed)
		}
		each[i] = []int{n}
	}
	return arena.Places(each, games, threads)
}
