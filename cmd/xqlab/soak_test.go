package main

import (
	"context"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/results"
)

var soakPairs = flag.Int("soak-pairs", 4, "pairs of each two engines in TestBadEnginesStopNothing; 100 makes 2,000 games")

// TestBadEnginesStopNothing lets five engines play everyone against everyone, three of
// which misbehave: the arena ends by itself, every game of every pair is accounted for, and
// the good engines' games against each other are not touched.
func TestBadEnginesStopNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("many processes; not with -short")
	}
	xqlab, dir := program(t), t.TempDir()
	scripted := buildScripted(t, dir)
	db := filepath.Join(dir, "soak.db")
	args := []string{"arena", "--db", db, "--openings", "random,plies=4", "--seed", "1", "--pairs", fmt.Sprint(*soakPairs), "--concurrency", "2",
		"--max-plies", "60", "--hang", "2s", "--quit-timeout", "500ms", "--stop-timeout", "500ms",
		"--engine", "name=own,nodes=30",
		"--engine", "name=good,nodes=1,cmd=" + scripted,
		"--engine", "name=crasher,nodes=1,cmd=" + scripted + ",args=-do crash -at 5",
		"--engine", "name=cheat,nodes=1,cmd=" + scripted + ",args=-do illegal -at 4",
		"--engine", "name=mute,nodes=1,cmd=" + scripted + ",args=-do silent -at 3",
	}
	out, err := exec.Command(xqlab, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !asExit(err, &exit) {
		t.Fatal(err)
	}
	if exit == nil || exit.ExitCode() != exitFailed || !strings.Contains(lastLine(out), "set aside") {
		t.Errorf("the exit status and the last line do not say that engines were set aside: %v %s", err, lastLine(out))
	}
	rows := rowsOf(t, db)
	if want := 20 * *soakPairs; len(rows) != want {
		t.Fatalf("%d games accounted for, want %d", len(rows), want)
	}
	bad := map[int]results.Reason{2: results.Crash, 3: results.IllegalMove, 4: results.Hang}
	seen := map[results.Reason]int{}
	for _, r := range rows {
		seen[r.Reason]++
		_, redBad := bad[r.Red]
		_, blackBad := bad[r.Black]
		failure := slices.Contains([]results.Reason{results.Crash, results.IllegalMove, results.Hang, results.SetAside, results.StartFailed, results.TimeLoss}, r.Reason)
		if !redBad && !blackBad && failure {
			t.Errorf("%v between good engines ended by %s: %s", r.GameKey, r.Reason, r.Detail)
		}
	}
	for _, reason := range bad {
		if seen[reason] == 0 {
			t.Errorf("no game ended by %s: %v", reason, seen)
		}
	}
	if err := exec.Command("pgrep", "-f", dir).Run(); err == nil {
		t.Error("engine processes are left")
	}
	t.Logf("%d games: %v", len(rows), seen)
}

// buildScripted builds the engine that misbehaves as it is told.
func buildScripted(t *testing.T, dir string) string {
	path := filepath.Join(dir, "scripted")
	if out, err := exec.Command("go", "build", "-o", path, "../../arena/engine/scripted").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

func asExit(err error, exit **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*exit = e
	return ok
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

func rowsOf(t *testing.T, db string) []results.Row {
	ctx := context.Background()
	s, err := results.OpenReadOnly(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	runs, err := s.Runs(ctx)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	rows, err := s.Rows(ctx, runs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestEngineThatDoesNotStart: among three or more, an engine that cannot be started loses its
// games until it is set aside, and the others play theirs; a match of two is refused.
func TestEngineThatDoesNotStart(t *testing.T) {
	if testing.Short() {
		t.Skip("many processes; not with -short")
	}
	xqlab, dir := program(t), t.TempDir()
	scripted := buildScripted(t, dir)
	db := filepath.Join(dir, "dead.db")
	args := []string{"arena", "--db", db, "--openings", "random,plies=4", "--seed", "1", "--pairs", "3", "--engine", "name=own,nodes=30",
		"--engine", "name=dead,nodes=1,cmd=" + scripted + ",args=-do exit-at-start"}
	out, err := exec.Command(xqlab, args...).CombinedOutput()
	if err == nil || !strings.Contains(lastLine(out), "dead") {
		t.Errorf("a match of two with an engine that does not start: %v %s", err, lastLine(out))
	}
	out, err = exec.Command(xqlab, append(args, "--engine", "name=own2,nodes=20")...).CombinedOutput()
	if err == nil || !strings.Contains(lastLine(out), "set aside") {
		t.Errorf("%v %s", err, lastLine(out))
	}
	seen := map[results.Reason]int{}
	rows := rowsOf(t, db)
	for _, r := range rows {
		if seen[r.Reason]++; r.Red != 1 && r.Black != 1 && (r.Result == results.NotPlayed || r.Reason == results.StartFailed) {
			t.Errorf("%v between good engines ended by %s", r.GameKey, r.Reason)
		}
	}
	if len(rows) != 18 || seen[results.StartFailed] < 3 || seen[results.StartFailed]+seen[results.SetAside] != 12 {
		t.Errorf("%d games: %v", len(rows), seen)
	}
}

// TestPilotOfAFailingEngine: where an engine is set aside in the pilot, no game is promised
// that going on would not play.
func TestPilotOfAFailingEngine(t *testing.T) {
	xqlab, dir := program(t), t.TempDir()
	out, err := exec.Command(xqlab, "arena", "--db", filepath.Join(dir, "p.db"), "--openings", "random,plies=4", "--pairs", "30", "--pilot", "--json", "--max-crashes", "3",
		"--engine", "name=own,nodes=30", "--engine", "name=cheat,nodes=1,cmd="+buildScripted(t, dir)+",args=-do crash -at 2").CombinedOutput()
	text := string(out)
	if err == nil || !strings.Contains(text, "set aside") || !strings.Contains(text, "begin another run") || strings.Contains(text, "go on with") || !strings.Contains(text, `"left":{"games":0,`) {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestSPSAOfAFailingEngine: games that an engine's faults decide tell nothing of parameters, so
// a search by them stops, and so does one whose range the engine does not take.
func TestSPSAOfAFailingEngine(t *testing.T) {
	xqlab, dir := program(t), t.TempDir()
	command := "nodes=1,cmd=" + buildScripted(t, dir) + ",args=-option 'name Margin type spin default 100 min 40 max 800' "
	for name, c := range map[string]struct{ do, param, want string }{
		"crash":   {"-do crash -at 2", "Margin, int, 100, 40, 800, 30, 0.02", "ended by a failure of the engine, the last by crash"},
		"illegal": {"-do illegal -at 3", "Margin, int, 100, 40, 800, 30, 0.02", "ended by a failure of the engine, the last by illegal_move"},
		"range":   {"", "Margin, int, 100, -4000, 8000, 300, 0.02", "--param: an end of a range is refused: .*Margin"},
		"good":    {"", "Margin, int, 100, 40, 800, 30, 0.02", "run .*: 3 of 3 steps, 12 games"},
	} {
		out, err := exec.Command(xqlab, "tune", "spsa", "--db", filepath.Join(dir, name+".db"), "--engine", command+c.do, "--param", c.param, "--steps", "3", "--pairs", "2",
			"--move-limit", "20", "--openings", "random,plies=4").CombinedOutput()
		if found := regexp.MustCompile(c.want).Match(out); !found || (err == nil) != (name == "good") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
