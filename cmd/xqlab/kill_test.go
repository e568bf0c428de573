package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/report"
)

// program returns a path under which the test binary is xqlab.
func program(t *testing.T) string {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "xqlab")
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

var kills = flag.Int("kills", 4, "how often TestKilledAndResumed kills each event; make kill asks for 50")

// eventCase is an event of fixed nodes, whose games do not depend on time.
type eventCase struct {
	name string
	args []string
}

// eventCases returns the events, longer ones for many kills.
func eventCases() []eventCase {
	n := 1
	if *kills > 10 {
		n = 4
	}
	four := []string{"--engine", "name=a,nodes=400", "--engine", "name=b,nodes=200", "--engine", "name=c,nodes=100", "--engine", "name=d,nodes=50"}
	event := func(name string, pairs int, args ...string) eventCase {
		return eventCase{name, append(args, "--pairs", fmt.Sprint(n*pairs))}
	}
	list := []eventCase{
		event("match", 5, "--engine", "name=a,nodes=600", "--engine", "name=b,nodes=300"),
		event("roundrobin", 1, four...),
		event("gauntlet", 2, slices.Concat(four, []string{"--event", "gauntlet", "--seeds", "2"})...),
		event("ladder", 3, slices.Concat(four, []string{"--event", "ladder"})...),
		{"sprt", []string{"--engine", "name=a,nodes=300", "--engine", "name=b,nodes=200", "--sprt", fmt.Sprintf("elo0=0,elo1=%d", 120/n)}},
	}
	if _, err := os.Stat("/usr/games/fairy-stockfish"); err == nil {
		list = append(list, event("external", 3, "--engine", "name=own,nodes=200", "--engine", "name=fsf,cmd=/usr/games/fairy-stockfish,nodes=100"))
	}
	return append(list,
		eventCase{"self-play", []string{"selfplay", "--nodes", "100", "--games", fmt.Sprint(24 * n)}},
		eventCase{"SPSA", []string{"tune", "spsa", "--engine", "nodes=100", "--openings", "random,plies=4", "--steps", fmt.Sprint(4 * n), "--pairs", "3",
			"--param", "NullEval, int, 160, 40, 800, 80, 0.5", "--param", "SeeRook, int, 980, 500, 2000, 400, 0.5"}})
}

func (c *eventCase) withPGN() bool { return c.args[0] != "selfplay" && c.args[0] != "tune" }

// line returns the command line of the event in a folder.
func (c *eventCase) line(dir string, concurrency int) []string {
	if !c.withPGN() {
		return slices.Concat(c.args, []string{"--db", filepath.Join(dir, "k.db"), "--name", "kill", "--seed", "11", "--concurrency", fmt.Sprint(concurrency)})
	}
	args := []string{"arena", "--db", filepath.Join(dir, "k.db"), "--pgn", filepath.Join(dir, "k.pgn"), "--name", "kill", "--openings", "random,plies=4", "--seed", "11",
		"--max-plies", "120", "--concurrency", fmt.Sprint(concurrency)}
	return append(args, c.args...)
}

// TestKilledAndResumed kills each event with -9 at random instants, going on each time
// until it ends, and begins anew until it has been killed often enough. Games, scores,
// nodes and the verdict must be those of the undisturbed event, played one game at a time.
func TestKilledAndResumed(t *testing.T) {
	xqlab, events := program(t), eventCases()
	if testing.Short() {
		events = events[:1]
	}
	for _, c := range events {
		t.Run(c.name, func(t *testing.T) {
			whole := t.TempDir()
			if out, err := exec.Command(xqlab, c.line(whole, 1)...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want := storedOutcome(t, xqlab, whole, c.withPGN())
			for killed, begun := 0, 0; killed < *kills; begun++ {
				dir := t.TempDir()
				for killed < *kills && !killAfter(t, xqlab, c.line(dir, 2+begun%2), time.Duration(rand.IntN(400))*time.Millisecond) {
					killed++
				}
				if out, err := exec.Command(xqlab, c.line(dir, 2)...).CombinedOutput(); err != nil {
					t.Fatalf("resuming after %d kills: %v\n%s", killed, err, out)
				}
				t.Logf("killed %d times, %d games", killed, len(want.games))
				if got := storedOutcome(t, xqlab, dir, c.withPGN()); got.summary != want.summary || !slices.Equal(got.games, want.games) {
					t.Fatalf("after kills: %d games\n%s\nundisturbed: %d games\n%s", len(got.games), got.summary, len(want.games), want.summary)
				}
			}
		})
	}
}

// outcome is what an event stored, times apart.
type outcome struct {
	games   []string
	summary string
}

// storedOutcome returns the one run's outcome, of a test the games up to the verdict: how
// many others had ended by then depends on how many are played at once.
func storedOutcome(t *testing.T, xqlab, dir string, withPGN bool) outcome {
	db := filepath.Join(dir, "k.db")
	if out, err := exec.Command(xqlab, "results", "verify", "--db", db).CombinedOutput(); err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
	text, err := exec.Command(xqlab, "results", "show", "kill", "--db", db, "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var sum report.Summary
	if err := json.Unmarshal(text, &sum); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	s, err := results.OpenReadOnly(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var o outcome
	stored := 0
	for g, err := range s.Games(ctx, results.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if g.Result != results.NotPlayed {
			stored++
		}
		if sum.SPRT == nil || g.Pair < sum.SPRT.Pairs {
			o.games = append(o.games, timelessLine(g))
		}
	}
	if pgn, err := os.ReadFile(filepath.Join(dir, "k.pgn")); withPGN && (err != nil || strings.Count(string(pgn), "[Event ") != stored) {
		t.Errorf("%d games in the PGN file, %d in the database, %v", strings.Count(string(pgn), "[Event "), stored, err)
	}
	o.summary = fmt.Sprintf("%s %s %d %+v", sum.Name, sum.StoppedBy, sum.Pairs, sum.Penta)
	for _, e := range sum.Engines {
		o.summary += fmt.Sprintf(" %s %d %d %d %.6f %.6f", e.Name, e.Wins, e.Draws, e.Losses, e.Elo, e.EloError)
	}
	if sum.SPRT != nil { // the rest counts games beyond the verdict too
		o.summary = fmt.Sprintf("%s %s %+v", sum.Name, sum.StoppedBy, *sum.SPRT)
	}
	return o
}

// timelessLine tells a game without its times.
func timelessLine(g *results.Game) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d.%d.%d %d %d %s %d %s %s %q %v", g.Pair, g.Leg, g.Attempt, g.Red, g.Black, g.Opening, g.Book, g.Result, g.Reason, g.Detail, g.Disagree)
	for _, p := range g.Plies {
		fmt.Fprintf(&b, " %s/%d/%d/%d", p.Move, p.Score, p.Depth, p.Nodes)
	}
	return b.String()
}

// killAfter runs the program for a while and reports whether it ended by itself.
func killAfter(t *testing.T, xqlab string, args []string, d time.Duration) bool {
	cmd := exec.Command(xqlab, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(d, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	timer.Stop()
	if err != nil && cmd.ProcessState.Exited() {
		t.Fatalf("%v: %s", err, out.String())
	}
	return err == nil
}
