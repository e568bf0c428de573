//go:build cgo

package results

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// childEnv tells the test binary, started by a test, what to do instead of testing.
const childEnv = "XQLAB_RESULTS_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		if err := child(job, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child writes games of a run (acquired, or made with that name) from many goroutines
// and prints the pair of each once Put has returned; or it claims the next queued run.
func child(job string, args []string) error {
	ctx := context.Background()
	s, err := Open(ctx, args[0])
	if err != nil {
		return err
	}
	var id string
	switch job {
	case "claim":
		c, err := s.NextQueued(ctx)
		if err != nil {
			return err
		}
		fmt.Println("claimed", c.Name)
		time.Sleep(time.Minute) // until it is killed
		return nil
	case "resume":
		id = args[1]
		_, err = s.Acquire(ctx, id)
	case "create":
		r := testRun(args[1])
		_, err = s.CreateRun(ctx, r)
		id = r.ID
	}
	if err != nil {
		return err
	}
	first, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	fmt.Println("run", id)
	pairs := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 4 {
		wg.Go(func() {
			for pair := range pairs {
				err := s.Put(ctx, testGame(id, pair, 0))
				mu.Lock()
				if err != nil {
					fmt.Println("error", err)
				} else {
					fmt.Println("stored", pair)
				}
				mu.Unlock()
			}
		})
	}
	for pair := first; pair < first+count; pair++ {
		pairs <- pair
	}
	close(pairs)
	wg.Wait()
	return s.Close()
}

// start runs a child and returns it with its output.
func start(t *testing.T, job string, args ...string) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childEnv+"="+job)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, out
}

// A process that writes is killed at random instants and another goes on at once: what
// Put returned for is there, once, and the file is sound.
func TestKilledWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "killed.db")
	s := openAt(t, path)
	r := testRun("")
	if err := mustCreate(t, s, r).Release(); err != nil {
		t.Fatal(err)
	}
	stored := map[int]bool{}
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for round := range rounds {
		cmd, out := start(t, "resume", path, r.ID, strconv.Itoa(round*100_000), "100000")
		lines := bufio.NewScanner(out)
		if !lines.Scan() { // "run …": it has the lease
			t.Fatal("the child wrote nothing")
		}
		timer := time.AfterFunc(time.Duration(rand.IntN(150_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		for lines.Scan() {
			n, err := strconv.Atoi(strings.TrimPrefix(lines.Text(), "stored "))
			if err != nil {
				t.Fatalf("child: %s", lines.Text())
			}
			stored[n] = true
		}
		timer.Stop()
		_ = cmd.Wait()
	}
	rows, err := s.Rows(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d games acknowledged, %d stored", len(stored), len(rows))
	if len(rows) < len(stored) || len(rows) > len(stored)+4*rounds {
		t.Errorf("%d games stored, Put returned for %d; only games under way may be more", len(rows), len(stored))
	}
	for _, row := range rows {
		delete(stored, row.Pair)
	}
	if len(stored) > 0 {
		t.Errorf("lost: %v", stored)
	}
	checkSound(t, s)
}

func checkSound(t *testing.T, s *Store) {
	t.Helper()
	for _, q := range []string{"PRAGMA integrity_check", "PRAGMA foreign_key_check"} {
		rows, err := s.read.QueryContext(t.Context(), q)
		answers, err := collect(rows, err, func(a *string) []any { return []any{a} })
		if err != nil || len(answers) > 1 || len(answers) == 1 && answers[0] != "ok" {
			t.Errorf("%s: %v, %v", q, answers, err)
		}
	}
	n := 0
	for g, err := range s.Games(t.Context(), Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; len(g.Plies) != 5 {
			t.Fatalf("%s has %d plies", g.GameKey, len(g.Plies))
		}
	}
}

// Two processes write two runs into one database, which the first of them makes.
func TestTwoWritingProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.db")
	const games = 1500
	var cmds []*exec.Cmd
	var outs []*bufio.Scanner
	for _, name := range []string{"one", "other"} {
		cmd, out := start(t, "create", path, name, "0", strconv.Itoa(games))
		cmds, outs = append(cmds, cmd), append(outs, bufio.NewScanner(out))
	}
	var wg sync.WaitGroup
	for i := range cmds {
		wg.Go(func() {
			for outs[i].Scan() {
				if line := outs[i].Text(); strings.HasPrefix(line, "error") {
					t.Error(line)
				}
			}
			if err := cmds[i].Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s := openAt(t, path)
	counts, err := s.Counts(t.Context())
	if err != nil || len(counts) != 2 {
		t.Fatal(counts, err)
	}
	for run, n := range counts {
		if n != games {
			t.Errorf("run %s has %d games, want %d", run, n, games)
		}
	}
	checkSound(t, s)
}

func TestOneOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "owned.db")
	cmd, out := start(t, "create", path, "theirs", "0", "1000000")
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the child wrote nothing")
	}
	id := strings.TrimPrefix(lines.Text(), "run ")
	s := openAt(t, path)
	_, err := s.Acquire(t.Context(), id)
	oneLine(t, err, id, "process "+strconv.Itoa(cmd.Process.Pid), "on this machine", "since 20")
	if !errors.Is(err, ErrOwned) {
		t.Errorf("acquired a run whose owner lives: %v", err)
	}
	if err := s.Put(t.Context(), testGame(id, 2_000_000, 0)); !errors.Is(err, ErrNotHeld) {
		t.Errorf("put into another's run: %v", err)
	}
	// Killed and not yet waited for, it is a zombie: dead, and known to be at once.
	_ = cmd.Process.Kill()
	for lines.Scan() {
	}
	// (Its pipe closes a little before it is dead.)
	l, err := s.Acquire(t.Context(), id)
	for tries := 0; err != nil && tries < 100; tries++ {
		time.Sleep(10 * time.Millisecond)
		l, err = s.Acquire(t.Context(), id)
	}
	if err != nil {
		t.Fatalf("the owner was killed: %v", err)
	}
	_ = cmd.Wait()
	again, err := Open(t.Context(), path) // another store of this very process
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for _, st := range []*Store{s, again} {
		if _, err := st.Acquire(t.Context(), id); !errors.Is(err, ErrOwned) {
			t.Errorf("acquired twice: %v", err)
		}
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Errorf("released twice: %v", err)
	}
	if _, err := again.Acquire(t.Context(), id); err != nil {
		t.Errorf("acquired after the release: %v", err)
	}
}

// An owner that cannot be seen from here is dead when its heart has been silent; when it
// was only asleep it learns that it has lost the run and can write nothing.
func TestSilentOwner(t *testing.T) {
	s := openTest(t)
	s.beat = 10 * time.Millisecond
	r := testRun("")
	l := mustCreate(t, s, r)
	elsewhere := func(beat time.Time) {
		t.Helper()
		err := s.submit(t.Context(), false, func(w *writer) error {
			_, err := w.exec(`UPDATE leases SET owner = json_set(owner, '$.machine', 'elsewhere'), token = 'x', beat = ?`, beat.UnixMicro())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	elsewhere(time.Now())
	select {
	case <-l.Lost():
	case <-time.After(10 * time.Second):
		t.Fatal("the owner did not learn that it lost the run")
	}
	if err := s.Put(t.Context(), testGame(r.ID, 0, 0)); !errors.Is(err, ErrOwned) {
		t.Errorf("put into a lost run: %v", err)
	}
	if err := s.Finish(t.Context(), r.ID, "games", nil); !errors.Is(err, ErrOwned) {
		t.Errorf("finished a lost run: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	_, err := s.Acquire(t.Context(), r.ID)
	if oneLine(t, err, "on machine elsewhere"); !errors.Is(err, ErrOwned) {
		t.Errorf("acquired from an owner that was heard of just now: %v", err)
	}
	elsewhere(time.Now().Add(-beatLimit - time.Second))
	if l, err = s.Acquire(t.Context(), r.ID); err != nil {
		t.Fatalf("the owner is silent: %v", err)
	}
	mustPut(t, s, testGame(r.ID, 0, 0))
	time.Sleep(30 * time.Millisecond) // some beats
	select {
	case <-l.Lost():
		t.Error("lost while nobody took it")
	default:
	}
}

func TestOwnerLives(t *testing.T) {
	me := thisProcess()
	for name, c := range map[string]struct {
		change      func(*owner)
		alive, sure bool
	}{
		"itself":            {func(*owner) {}, true, true},
		"another process":   {func(o *owner) { o.Start += "1" }, false, true},
		"no process":        {func(o *owner) { o.PID = 1 << 30 }, false, true},
		"another machine":   {func(o *owner) { o.Machine = "m" }, false, false},
		"unknown machine":   {func(o *owner) { o.Machine = "" }, false, false},
		"before the reboot": {func(o *owner) { o.Boot = "b" }, false, true},
		"another container": {func(o *owner) { o.Space = "pid:[1]" }, false, false},
		"not described":     {func(o *owner) { *o = owner{} }, false, false},
	} {
		o := me
		c.change(&o)
		if alive, sure := o.lives(me); alive != c.alive || sure != c.sure {
			t.Errorf("%s: alive %v, sure %v", name, alive, sure)
		}
	}
}

// fillUp leaves the database as many pages as it has.
func fillUp(t *testing.T, s *Store, room string) {
	t.Helper()
	if err := s.submit(t.Context(), false, func(w *writer) error { return w.pragma("max_page_count = " + room) }); err != nil {
		t.Fatal(err)
	}
}

// A full disk is one line that wraps ErrFull; what was stored is sound; with room the
// same calls succeed.
func TestFull(t *testing.T) {
	s := openTest(t)
	r := testRun("")
	mustCreate(t, s, r)
	fillUp(t, s, "1") // SQLite takes the number of pages there are
	stored := 0
	var err error
	for ; err == nil && stored < 10_000; stored++ {
		err = s.Put(t.Context(), testGame(r.ID, stored, 0))
	}
	stored--
	if oneLine(t, err, s.Path(), "disk full"); !errors.Is(err, ErrFull) {
		t.Fatalf("put: %v", err)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			g := testGame(r.ID, 20_000+i, 0)
			g.Evidence = []byte(strings.Repeat("e", 10_000))
			if err := s.Put(t.Context(), g); !errors.Is(err, ErrFull) {
				t.Errorf("put: %v", err)
			}
		})
	}
	wg.Wait()
	big := testRun("")
	big.Config = []byte(strings.Repeat("# room\n", 10_000))
	if _, err := s.CreateRun(t.Context(), big); !errors.Is(err, ErrFull) {
		t.Errorf("create: %v", err)
	}
	if err := s.Finish(t.Context(), r.ID, "games", big.Config); !errors.Is(err, ErrFull) {
		t.Errorf("finish: %v", err)
	}
	rows, err := s.Rows(t.Context(), r.ID)
	if err != nil || len(rows) != stored {
		t.Errorf("%d rows, %v, want %d", len(rows), err, stored)
	}
	checkSound(t, s)
	fillUp(t, s, "1000000")
	mustPut(t, s, testGame(r.ID, stored, 0))
	mustCreate(t, s, big)
	if err := s.Finish(t.Context(), r.ID, "games", big.Config); err != nil {
		t.Error(err)
	}
	checkSound(t, s)
}

// A database that is removed, renamed or replaced while it is written to takes no game more:
// what goes into a file without a name is lost.
func TestFileTakenAway(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be taken away here")
	}
	for what, take := range map[string]func(path string) error{
		"removed": func(path string) error { return errors.Join(os.Link(path, path+".old"), os.Remove(path)) },
		"renamed": func(path string) error { return os.Rename(path, path+".old") },
		"another": func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, nil, 0o600))
		},
	} {
		s := openTest(t)
		r := testRun("")
		mustCreate(t, s, r)
		mustPut(t, s, testGame(r.ID, 0, 0))
		if err := take(s.Path()); err != nil {
			t.Fatal(err)
		}
		if err := s.Put(t.Context(), testGame(r.ID, 1, 0)); !errors.Is(err, ErrGone) {
			t.Errorf("%s: put: %v", what, err)
		} else {
			oneLine(t, err, s.Path(), what)
		}
		if err := os.Rename(s.Path()+".old", s.Path()); err != nil {
			t.Fatal(err)
		}
		mustPut(t, s, testGame(r.ID, 1, 0))
		checkSound(t, s)
	}
}

// Many processes make one database at once: one does, the others wait for it.
func TestManyMakers(t *testing.T) {
	for range 2 {
		path := filepath.Join(t.TempDir(), "new.db")
		var cmds []*exec.Cmd
		for i := range 6 {
			cmd, out := start(t, "create", path, fmt.Sprint("run", i), "0", "2")
			go func() { _, _ = io.Copy(io.Discard, out) }()
			cmds = append(cmds, cmd)
		}
		for _, cmd := range cmds {
			if state, err := cmd.Process.Wait(); err != nil || !state.Success() {
				t.Errorf("%v, %v", state, err)
			}
		}
		if counts, err := openAt(t, path).Counts(t.Context()); err != nil || len(counts) != 6 {
			t.Errorf("%v, %v", counts, err)
		}
	}
}
