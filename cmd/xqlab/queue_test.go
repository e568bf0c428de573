package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/xqlab/xqlab/arena/engine"
	"github.com/xqlab/xqlab/results"
)

// command runs the program and returns its standard output.
func command(t *testing.T, xqlab string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(xqlab, args...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, out, said.String())
	}
	return out
}

// queueOf queues runs whose games do not depend on time: name and the rest of the line.
func queueOf(t *testing.T, xqlab, db string, runs ...[]string) {
	t.Helper()
	for _, r := range runs {
		command(t, xqlab, append([]string{"arena", "queue", "add", "--db", db, "--openings", "random,plies=4", "--seed", "5", "--max-plies", "120", "--concurrency", "2", "--name"}, r...)...)
	}
}

// queued returns the queue by name.
func queued(t *testing.T, xqlab, db string) map[string]queueLine {
	t.Helper()
	var list struct{ Queue []queueLine }
	if err := json.Unmarshal(command(t, xqlab, "arena", "queue", "list", "--db", db, "--json"), &list); err != nil {
		t.Fatal(err)
	}
	byName := map[string]queueLine{}
	for _, l := range list.Queue {
		byName[l.Name] = l
	}
	return byName
}

// TestQueueKilled kills the playing of a queue with -9 at random instants, going on each
// time: each run has the games and the verdict of the undisturbed queue, and is one run.
func TestQueueKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("plays three runs twice; not with -short")
	}
	xqlab, dir := program(t), t.TempDir()
	runs := [][]string{
		{"match", "--engine", "name=a,nodes=200", "--engine", "name=b,nodes=100", "--games", "12"},
		{"tournament", "--engine", "name=a,nodes=100", "--engine", "name=b,nodes=80", "--engine", "name=c,nodes=60", "--pairs", "2", "--priority", "2"},
		{"test", "--engine", "name=a,nodes=300", "--engine", "name=b,nodes=20", "--sprt=elo0=0,elo1=400", "--priority", "1"},
	}
	whole, killed := filepath.Join(dir, "whole.db"), filepath.Join(dir, "killed.db")
	queueOf(t, xqlab, whole, runs...)
	queueOf(t, xqlab, killed, runs...)
	command(t, xqlab, "arena", "queue", "run", "--db", whole)
	const kills = 8
	args := []string{"arena", "queue", "run", "--db", killed}
	for range kills {
		if killAfter(t, xqlab, args, time.Duration(20+rand.IntN(400))*time.Millisecond) {
			break
		}
	}
	command(t, xqlab, args...)
	lines := queued(t, xqlab, killed)
	for _, r := range runs {
		name := r[0]
		if l := lines[name]; l.State != results.Done || l.Run != l.ID {
			t.Errorf("%s: %+v", name, l)
		}
		want, got := standing(t, xqlab, whole, name), standing(t, xqlab, killed, name)
		if want != got {
			t.Errorf("%s after kills:\n%s\nundisturbed:\n%s", name, got, want)
		}
	}
	command(t, xqlab, "results", "verify", "--db", killed)
}

// standing returns what of a run's result does not depend on time: every game, or with a
// test what it has read.
func standing(t *testing.T, xqlab, db, run string) string {
	t.Helper()
	var sum struct {
		Games int
		SPRT  json.RawMessage
	}
	if err := json.Unmarshal(command(t, xqlab, "results", "show", run, "--db", db, "--json"), &sum); err != nil {
		t.Fatal(err)
	}
	if sum.SPRT != nil {
		return string(sum.SPRT)
	}
	var list []string
	for line := range strings.Lines(string(command(t, xqlab, "results", "export", "--db", db, "--run", run, "--format", "jsonl"))) {
		var g struct {
			FEN, Result string
			Moves       []string
			Tags        map[string]string
		}
		if err := json.Unmarshal([]byte(line), &g); err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%s %s-%s %s %s %v", g.Tags["Round"], g.Tags["Red"], g.Tags["Black"], g.Result, g.FEN, g.Moves))
	}
	slices.Sort(list)
	return fmt.Sprintf("%d games\n%s", sum.Games, strings.Join(list, "\n"))
}

// TestQueueTwice has two processes play one queue: each run is played by one of them.
func TestQueueTwice(t *testing.T) {
	xqlab, db := program(t), filepath.Join(t.TempDir(), "q.db")
	var runs [][]string
	for i := range 5 {
		runs = append(runs, []string{fmt.Sprint("run", i), "--engine", "name=a,nodes=60", "--engine", "name=b,nodes=40", "--games", "2"})
	}
	queueOf(t, xqlab, db, runs...)
	var wg sync.WaitGroup
	var outs [2][]byte
	for i := range outs {
		wg.Go(func() { outs[i], _ = exec.Command(xqlab, "arena", "queue", "run", "--db", db, "--json").Output() })
	}
	wg.Wait()
	ended := 0
	for _, out := range outs {
		var o struct {
			Ended []struct{ State results.QueueState }
		}
		if err := json.Unmarshal(out, &o); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		ended += len(o.Ended)
	}
	for name, l := range queued(t, xqlab, db) {
		if l.State != results.Done || l.Games != 2 {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if ended != len(runs) {
		t.Errorf("%d turns ended in both, want %d", ended, len(runs))
	}
}

// TestQueueStops: "arena stop" ends the run that is played and the queue goes on; SIGTERM
// ends the queue with the status of a stop, and the run waits again.
func TestQueueStops(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a running process; not with -short")
	}
	xqlab, db := program(t), filepath.Join(t.TempDir(), "q.db")
	for i := range 2 {
		queueOf(t, xqlab, db, []string{fmt.Sprint("long", i), "--engine", "name=a,nodes=300", "--engine", "name=b,nodes=300", "--pairs", "100000"})
	}
	queue := exec.Command(xqlab, "arena", "queue", "run", "--db", db)
	if err := queue.Start(); err != nil {
		t.Fatal(err)
	}
	defer queue.Process.Kill()
	runs := func(name string) {
		t.Helper()
		for range 300 {
			if l := queued(t, xqlab, db)[name]; l.State == results.Running && l.Games > 0 {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Fatalf("%s does not run: %+v", name, queued(t, xqlab, db))
	}
	runs("long0")
	if out, err := exec.Command(xqlab, "arena", "queue", "remove", "long0", "--db", db).CombinedOutput(); err == nil {
		t.Errorf("removed what is being played: %s", out)
	}
	command(t, xqlab, "arena", "stop", "long0", "--db", db)
	runs("long1")
	if l := queued(t, xqlab, db)["long0"]; l.State != results.Done || l.Reason != "stop" {
		t.Errorf("after arena stop: %+v", l)
	}
	queue.Process.Signal(syscall.SIGTERM)
	queue.Wait()
	if code := queue.ProcessState.ExitCode(); code != exitStopped {
		t.Errorf("after SIGTERM: exit status %d, want %d", code, exitStopped)
	}
	if l := queued(t, xqlab, db)["long1"]; l.State != results.Waiting || l.Games == 0 {
		t.Errorf("after SIGTERM: %+v", l)
	}
}

// TestQueuePlaysWhatWasQueued builds an engine anew after it was queued, and takes it away.
func TestQueuePlaysWhatWasQueued(t *testing.T) {
	fairy := "/usr/games/fairy-stockfish"
	if _, err := exec.LookPath(fairy); err != nil {
		t.Skip(fairy + " is not here")
	}
	xqlab, dir := program(t), t.TempDir()
	db, gone, dev := filepath.Join(dir, "q.db"), filepath.Join(dir, "gone.db"), filepath.Join(dir, "dev")
	if out, err := exec.Command("cp", fairy, dev).CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	queueOf(t, xqlab, db, []string{"old", "--engine", "name=dev,cmd=" + dev + ",nodes=20", "--engine", "name=own,nodes=20", "--games", "2"})
	queueOf(t, xqlab, gone, []string{"gone", "--engine", "name=dev,cmd=" + dev + ",nodes=20", "--engine", "name=own,nodes=20", "--games", "2"})
	if out, err := exec.Command("cp", "/bin/false", dev).CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	command(t, xqlab, "arena", "queue", "run", "--db", db)
	if l := queued(t, xqlab, db)["old"]; l.State != results.Done || l.Reason != "games" {
		t.Errorf("%+v", l)
	}
	if err := os.Remove(dev); err != nil {
		t.Fatal(err)
	}
	command(t, xqlab, "arena", "queue", "run", "--db", gone)
	if l := queued(t, xqlab, gone)["gone"]; l.State != results.Done || l.Reason != "games" {
		t.Errorf("%+v", l)
	}
}

// TestQueueReadsWhatWasQueued takes a network away after it was queued: its copy is read.
func TestQueueReadsWhatWasQueued(t *testing.T) {
	dir := t.TempDir()
	net := filepath.Join(dir, "net")
	if err := os.WriteFile(net, []byte("weights"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := &casting{keepDir: filepath.Join(dir, "kept"), files: map[string]string{}}
	var last engine.Config
	for _, after := range []string{"when it is queued", "when it is gone"} {
		cfg := engine.Config{Options: []engine.Option{{Name: "EvalFile", Value: net}}}
		sum, err := c.keepFiles(t.Context(), &cfg)
		if err != nil || sum == "" || cfg.Options[0].Value == net {
			t.Fatalf("%s: %q, %v, %+v", after, sum, err, cfg.Options)
		}
		if last.Options != nil && cfg.Options[0] != last.Options[0] {
			t.Errorf("%s: %+v, before %+v", after, cfg.Options, last.Options)
		}
		last = cfg
		os.Remove(net)
	}
}
