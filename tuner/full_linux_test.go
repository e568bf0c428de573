//go:build cgo

package tuner

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/xqlab/xqlab/results"
)

// TestFullDisk extracts into a file system that is too small, wherever in the file it ends:
// an error of one line, and nothing left that could be taken for a dataset. With room the
// file is the one that it would have been.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("no right to mount a small file system: %v", err)
	}
	defer func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	db := gamesIn(t, 60)
	x := ownExtraction(results.PositionFilter{}, Anything)
	want, err := os.ReadFile(extracted(t, x, db).Path())
	if err != nil {
		t.Fatal(err)
	}
	ballast, sets := filepath.Join(dir, "ballast"), filepath.Join(dir, "sets")
	const page = 4096
	for room := 0; room < len(want); room += len(want)/6/page*page + page {
		if err := os.WriteFile(ballast, make([]byte, 8<<20-page-room/page*page), 0o600); err != nil { // a page for the folder
			t.Fatal(err)
		}
		d, _, err := x.Dataset(t.Context(), db, sets)
		if err == nil {
			d.Close()
			t.Fatalf("%d bytes were enough for %d", room, len(want))
		}
		if !errors.Is(err, results.ErrFull) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), sets) || !strings.Contains(err.Error(), "make room") {
			t.Errorf("%d bytes of room: %v", room, err)
		}
		if files, _ := os.ReadDir(sets); len(files) != 0 {
			t.Errorf("%d bytes of room leave %v", room, files)
		}
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	d, _, err := x.Dataset(t.Context(), db, sets)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got, err := os.ReadFile(d.Path()); err != nil || !bytes.Equal(got, want) {
		t.Errorf("with room, another file (%v)", err)
	}
}
