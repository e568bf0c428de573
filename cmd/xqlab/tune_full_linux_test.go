//go:build cgo

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFitOnFullDisk fits on a disk that fills up at one place after the other, going on
// each time: an error of one line that says so, and in the end the weights of a fit that had room.
func TestFitOnFullDisk(t *testing.T) {
	xqlab, dir, small := program(t), t.TempDir(), mounted(t, 0, "size=8m")
	features, names := writeFeatures(t, dir)
	fit := func(dir string) (string, error) {
		out, err := exec.Command(xqlab, "tune", "--db", filepath.Join(dir, "a.db"), "--name", "full", "--features", features, "--names", names,
			"--out", filepath.Join(dir, "w.txt")).CombinedOutput()
		return string(out), err
	}
	weights := func(dir string) string {
		data, err := os.ReadFile(filepath.Join(dir, "w.txt"))
		if err != nil {
			t.Fatal(err)
		}
		_, values, _ := strings.Cut(string(data), "# name") // the run is another
		return values
	}
	if out, err := fit(dir); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ballast, failed := filepath.Join(small, "ballast"), 0
	for _, room := range []int64{0, 100, 400, 700, 800, 900, 1000, 1100, 1200} {
		os.Remove(ballast)
		var fs unix.Statfs_t
		if err := unix.Statfs(small, &fs); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(ballast, make([]byte, max(int64(fs.Bavail)*fs.Bsize-room<<10, 0)), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := fit(small)
		if err == nil {
			continue
		}
		failed++
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, "xqlab: ") || !strings.Contains(last, small) ||
			!strings.Contains(last, "disk full") && !strings.Contains(last, "no space left") {
			t.Errorf("%d KB of room: %s", room, out)
		}
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if out, err := fit(small); err != nil || failed < 4 {
		t.Fatalf("with room again, after %d failures: %v\n%s", failed, err, out)
	}
	if weights(small) != weights(dir) {
		t.Error("other weights than with room")
	}
}
