package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/mem"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/arena/spec"
)

// memory is what this process may have, in bytes; 0 where it is not known.
type memory struct {
	total uint64 // of the machine, or of the container
	left  uint64 // what is not used yet
}

// memoryNow asks the system: the machine, the container, and the limits of this process.
func memoryNow() memory {
	var m memory
	if v, err := mem.VirtualMemory(); err == nil {
		m = memory{v.Total, v.Available}
	}
	if limit, used, ok := cgroupMemory("/sys/fs/cgroup", "/proc/self/cgroup"); ok {
		m.total, m.left = least(m.total, limit), least(m.left, limit-min(used, limit))
	}
	if left, ok := addressSpaceLeft(); ok {
		m.left = max(1, least(m.left, left))
	}
	return m
}

// memoryReserve is what stays for everything but the table, in MB.
const memoryReserve = 64

// roomFor returns an error if tables of so many MB in all are more than this process may
// still have. Asking first makes it a line; the Go runtime would end the program.
func roomFor(what string, mb int) error {
	m := memoryNow()
	if m.left == 0 || uint64(mb+memoryReserve) <= m.left>>20 {
		return nil
	}
	return fmt.Errorf("%s: %d MB wanted, %d MB can be had (of the machine's memory, the container's or ulimit -v); want less", what, mb, max(int(m.left>>20)-memoryReserve, 0))
}

// workerMB is about what a thread of the built-in engine takes beside the hash.
const workerMB = 12

// roomForBuiltIn returns an error if the built-in engines of a match need more memory at
// once than there is.
func roomForBuiltIn(m *spec.Match, games int) error {
	total, most, engines := 0, 0, 0
	for i := range m.Engines {
		if e := &m.Engines[i]; e.BuiltIn() {
			engines++
			total += games * (e.Hash + workerMB*e.Threads)
			most = max(most, e.Hash+workerMB*e.Threads)
		}
	}
	if engines > 2 {
		total = min(total, (2*games+arena.IdlePlayers(games))*most)
	}
	if engines == 0 {
		return nil
	}
	return roomFor(fmt.Sprintf("hash of the built-in engines with %d games at once", games), total)
}

// least returns the smaller of two of which 0 is unknown.
func least(a, b uint64) uint64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// cgroupMemory returns the tightest limit of the control groups this process is in, and
// what is used of it.
func cgroupMemory(root, self string) (limit, used uint64, ok bool) {
	text, err := os.ReadFile(self)
	if err != nil {
		return 0, 0, false
	}
	for line := range strings.Lines(string(text)) {
		path, found := strings.CutPrefix(strings.TrimSpace(line), "0::") // version 2
		if !found {
			continue
		}
		for dir := filepath.Join(root, path); strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
			most, err1 := readNumber(filepath.Join(dir, "memory.max"))
			now, err2 := readNumber(filepath.Join(dir, "memory.current"))
			if err1 == nil && err2 == nil && (!ok || most < limit) {
				limit, used, ok = most, now, true
			}
		}
	}
	return limit, used, ok
}

// readNumber reads a file with a number alone; "max" is an error.
func readNumber(path string) (uint64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
}
