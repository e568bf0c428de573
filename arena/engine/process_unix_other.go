//go:build unix && !linux

package engine

import (
	"syscall"
	"time"
)

// dieWithParent does nothing here: engines end when their input does.
func dieWithParent(*syscall.SysProcAttr) {}

// awaitExit returns when the process has ended. It reaps it: its group is killed within
// microseconds of that, too soon for the ids to belong to others.
func (g *group) awaitExit() { g.cmd.Wait() }

// soon is how long an answer is looked for before the wait for it sleeps: once, where a
// processor cannot be offered to others.
const soon = time.Duration(0)

func yield() {}
