package main

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/xqlab/xqlab/arena"
)

// pin keeps every thread of this process, and those yet to come, on one core.
func pin(core int) error {
	set := arena.Mask([]int{core})
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
func cores() (list []int) {
	physical, err := arena.Cores()
	if err != nil {
		return nil // then nothing can be pinned either
	}
	for sibling := 0; ; sibling++ {
		before := len(list)
		for _, threads := range physical {
			if sibling < len(threads) {
				list = append(list, threads[sibling])
			}
		}
		if len(list) == before {
			return list
		}
	}
}
