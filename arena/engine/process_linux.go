package engine

import (
	"syscall"
	"time"

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

// soon is how long an answer is looked for before the wait for it sleeps.
const soon = 30 * time.Microsecond

// yield offers the processor to others that are ready to run.
func yield() { unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
