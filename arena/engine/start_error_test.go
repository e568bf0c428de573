//go:build unix

package engine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/xqlab/xqlab/arena"
)

// A program that cannot be started gives one line that names the user's path, not the copy's,
// and says what would be right.
func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	plain := write(t, filepath.Join(dir, "plain"), "#!/bin/sh\n", 0o644)
	text := write(t, filepath.Join(dir, "text"), "hello\n", 0o755)
	orphan := write(t, filepath.Join(dir, "orphan"), "#!/nowhere/sh\n", 0o755)
	for _, row := range []struct{ cmd, want string }{
		{"/nowhere/engine", "no such file"},
		{"no-such-program-anywhere", "$PATH"},
		{dir, "is a folder"},
		{plain, "chmod +x " + plain},
		{text, "no program for this machine"},
		{orphan, "interpreter"},
	} {
		_, err := Probe(context.Background(), Config{Name: "bad", Cmd: row.cmd})
		var f *arena.Failure
		if !errors.As(err, &f) || !strings.Contains(err.Error(), row.want) || strings.Count(err.Error(), "engine bad") != 1 || !strings.Contains(err.Error(), row.cmd) {
			t.Errorf("%s: %v, want %q", row.cmd, err, row.want)
		}
	}
	for bad, want := range map[string]string{filepath.Join(dir, "gone"): "dir ", plain: "is no folder"} {
		_, err := Probe(context.Background(), Config{Name: "bad", Cmd: scriptedPath, Dir: bad})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), bad) {
			t.Errorf("dir %s: %v, want %q", bad, err, want)
		}
	}
	kept, _ := keep(t, filepath.Join(dir, "kept"), text)
	_, err := Probe(context.Background(), Config{Cmd: text, Kept: kept})
	if err == nil || strings.Contains(err.Error(), kept) || !strings.Contains(err.Error(), text) {
		t.Errorf("of a copy: %v", err)
	}
	for cmd, ok := range map[string]bool{plain: false, dir: false, "/nowhere/x": false, text: true, scriptedPath: true} {
		if err := Runnable(cmd); (err == nil) != ok {
			t.Errorf("%s: %v", cmd, err)
		}
	}
}

// A machine without descriptors is not the engine's failure: a start waits for them, and then
// gives up with an error that is no failure of the engine.
func TestShortage(t *testing.T) {
	if os.Getenv("XQLAB_TEST_SHORTAGE") == "" {
		runAgain(t, "^TestShortage$", "XQLAB_TEST_SHORTAGE=1")
		return
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	few := limit
	few.Cur = 3
	set := func(l *syscall.Rlimit) {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, l); err != nil {
			t.Error(err)
		}
	}
	cfg := script()
	cfg.Deadlines = patient
	cfg.Deadlines.Start = 300 * time.Millisecond
	set(&few)
	_, err := Probe(context.Background(), cfg)
	set(&limit)
	var f *arena.Failure
	if err == nil || errors.As(err, &f) || !strings.Contains(err.Error(), "no more file descriptors") {
		t.Errorf("got %v", err)
	}
	cfg.Deadlines = patient
	set(&few)
	time.AfterFunc(100*time.Millisecond, func() { set(&limit) })
	if _, err := Probe(context.Background(), cfg); err != nil {
		t.Errorf("after a while there were descriptors: %v", err)
	}
}

// runAgain runs one test in a process of its own.
func runAgain(t *testing.T, pattern, setting string) {
	cmd := exec.Command(os.Args[0], "-test.run="+pattern)
	cmd.Env = append(os.Environ(), setting)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
