package engine

import (
	"errors"
	"os"
	"os/exec"
	"strconv"

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

// hold keeps a process on one processor.
type hold struct {
	cpu     int
	process unix.CPUSet         // where it might run before: its first thread
	threads map[int]unix.CPUSet // those that might run elsewhere than that one
}

// mostKept is how many threads a process may have to be kept on one processor.
const mostKept = 16

var errElsewhere = errors.New("a thread may not run there, or there are too many")

// keep binds all threads of a process that is not bound to one processor. Where one may not
// run there nothing is bound.
func (p *process) keep(cpu int) bool {
	h := &hold{cpu: cpu, threads: map[int]unix.CPUSet{}}
	if unix.SchedGetaffinity(p.cmd.Process.Pid, &h.process) != nil {
		return false
	}
	known := 0
	err := p.eachThread(func(id int) error {
		var old unix.CPUSet
		err := unix.SchedGetaffinity(id, &old)
		if known++; err == nil && (known > mostKept || !old.IsSet(cpu)) {
			return errElsewhere
		}
		if err == nil && old != h.process {
			h.threads[id] = old
		}
		return err
	})
	if err != nil {
		return false
	}
	p.held = h
	mask := arena.Mask([]int{cpu})
	if err := p.eachThread(func(id int) error { return unix.SchedSetaffinity(id, &mask) }); err != nil {
		p.free()
	}
	return p.held != nil
}

// free ends what keep has done. Threads made since are as the first.
func (p *process) free() {
	if p.held == nil {
		return
	}
	p.eachThread(func(id int) error {
		mask, known := p.held.threads[id]
		if !known {
			mask = p.held.process
		}
		return unix.SchedSetaffinity(id, &mask)
	})
	p.held = nil
}

// eachThread calls f once for each thread of the process, those made meanwhile too. Threads
// that have ended are no error.
func (p *process) eachThread(f func(id int) error) error {
	p.mu.Lock() // until it is reaped its ids are its own
	defer p.mu.Unlock()
	for done := map[int]bool{}; !p.dead; {
		tasks, err := os.ReadDir("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/task")
		if err != nil {
			return err
		}
		before := len(done)
		for _, t := range tasks {
			id, err := strconv.Atoi(t.Name())
			if err != nil || done[id] {
				continue
			}
			done[id] = true
			if err := f(id); err != nil && err != unix.ESRCH {
				return err
			}
		}
		if len(done) == before {
			return nil
		}
	}
	return unix.ESRCH
}
