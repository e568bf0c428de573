//go:build cgo

package results

import (
	"bufio"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestCommands(t *testing.T) {
	owner := openTest(t)
	other := openAt(t, owner.Path())
	r, second := testRun(""), testRun("")
	l := mustCreate(t, owner, r)
	mustCreate(t, owner, second)
	tell := func(run string, c Command) int64 {
		t.Helper()
		id, err := other.Tell(t.Context(), run, c)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	take := func(want ...Command) {
		t.Helper()
		got, err := owner.Commands(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		var plain []Command
		for _, c := range got {
			if c.ID == 0 || time.Since(c.At) > time.Minute {
				t.Errorf("%+v", c)
			}
			plain = append(plain, Command{Verb: c.Verb, Value: c.Value})
		}
		if !reflect.DeepEqual(plain, want) {
			t.Errorf("took %+v, want %+v", plain, want)
		}
	}
	take()
	first := tell(r.ID, Command{Verb: Pause})
	tell(r.ID, Command{Verb: SetConcurrency, Value: 7})
	tell(second.ID, Command{Verb: Stop})
	tell(r.ID, Command{Verb: Continue})
	if at, err := other.Taken(t.Context(), first); err != nil || !at.IsZero() {
		t.Errorf("taken at %v, %v before the owner looked", at, err)
	}
	take(Command{Verb: Pause}, Command{Verb: SetConcurrency, Value: 7}, Command{Verb: Continue})
	take()
	if at, err := other.Taken(t.Context(), first); err != nil || time.Since(at) > time.Minute {
		t.Errorf("taken at %v, %v", at, err)
	}
	behind(t, other, "INSERT INTO requests (run, at, verb, value) SELECT id, 1, 'dance', '' FROM runs WHERE uuid = ?", r.ID)
	take() // a newer program's word
	tell(r.ID, Command{Verb: Stop})
	take(Command{Verb: Stop})

	for _, c := range []Command{{}, {Verb: "dance"}, {Verb: SetConcurrency}, {Verb: SetConcurrency, Value: -1}, {Verb: SetConcurrency, Value: 1 << 20}} {
		_, err := other.Tell(t.Context(), r.ID, c)
		oneLine(t, err, r.ID, "want")
	}
	if _, err := other.Tell(t.Context(), "01990000-0000-7000-8000-000000000000", Command{Verb: Stop}); !errors.Is(err, ErrNotFound) {
		t.Errorf("told an unknown run: %v", err)
	}
	if _, err := other.Taken(t.Context(), 99); !errors.Is(err, ErrNotFound) {
		t.Errorf("an unknown command was taken: %v", err)
	}
	if _, err := other.Commands(t.Context(), r.ID); !errors.Is(err, ErrNotHeld) {
		t.Errorf("took another's commands: %v", err)
	}

	// What was asked of an owner is not heard by the next.
	tell(r.ID, Command{Verb: Stop})
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	_, err := other.Tell(t.Context(), r.ID, Command{Verb: Stop})
	if oneLine(t, err, r.ID, "no living process"); !errors.Is(err, ErrNoOwner) {
		t.Errorf("told nobody: %v", err)
	}
	if _, err := owner.Acquire(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	take()
}

// Many tell at once and the owner takes in between: each command comes once, in order of
// its teller.
func TestCommandsAtOnce(t *testing.T) {
	owner := openTest(t)
	r := testRun("")
	mustCreate(t, owner, r)
	const tellers, each = 4, 50
	var wg sync.WaitGroup
	for i := range tellers {
		s := openAt(t, owner.Path())
		wg.Go(func() {
			for n := range each {
				if _, err := s.Tell(t.Context(), r.ID, Command{Verb: SetConcurrency, Value: 1 + i*each + n}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	next := [tellers]int{}
	for last := false; !last; {
		select {
		case <-done:
			last = true
		default:
		}
		all, err := owner.Commands(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			i, n := (c.Value-1)/each, (c.Value-1)%each
			if n != next[i] {
				t.Errorf("teller %d: command %d, want %d", i, n, next[i])
			}
			next[i] = n + 1
		}
	}
	if next != [tellers]int{each, each, each, each} {
		t.Errorf("taken %v of %d each", next, each)
	}
}

func TestOwnerAndProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "owner.db")
	cmd, out := start(t, "create", path, "theirs", "0", "1000000")
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the child wrote nothing")
	}
	id := strings.TrimPrefix(lines.Text(), "run ")
	go func() {
		for lines.Scan() {
		}
	}()
	s := openAt(t, path)
	o, err := s.Owner(t.Context(), id)
	if err != nil || o.PID != cmd.Process.Pid || !o.Here || !o.Alive || o.Progress != nil || !o.ProgressAt.IsZero() || time.Since(o.Since) > time.Minute {
		t.Errorf("%+v, %v", o, err)
	}
	if err := s.SetProgress(t.Context(), id, []byte("{}")); !errors.Is(err, ErrNotHeld) {
		t.Errorf("published for another: %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if o, err = s.Owner(t.Context(), id); err != nil || o.Alive || o.PID != cmd.Process.Pid {
		t.Errorf("killed: %+v, %v", o, err)
	}
	if _, err := s.Tell(t.Context(), id, Command{Verb: Stop}); !errors.Is(err, ErrNoOwner) {
		t.Errorf("told a dead owner: %v", err)
	}
	l, err := s.Acquire(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`{"games":1}`, `{"games":2}`} {
		if err := s.SetProgress(t.Context(), id, []byte(text)); err != nil {
			t.Fatal(err)
		}
		ro, err := OpenReadOnly(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		o, err = ro.Owner(t.Context(), id)
		if err != nil || !o.Alive || string(o.Progress) != text || time.Since(o.ProgressAt) > time.Minute {
			t.Errorf("%+v, %v", o, err)
		}
		ro.Close()
	}
	oneLine(t, s.SetProgress(t.Context(), id, []byte("{\n")), "no JSON")
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Owner(t.Context(), id); !errors.Is(err, ErrNoOwner) {
		t.Errorf("given up: %+v, %v", o, err)
	}
	if _, err := s.Owner(t.Context(), "x"); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
}
