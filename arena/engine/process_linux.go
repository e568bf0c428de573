package engine

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithParent has the kernel kill the process when the thread that starts it ends, so
// that a runner killed with -9 leaves no engine behind.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// awaitExit returns when the process has ended, without reaping it, so that its ids
// cannot yet belong to others.
func (g *group) awaitExit() {
	for unix.Waitid(unix.P_PID, g.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}
