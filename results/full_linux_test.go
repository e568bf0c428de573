//go:build cgo

package results

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The system's own "no space left": a file system of one megabyte that fills while games
// are put, and has room again later. Needs the right to mount; TestFull needs none.
func TestFullFileSystem(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no right to mount a small file system (%v); TestFull covers SQLite's side", err)
	}
	defer func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, bytes.Repeat([]byte("b"), 200_000), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), filepath.Join(dir, "full.db"))
	if err != nil {
		t.Fatal(err)
	}
	r := testRun("")
	mustCreate(t, s, r)
	stored := 0
	for err == nil && stored < 10_000 {
		g := testGame(r.ID, stored, 0)
		g.Evidence = []byte(strings.Repeat("e", 2000))
		if err = s.Put(t.Context(), g); err == nil {
			stored++
		}
	}
	if oneLine(t, err, s.Path(), "disk full"); !errors.Is(err, ErrFull) {
		t.Fatalf("put: %v", err)
	}
	if err := s.Finish(t.Context(), r.ID, "error", []byte(strings.Repeat("s", 100_000))); !errors.Is(err, ErrFull) {
		t.Errorf("finish: %v", err)
	}
	if _, err := s.CreateRun(t.Context(), testRun("x")); err != nil && !errors.Is(err, ErrFull) {
		t.Errorf("create: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing without room: %v", err)
	}
	if s, err = Open(t.Context(), s.Path()); err != nil && !errors.Is(err, ErrFull) {
		t.Errorf("opening without room: %v", err)
	} else if err == nil {
		s.Close()
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	// The lease may still be this process's: letting it go needs room too. Another process
	// resumes once this one has ended, which an owner that never lived stands for.
	if s, err = Open(t.Context(), filepath.Join(dir, "full.db")); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.submit(t.Context(), false, func(w *writer) error {
		_, err := w.exec("UPDATE leases SET owner = json_set(owner, '$.start', '1')")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Acquire(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, testGame(r.ID, stored, 0))
	rows, err := s.Rows(t.Context(), r.ID)
	if err != nil || len(rows) != stored+1 {
		t.Errorf("%d rows, %v, want %d", len(rows), err, stored+1)
	}
	checkSound(t, s)
}

// A folder that cannot be written: reading works, writing is one line.
func TestReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	lock := func() error { return os.Chmod(dir, 0o500) }
	unlock := func() error { return os.Chmod(dir, 0o700) }
	if os.Geteuid() == 0 { // whom permissions do not stop
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
			t.Skipf("the system's user may write everywhere, and no right to mount a file system (%v)", err)
		}
		lock = func() error { return unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, "") }
		unlock = func() error { return unix.Unmount(dir, unix.MNT_DETACH) }
	}
	defer func() {
		if err := unlock(); err != nil {
			t.Error(err)
		}
	}()
	path := filepath.Join(dir, "old.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	r := testRun("")
	mustCreate(t, s, r)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := lock(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, filepath.Join(dir, "new.db")} {
		_, err := Open(t.Context(), name)
		oneLine(t, err, name, "may this user write")
	}
	ro, err := OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ro.Run(t.Context(), r.ID); err != nil {
		t.Error(err)
	}
	_, err = ro.Merge(t.Context(), path+"x")
	oneLine(t, err, "no database yet")
	_, err = ro.CreateRun(t.Context(), testRun(""))
	oneLine(t, err, path, "for reading alone")
	if err := ro.Close(); err != nil {
		t.Error(err)
	}
}
