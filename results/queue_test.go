//go:build cgo

package results

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

func mustEnqueue(t *testing.T, s *Store, q *Queued) *Queued {
	t.Helper()
	if err := s.Enqueue(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	return q
}

func mustClaim(t *testing.T, s *Store, name string) *Claim {
	t.Helper()
	c, err := s.NextQueued(t.Context())
	if err != nil || c.Name != name {
		t.Fatalf("claimed %+v, %v, want %s", c, err, name)
	}
	return c
}

// states returns the queue as "name state" in the order of turns.
func states(t *testing.T, s *Store) string {
	t.Helper()
	all, err := s.Queue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, q := range all {
		out = append(out, q.Name+" "+string(q.State))
	}
	return strings.Join(out, ", ")
}

func TestQueue(t *testing.T) {
	s := openTest(t)
	if _, err := s.NextQueued(t.Context()); !errors.Is(err, ErrNotFound) {
		t.Errorf("claimed from an empty queue: %v", err)
	}
	want := Queued{Name: "b", Kind: "match", Priority: 1, Config: []byte("games = 5\n"), Budget: 90 * time.Minute, Games: 1000, Rules: []byte(`{"sprt":true}`)}
	q := want
	mustEnqueue(t, s, &q)
	mustEnqueue(t, s, &Queued{Name: "c", Priority: 1})
	mustEnqueue(t, s, &Queued{Name: "a", Priority: 9})
	mustEnqueue(t, s, &Queued{Name: "d", Priority: -1})
	all, err := s.Queue(t.Context())
	if err != nil || len(all) != 4 {
		t.Fatal(all, err)
	}
	want.ID, want.State, want.Added = q.ID, Waiting, q.Added
	if !reflect.DeepEqual(all[1], want) || !reflect.DeepEqual(q, want) {
		t.Errorf("stored %+v\nwant   %+v", all[1], want)
	}
	err = s.Enqueue(t.Context(), &Queued{Name: "a"})
	if oneLine(t, err, all[0].ID); !errors.Is(err, ErrExists) {
		t.Errorf("queued twice: %v", err)
	}
	if err := s.Enqueue(t.Context(), &Queued{ID: q.ID}); !errors.Is(err, ErrExists) {
		t.Errorf("queued twice: %v", err)
	}
	for _, bad := range []Queued{{ID: "x"}, {Budget: -1}, {Games: -1}, {Rules: []byte("{")}} {
		oneLine(t, s.Enqueue(t.Context(), &bad), s.Path())
	}
	a := mustClaim(t, s, "a")
	b := mustClaim(t, s, "b")
	if got := states(t, s); got != "a running, b running, c waiting, d waiting" {
		t.Error(got)
	}
	if left, limited := b.Left(); left != 90*time.Minute || !limited {
		t.Errorf("left %v, %v", left, limited)
	}
	r := testRun("")
	mustCreate(t, s, r)
	if err := b.SetRun(t.Context(), "unknown"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an unknown run: %v", err)
	}
	if err := b.SetRun(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	oneLine(t, b.End(t.Context(), Waiting, ""), "want done or failed")
	if err := a.End(t.Context(), Failed, "no engine"); err != nil {
		t.Fatal(err)
	}
	if err := a.End(t.Context(), Done, ""); !errors.Is(err, ErrOwned) {
		t.Errorf("ended twice: %v", err)
	}
	// Given up, it waits again and knows its run.
	if err := b.Release(); err != nil {
		t.Fatal(err)
	}
	again := mustClaim(t, s, "b")
	if again.Run != r.ID || again.Started != b.Started {
		t.Errorf("%+v", again.Queued)
	}
	err = s.Dequeue(t.Context(), "b")
	if oneLine(t, err, "this machine", "stop"); !errors.Is(err, ErrOwned) {
		t.Errorf("removed what runs: %v", err)
	}
	if err := s.Dequeue(t.Context(), "c"); err != nil {
		t.Error(err)
	}
	oneLine(t, s.Dequeue(t.Context(), q.ID[:4]), "two are called so")
	for _, ref := range []string{"c", "a", "", "nobody"} {
		if err := s.Dequeue(t.Context(), ref); !errors.Is(err, ErrNotFound) {
			t.Errorf("removed %q: %v", ref, err)
		}
	}
	if err := again.End(t.Context(), Done, "games"); err != nil {
		t.Fatal(err)
	}
	mustEnqueue(t, s, &Queued{Name: "a"}) // the name is free again
	if got := states(t, s); got != "a failed, b done, c removed, a waiting, d waiting" {
		t.Error(got)
	}
	all, _ = s.Queue(t.Context())
	if all[0].Reason != "no engine" || all[1].Reason != "games" || all[1].Run != r.ID || all[1].Ended.IsZero() {
		t.Errorf("%+v", all[:2])
	}
}

// Many processes' worth of claims at once: each queued run goes to one.
func TestQueueClaimedOnce(t *testing.T) {
	s := openTest(t)
	const runs = 40
	for i := range runs {
		mustEnqueue(t, s, &Queued{Name: fmt.Sprint(i)})
	}
	var mu sync.Mutex
	got := map[string]int{}
	var wg sync.WaitGroup
	for range 4 {
		one := openAt(t, s.Path())
		wg.Go(func() {
			for {
				c, err := one.NextQueued(t.Context())
				if errors.Is(err, ErrNotFound) {
					return
				} else if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				got[c.Name]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for name, n := range got {
		if n != 1 {
			t.Errorf("%s was claimed %d times", name, n)
		}
	}
	if len(got) != runs {
		t.Errorf("%d claimed, want %d", len(got), runs)
	}
}

// A claim whose owner was killed is free at once; one of an owner that cannot be seen after
// its silence, and that owner can do nothing more.
func TestQueueOwnerDies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue.db")
	s := openAt(t, path)
	mustEnqueue(t, s, &Queued{Name: "first"})
	cmd, out := start(t, "claim", path)
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "claimed first" {
		t.Fatal("the child claimed nothing:", lines.Text())
	}
	if _, err := s.NextQueued(t.Context()); !errors.Is(err, ErrNotFound) {
		t.Errorf("claimed what a living process has: %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if got := states(t, s); got != "first waiting" {
		t.Error(got)
	}
	s.beat = 5 * time.Millisecond
	c := mustClaim(t, s, "first")
	elsewhere := func(beat time.Time) {
		behind(t, s, "UPDATE queue SET owner = json_set(owner, '$.machine', 'elsewhere'), token = 'x', beat = ?", beat.UnixMicro())
	}
	elsewhere(time.Now())
	select {
	case <-c.Lost():
	case <-time.After(10 * time.Second):
		t.Fatal("the owner did not learn that it lost its claim")
	}
	if err := c.End(t.Context(), Done, ""); !errors.Is(err, ErrOwned) {
		t.Errorf("ended what is another's: %v", err)
	}
	if _, err := s.NextQueued(t.Context()); !errors.Is(err, ErrNotFound) {
		t.Errorf("claimed from one that was heard of just now: %v", err)
	}
	if err := c.Release(); err != nil {
		t.Fatal(err)
	}
	if got := states(t, s); got != "first running" {
		t.Errorf("a lost claim was given back: %s", got)
	}
	elsewhere(time.Now().Add(-beatLimit - time.Second))
	mustClaim(t, s, "first")
}

// The budget counts the time of claims, not that between them.
func TestQueueUsed(t *testing.T) {
	s := openTest(t)
	mustEnqueue(t, s, &Queued{Name: "q", Budget: time.Hour})
	c := mustClaim(t, s, "q")
	behind(t, s, "UPDATE queue SET beat = beat - 40 * 60 * 1000000") // forty minutes pass
	if err := c.Release(); err != nil {
		t.Fatal(err)
	}
	behind(t, s, "UPDATE queue SET beat = beat - 60 * 60 * 1000000")
	c = mustClaim(t, s, "q")
	if c.Used < 40*time.Minute || c.Used > 41*time.Minute {
		t.Errorf("used %v, want 40m", c.Used)
	}
	behind(t, s, "UPDATE queue SET beat = beat + 60 * 60 * 1000000") // the clock was set back
	if err := c.End(t.Context(), Done, "budget"); err != nil {
		t.Fatal(err)
	}
	all, err := s.Queue(t.Context())
	if err != nil || all[0].Used < 40*time.Minute || all[0].Used > 41*time.Minute {
		t.Errorf("%+v, %v", all, err)
	}
}

// A copy of the database is nobody's.
func TestBackupFreesClaims(t *testing.T) {
	s := openTest(t)
	mustEnqueue(t, s, &Queued{Name: "q"})
	mustClaim(t, s, "q")
	dest := filepath.Join(t.TempDir(), "copy.db")
	if err := s.Backup(t.Context(), dest); err != nil {
		t.Fatal(err)
	}
	mustClaim(t, openAt(t, dest), "q")
}
