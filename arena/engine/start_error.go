package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// startError says in a user's words why a program cannot be started or kept. cmd is what
// the user wrote, path the file.
func startError(cmd, path string, err error) error {
	info, statErr := os.Stat(path)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("cmd %q: a program in this folder is ./%s, and $PATH has none of that name", cmd, cmd)
	case errors.Is(statErr, fs.ErrNotExist):
		return fmt.Errorf("cmd %q: there is no such file", cmd)
	case statErr == nil && info.IsDir():
		return fmt.Errorf("cmd %q is a folder, want a program", cmd)
	case errors.Is(err, fs.ErrPermission) && statErr == nil && info.Mode()&0o111 == 0:
		return fmt.Errorf("cmd %q is not executable: chmod +x %s", cmd, quote(cmd))
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cmd %q cannot be started: the interpreter that its first line names, or its loader, is not there", cmd)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("cmd %q is no program for this machine, and no script whose first line begins with #! and names its interpreter", cmd)
	}
	return fmt.Errorf("cmd %q cannot be started: %w", cmd, bare(err))
}

// dirFault says in a user's words why the engine's folder can be none.
func (c *Config) dirFault() error {
	if c.Dir == "" {
		return nil
	}
	switch info, err := os.Stat(c.Dir); {
	case err != nil:
		return fmt.Errorf("dir %q: %w", c.Dir, bare(err))
	case !info.IsDir():
		return fmt.Errorf("dir %q is no folder", c.Dir)
	}
	return nil
}

// Runnable returns an error in a user's words when a program cannot be one: it is not there,
// not a file, or not executable.
func Runnable(cmd string) error {
	path, err := (&Config{Cmd: cmd}).path()
	if err != nil {
		return startError(cmd, path, err)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return startError(cmd, path, err)
	case info.IsDir() || !isProgram(info) && runtime.GOOS != "windows":
		return startError(cmd, path, fs.ErrPermission)
	}
	return nil
}

// bare returns an error without the name of the file, which may be that of a copy.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// shortages are the errors of a machine that has run out of something.
var shortages = []struct {
	err  error
	what string
}{
	{syscall.EMFILE, "file descriptors for this process (ulimit -n)"},
	{syscall.ENFILE, "file descriptors"},
	{syscall.EAGAIN, "processes (ulimit -u)"},
	{syscall.ENOMEM, "memory"},
}

// shortage returns what this machine lacks when a start failed for that, empty otherwise.
// It is no fault of the engine.
func shortage(err error) string {
	for _, s := range shortages {
		if errors.Is(err, s.err) {
			return s.what
		}
	}
	return ""
}
