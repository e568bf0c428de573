//go:build cgo

package results

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
)

// playRandom plays legal moves at random under the rules, plies at most; the seed says all.
func playRandom(t testing.TB, rules *referee.Rules, seed uint64, plies int) *Game {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	game := referee.NewGame(movegen.StartPosition(), rules)
	g := &Game{Red: 0, Black: 1, Opening: movegen.StartFEN, Result: Drawn, Reason: MaxPlies}
	for len(g.Plies) < plies && game.Verdict().Status == referee.Ongoing {
		var l movegen.MoveList
		game.Position().Legal(&l)
		m := l.At(r.IntN(l.Len()))
		if _, err := game.Play(m); err != nil {
			t.Fatal(err)
		}
		g.Plies = append(g.Plies, Ply{Move: m, Score: Score(r.IntN(400) - 200), Depth: 3, Nodes: 100})
	}
	if v := game.Verdict(); v.Status != referee.Ongoing {
		g.Result = [...]Result{referee.RedWins: RedWins, referee.BlackWins: BlackWins, referee.Draw: Drawn}[v.Status]
		g.Reason = Reason(v.Reason.String())
	}
	return g
}

func computerRules(t testing.TB) *referee.Rules {
	t.Helper()
	rules, err := referee.Named("computer")
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// filled returns a database with a finished run of random games in pairs.
func filled(t testing.TB, pairs int) (*Store, *Run) {
	t.Helper()
	s := openTest(t)
	r := testRun("")
	l := mustCreate(t, s, r)
	rules, err := r.RuleSet()
	if err != nil {
		t.Fatal(err)
	}
	for pair := range pairs {
		for leg := range 2 {
			g := playRandom(t, rules, uint64(2*pair+leg), 200)
			g.GameKey = GameKey{r.ID, pair, leg, 0}
			mustPut(t, s, g)
		}
	}
	if err := s.Finish(t.Context(), r.ID, "games", []byte(`{"n":1}`)); err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	return s, r
}

// sql changes a database behind the store's back.
func behind(t *testing.T, s *Store, query string, args ...any) {
	t.Helper()
	err := s.submit(t.Context(), false, func(w *writer) error {
		ok, err := w.changes(query, args...)
		if err == nil && !ok {
			err = errors.New("nothing changed")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func imports(games ...*Game) iter.Seq[*Game] { return slices.Values(games) }

func TestImport(t *testing.T) {
	s, _ := filled(t, 2)
	r := &Run{Kind: "import", Name: "people"}
	mustCreate(t, s, r)
	rules := computerRules(t)
	var games []*Game
	plies := 0
	for i := range 2500 {
		g := playRandom(t, rules, uint64(1000+i), 20)
		g.Tags = map[string]string{"Red": fmt.Sprint("player ", i%7), "Event": "城市杯"}
		g.Reason = Unknown
		games = append(games, g)
		plies += len(g.Plies)
	}
	again := *games[5] // the same moves and another result
	again.Result = BlackWins
	own := playRandom(t, rules, 1, 200) // stored by the run that was played here
	got, err := s.Import(t.Context(), r.ID, imports(append(games, &again, own)...))
	if want := (Imported{2500, plies, 2}); err != nil || got != want {
		t.Fatalf("%+v, %v, want %+v", got, err, want)
	}
	got, err = s.Import(t.Context(), r.ID, imports(games[:30]...))
	if want := (Imported{0, 0, 30}); err != nil || got != want {
		t.Errorf("again: %+v, %v, want %+v", got, err, want)
	}
	more := playRandom(t, rules, 9999, 20)
	if got, err = s.Import(t.Context(), r.ID, imports(more)); err != nil || got.Games != 1 {
		t.Errorf("one more: %+v, %v", got, err)
	}
	g, err := s.Game(t.Context(), GameKey{r.ID, 17, 0, 0})
	if err != nil || g.Red != -1 || g.Black != -1 || !reflect.DeepEqual(g.Tags, games[17].Tags) || g.Hash() != games[17].Hash() {
		t.Errorf("game 17: %+v, %v", g, err)
	}
	if g, err = s.Game(t.Context(), GameKey{r.ID, 2500, 0, 0}); err != nil || g.Hash() != more.Hash() {
		t.Errorf("the last: %+v, %v", g, err)
	}
	n := 0
	for row, err := range s.List(t.Context(), Filter{Engines: []string{"player 3"}}) {
		if n++; err != nil || row.Pair%7 != 3 {
			t.Fatal(row, err)
		}
	}
	if n != 357 {
		t.Errorf("player 3 has %d games, want 357", n)
	}
	bad := playRandom(t, rules, 4, 4)
	bad.Opening = "nonsense"
	got, err = s.Import(t.Context(), r.ID, imports(playRandom(t, rules, 77_777, 30), bad, playRandom(t, rules, 77_778, 30)))
	if oneLine(t, err, "game 2 of the import"); got.Games != 1 {
		t.Errorf("what came before the bad game: %+v", got)
	}
}

func TestFilters(t *testing.T) {
	s, r := filled(t, 20)
	second := testRun("")
	second.Kind, second.Created = "selfplay", r.Created.Add(time.Hour)
	second.Engines[1].Name = "third"
	mustCreate(t, s, second)
	for pair := range 3 {
		g := testGame(second.ID, pair, 1)
		g.Disagree = [2]bool{}
		g.Result = Drawn
		if pair == 1 {
			g.Evidence = nil
			g.Disagree[1] = true
		}
		mustPut(t, s, g)
	}
	var all []Row
	for row, err := range s.List(t.Context(), Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	if len(all) != 43 || all[42].Run != second.ID {
		t.Fatalf("%d rows, want 43 with the newer run last", len(all))
	}
	old := time.Date(2026, 3, 4, 5, 7, 7, 8000, time.UTC) // when testGame ended
	for name, c := range map[string]struct {
		f    Filter
		want func(Row) bool
	}{
		"run":      {Filter{Runs: []string{r.ID}}, func(x Row) bool { return x.Run == r.ID }},
		"runs":     {Filter{Runs: []string{r.ID, second.ID}}, func(Row) bool { return true }},
		"kind":     {Filter{Kinds: []string{"selfplay"}}, func(x Row) bool { return x.Run == second.ID }},
		"engine":   {Filter{Engines: []string{"base"}}, func(x Row) bool { return x.Run == r.ID }},
		"engines":  {Filter{Engines: []string{"base", "third"}}, func(Row) bool { return true }},
		"nobody":   {Filter{Engines: []string{"'; DROP TABLE games; --"}}, func(Row) bool { return false }},
		"result":   {Filter{Results: []Result{RedWins, BlackWins}}, func(x Row) bool { return x.Result == RedWins || x.Result == BlackWins }},
		"reason":   {Filter{Reasons: []Reason{MaxPlies}}, func(x Row) bool { return x.Reason == MaxPlies }},
		"plies":    {Filter{MinPlies: 50, MaxPlies: 199}, func(x Row) bool { return x.Plies >= 50 && x.Plies <= 199 }},
		"since":    {Filter{Since: old}, func(x Row) bool { return x.Run == second.ID }},
		"until":    {Filter{Until: old}, func(x Row) bool { return x.Run == r.ID }},
		"disagree": {Filter{Disagree: true}, func(x Row) bool { return x.Run == second.ID && x.Pair == 1 }},
		"evidence": {Filter{Evidence: true}, func(x Row) bool { return x.Run == second.ID && x.Pair != 1 }},
	} {
		var want []Row
		for _, x := range all {
			if c.want(x) {
				want = append(want, x)
			}
		}
		for limit := range 3 {
			c.f.Limit = limit
			var got []Row
			for row, err := range s.List(t.Context(), c.f) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, row)
			}
			if limit > 0 {
				want = want[:min(limit, len(want))]
			}
			if !slices.Equal(got, want) && limit != 2 || limit == 2 && len(got) < len(want) {
				t.Errorf("%s, limit %d: %d rows, want %d", name, limit, len(got), len(want))
			}
		}
	}
}

// Chunks smaller than a run: every game once, in order, also those of one pair.
func TestChunks(t *testing.T) {
	s := openTest(t)
	r := testRun("")
	mustCreate(t, s, r)
	var want []GameKey
	for pair := range chunkGames {
		for leg := range 2 {
			g := testGame(r.ID, pair, leg)
			g.Attempt = pair % 2
			want = append(want, g.GameKey)
			mustPutFast(t, s, g)
		}
	}
	rows, err := s.Rows(t.Context(), r.ID)
	if err != nil || len(rows) != len(want) {
		t.Fatal(len(rows), err)
	}
	for i := range rows {
		if rows[i].GameKey != want[i] {
			t.Fatalf("row %d is %v, want %v", i, rows[i].GameKey, want[i])
		}
	}
	// A reader that stops keeps nothing open: the log can be folded away.
	for range s.Games(t.Context(), Filter{}) {
		break
	}
	var busy, log, done int
	err = s.submit(t.Context(), false, func(*writer) error { return nil })
	if err == nil {
		err = s.write.conn.QueryRowContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &done)
	}
	if err != nil || busy != 0 || log != 0 {
		t.Errorf("checkpoint: busy %d, log %d, %v", busy, log, err)
	}
}

func mustPutFast(t *testing.T, s *Store, g *Game) {
	if err := s.Put(context.Background(), g); err != nil {
		t.Fatal(err)
	}
}

func TestGamesStopWithContext(t *testing.T) {
	s, _ := filled(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := 0
	for _, err := range s.Games(ctx, Filter{}) {
		if n++; !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	}
	if n != 1 {
		t.Errorf("yielded %d times", n)
	}
}

func findings(t *testing.T, s *Store) (all []Finding) {
	t.Helper()
	for f, err := range s.Verify(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(f.Text, "\n") {
			t.Errorf("finding of two lines: %q", f.Text)
		}
		all = append(all, f)
	}
	return all
}

func TestVerify(t *testing.T) {
	s, r := filled(t, 15)
	n := 0
	for f, err := range s.Verify(t.Context(), func(games int) { n = games }) {
		t.Errorf("%+v, %v", f, err)
	}
	if n != 30 {
		t.Errorf("%d games checked, want 30", n)
	}
	rows, err := s.Rows(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(rows, func(x Row) bool { return x.Reason.ByRules() && x.Result != Drawn })
	if at < 0 {
		t.Fatal("no random game was decided")
	}
	won := rows[at].GameKey
	for name, c := range map[string]struct{ kind, damage, undo string }{
		"result":   {"result", "UPDATE games SET result = 3 - result", "UPDATE games SET result = 3 - result"},
		"reason":   {"result", "UPDATE games SET reason = 'time'", fmt.Sprintf("UPDATE games SET reason = '%s'", rows[at].Reason)},
		"nodes":    {"game", "UPDATE games SET red_nodes = red_nodes + 1", "UPDATE games SET red_nodes = red_nodes - 1"},
		"plies":    {"game", "UPDATE games SET plies = plies - 1", "UPDATE games SET plies = plies + 1"},
		"checksum": {"game", "UPDATE plies SET data = CAST(data || x'00' AS BLOB)", "UPDATE plies SET data = substr(data, 1, length(data) - 1)"},
	} {
		where := fmt.Sprintf(" WHERE pair = %d AND leg = %d", won.Pair, won.Leg)
		if strings.HasPrefix(c.damage, "UPDATE plies") {
			where = " WHERE game = (SELECT id FROM games" + where + ")"
		}
		behind(t, s, c.damage+where)
		if all := findings(t, s); len(all) != 1 || all[0].Kind != c.kind || all[0].Game != won {
			t.Errorf("%s: %+v", name, all)
		}
		behind(t, s, c.undo+where)
	}
	behind(t, s, "DELETE FROM plies WHERE game = (SELECT min(id) FROM games)")
	if all := findings(t, s); len(all) != 1 || all[0].Kind != "game" || !strings.Contains(all[0].Text, "/1.1: ") {
		t.Errorf("without moves: %+v", all)
	}
	games, damaged := 0, 0
	for _, err := range s.Games(t.Context(), Filter{}) {
		if games++; errors.Is(err, ErrBlob) {
			damaged++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if games != 30 || damaged != 1 {
		t.Errorf("%d games are read, %d of them damaged; want 30 and 1", games, damaged)
	}
	if _, err := openAt(t, filepath.Join(t.TempDir(), "all.db")).Merge(t.Context(), s.Path()); !errors.Is(err, ErrBlob) || !strings.Contains(err.Error(), "/1.1: ") {
		t.Errorf("merged without moves: %v", err)
	}
}

// A page of the file overwritten is found, not tripped over.
func TestVerifyDamagedFile(t *testing.T) {
	s, _ := filled(t, 30)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for page := 10; page < len(data)/pageSize; page += 17 {
		bad := slices.Clone(data)
		for i := range pageSize / 2 {
			bad[page*pageSize+i] ^= 0x5a
		}
		path := filepath.Join(t.TempDir(), "bad.db")
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := OpenReadOnly(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		for f, err := range d.Verify(t.Context(), nil) {
			if found++; err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("%v %v", f, err)
			}
			break
		}
		d.Close()
	}
	if found == 0 {
		t.Error("no damage was found")
	}
}

func TestJudge(t *testing.T) {
	rules := computerRules(t)
	mate := findGame(t, rules, func(g *Game) bool { return g.Reason == Checkmate })
	long := *mate
	long.Plies = append(slices.Clone(mate.Plies), Ply{Move: movegen.NewMove(0, 9)})
	short := *mate
	short.Plies = mate.Plies[:len(mate.Plies)-1]
	illegal := *mate
	illegal.Plies = slices.Clone(mate.Plies)
	illegal.Plies[3].Move = movegen.NewMove(44, 45)
	with := func(g *Game, result Result, reason Reason) *Game {
		c := *g
		c.Result, c.Reason = result, reason
		return &c
	}
	other := RedWins + BlackWins - mate.Result
	for name, c := range map[string]struct {
		g     *Game
		rules *referee.Rules
		kind  string
	}{
		"as played":                   {mate, rules, ""},
		"no rules":                    {mate, nil, ""},
		"won by the other":            {with(mate, other, Checkmate), rules, "result"},
		"won by the other, no rules":  {with(mate, other, Unknown), nil, "result"},
		"stalemate":                   {with(mate, mate.Result, Stalemate), rules, "result"},
		"unknown":                     {with(mate, mate.Result, Unknown), rules, ""},
		"unknown, the other":          {with(mate, other, Unknown), rules, "result"},
		"time after mate":             {with(mate, mate.Result, TimeLoss), rules, "result"},
		"a move after mate":           {&long, rules, "result"},
		"a move after mate, no rules": {&long, nil, "moves"},
		"before mate":                 {&short, rules, "result"},
		"time before mate":            {with(&short, other, TimeLoss), rules, ""},
		"not played":                  {with(&short, NotPlayed, Stopped), rules, ""},
		"unknown before mate":         {with(&short, Drawn, Unknown), nil, ""},
		"illegal":                     {&illegal, rules, "moves"},
		"illegal, no rules":           {&illegal, nil, "moves"},
		"illegal, not played":         {with(&illegal, NotPlayed, Stopped), rules, "moves"},
	} {
		if kind, text := Judge(c.g, c.rules); kind != c.kind || kind != "" && text == "" {
			t.Errorf("%s: %q %s, want %q", name, kind, text, c.kind)
		}
	}
}

// findGame returns the first random game that is wanted.
func findGame(t testing.TB, rules *referee.Rules, want func(*Game) bool) *Game {
	t.Helper()
	for seed := range uint64(3000) {
		if g := playRandom(t, rules, seed, 300); want(g) {
			return g
		}
	}
	t.Fatal("no random game is so")
	return nil
}

func TestBackupWhileWriting(t *testing.T) {
	s := openTest(t)
	r := testRun("")
	mustCreate(t, s, r)
	ctx, stop := context.WithCancel(t.Context())
	acked := make(chan int, 1)
	started := make(chan struct{})
	go func() {
		n := 0
		for ; ctx.Err() == nil; n++ {
			if err := s.Put(context.Background(), testGame(r.ID, n, 0)); err != nil {
				t.Error(err)
				break
			}
			if n == 200 {
				close(started)
			}
		}
		acked <- n
	}()
	<-started
	dest := filepath.Join(t.TempDir(), "copy.db")
	if err := s.Backup(t.Context(), dest); err != nil {
		t.Fatal(err)
	}
	stop()
	n := <-acked
	for _, suffix := range []string{".part", "-wal", "-shm", "-journal", ".part-wal", ".part-shm"} {
		if exists(dest + suffix) {
			t.Errorf("%s is left over", suffix)
		}
	}
	c := openAt(t, dest)
	rows, err := c.Rows(t.Context(), r.ID)
	if err != nil || len(rows) < 200 || len(rows) > n || c.Made() {
		t.Errorf("%d rows in the copy, %v; %d were put", len(rows), err, n)
	}
	checkSound(t, c)
	if _, err := c.Acquire(t.Context(), r.ID); err != nil {
		t.Errorf("the copy has an owner: %v", err)
	}
	err = s.Backup(t.Context(), dest)
	if oneLine(t, err, dest, "exists"); !errors.Is(err, ErrExists) {
		t.Errorf("overwriting: %v", err)
	}
	oneLine(t, s.Backup(t.Context(), filepath.Join(dest+"-nowhere", "x.db")), "does not exist")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	dest += "2"
	if err := s.Backup(cancelled, dest); !errors.Is(err, context.Canceled) || exists(dest) || exists(dest+".part") {
		t.Errorf("cancelled: %v", err)
	}
}

func TestDelete(t *testing.T) {
	s, r := filled(t, 30)
	keep := testRun("keep")
	l := mustCreate(t, s, keep)
	const many = 2*deletePairs + 3
	shared := playRandom(t, computerRules(t), 3, 10)
	for pair := range many {
		g := *shared
		g.GameKey = GameKey{keep.ID, pair, 0, 0}
		if pair > 0 {
			g.Opening = fmt.Sprintf("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - %d 1", pair)
		}
		g.Evidence, g.Tags = []byte("{}"), map[string]string{"a": "b"}
		mustPutFast(t, s, &g)
	}
	if err := s.Event(t.Context(), keep.ID, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), keep.ID); !errors.Is(err, ErrOwned) {
		t.Errorf("deleted a run that is being written: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), keep.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), keep.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
	want := map[string]int{"runs": 1, "engines": 2, "games": 60, "plies": 60, "pairs": 30, "openings": 1, "evidence": 0, "tags": 0, "events": 0, "leases": 0}
	for table, n := range want {
		var got int
		if err := s.read.QueryRow("SELECT count(*) FROM " + table).Scan(&got); err != nil || got != n {
			t.Errorf("%d rows in %s, %v, want %d", got, table, err, n)
		}
	}
	if all := findings(t, s); len(all) > 0 {
		t.Errorf("%+v", all)
	}
	if err := s.Delete(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
}

// content is what two databases that hold the same have in common: every table with its
// integers of this file alone replaced by names that hold everywhere.
func content(t *testing.T, s *Store) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for name, query := range map[string]string{
		"hosts":   "SELECT concat_ws('|', hash, machine, facts) FROM hosts",
		"runs":    "SELECT concat_ws('|', uuid, kind, name, config, seed, rules, finished, stop_reason, summary, hash) FROM runs JOIN hosts h ON h.id = host",
		"engines": "SELECT concat_ws('|', uuid, idx, e.name, sha256) FROM engines e JOIN runs r ON r.id = run",
		"games": `SELECT concat_ws('|', uuid, g.pair, leg, attempt, result, reason, fen, hex(p.data), coalesce(e.data, ''), coalesce(t.data, '')) FROM games g JOIN runs r ON r.id = g.run
			JOIN pairs USING (run, pair) JOIN openings o ON o.id = opening JOIN plies p ON p.game = g.id LEFT JOIN evidence e ON e.game = g.id LEFT JOIN tags t ON t.game = g.id`,
		"events":      "SELECT concat_ws('|', uuid, at, e.kind, text) FROM events e JOIN runs r ON r.id = run",
		"benches":     "SELECT concat_ws('|', uuid, suite, hash, label, nodes, samples, median) FROM benches JOIN hosts h ON h.id = host",
		"datasets":    "SELECT concat_ws('|', hash, inputs, games, positions) FROM datasets",
		"weights":     "SELECT concat_ws('|', w.sha256, w.name, p.sha256, f.round, uuid, hex(w.data)) FROM weights w LEFT JOIN weights p ON p.id = w.parent LEFT JOIN fits f ON f.id = w.fit LEFT JOIN runs r ON r.id = f.run",
		"fits":        "SELECT concat_ws('|', uuid, round, hash, sha256, k, loss_test, steps, f.finished) FROM fits f JOIN runs r ON r.id = run JOIN datasets d ON d.id = dataset LEFT JOIN weights w ON w.id = base",
		"fit_steps":   "SELECT concat_ws('|', uuid, round, step, s.loss_train) FROM fit_steps s JOIN fits f ON f.id = fit JOIN runs r ON r.id = run",
		"fit_weights": "SELECT concat_ws('|', uuid, round, w.name, phase, value, error, count) FROM fit_weights w JOIN fits f ON f.id = fit JOIN runs r ON r.id = run",
		"trials":      "SELECT concat_ws('|', uuid, c.sha256, b.sha256, verdict) FROM trials JOIN runs r ON r.id = run JOIN weights c ON c.id = candidate JOIN weights b ON b.id = base",
		"spsa_steps":  "SELECT concat_ws('|', uuid, step, params, score) FROM spsa_steps JOIN runs r ON r.id = run",
	} {
		rows, err := s.read.QueryContext(t.Context(), query+" ORDER BY 1")
		lines, err := collect(rows, err, func(a *string) []any { return []any{a} })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = lines
	}
	return all
}

// laboratory fills all that a merge brings, rows named by the letter.
func laboratory(t *testing.T, letter string) *Store {
	t.Helper()
	s, r := filled(t, 3)
	g := testGame("", 0, 0)
	other := testRun("run " + letter)
	mustCreate(t, s, other)
	g.Run = other.ID
	mustPut(t, s, g)
	if err := s.Event(t.Context(), other.ID, "note", letter); err != nil {
		t.Fatal(err)
	}
	id := func(table string) string { return "(SELECT max(id) FROM " + table + ")" }
	run := fmt.Sprintf("(SELECT id FROM runs WHERE uuid = '%s')", r.ID)
	for _, q := range []string{
		"INSERT INTO weights (sha256, name, created, data) VALUES ('base', 'the base of all', 1, x'01')",
		"INSERT INTO datasets (hash, inputs, games, pairs, positions, bytes, created) VALUES ('data L', '{}', 1, 1, 1, 1, 1)",
		"INSERT INTO fits (run, round, dataset, base, config, k, created, steps) VALUES (" + run + ", 0, " + id("datasets") + ", " + id("weights") + ", '{}', 1.5, 1, 2)",
		"INSERT INTO fit_steps (fit, step, at, loss_train) VALUES (" + id("fits") + ", 1, 1, 0.5), (" + id("fits") + ", 2, 1, 0.4)",
		"INSERT INTO fit_weights (fit, name, phase, start, value, error, count) VALUES (" + id("fits") + ", 'rook L', 0, 1, 2, 0.1, 5)",
		"INSERT INTO weights (sha256, name, created, data, parent, fit) VALUES ('L', 'fitted L', 1, x'02', " + id("weights") + ", " + id("fits") + ")",
		"INSERT INTO trials (run, candidate, base) VALUES (" + run + ", " + id("weights") + ", (SELECT id FROM weights WHERE sha256 = 'base'))",
		"INSERT INTO spsa_steps (run, step, at, params, score) VALUES (" + run + ", 1, 1, '[L]', 0.5)",
		"INSERT INTO benches (uuid, suite, signature, host, label, version, commit_id, engine, sha256, settings, state, created, nodes, samples, median, low, high) VALUES ('bench L', 'bench-1', 's', " + id("hosts") + ", 'L', '', '', '', '', '', '', 1, 5, '[1]', 1.5, 1, 2)",
	} {
		behind(t, s, strings.ReplaceAll(q, "L'", letter+"'"))
	}
	return s
}

func TestMerge(t *testing.T) {
	a, b, c := laboratory(t, "a"), laboratory(t, "b"), openTest(t)
	want := content(t, a)
	for table, lines := range content(t, b) {
		want[table] = append(want[table], lines...)
		slices.Sort(want[table])
		want[table] = slices.Compact(want[table])
	}
	for round := range 2 {
		for _, from := range []*Store{a, b, a} {
			m, err := c.Merge(t.Context(), from.Path())
			if err != nil || len(m.Conflicts) > 0 {
				t.Fatal(m, err)
			}
			if first := round == 0 && m.Runs == 2; first != (m.Games == 7) || first != (m.Known == 0) || m.Games+m.Known != 7 {
				t.Errorf("round %d: %+v", round, m)
			}
		}
		if got := content(t, c); !reflect.DeepEqual(got, want) {
			differ(t, got, want)
		}
		checkSoundFile(t, c)
	}
	if all := findings(t, c); len(all) != 2 { // the two of testGame, which is not over
		t.Errorf("%+v", all)
	}
}

func checkSoundFile(t *testing.T, s *Store) {
	t.Helper()
	if damage, err := s.damage(t.Context()); err != nil || len(damage) > 0 {
		t.Errorf("%v, %v", damage, err)
	}
}

// A run that grew and ended elsewhere is brought up to date; what was decided meanwhile too.
func TestMergeAgainLater(t *testing.T) {
	a, c := laboratory(t, "a"), openTest(t)
	runs, err := a.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	live := runs[0]
	if live.Name != "run a" {
		live = runs[1]
	}
	if _, err := c.Merge(t.Context(), a.Path()); err != nil {
		t.Fatal(err)
	}
	mustPut(t, a, testGame(live.ID, 0, 1), testGame(live.ID, 1, 0))
	if err := a.Finish(t.Context(), live.ID, "sprt", []byte(`{"llr":3}`)); err != nil {
		t.Fatal(err)
	}
	behind(t, a, "UPDATE trials SET verdict = 'accepted', decided = 5")
	behind(t, a, "UPDATE fits SET steps = 3, finished = 9, loss_test = 0.25")
	behind(t, a, "INSERT INTO fit_steps (fit, step, at, loss_train) SELECT id, 3, 1, 0.3 FROM fits")
	m, err := c.Merge(t.Context(), a.Path())
	if err != nil || m.Games != 2 || m.Known != 7 || m.Runs != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	if got, want := content(t, c), content(t, a); !reflect.DeepEqual(got, want) {
		differ(t, got, want)
	}
}

// differ says which tables differ, in short.
func differ(t *testing.T, got, want map[string][]string) {
	t.Helper()
	for table := range want {
		if g, w := strings.Join(got[table], "\n"), strings.Join(want[table], "\n"); g != w {
			t.Errorf("%s:\n%.1000s\nwant\n%.1000s", table, g, w)
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	a, c := openTest(t), openTest(t)
	r := testRun("")
	la := mustCreate(t, a, r)
	mine := *r
	lc := mustCreate(t, c, &mine)
	mustPut(t, a, testGame(r.ID, 0, 0), testGame(r.ID, 0, 1), testGame(r.ID, 1, 0))
	different := testGame(r.ID, 0, 1)
	different.Result = Drawn
	mustPut(t, c, different)
	_, err := c.Merge(t.Context(), a.Path())
	if oneLine(t, err, r.ID, a.Path()); !errors.Is(err, ErrOwned) {
		t.Errorf("merged into a run that is being written: %v", err)
	}
	if err := lc.Release(); err != nil {
		t.Fatal(err)
	}
	m, err := c.Merge(t.Context(), a.Path())
	if want := (Merged{Games: 2, Conflicts: []GameKey{{r.ID, 0, 1, 0}}}); err != nil || !reflect.DeepEqual(m, want) {
		t.Errorf("%+v, %v, want %+v", m, err, want)
	}
	if g, err := c.Game(t.Context(), different.GameKey); err != nil || g.Result != Drawn {
		t.Errorf("the game here was changed: %v", err)
	}
	behind(t, a, "UPDATE runs SET seed = 1")
	_, err = c.Merge(t.Context(), a.Path())
	if oneLine(t, err, "seed"); !errors.Is(err, ErrConflict) {
		t.Errorf("another seed: %v", err)
	}
	behind(t, a, "UPDATE runs SET seed = ?", int64(r.Seed-1<<63)+(-1<<63))
	behind(t, a, "UPDATE plies SET data = x'0102' WHERE game = 1")
	_, err = c.Merge(t.Context(), a.Path())
	if oneLine(t, err, "/1.1", "verify"); !errors.Is(err, ErrBlob) {
		t.Errorf("damaged: %v", err)
	}
	_, err = c.Merge(t.Context(), c.Path())
	oneLine(t, err, "itself")
	_, err = c.Merge(t.Context(), c.Path()+"x")
	oneLine(t, err, "no database yet")
	_ = la
}

// One that writes without a pause does not keep another out.
func TestNobodyIsKeptOut(t *testing.T) {
	busy := openTest(t)
	r := testRun("")
	mustCreate(t, busy, r)
	other := openAt(t, busy.Path())
	second := testRun("")
	mustCreate(t, other, second)
	games := func(yield func(*Game) bool) {
		for seed := uint64(0); yield(randomMoves(seed, 100)); seed++ {
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := busy.Import(ctx, r.ID, games)
		done <- err
	}()
	for counts := map[string]int{}; counts[r.ID] == 0; time.Sleep(time.Millisecond) {
		var err error
		if counts, err = other.Counts(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var longest time.Duration
	for pair := range 20 {
		start := time.Now()
		mustPut(t, other, testGame(second.ID, pair, 0))
		longest = max(longest, time.Since(start))
		time.Sleep(7 * time.Millisecond)
	}
	t.Logf("the longest of 20 games beside an import took %v", longest.Round(time.Millisecond))
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// randomMoves returns a game of moves that need not be legal: it is only to be stored.
func randomMoves(seed uint64, plies int) *Game {
	r := rand.New(rand.NewPCG(seed, 1))
	g := &Game{Opening: movegen.StartFEN, Result: RedWins, Reason: Unknown, Plies: make([]Ply, plies)}
	for i := range g.Plies {
		g.Plies[i] = Ply{Move: movegen.NewMove(movegen.Square(r.IntN(90)), movegen.Square(r.IntN(90))), Score: NoScore}
	}
	return g
}
