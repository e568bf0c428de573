package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// addressSpaceLeft returns how many bytes more this process may map, if that is limited, as
// by ulimit -v.
func addressSpaceLeft() (uint64, bool) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return 0, false
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return limit.Cur, true
	}
	pages, _, _ := strings.Cut(string(text), " ")
	n, _ := strconv.ParseUint(pages, 10, 64)
	used := n * uint64(os.Getpagesize())
	return limit.Cur - min(used, limit.Cur), true
}
