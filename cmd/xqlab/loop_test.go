package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/xqlab/xqlab/eval"
)

// TestLoopKilled kills a loop with -9 at random instants of every stage, going on each time;
// it must end with the weights and verdicts of the undisturbed one. It writes over the weights
// that it began from.
func TestLoopKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("plays whole rounds; not with -short")
	}
	xqlab, dir := program(t), t.TempDir()
	line := func(name string) []string {
		return []string{"tune", "loop", "--db", filepath.Join(dir, name+".db"), "--name", "k", "--rounds", "2", "--games", "100", "--nodes", "40", "--each", "nodes=60",
			"--sprt=-300,300", "--weights", filepath.Join(dir, name+".toml"), "--tune-args", "--prior 4 --freeze psqt.* --freeze mobility.* --freeze king.*", "--seed", "5", "--out", filepath.Join(dir, name+".toml")}
	}
	start := eval.Default()
	for i := range start.Values {
		start.Values[i].MG /= 2 // so that what is fitted may well be accepted
	}
	var text bytes.Buffer
	if err := start.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"whole", "killed"} {
		if err := os.WriteFile(filepath.Join(dir, name+".toml"), text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	type stages struct {
		Games, Positions int
		Validation, LLR  float64
		Hash, Verdict    string
	}
	outcome := func(name string) (out []stages) {
		t.Helper()
		text, err := exec.Command(xqlab, append(line(name), "--json")...).Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, err.(*exec.ExitError).Stderr)
		}
		var sum loopSummary
		if err := json.Unmarshal(text, &sum); err != nil {
			t.Fatal(err)
		}
		for _, r := range sum.Rounds {
			out = append(out, stages{r.Games, r.Positions, r.Validation, r.LLR, r.Hash, r.Verdict})
		}
		return out
	}
	begun := time.Now()
	want := outcome("whole")
	took := time.Since(begun)
	for range 8 {
		if killAfter(t, xqlab, line("killed"), time.Duration(rand.Int64N(int64(took)/4)+int64(100*time.Millisecond))) {
			break
		}
	}
	if got := outcome("killed"); !reflect.DeepEqual(got, want) || len(got) != 2 {
		t.Errorf("after kills %+v, undisturbed %+v", got, want)
	}
	a, err := os.ReadFile(filepath.Join(dir, "whole.toml"))
	b, err2 := os.ReadFile(filepath.Join(dir, "killed.toml"))
	if err != nil || err2 != nil || bytes.Equal(a, text.Bytes()) != bytes.Equal(b, text.Bytes()) {
		t.Errorf("weights were accepted in one of them alone: %v, %v", err, err2)
	}
	if out, err := exec.Command(xqlab, "results", "verify", "--db", filepath.Join(dir, "killed.db")).CombinedOutput(); err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
}
