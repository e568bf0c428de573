package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSteering pauses, changes and stops a running match from other processes.
func TestSteering(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a running process; not with -short")
	}
	xqlab, db := program(t), filepath.Join(t.TempDir(), "s.db")
	arena := exec.Command(xqlab, "arena", "--db", db, "--name", "long", "--openings", "random,plies=4", "--pairs", "5000",
		"--engine", "name=a,nodes=500", "--engine", "name=b,nodes=500", "--concurrency", "2")
	if err := arena.Start(); err != nil {
		t.Fatal(err)
	}
	defer arena.Process.Kill()
	say := func(args ...string) string {
		out, err := exec.Command(xqlab, append(append([]string{"arena"}, args...), "--db", db)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return string(out)
	}
	for range 100 { // until it has begun
		out, _ := exec.Command(xqlab, "arena", "status", "--db", db).CombinedOutput()
		if strings.Contains(string(out), "at once") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	say("set", "long", "--concurrency", "1")
	say("pause")
	time.Sleep(2 * listenEvery)
	if s := say("status"); !strings.Contains(s, "1 at once, paused") {
		t.Errorf("after set and pause: %s", s)
	}
	say("continue")
	say("stop")
	if err := arena.Wait(); arena.ProcessState.ExitCode() != exitStopped {
		t.Errorf("a stopped arena ends with %v", err)
	}
	if s := say("status"); !strings.Contains(s, "not being played") {
		t.Errorf("after stop: %s", s)
	}
	out, err := exec.Command(xqlab, "arena", "pause", "--db", db).CombinedOutput()
	if err == nil {
		t.Errorf("pausing what nobody plays: %s", out)
	}
}
