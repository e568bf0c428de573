//go:build cgo

package results

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/xqlab/xqlab/movegen"
)

func openTest(t testing.TB) *Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "test.db"))
}

func openAt(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

func testRun(name string) *Run {
	return &Run{Kind: "match", Name: name, Config: []byte("games = 100 # verbatim\n"), Seed: 1<<63 + 5, Rules: "computer", MoveLimit: 120,
		Book: "balanced", BookHash: "ab12", Pairs: 50, Version: "v0.1",
		Engines: []Engine{{Name: "dev", IDName: "Dev 1", Cmd: "/opt/dev", Proto: "uci", Config: []byte(`{"nodes":5000}`), SHA256: "d1", NetSHA256: "n1"}, {Name: "base"}}}
}

// testGame returns a game with everything that can be stored.
func testGame(run string, pair, leg int) *Game {
	started := time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC)
	g := &Game{GameKey: GameKey{run, pair, leg, 0}, Red: leg, Black: 1 - leg, Opening: movegen.StartFEN, Book: 1, Result: RedWins, Reason: Checkmate,
		Detail: "mate", Started: started, Ended: started.Add(time.Minute), Disagree: [2]bool{false, true}, Evidence: []byte(`{"exit":1}`),
		Tags: map[string]string{"Event": "test"}}
	for i, text := range []string{"h2e2", "h9g7", "h0g2", "b9c7", "i0h0"} {
		m, err := movegen.ParseMove(text)
		if err != nil {
			panic(err)
		}
		g.Plies = append(g.Plies, Ply{Move: m, Score: Score(10*pair + i), Depth: 5 + i, Nodes: 1000, Wall: 5 * time.Millisecond,
			CPU: 4 * time.Millisecond, Delay: 10 * time.Microsecond, Late: i == 4})
	}
	return g
}

func mustCreate(t testing.TB, s *Store, r *Run) *Lease {
	t.Helper()
	l, err := s.CreateRun(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustPut(t testing.TB, s *Store, games ...*Game) {
	t.Helper()
	for _, g := range games {
		if err := s.Put(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
}

// oneLine fails when an error is not one line with all of the words.
func oneLine(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line", err)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not name %q", err, w)
		}
	}
}

func TestRunRoundTrip(t *testing.T) {
	s := openTest(t)
	if !s.Made() || !filepath.IsAbs(s.Path()) {
		t.Errorf("made %v, path %s", s.Made(), s.Path())
	}
	r := testRun("first")
	l := mustCreate(t, s, r)
	if id, err := uuid.Parse(r.ID); err != nil || id.Version() != 7 || l.Run() != r.ID {
		t.Errorf("ID %q, lease of %q", r.ID, l.Run())
	}
	for _, ref := range []string{r.ID, "first", r.ID[:13]} {
		got, err := s.Run(t.Context(), ref)
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("Run(%q) = %+v, %v\nwant %+v", ref, got, err, r)
		}
	}
	r.Engines[1].IDName, r.Engines[1].SHA256 = "Base 2", "b2"
	if err := s.SetEngine(t.Context(), r.ID, r.Engines[1]); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveSummary(t.Context(), r.ID, []byte(`{"llr":1}`)); err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context(), r.ID, "sprt", []byte(`{"llr":3}`)); err != nil {
		t.Fatal(err)
	}
	got, err := s.Run(t.Context(), "first")
	if err != nil {
		t.Fatal(err)
	}
	if got.StopReason != "sprt" || string(got.Summary) != `{"llr":3}` || time.Since(got.Finished) > time.Minute || got.Engines[1].SHA256 != "b2" {
		t.Errorf("finished: %+v", got)
	}
}

func TestFinishedRunStaysFinished(t *testing.T) {
	s := openTest(t)
	r := testRun("")
	l := mustCreate(t, s, r)
	if err := s.Finish(t.Context(), r.ID, "", nil); err == nil {
		t.Error("finished without a reason")
	}
	for range 2 {
		if err := s.Finish(t.Context(), r.ID, "games", []byte("{}")); err != nil {
			t.Errorf("finishing: %v", err)
		}
	}
	if err := s.Finish(t.Context(), r.ID, "sprt", []byte("{}")); !errors.Is(err, ErrFinished) {
		t.Errorf("finished otherwise: %v", err)
	}
	if err := s.SaveSummary(t.Context(), r.ID, nil); !errors.Is(err, ErrFinished) {
		t.Errorf("summary after the end: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Acquire(t.Context(), r.ID); !errors.Is(err, ErrFinished) {
		t.Errorf("acquired after the end: %v", err)
	}
}

func TestRunReferences(t *testing.T) {
	s := openTest(t)
	a, b := testRun("night"), testRun("")
	a.ID, b.ID = "01990000-0000-7000-8000-000000000001", "01990000-0000-7000-8000-000000000002"
	a.Created, b.Created = time.Unix(100, 0), time.Unix(200, 0)
	mustCreate(t, s, a)
	mustCreate(t, s, b)
	for ref, want := range map[string]string{"night": a.ID, b.ID: b.ID} {
		if r, err := s.Run(t.Context(), ref); err != nil || r.ID != want {
			t.Errorf("Run(%q): %v, %v", ref, r, err)
		}
	}
	_, err := s.Run(t.Context(), "0199")
	oneLine(t, err, "2 runs", a.ID, b.ID)
	for _, ref := range []string{"", "nobody", "019", "%", "0199_"} {
		if _, err := s.Run(t.Context(), ref); !errors.Is(err, ErrNotFound) {
			t.Errorf("Run(%q): %v", ref, err)
		}
	}
	runs, err := s.Runs(t.Context())
	if err != nil || len(runs) != 2 || runs[0].ID != b.ID {
		t.Errorf("Runs: %v, %v, want the newest first", runs, err)
	}
	again := testRun("night")
	if _, err := s.CreateRun(t.Context(), again); !errors.Is(err, ErrExists) {
		t.Errorf("the name twice: %v", err)
	}
	again = testRun("")
	again.ID = a.ID
	if _, err := s.CreateRun(t.Context(), again); !errors.Is(err, ErrExists) {
		t.Errorf("the UUID twice: %v", err)
	}
}

func TestGameRoundTrip(t *testing.T) {
	s := openTest(t)
	r := testRun("")
	mustCreate(t, s, r)
	black := testGame(r.ID, 1, 0)
	black.Opening = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1"
	black.Plies, black.Evidence, black.Tags = black.Plies[1:], nil, nil
	empty := &Game{GameKey: GameKey{r.ID, 2, 1, 3}, Red: -1, Black: -1, Opening: movegen.StartFEN, Result: NotPlayed, Reason: Stopped}
	want := []*Game{testGame(r.ID, 0, 0), testGame(r.ID, 0, 1), black, empty}
	mustPut(t, s, want[3], want[1], want[0], want[2])
	for _, g := range want {
		got, err := s.Game(t.Context(), g.GameKey)
		if err != nil || len(got.Plies) != len(g.Plies) {
			t.Fatalf("%v, %v", got, err)
		}
		if len(g.Plies) == 0 {
			got.Plies = nil
		}
		if !reflect.DeepEqual(got, g) {
			t.Errorf("got  %+v\nwant %+v", got, g)
		}
	}
	var all []*Game
	for g, err := range s.Games(t.Context(), Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	rows, err := s.Rows(t.Context(), r.ID)
	if err != nil || len(rows) != len(want) || len(all) != len(want) {
		t.Fatalf("%d rows, %d games, %v", len(rows), len(all), err)
	}
	for i, g := range want {
		if row, err := RowOf(g); err != nil || rows[i] != row || all[i].GameKey != g.GameKey {
			t.Errorf("row %d is %+v, %v\nwant %+v; game %v", i, rows[i], err, row, all[i].GameKey)
		}
	}
	// Ply 1 is the book's; of the other four Black made two, Red two, the last late.
	ms := time.Millisecond
	if want := [2]Side{{2, 7 + 9, 2, 2000, 10 * ms, 8 * ms, 20 * time.Microsecond, 1}, {2, 6 + 8, 2, 2000, 10 * ms, 8 * ms, 20 * time.Microsecond, 0}}; rows[0].Sides != want {
		t.Errorf("sides %+v, want %+v", rows[0].Sides, want)
	}
	// Black moves first and its first ply is the book's: two of Red's moves and one of Black's are left.
	if sides := rows[2].Sides; sides[movegen.Red].Moves != 2 || sides[movegen.Black].Moves != 1 {
		t.Errorf("black to move first: %+v", sides)
	}
	if _, err := s.Game(t.Context(), GameKey{r.ID, 9, 0, 0}); !errors.Is(err, ErrNotFound) {
		t.Errorf("a game that is not there: %v", err)
	}
	if counts, err := s.Counts(t.Context()); err != nil || !reflect.DeepEqual(counts, map[string]int{r.ID: 4}) {
		t.Errorf("counts %v, %v", counts, err)
	}
}

func TestPutIsIdempotent(t *testing.T) {
	s := openTest(t)
	r := testRun("")
	l := mustCreate(t, s, r)
	mustPut(t, s, testGame(r.ID, 0, 0), testGame(r.ID, 0, 0))
	for name, change := range map[string]func(*Game){
		"result":   func(g *Game) { g.Result = BlackWins },
		"reason":   func(g *Game) { g.Reason = Resignation },
		"a score":  func(g *Game) { g.Plies[2].Score++ },
		"a delay":  func(g *Game) { g.Plies[4].Delay += time.Millisecond },
		"players":  func(g *Game) { g.Red, g.Black = g.Black, g.Red },
		"evidence": func(g *Game) { g.Evidence = nil },
		"tags":     func(g *Game) { g.Tags["Event"] = "other" },
		"opening":  func(g *Game) { g.Opening = strings.Replace(g.Opening, " 1", " 7", 1) },
	} {
		g := testGame(r.ID, 0, 0)
		change(g)
		if err := s.Put(t.Context(), g); !errors.Is(err, ErrConflict) {
			t.Errorf("%s differs: error %v", name, err)
		}
	}
	other := testGame(r.ID, 0, 1)
	other.Opening = strings.Replace(other.Opening, "9/RNB", "9/RN1", 1)
	if err := s.Put(t.Context(), other); !errors.Is(err, ErrConflict) {
		t.Errorf("another opening for the pair's other leg: %v", err)
	}
	var openings int
	if err := s.read.QueryRow("SELECT count(*) FROM openings").Scan(&openings); err != nil || openings != 1 {
		t.Errorf("%d openings, %v; what failed has left some", openings, err)
	}
	for name, change := range map[string]func(*Game){
		"leg 2":       func(g *Game) { g.Leg = 2 },
		"pair -1":     func(g *Game) { g.Pair = -1 },
		"attempt -1":  func(g *Game) { g.Attempt = -1 },
		"result 9":    func(g *Game) { g.Result = 9 },
		"engine -2":   func(g *Game) { g.Black = -2 },
		"book 6":      func(g *Game) { g.Book = 6 },
		"no opening":  func(g *Game) { g.Opening = "" },
		"bad opening": func(g *Game) { g.Opening = "9/9 w" },
		"square 90":   func(g *Game) { g.Plies[0].Move = movegen.NewMove(90, 1) },
		"unknown run": func(g *Game) { g.Run = uuid.NewString() },
	} {
		g := testGame(r.ID, 5, 0)
		change(g)
		err := s.Put(t.Context(), g)
		oneLine(t, err, s.Path())
		if errors.Is(err, ErrConflict) {
			t.Errorf("%s: %v", name, err)
		}
	}
	rows, err := s.Rows(t.Context(), r.ID)
	if err != nil || len(rows) != 1 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), testGame(r.ID, 1, 0)); !errors.Is(err, ErrNotHeld) {
		t.Errorf("put after the release: %v", err)
	}
}

// Many goroutines share transactions; one that fails takes no other with it.
func TestConcurrentPut(t *testing.T) {
	s := openTest(t)
	r := testRun("")
	mustCreate(t, s, r)
	var wg sync.WaitGroup
	for worker := range 16 {
		wg.Go(func() {
			for i := range 25 {
				pair := worker*25 + i
				for leg := range 2 {
					if err := s.Put(t.Context(), testGame(r.ID, pair, leg)); err != nil {
						t.Error(err)
					}
				}
				bad := testGame(r.ID, pair, 0)
				bad.Result = Drawn
				if err := s.Put(t.Context(), bad); !errors.Is(err, ErrConflict) {
					t.Errorf("conflict: %v", err)
				}
			}
		})
	}
	wg.Wait()
	rows, err := s.Rows(t.Context(), r.ID)
	if err != nil || len(rows) != 800 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	for i, row := range rows {
		if row.Pair != i/2 || row.Leg != i%2 || row.Result != RedWins {
			t.Fatalf("row %d is %+v", i, row.GameKey)
		}
	}
}

func TestCloseDuringPut(t *testing.T) {
	s := openTest(t)
	r := testRun("")
	mustCreate(t, s, r)
	var wg sync.WaitGroup
	stored := make([]int, 8)
	for worker := range stored {
		wg.Go(func() {
			for pair := worker; ; pair += len(stored) {
				if err := s.Put(context.Background(), testGame(r.ID, pair, 0)); err != nil {
					if !errors.Is(err, ErrClosed) && !errors.Is(err, ErrNotHeld) {
						t.Error(err)
					}
					return
				}
				stored[worker]++
			}
		})
	}
	time.Sleep(50 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if _, err := os.Stat(s.Path() + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log is still there: %v", err)
	}
	again := openAt(t, s.Path())
	rows, err := again.Rows(t.Context(), r.ID)
	if sum := sumOf(stored); err != nil || len(rows) < sum || len(rows) > sum+len(stored) || again.Made() {
		t.Errorf("%d rows, %v, made %v; Put returned for %d", len(rows), err, again.Made(), sum)
	}
	if _, err := again.Acquire(t.Context(), r.ID); err != nil {
		t.Errorf("the lease was not released: %v", err)
	}
}

// TestPutAfterRelease is a write whose turn comes after its own process gave the run up: no
// other process has taken anything.
func TestPutAfterRelease(t *testing.T) {
	s := openTest(t)
	r := testRun("")
	mustCreate(t, s, r)
	l, err := s.lease(r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if err := s.submit(t.Context(), false, l.check); !errors.Is(err, ErrNotHeld) || errors.Is(err, ErrOwned) {
		t.Errorf("got %v, want ErrNotHeld", err)
	}
}

func sumOf(list []int) (sum int) {
	for _, n := range list {
		sum += n
	}
	return sum
}

func TestPragmas(t *testing.T) {
	s := openTest(t)
	seen := map[string]string{}
	read := func(full bool) {
		err := s.submit(t.Context(), full, func(w *writer) error {
			for _, name := range []string{"synchronous", "journal_mode", "page_size", "foreign_keys", "journal_size_limit"} {
				var v string
				if err := w.conn.QueryRowContext(t.Context(), "PRAGMA "+name).Scan(&v); err != nil {
					return err
				}
				seen[name] = v
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, full := range []bool{false, true, false, true, true, false} {
		read(full)
		want := map[string]string{"synchronous": "1", "journal_mode": "wal", "page_size": "8192", "foreign_keys": "1", "journal_size_limit": "67108864"}
		if full {
			want["synchronous"] = "2"
		}
		if !reflect.DeepEqual(seen, want) {
			t.Errorf("full %v: %v, want %v", full, seen, want)
		}
	}
	if _, err := s.read.Exec("DELETE FROM runs"); err == nil {
		t.Error("a reader can write")
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newer := filepath.Join(dir, "newer.db")
	s := openAt(t, newer)
	if err := s.submit(t.Context(), false, func(w *writer) error { return w.pragma("user_version = 99") }); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign.db")
	db, err := openDB(dsn(foreign, "mode=rwc"), "")
	if err == nil {
		_, err = db.Exec("CREATE TABLE mine (x)")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	before, err := os.ReadFile(foreign)
	if err != nil {
		t.Fatal(err)
	}
	cut := write("cut.db", "SQLite format 3\x00")
	for path, word := range map[string]string{
		write("text.db", strings.Repeat("no database at all\n", 100)): "no SQLite database",
		cut:                                   "no SQLite database",
		newer:                                 "schema 99",
		foreign:                               "another program",
		dir:                                   "folder",
		filepath.Join(dir, "nowhere", "x.db"): "does not exist",
		filepath.Join(cut, "x.db"):            cut,
		"":                                    "no path",
	} {
		_, err := Open(t.Context(), path)
		oneLine(t, err, path, word)
		_, err = OpenReadOnly(t.Context(), path)
		oneLine(t, err, path, word)
	}
	if after, err := os.ReadFile(foreign); err != nil || string(after) != string(before) {
		t.Errorf("the other program's database was changed (%v)", err)
	}
	_, err = OpenReadOnly(t.Context(), filepath.Join(dir, "absent.db"))
	if oneLine(t, err, "absent.db", "no database yet"); !errors.Is(err, ErrNotFound) || exists(filepath.Join(dir, "absent.db")) {
		t.Errorf("reading what is not there: %v", err)
	}
}

func TestOddPaths(t *testing.T) {
	for _, name := range []string{"a b.db", "what?.db", "50%.db", "a#b.db", "ü车.db", "mode=memory&x=.db", "'quote'.db", "%41.db"} {
		path := filepath.Join(t.TempDir(), name)
		s := openAt(t, path)
		r := testRun("")
		mustCreate(t, s, r)
		if !exists(path) {
			t.Errorf("%q was made elsewhere", name)
		}
		ro, err := OpenReadOnly(t.Context(), path)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := ro.Run(t.Context(), r.ID); err != nil {
			t.Error(err)
		}
		if _, err := ro.CreateRun(t.Context(), testRun("")); err == nil {
			t.Error("a database opened for reading was written")
		}
		if err := ro.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestEvents(t *testing.T) {
	s := openTest(t)
	r := testRun("")
	mustCreate(t, s, r)
	for i := range 3 {
		if err := s.Event(t.Context(), r.ID, "crash", fmt.Sprint("engine ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Event(t.Context(), uuid.NewString(), "crash", ""); !errors.Is(err, ErrNotFound) {
		t.Errorf("event of no run: %v", err)
	}
	events, err := s.Events(t.Context(), r.ID)
	if err != nil || len(events) != 3 || events[2].Text != "engine 2" || events[0].Kind != "crash" || time.Since(events[0].At) > time.Minute {
		t.Errorf("%v, %v", events, err)
	}
}

func TestHostFacts(t *testing.T) {
	h := HostFacts()
	if h.LogicalCores < 1 || h.Memory < 1<<20 || h.OS == "" || h.Arch == "" || h.Go == "" {
		t.Errorf("%+v", h)
	}
	name, err := os.Hostname()
	if id, _ := os.ReadFile("/etc/machine-id"); err == nil && len(name) > 3 {
		text := fmt.Sprintf("%+v", h)
		if strings.Contains(text, name) || len(id) > 8 && strings.Contains(text, strings.TrimSpace(string(id))) {
			t.Errorf("the facts name the machine: %s", text)
		}
	}
}

// What was hashed once is compared with hashes in databases for ever.
func TestGameHash(t *testing.T) {
	g := testGame("", 0, 0)
	const want = 0x9c869eb8d61d835 // computed outside, from the comment of Hash
	if h := g.Hash(); h != want {
		t.Errorf("hash %#x, want %#x", h, uint64(want))
	}
	same := testGame("x", 7, 1)
	same.Opening = strings.Replace(same.Opening, "0 1", "5 30", 1)
	same.Result, same.Plies[0].Score = Drawn, 99
	if same.Hash() != g.Hash() {
		t.Error("one game with other counters, result and scores has another hash")
	}
	same.Plies = same.Plies[:4]
	if same.Hash() == g.Hash() {
		t.Error("a shorter game has the same hash")
	}
}
