//go:build unix

package engine

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// group is a process and all that it starts: a process group of its own, which the
// terminal's Ctrl-C does not reach.
type group struct{ cmd *exec.Cmd }

func startGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	return &group{cmd}, cmd.Start()
}

// kill ends all of the group at once.
func (g *group) kill() { unix.Kill(-g.cmd.Process.Pid, unix.SIGKILL) }

// release gives back what startGroup took.
func (g *group) release() {}

// exitStatus returns the exit code, −1 after a signal, and the signal's name.
func exitStatus(st *os.ProcessState) (code int, signal string) {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		signal = unix.SignalName(ws.Signal())
		if ws.CoreDump() {
			signal += " (core dumped)"
		}
	}
	return st.ExitCode(), signal
}
