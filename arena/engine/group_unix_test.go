//go:build unix

package engine

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// groupAlive reports whether the process group has a member. One that has ended and waits
// to be reaped by the system's first process does not count.
func groupAlive(pgid int) bool {
	if unix.Kill(-pgid, 0) != nil {
		return false
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		text, _ := os.ReadFile(name)
		_, after, _ := strings.Cut(string(text), ") ")
		if f := strings.Fields(after); len(f) > 2 && f[0] != "Z" && f[2] == strconv.Itoa(pgid) {
			return true
		}
	}
	return len(stats) == 0
}
