package main

import (
	"context"
	"testing"

	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/search"
)

func TestCountedNodes(t *testing.T) {
	for text, want := range map[string]uint64{
		"Total time (ms) : 31766\nNodes searched  : 4846400\nNodes/second    : 152565": 4846400,
		"position 1 nodes 5\n12345 nodes 678 nps\n":                                    12345,
		"info string nodes: 99\n":                                                      99,
		"Position 1: 5 nodes\nTotal nodes: 77":                                         77,
		"===\nNodes searched: 1\nNodes searched: 2":                                    2,
		"nothing here": 0, "": 0, "Nodes/second : 5": 0, "nodes : 99999999999999999999999": 1<<64 - 1,
	} {
		if got := countedNodes(text); got != want {
			t.Errorf("%q: %d nodes, want %d", text, got, want)
		}
	}
}

// TestSuitesRepeat runs an item of each suite twice: the same work each time.
func TestSuitesRepeat(t *testing.T) {
	for i := range suites {
		l, err := newLocal(&suites[i], search.Options{HashMB: 1, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		last := l.items() - 1
		a, err := l.run(t.Context(), last)
		if err != nil || a.Units == 0 || a.Seconds <= 0 {
			t.Fatalf("%s: %+v, %v", suites[i].name, a, err)
		}
		if b, err := l.run(t.Context(), last); err != nil || a.work != b.work {
			t.Errorf("%s: %+v, then %+v, %v", suites[i].name, a.work, b.work, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if cancel(); func() error { _, err := l.run(ctx, last); return err }() == nil {
			t.Errorf("%s: no error from an ended context", suites[i].name)
		}
	}
}

// TestUnequalRepetitionsAreFaults: the same work must be the same each time.
func TestUnequalRepetitionsAreFaults(t *testing.T) {
	x := &setting{bench: &results.Bench{Suite: "s"}}
	x.bench.Threads, x.bench.Processes = 1, 1
	run := func(units uint64) []sample { return []sample{{work{"a", units}, 1, 1}} }
	if r, err := x.total([][]sample{run(5)}); err != nil || r.Units != 5 || r.Seconds != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := x.total([][]sample{run(6)}); err == nil {
		t.Error("5 units, then 6, passed")
	}
	x.bench.Threads, x.first = 2, nil
	if r, err := x.total([][]sample{run(5), run(6)}); err != nil || r.Units != 11 || r.Seconds != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestSustained(t *testing.T) {
	b := &results.Bench{}
	b.Processes, b.Clock = 1, results.WallClock
	for i := range 30 {
		b.Add(results.BenchRun{At: float64(10 * i), Units: uint64(1000 - 10*i), Seconds: 10})
	}
	if got, want := sustained(b), 73.5/97.5; got < want-0.01 || got > want+0.01 {
		t.Errorf("last minute by first %v, want %v", got, want)
	}
}

func TestSelectBenches(t *testing.T) {
	mk := func(id, label, version string, threads int) *results.Bench {
		b := &results.Bench{ID: id, Label: label, Version: version, Host: results.Host{CPU: "Big CPU", Machine: "abcd"}}
		b.Threads = threads
		return b
	}
	list := []*results.Bench{mk("x-000000001111", "desk", "v1", 1), mk("x-000000002222", "desk", "v2", 2), mk("x-000000003333", "lap", "v2", 1)}
	for words, want := range map[string]int{"desk": 2, "v2": 2, "label=desk,threads=2": 1, "host=big": 3, "host=ab": 3, "host=zz": 0, "2222": 1, "id=3333": 1, "v2,desk": 1, "threads=3": 0} {
		if got, err := selectBenches(list, words); err != nil || len(got) != want {
			t.Errorf("%s: %d, %v, want %d", words, len(got), err, want)
		}
	}
	for _, words := range []string{"", "label=", "labl=desk", "desk,,v1"} {
		if _, err := selectBenches(list, words); err == nil {
			t.Errorf("%q passed", words)
		}
	}
}
