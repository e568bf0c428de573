package engine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"
)

// markName is the variable in the environment of an engine's process by which those that it
// has started are found again, in whatever process group or session they are.
const markName = "XQLAB_ENGINE"

var marks atomic.Uint64

// newMark returns a setting of that variable that no other process has.
func newMark() string {
	return fmt.Sprintf("%s=%d.%d.%d", markName, os.Getpid(), time.Now().UnixNano(), marks.Add(1))
}

// killStrays kills all processes with the mark, until there are none: one may start another
// while they are looked for. A process that clears its environment and leaves its group is
// not found.
func killStrays(mark string) {
	want := append([]byte(mark), 0)
	for range 20 {
		if killMarked(want) == 0 {
			return
		}
	}
}

// killMarked kills the marked processes there are now, and returns how many.
func killMarked(mark []byte) (n int) {
	names, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well-formed
	for _, name := range names {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		// Of other users' processes nothing can be read. Whoever ends meanwhile is no stray.
		if env, err := os.ReadFile(name); err != nil || !marked(env, mark) {
			continue
		}
		p, err := os.FindProcess(pid) // holds on to the process, not to its number
		if err != nil {
			continue
		}
		if env, err := os.ReadFile(name); err == nil && marked(env, mark) && p.Kill() == nil {
			n++
		}
		p.Release()
	}
	return n
}

// marked reports whether an environment, of settings that each end with a zero byte, has the
// mark.
func marked(env, mark []byte) bool {
	return bytes.HasPrefix(env, mark) || bytes.Contains(env, append([]byte{0}, mark...))
}
