package engine

import (
	"os/exec"

	"golang.org/x/sys/unix"

	"github.com/xqlab/xqlab/arena"
)

// startOn starts a process that inherits processors from the calling thread, which is
// bound to them for the moment and to which the goroutine is locked. Set before the
// process exists, the binding holds for all its threads and children. A refusal leaves
// the process unbound.
func startOn(cmd *exec.Cmd, cpus []int) (*group, error) {
	var old unix.CPUSet
	if len(cpus) == 0 || unix.SchedGetaffinity(0, &old) != nil {
		return startGroup(cmd)
	}
	mask := arena.Mask(cpus)
	if unix.SchedSetaffinity(0, &mask) == nil {
		defer unix.SchedSetaffinity(0, &old)
	}
	return startGroup(cmd)
}
