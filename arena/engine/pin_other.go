//go:build !linux

package engine

import "os/exec"

// startOn starts a process; binding is done on Linux alone.
func startOn(cmd *exec.Cmd, _ []int) (*group, error) { return startGroup(cmd) }

// hold keeps a process on one processor.
type hold struct{ cpu int }

func (p *process) keep(int) bool { return false }

func (p *process) free() {}
