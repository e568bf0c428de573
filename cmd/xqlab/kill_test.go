package main

import (
	"bytes"
	"context"
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

// fixedNodes is a match whose games do not depend on time.
func fixedNodes(db string, engines ...string) []string {
	args := []string{"arena", "--db", db, "--name", "kill", "--openings", "random,plies=4", "--seed", "11", "--concurrency", "2", "--max-plies", "120", "--games", "24"}
	for _, e := range engines {
		args = append(args, "--engine", e)
	}
	return args
}

// TestKilledAndResumed kills a match with -9 at random instants, going on each time, until
// it ends; the games must be those of the undisturbed match.
func TestKilledAndResumed(t *testing.T) {
	xqlab := program(t)
	kills := 12
	if testing.Short() {
		kills = 3
	}
	cases := map[string]func(db string) []string{
		"built-in": func(db string) []string { return fixedNodes(db, "name=a,nodes=300", "name=b,nodes=150") },
		"self-play": func(db string) []string {
			return []string{"selfplay", "--db", db, "--name", "kill", "--seed", "11", "--nodes", "100", "--concurrency", "2", "--games", "24"}
		},
		"SPSA": func(db string) []string {
			return []string{"tune", "spsa", "--db", db, "--name", "kill", "--seed", "11", "--engine", "nodes=100", "--openings", "random,plies=4", "--concurrency", "2",
				"--param", "NullEval, int, 160, 40, 800, 80, 0.5", "--param", "SeeRook, int, 980, 500, 2000, 400, 0.5", "--steps", "4", "--pairs", "3"}
		},
	}
	if _, err := os.Stat("/usr/games/fairy-stockfish"); err == nil {
		cases["external"] = func(db string) []string {
			return fixedNodes(db, "name=own,nodes=200", "name=fsf,cmd=/usr/games/fairy-stockfish,nodes=100")
		}
	}
	for name, command := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			whole, killed := filepath.Join(dir, "whole.db"), filepath.Join(dir, "killed.db")
			if out, err := exec.Command(xqlab, command(whole)...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			args := command(killed)
			for range kills {
				if killAfter(t, xqlab, args, time.Duration(50+rand.IntN(350))*time.Millisecond) {
					break
				}
			}
			if out, err := exec.Command(xqlab, args...).CombinedOutput(); err != nil {
				t.Fatalf("resuming: %v\n%s", err, out)
			}
			want, got := storedGames(t, whole), storedGames(t, killed)
			if len(got) != 24 || !slices.Equal(got, want) {
				t.Errorf("%d games after kills, %d undisturbed, or other moves", len(got), len(want))
			}
			if out, err := exec.Command(xqlab, "results", "verify", "--db", killed).CombinedOutput(); err != nil {
				t.Errorf("verify: %v\n%s", err, out)
			}
		})
	}
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

// storedGames returns a line for each stored game, times apart.
func storedGames(t *testing.T, db string) []string {
	ctx := context.Background()
	s, err := results.OpenReadOnly(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var lines []string
	for g, err := range s.Games(ctx, results.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%d.%d.%d %d %d %s %s %s", g.Pair, g.Leg, g.Attempt, g.Red, g.Black, g.Opening, g.Result, g.Reason)
		for _, p := range g.Plies {
			fmt.Fprintf(&b, " %s/%d/%d/%d", p.Move, p.Score, p.Depth, p.Nodes)
		}
		lines = append(lines, b.String())
	}
	return lines
}
