package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// pin keeps every thread of this process, and those yet to come, on one core.
func pin(core int) error {
	var set unix.CPUSet
	set.Set(core)
	for pinned := map[int]bool{}; ; {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("pinning: %w", err)
		}
		before := len(pinned)
		for _, t := range tasks {
			id, err := strconv.Atoi(t.Name())
			if err != nil || pinned[id] {
				continue
			}
			if err := unix.SchedSetaffinity(id, &set); err != nil && err != unix.ESRCH {
				return fmt.Errorf("pinning to core %d: %w", core, err)
			}
			pinned[id] = true
		}
		if len(pinned) == before { // threads made since inherit the bound
			return nil
		}
	}
}

// cores lists the logical cores this process may use: first one of each physical core.
func cores() []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	type place struct{ core, sibling int }
	var list []place
	seen := map[string]int{}
	for c := range 64 * len(set) {
		if !set.IsSet(c) {
			continue
		}
		dir := filepath.Join("/sys/devices/system/cpu", "cpu"+strconv.Itoa(c), "topology")
		siblings, err := os.ReadFile(filepath.Join(dir, "thread_siblings_list"))
		key := strings.TrimSpace(string(siblings))
		if err != nil {
			key = strconv.Itoa(c)
		}
		list = append(list, place{c, seen[key]})
		seen[key]++
	}
	slices.SortFunc(list, func(a, b place) int { return cmp.Or(a.sibling-b.sibling, a.core-b.core) })
	var order []int
	for _, p := range list {
		order = append(order, p.core)
	}
	return order
}
