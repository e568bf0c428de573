package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xqlab/xqlab/arena"
)

// TestAffinityFlag: what binds, what is refused and what is told.
func TestAffinityFlag(t *testing.T) {
	cores, err := arena.Cores()
	if err != nil || len(cores) == 0 {
		t.Fatal(err)
	}
	first := cores[0][0]
	for _, c := range []struct {
		value          string
		games, threads int
		sets           string
		note, err      string
	}{
		{"", 1, 1, "[]", "", ""},
		{"off", 1, 1, "[]", "", ""},
		{fmt.Sprint(first), 1, 1, fmt.Sprintf("[[%d]]", first), "", ""},
		{fmt.Sprint(first), 2, 1, "[]", "", "need 2 cores"},
		{fmt.Sprint(first), 1, 2, "[]", "", "need 2 cores"},
		{"1000", 1, 1, "[]", "", "processor 1000 is not among those"},
		{"2-1", 1, 1, "[]", "", "want numbers of processors"},
		{"on", 1000, 1, "[]", "games are not bound", ""},
	} {
		f := arenaFlags{affinity: c.value}
		sets, note, err := f.places(c.games, c.threads)
		if fmt.Sprint(sets) != c.sets || !strings.Contains(note, c.note) || (note == "") != (c.note == "") || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("--affinity %s, %d games of %d threads: %v %q %v", c.value, c.games, c.threads, sets, note, err)
		}
	}
}

// TestBoundMatchIsTheSame: bound games are those that are not bound.
func TestBoundMatchIsTheSame(t *testing.T) {
	cores, err := arena.Cores()
	if err != nil {
		t.Fatal(err)
	}
	xqlab, dir := program(t), t.TempDir()
	var want string
	for _, extra := range [][]string{{}, {"--affinity", fmt.Sprint(cores[0][0]), "--concurrency", "1"}} {
		db := filepath.Join(dir, fmt.Sprint(len(extra), ".db"))
		args := append([]string{"arena", "--db", db, "--openings", "random,plies=4", "--seed", "1", "--games", "4", "--max-plies", "40", "--each", "nodes=50", "--engine", "name=a", "--engine", "name=b"}, extra...)
		if out, err := exec.Command(xqlab, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out, err := exec.Command(xqlab, "results", "export", "--db", db, "--format", "epd").Output()
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(out)
		}
		if string(out) != want {
			t.Errorf("%v plays other games", extra)
		}
	}
}
