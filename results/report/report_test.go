package report

import (
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/stats"
)

var update = flag.Bool("update", false, "write the golden files")

// row makes a game of a pair between engines 0 and 1; engine 0 has Red in leg 0.
func row(pair, leg, attempt int, result results.Result, reason results.Reason) results.Row {
	return results.Row{GameKey: results.GameKey{Run: "r", Pair: pair, Leg: leg, Attempt: attempt}, Red: leg, Black: 1 - leg, Result: result, Reason: reason}
}

// Pair building, row 33 of STATISTICS.md (fastchess's scoreboard_test): each pair falls in its cell, one game alone in none.
func TestPairCells(t *testing.T) {
	const red, black, draw = results.RedWins, results.BlackWins, results.Drawn
	for _, tt := range []struct {
		name        string
		leg0, leg1  results.Result
		want        int
		first       int
		wins, draws int
	}{
		{"WW", red, black, 4, 0, 2, 0},
		{"WD", red, draw, 3, 0, 1, 1},
		{"WL", red, red, 2, 0, 1, 0},
		{"LW", black, black, 2, 0, 1, 0},
		{"DD", draw, draw, 2, 0, 0, 2},
		{"LD", black, draw, 1, 0, 0, 1},
		{"LL", black, red, 0, 0, 0, 0},
	} {
		rows := []results.Row{row(3, 0, 0, tt.leg0, results.Checkmate), row(3, 1, 0, tt.leg1, results.Checkmate)}
		c := Count(rows)
		if len(c.Pairs) != 1 || c.Pairs[0].Cell != tt.want {
			t.Errorf("%s: %+v, want cell %d", tt.name, c.Pairs, tt.want)
			continue
		}
		if w := WDLOf(c.Games, 0); w.W != tt.wins || w.D != tt.draws || w.Games() != 2 {
			t.Errorf("%s: %+v", tt.name, w)
		}
		if a, b := PentaOf(c.Pairs, 0, 1), PentaOf(c.Pairs, 1, 0); a[tt.want] != 1 || a != b.Swap() {
			t.Errorf("%s: %v, from the other side %v", tt.name, a, b)
		}
		if c := Count(rows[:1]); len(c.Pairs) != 0 || len(c.Games) != 1 {
			t.Errorf("%s: the first game alone makes %+v", tt.name, c.Pairs)
		}
		if c := Count(rows[1:]); len(c.Pairs) != 0 || len(c.Games) != 1 {
			t.Errorf("%s: the second game alone makes %+v", tt.name, c.Pairs)
		}
	}
}

func TestCountAttempts(t *testing.T) {
	const red, black, draw, none = results.RedWins, results.BlackWins, results.Drawn, results.NotPlayed
	tests := []struct {
		name         string
		rows         []results.Row
		games, pairs int
		cell         int
		notPlayed    int
	}{
		{"a void game played again", []results.Row{row(0, 0, 0, none, results.HostVoid), row(0, 0, 1, red, ""), row(0, 1, 0, black, "")}, 2, 1, 4, 0},
		{"a replay that was given up leaves the first", []results.Row{row(0, 0, 0, red, ""), row(0, 0, 1, none, results.Stopped), row(0, 1, 0, black, "")}, 2, 1, 4, 0},
		{"the highest attempt counts", []results.Row{row(0, 0, 0, red, ""), row(0, 0, 2, black, ""), row(0, 0, 1, draw, ""), row(0, 1, 0, red, "")}, 2, 1, 0, 0},
		{"a leg not played leaves no pair", []results.Row{row(0, 0, 0, red, ""), row(0, 1, 0, none, results.SetAside), row(0, 1, 1, none, results.SetAside)}, 1, 0, 0, 1},
		{"an unfinished game counts for nothing", []results.Row{row(0, 0, 0, red, ""), row(0, 1, 0, results.Unfinished, "")}, 1, 0, 0, 0},
		{"legs of two pairs make none", []results.Row{row(0, 0, 0, red, ""), row(1, 1, 0, red, "")}, 2, 0, 0, 0},
		{"nothing", nil, 0, 0, 0, 0},
	}
	for _, tt := range tests {
		for range 5 {
			rand.Shuffle(len(tt.rows), func(i, j int) { tt.rows[i], tt.rows[j] = tt.rows[j], tt.rows[i] })
			c := Count(tt.rows)
			if len(c.Games) != tt.games || len(c.Pairs) != tt.pairs || (tt.pairs > 0 && c.Pairs[0].Cell != tt.cell) || len(unplayed(tt.rows, c)) != tt.notPlayed {
				t.Errorf("%s: %d games, pairs %+v, %d not played", tt.name, len(c.Games), c.Pairs, len(unplayed(tt.rows, c)))
			}
		}
	}
}

func TestCountLeavesItsInput(t *testing.T) {
	rows := []results.Row{row(1, 1, 0, results.RedWins, ""), row(0, 0, 0, results.NotPlayed, ""), row(1, 0, 0, results.RedWins, "")}
	before := append([]results.Row(nil), rows...)
	Count(rows)
	if !reflect.DeepEqual(before, rows) {
		t.Error("Count changed the rows it was given")
	}
}

// match makes a match of n pairs: engine 0 is a little better, some games are replaced or not played.
func match(n int) Input {
	rng := rand.New(rand.NewPCG(7, 8))
	in := Input{
		Run: results.Run{
			ID: "0198c0de-0000-7000-8000-000000000001", Name: "night", Rules: "computer", Book: "balanced", Seed: 42,
			Engines: []results.Engine{{Name: "dev", SHA256: "aa"}, {Name: "基准", SHA256: "bb"}},
		},
		Conditions: "10+0.1 Threads=1 Hash=16MB", StoppedBy: "games", Elapsed: 100 * time.Second,
		Test: &stats.SPRT{Model: stats.Normalized, Elo0: 0, Elo1: 20, Alpha: 0.05, Beta: 0.05},
	}
	for pair := range n {
		for leg := range 2 {
			r := row(pair, leg, 0, results.Drawn, results.MoveLimit)
			switch x := rng.Float64(); {
			case x < 0.33 && leg == 0, x < 0.23 && leg == 1:
				r.Result, r.Reason = results.RedWins, results.Checkmate
			case x < 0.50:
				r.Result, r.Reason = results.BlackWins, results.PerpetualChase
			case x < 0.51:
				r.Result, r.Reason = results.BlackWins, results.TimeLoss
			case x < 0.515:
				r.Result, r.Reason = results.NotPlayed, results.HostVoid
			}
			r.Sides = [2]results.Side{
				{Moves: 40, DepthSum: 480, DepthMoves: 40, Nodes: 8e6, Wall: 4 * time.Second},
				{Moves: 40, DepthSum: 250, DepthMoves: 20, Nodes: 4e6, Wall: 8 * time.Second, Late: pair % 2},
			}
			r.Disagree[0] = pair == 5
			in.Rows = append(in.Rows, r)
		}
	}
	return in
}

func summary(t *testing.T, in Input) *Summary {
	t.Helper()
	s, err := Summarize(in)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update writes it):\n%s", file, got)
	}
}

// rounded cuts long fractions to nine digits: the last ones depend on whether the processor
// fuses multiplication and addition.
func rounded(text string) string {
	return regexp.MustCompile(`-?\d+\.\d{6,}`).ReplaceAllStringFunc(text, func(n string) string {
		f, err := strconv.ParseFloat(n, 64)
		if err != nil {
			return n
		}
		return strconv.FormatFloat(f, 'g', 9, 64)
	})
}

func TestMatchGolden(t *testing.T) {
	s := summary(t, match(200))
	golden(t, "match.txt", s.Text())
	golden(t, "match.md", s.Markdown())
	for name, print := range map[string]func() (string, error){"openbench.txt": s.OpenBench, "fishtest.txt": s.Fishtest} {
		text, err := print()
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, text)
	}
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "match.json", rounded(string(text))+"\n")
}

// What scripts read of `arena --json` has the names of the command line's manual.
func TestJSONNames(t *testing.T) {
	text, err := json.Marshal(summary(t, match(20)))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields("run name rules openings seed stopped_by games pairs engines penta sprt seconds games_per_second") {
		if _, ok := got[name]; !ok {
			t.Errorf("no %q", name)
		}
	}
	engine := got["engines"].([]any)[0].(map[string]any)
	for _, name := range strings.Fields("name sha256 games wins draws losses score elo elo_error time_losses late crashes illegal depth_mean nps_mean ms_per_move") {
		if _, ok := engine[name]; !ok {
			t.Errorf("no engines[].%q", name)
		}
	}
	for _, name := range strings.Fields("model elo0 elo1 alpha beta llr lower upper state") {
		if _, ok := got["sprt"].(map[string]any)[name]; !ok {
			t.Errorf("no sprt.%q", name)
		}
	}
}

// What is left of a clock is its base and what moves added, less what they took.
func TestClockLeft(t *testing.T) {
	in := match(2)
	for i := range in.Rows {
		in.Rows[i].Sides[0] = results.Side{Moves: 40, Wall: 9 * time.Second}
		in.Rows[i].Sides[1] = results.Side{Moves: 40, Wall: 9 * time.Second}
	}
	in.Clocks = []Clock{{10 * time.Second, 100 * time.Millisecond}, {}}
	s, err := Summarize(in)
	if err != nil {
		t.Fatal(err)
	}
	if e := s.Engines[0]; e.Clock != 10 || math.Abs(e.ClockLeft-5) > 1e-9 || s.Engines[1].Clock != 0 {
		t.Errorf("left %v of %v s, and a clock of %v s where there is none; want 5 of 10 and 0", e.ClockLeft, e.Clock, s.Engines[1].Clock)
	}
	if want := "left on the clock at the end of a game: " + s.Engines[0].Name + " 5 of 10 s\n"; !strings.Contains(s.Text(), want) {
		t.Errorf("no %q in\n%s", want, s.Text())
	}
}

// The figures of a match add up, whatever its rows.
func TestSummaryAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := match(0)
		for range rapid.IntRange(0, 60).Draw(t, "rows") {
			in.Rows = append(in.Rows, row(rapid.IntRange(0, 9).Draw(t, "pair"), rapid.IntRange(0, 1).Draw(t, "leg"), rapid.IntRange(0, 3).Draw(t, "attempt"),
				results.Result(rapid.IntRange(0, 4).Draw(t, "result")), rapid.SampledFrom([]results.Reason{results.Crash, results.TimeLoss, results.SetAside, results.HostVoid}).Draw(t, "reason")))
		}
		s, err := Summarize(in)
		if err != nil {
			t.Fatal(err)
		}
		a, b := s.Engines[0], s.Engines[1]
		if a.Games != s.Games || b.Games != s.Games || a.Wins != b.Losses || a.Losses != b.Wins || a.Draws != b.Draws {
			t.Errorf("games do not add up: %+v", s)
		}
		if s.Penta.Pairs() != s.Pairs || 2*s.Pairs > s.Games || s.SPRT.Pairs > s.Pairs {
			t.Errorf("pairs do not add up: %+v", s)
		}
		ended := 0
		for _, n := range s.Reasons {
			ended += n.total()
		}
		if ended != s.Games+s.NotPlayed || a.Colours[0].Add(a.Colours[1]) != (stats.WDL{W: a.Wins, D: a.Draws, L: a.Losses}) {
			t.Errorf("tables do not add up: %+v", s)
		}
		if _, err := json.Marshal(s); err != nil {
			t.Error(err) // an infinite number
		}
		if s.Text() == "" || s.Markdown() == "" {
			t.Error("nothing to print")
		}
	})
}

// tournament makes a round robin of four, the first anchored, and a fifth engine that has met none of them.
func tournament(pairs int) Input {
	in := match(0)
	in.Test, in.Anchors = nil, map[int]float64{0: 2000}
	in.Run.Engines = []results.Engine{{Name: "old"}, {Name: "new"}, {Name: "炮"}, {Name: "weak"}, {Name: "late"}}
	rng, number := rand.New(rand.NewPCG(9, 9)), 0
	for range pairs {
		for a := range 4 {
			for b := range a {
				for leg := range 2 {
					r := row(number, leg, 0, results.Drawn, results.MoveLimit)
					r.Red, r.Black = a, b
					if leg == 1 {
						r.Red, r.Black = b, a
					}
					strength := [4]float64{0, 0.15, 0.05, -0.3}
					if x := rng.Float64() - strength[r.Red] + strength[r.Black]; x < 0.3 {
						r.Result, r.Reason = results.RedWins, results.Checkmate
					} else if x > 0.8 {
						r.Result, r.Reason = results.BlackWins, results.Checkmate
					}
					in.Rows = append(in.Rows, r)
				}
				number++
			}
		}
	}
	return in
}

func TestTournamentGolden(t *testing.T) {
	s := summary(t, tournament(40))
	golden(t, "tournament.txt", s.Text())
	golden(t, "tournament.md", s.Markdown())
	if s.Penta != nil || s.Elo != nil || s.Engines[0].Elo != 2000 || !s.Engines[0].Anchor || len(s.Groups) != 2 {
		t.Errorf("%+v", s)
	}
	if e := s.Engines; e[1].Elo-e[1].EloError < 2000 || e[3].Elo+e[3].EloError > 2000 || s.LOS[1][3] < 0.99 {
		t.Errorf("strengths: %+v, LOS %v", e, s.LOS)
	}
	in := tournament(1)
	in.Anchors[7] = 0
	if _, err := Summarize(in); err == nil {
		t.Error("an anchor of no engine is taken")
	}
}

// The test reads pairs up to the first that is missing, past those that an engine set aside leaves.
func TestReadGaps(t *testing.T) {
	whole := func(pair int) []results.Row {
		return []results.Row{row(pair, 0, 0, results.RedWins, ""), row(pair, 1, 0, results.BlackWins, "")}
	}
	for _, tt := range []struct {
		name  string
		third []results.Row
		want  int
	}{
		{"missing", nil, 2},
		{"half", whole(2)[:1], 2},
		{"to be played again", []results.Row{row(2, 0, 0, results.NotPlayed, results.HostVoid)}, 2},
		{"engine set aside", []results.Row{row(2, 0, 0, results.NotPlayed, results.SetAside), row(2, 1, 0, results.RedWins, "")}, 4},
		{"whole", whole(2), 5},
	} {
		in := match(0)
		for _, pair := range []int{0, 1, 3, 4} {
			in.Rows = append(in.Rows, whole(pair)...)
		}
		in.Rows = append(in.Rows, tt.third...)
		if got := summary(t, in).SPRT.Pairs; got != tt.want {
			t.Errorf("third pair %s: %d pairs read, want %d", tt.name, got, tt.want)
		}
	}
}

func TestSummaryOfNothing(t *testing.T) {
	for n := range 4 {
		in := match(0)
		in.Run.Engines, in.Test = make([]results.Engine, n), nil
		s := summary(t, in)
		if text := s.Text() + s.Markdown(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%d engines: %s", n, text)
		}
		if _, err := s.OpenBench(); (err == nil) != (n == 2) {
			t.Errorf("%d engines: OpenBench %v", n, err)
		}
	}
	in := match(0)
	in.Test.Elo1 = math.NaN()
	if _, err := Summarize(in); err == nil {
		t.Error("a test without bounds is taken")
	}
}

// Names come from outside: they move no cursor, break no line and no table.
func TestNamesAreHarmless(t *testing.T) {
	in := match(2)
	in.Run.Engines[0].Name, in.Run.Name = "a|b\x1b[2J\nzz", "x\r\ny"
	s := summary(t, in)
	for _, text := range []string{s.Text(), s.Markdown()} {
		if strings.ContainsAny(text, "\x1b\r") || strings.Contains(text, "\nzz") {
			t.Errorf("%q", text)
		}
	}
	if strings.Contains(s.Markdown(), "a|b") {
		t.Error("a bar in a name breaks the table")
	}
}
