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

// How often strays are looked for, and how long a process may take to replace its program.
const (
	strayScans = 50
	strayPause = 2 * time.Millisecond
)

// killStrays kills all processes with the mark, until twice in turn there are none: one may
// start another while they are looked for, and be gone before it is looked at. A process that
// clears its environment and leaves its group is not found.
func killStrays(mark string) {
	want := append([]byte(mark), 0)
	for scan, none := 0, 0; scan < strayScans && none < 2; scan++ {
		killed, unsure := killMarked(want)
		if killed+unsure == 0 {
			none++
			continue
		}
		if none = 0; killed == 0 {
			time.Sleep(strayPause)
		}
	}
}

// killMarked kills the marked processes there are now, and returns how many, and how many
// others replace their program just now and have no environment to be seen.
func killMarked(mark []byte) (n, unsure int) {
	names, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well-formed
	for _, name := range names {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		// Of other users' processes nothing can be read. Whoever ends meanwhile is no stray.
		env, err := os.ReadFile(name)
		if err == nil && len(env) == 0 && replacing(pid) {
			unsure++
		}
		if err != nil || !marked(env, mark) {
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
	return n, unsure
}

// replacing reports whether a process without an environment is one between two
// programs, which has one to run but no arguments yet. Threads of the kernel have none, the dead
// neither, and one that was given an empty environment has arguments.
func replacing(pid int) bool {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	if _, err := os.Readlink(filepath.Join(dir, "exe")); err != nil {
		return false
	}
	args, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	return err == nil && len(args) == 0
}

// marked reports whether an environment, of settings that each end with a zero byte, has the
// mark.
func marked(env, mark []byte) bool {
	return bytes.HasPrefix(env, mark) || bytes.Contains(env, append([]byte{0}, mark...))
}
