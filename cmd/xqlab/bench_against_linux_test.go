package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// mounted returns a folder that is a file system of its own, in memory, until the test ends.
func mounted(t *testing.T, flags uintptr, options string) string {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", flags, options); err != nil {
		t.Skipf("no right to mount a file system: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestAgainstWhereNothingMayRun: where programs in the folder of temporary files may not be
// started, both are run where they lie.
func TestAgainstWhereNothingMayRun(t *testing.T) {
	xqlab := filepath.Join(t.TempDir(), "xqlab") // a file of its own: what is run tells by its name that it is no test
	if err := copyProgram(program(t), xqlab); err != nil {
		t.Fatal(err)
	}
	dir := mounted(t, unix.MS_NOEXEC, "size=256m")
	cmd := exec.Command(xqlab, "bench", "--suite", "perft-1", "--against", xqlab, "--for", "1s")
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "first against second: ") {
		t.Errorf("%v\n%s", err, out)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v %v", left, err)
	}
}
