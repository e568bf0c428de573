//go:build unix && !linux

package engine

import "syscall"

// dieWithParent does nothing here: engines end when their input does.
func dieWithParent(*syscall.SysProcAttr) {}

// awaitExit returns when the process has ended. It reaps it: its group is killed within
// microseconds of that, too soon for the ids to belong to others.
func (g *group) awaitExit() { g.cmd.Wait() }
