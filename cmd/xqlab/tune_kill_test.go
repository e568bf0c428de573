//go:build cgo

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFitKilledAndResumed kills a fit with -9 at random instants, going on each time, until
// it ends; the weights must be those of the undisturbed fit.
func TestFitKilledAndResumed(t *testing.T) {
	xqlab := program(t)
	dir := t.TempDir()
	features, names := writeFeatures(t, dir)
	run := func(name string) (args []string, weights func() string) {
		out := filepath.Join(dir, name+".txt")
		args = []string{"tune", "--db", filepath.Join(dir, name+".db"), "--name", "kill", "--features", features, "--names", names, "--out", out}
		return args, func() string {
			data, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			_, values, _ := strings.Cut(string(data), "# name") // the run is another
			return values
		}
	}
	whole, want := run("whole")
	began := time.Now()
	if out, err := exec.Command(xqlab, whole...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(began)
	args, got := run("killed")
	for range 10 {
		if killAfter(t, xqlab, args, took/20+rand.N(took/3)) {
			break
		}
	}
	if out, err := exec.Command(xqlab, args...).CombinedOutput(); err != nil {
		t.Fatalf("resuming: %v\n%s", err, out)
	}
	if got() != want() {
		t.Errorf("other weights after kills:\n%s\nundisturbed:\n%s", got(), want())
	}
}

// writeFeatures writes a features file with its names.
func writeFeatures(t *testing.T, dir string) (features, names string) {
	t.Helper()
	features, names = filepath.Join(dir, "positions.tsv"), filepath.Join(dir, "names.txt")
	const size = 120
	var text, list bytes.Buffer
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 6000 {
		sum, line := 0, ""
		for f := range size {
			if n := rng.IntN(3) - 1; n != 0 && rng.IntN(4) == 0 {
				sum += n * (f%7 - 3)
				line += fmt.Sprintf("\t%d:%d", f, n)
			}
		}
		result := []string{"0", "0.5", "1"}[min(max(sum/4+1+rng.IntN(3)-1, 0), 2)]
		fmt.Fprintf(&text, "%s\t%.2f\tpair%d%s\n", result, rng.Float64(), i/20, line)
	}
	for f := range size {
		fmt.Fprintf(&list, "weight%d\n", f)
	}
	for path, data := range map[string][]byte{features: text.Bytes(), names: list.Bytes()} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return features, names
}
