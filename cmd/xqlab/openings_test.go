package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/xqlab/xqlab/results"
)

// TestAResumedRunKeepsItsOpenings: what a run has had stays, also if today's judge would
// not have it. The run is made of one without a window by giving it one that none of its
// openings is inside.
func TestAResumedRunKeepsItsOpenings(t *testing.T) {
	xqlab, dir := program(t), t.TempDir()
	plain, changed := filepath.Join(dir, "plain.db"), filepath.Join(dir, "changed.db")
	const line, windowed = "random,plies=2", "random,plies=2,eval=300..2000"
	out, err := exec.Command(xqlab, "arena", "--db", plain, "--name", "kept", "--engine", "name=a,nodes=10", "--engine", "name=b,nodes=10",
		"--openings", line, "--seed", "5", "--pairs", "3", "--max-plies", "2").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx := t.Context()
	from, err := results.OpenReadOnly(ctx, plain)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	run, err := from.Run(ctx, "kept")
	if err != nil {
		t.Fatal(err)
	}
	to, err := results.Open(ctx, changed)
	if err != nil {
		t.Fatal(err)
	}
	config := bytes.Replace(run.Config, []byte(line), []byte(windowed), 1)
	again := &results.Run{Kind: run.Kind, Name: run.Name, Config: config, Seed: run.Seed, Rules: run.Rules, MoveLimit: run.MoveLimit, Book: windowed,
		Pairs: run.Pairs, Version: run.Version, Engines: run.Engines}
	lease, err := to.CreateRun(ctx, again)
	if err != nil {
		t.Fatal(err)
	}
	had := map[int][]results.Ply{}
	for g, err := range from.Games(ctx, results.Filter{Runs: []string{run.ID}}) {
		if err != nil {
			t.Fatal(err)
		}
		if g.Pair == 1 || g.Leg == 1 {
			continue
		}
		g.Run = again.ID
		if err := to.Put(ctx, g); err != nil {
			t.Fatal(err)
		}
		had[g.Pair] = g.Plies[:g.Book]
	}
	lease.Release()
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(xqlab, "arena", "--db", changed, "--resume").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	to, err = results.OpenReadOnly(ctx, changed)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	games := 0
	for g, err := range to.Games(ctx, results.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		games++
		if want, ok := had[g.Pair]; ok && !slices.Equal(g.Plies[:g.Book], want) {
			t.Errorf("%s begins with %v, want %v", g.GameKey, g.Plies[:g.Book], want)
		}
	}
	if games != 6 || len(had) != 2 {
		t.Errorf("%d games, %d openings stored before", games, len(had))
	}
}
