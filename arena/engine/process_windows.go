package engine

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a process and all that it starts: a job object that ends with its last handle,
// also when the runner is killed.
type group struct {
	cmd *exec.Cmd
	job windows.Handle
}

func startGroup(cmd *exec.Cmd) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateJobObject", err)
	}
	g := &group{cmd, job}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		g.release()
		return nil, os.NewSyscallError("SetInformationJobObject", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	if err = cmd.Start(); err != nil {
		g.release()
		return nil, err
	}
	if err = g.assign(); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		g.release()
		return nil, err
	}
	return g, nil
}

// assign puts the started process into the job.
func (g *group) assign() error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(g.cmd.Process.Pid))
	if err != nil {
		return os.NewSyscallError("OpenProcess", err)
	}
	defer windows.CloseHandle(h)
	return os.NewSyscallError("AssignProcessToJobObject", windows.AssignProcessToJobObject(g.job, h))
}

// kill ends all of the group at once.
func (g *group) kill() { windows.TerminateJobObject(g.job, 1) }

// awaitExit returns when the process has ended; cmd holds its handle, so that its id
// cannot belong to others.
func (g *group) awaitExit() {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(g.cmd.Process.Pid))
	if err != nil {
		return
	}
	defer windows.CloseHandle(h)
	windows.WaitForSingleObject(h, windows.INFINITE)
}

// release gives back what startGroup took.
func (g *group) release() { windows.CloseHandle(g.job) }

// exitStatus returns the exit code; there are no signals.
func exitStatus(st *os.ProcessState) (code int, signal string) { return st.ExitCode(), "" }
