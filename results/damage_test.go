//go:build cgo

package results

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// namesGame matches a line that begins with a run or a game.
var namesGame = regexp.MustCompile(`^run |^[0-9a-f-]{36}/[0-9]+\.[12]`)

// useAll does everything that commands do with a database and returns the errors.
func useAll(t *testing.T, path string) (faults []error) {
	note := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	ctx := t.Context()
	for _, open := range []func() (*Store, error){
		func() (*Store, error) { return OpenReadOnly(ctx, path) },
		func() (*Store, error) { return Open(ctx, path) },
	} {
		s, err := open()
		if note(err); err != nil {
			continue
		}
		runs, err := s.Runs(ctx)
		note(err)
		for _, r := range runs {
			_, err := s.Events(ctx, r.ID)
			note(err)
		}
		_, err = s.Counts(ctx)
		note(err)
		_, err = s.Queue(ctx)
		note(err)
		for _, err := range s.List(ctx, Filter{}) {
			note(err)
		}
		for _, err := range s.Positions(ctx, PositionFilter{}) {
			note(err)
		}
		for f, err := range s.Verify(ctx, nil) {
			if note(err); err == nil {
				note(fmt.Errorf("%s: %s", path, f.Text))
			}
		}
		copied := filepath.Join(t.TempDir(), "copy.db")
		if err := s.Backup(ctx, copied); err != nil {
			if note(err); exists(copied) || exists(copied+".part") {
				t.Errorf("a backup that failed (%v) left a file", err)
			}
		}
		if s.write != nil {
			note(writeAll(t, s, runs))
		}
		note(s.Close())
	}
	return faults
}

// writeAll makes a run, fills it, and deletes the others; it stops at the first error.
func writeAll(t *testing.T, s *Store, runs []*Run) error {
	ctx := t.Context()
	r := testRun("")
	l, err := s.CreateRun(ctx, r)
	if err != nil {
		return err
	}
	for pair := range 3 {
		if err := s.Put(ctx, testGame(r.ID, pair, 0)); err != nil {
			return err
		}
	}
	if _, err := s.Import(ctx, r.ID, imports(randomMoves(5, 20))); err != nil {
		return err
	}
	if err := l.Release(); err != nil {
		return err
	}
	for _, r := range runs {
		if err := s.Delete(ctx, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// Whatever is cut off, torn or overwritten in a file: one line for each error, which names
// the file, no crash, and damage that is found.
func TestDamagedDatabase(t *testing.T) {
	s, _ := filled(t, 10)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	pages := len(whole) / pageSize
	cases := map[string][]byte{}
	for _, n := range []int{1, 99, 100, 511, pageSize - 1, pageSize, 2*pageSize + 1, len(whole) / 2, len(whole) - pageSize, len(whole) - 1} {
		cases[fmt.Sprintf("cut to %d bytes", n)] = whole[:n]
	}
	r := rand.New(rand.NewPCG(1, 2))
	for page := 0; page < pages; page += 1 + pages/12 {
		torn := append([]byte(nil), whole...)
		for i := page*pageSize + pageSize/2; i < (page+1)*pageSize; i++ {
			torn[i] = 0
		}
		cases[fmt.Sprintf("page %d torn", page)] = torn
		noise := append([]byte(nil), whole...)
		for range 20 {
			noise[page*pageSize+r.IntN(pageSize)] = byte(r.IntN(256))
		}
		cases[fmt.Sprintf("noise in page %d", page)] = noise
	}
	found := 0
	for name, data := range cases {
		path := filepath.Join(t.TempDir(), "bad.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		faults := useAll(t, path)
		for _, err := range faults {
			if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, "bad.db") && !namesGame.MatchString(text) {
				t.Errorf("%s: %q", name, text)
			}
		}
		if len(faults) > 0 {
			found++
		} else if strings.HasPrefix(name, "cut") {
			t.Errorf("%s: nothing was found", name)
		}
	}
	t.Logf("%d of %d damages were found; the others lie in free space or in texts that have no checksum", found, len(cases))
}

// What is no file is not opened, and nothing waits for it.
func TestNoOrdinaryFile(t *testing.T) {
	if !exists(os.DevNull) {
		t.Skip("no " + os.DevNull)
	}
	_, err := Open(t.Context(), os.DevNull)
	oneLine(t, err, os.DevNull, "no ordinary file")
}
