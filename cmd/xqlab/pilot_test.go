package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/results/report"
)

// TestPilotAdvice: what each finding is answered with.
func TestPilotAdvice(t *testing.T) {
	fine := pilotEngine{Name: "e", Games: 20, HashMB: 16, Hashfull: 10, OverrunMS: -400, DelayMS: 1, MarginMS: 50, Timed: true}
	with := func(f func(*pilotReport)) *pilotReport {
		r := &pilotReport{Concurrency: 2, Engines: []pilotEngine{fine}, Memory: pilotMemory{Hash: 32, Total: 1000}, Disk: pilotDisk{Needed: 10, Free: 1000}}
		f(r)
		return r
	}
	for _, c := range []struct {
		name, want string
		r          *pilotReport
		fails      bool
	}{
		{"nothing", "", with(func(*pilotReport) {}), false},
		{"time losses by the engine", "Move Overhead), or timemargin=90", with(func(r *pilotReport) { r.Engines[0].TimeLosses, r.Engines[0].OverrunMS = 1, 83 }), true},
		{"time losses by the machine", "lower --concurrency, or timemargin=170", with(func(r *pilotReport) {
			r.Engines[0].TimeLosses, r.Engines[0].OverrunMS, r.Engines[0].DelayMS = 1, 83, 81
		}), true},
		{"late moves", "3 moves needed the margin, up to 20 of its 50 ms", with(func(r *pilotReport) { r.Engines[0].Late, r.Engines[0].OverrunMS = 3, 20 }), false},
		{"a margin under the machine's delays", "timemargin=80", with(func(r *pilotReport) { r.Engines[0].DelayMS = 40 }), false},
		{"no clock, no margin", "", with(func(r *pilotReport) { r.Engines[0].DelayMS, r.Engines[0].Timed, r.Engines[0].OverrunMS = 40, false, 0 }), false},
		{"crashes", "2 crashes, hangs or failed starts and 1 illegal moves", with(func(r *pilotReport) { r.Engines[0].Crashes, r.Engines[0].Illegal = 2, 1 }), true},
		{"hash at the bound", "", with(func(r *pilotReport) { r.Engines[0].Hashfull = 30 }), false},
		{"hash over the bound", "its hash of 16 MB is 31 % full after a move on the mean: hash=32", with(func(r *pilotReport) { r.Engines[0].Hashfull = 31 }), false},
		{"hash full", "hash=64", with(func(r *pilotReport) { r.Engines[0].Hashfull = 100 }), false},
		{"half of memory", "", with(func(r *pilotReport) { r.Memory.Hash = 500 }), false},
		{"over half of memory", "501 of 1000 MB", with(func(r *pilotReport) { r.Memory.Hash = 501 }), false},
		{"memory unknown", "", with(func(r *pilotReport) { r.Memory = pilotMemory{Hash: 501} }), false},
		{"waiting for cores", "--concurrency 1 instead of 2", with(func(r *pilotReport) { r.Engines[0].DelayShare = 0.03 }), false},
		{"late though alone", "kept it waiting for up to 70 ms in a move: timemargin=140", with(func(r *pilotReport) {
			r.Engines[0].TimeLosses, r.Engines[0].DelayMS, r.Engines[0].OverrunMS, r.Concurrency = 1, 70, 60, 1
		}), true},
		{"waiting though alone", "something else keeps this machine busy", with(func(r *pilotReport) { r.Engines[0].DelayShare, r.Concurrency = 0.03, 1 }), false},
		{"too many at once", "auto is 2", with(func(r *pilotReport) { r.Concurrency = 5 }), false},
		{"too few at once", "could play 2 games at once, not 1", with(func(r *pilotReport) { r.Concurrency = 1 }), false},
		{"disk", "the run may need 950 B, 1 kB are free", with(func(r *pilotReport) { r.Disk.Needed = 950 }), false},
	} {
		got := strings.Join(c.r.advise(2), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.Count(got, "\n") > 0 {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if err := c.r.failure(); (err != nil) != c.fails {
			t.Errorf("%s: failure %v", c.name, err)
		}
	}
}

// TestWatcher adds up answers.
func TestWatcher(t *testing.T) {
	w := newWatcher(2)
	for _, a := range []arena.Answer{
		{Engine: 1, Reply: arena.Reply{Hashfull: 100, Wall: 30 * time.Millisecond, Delay: 3 * time.Millisecond}, Timed: true, Over: -70 * time.Millisecond},
		{Engine: 1, Reply: arena.Reply{Hashfull: -1, Wall: 60 * time.Millisecond, Delay: 6 * time.Millisecond}, Timed: true, Over: -40 * time.Millisecond},
		{Engine: 1, Reply: arena.Reply{Hashfull: 200, Wall: 10 * time.Millisecond}, Timed: true, Over: -90 * time.Millisecond},
	} {
		w.answered(a)
	}
	e := &spec.Engine{Name: "x", Hash: 16, Limits: arena.Limits{MoveTime: 100 * time.Millisecond, Margin: 50 * time.Millisecond}}
	p := w.engines[1].report(e, report.Engine{Games: 3})
	if p.Hashfull != 15 || p.OverrunMS != -40 || p.DelayMS != 6 || p.DelayShare < 0.0899 || p.DelayShare > 0.0901 || p.MarginMS != 50 || !p.Timed {
		t.Errorf("%+v", p)
	}
	if p := w.engines[0].report(e, report.Engine{}); p.Hashfull != -1 || p.OverrunMS != 0 {
		t.Errorf("an engine that did not answer: %+v", p)
	}
}

// TestCgroupMemory: the tightest limit of the group and those it is in counts.
func TestCgroupMemory(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("self", "3:cpu:/x\n0::/a/b\n")
	self := filepath.Join(root, "self")
	if _, _, ok := cgroupMemory(root, self); ok {
		t.Error("a limit without any file")
	}
	write("a/memory.max", "5000\n")
	write("a/memory.current", "700\n")
	write("a/b/memory.max", "max\n")
	write("a/b/memory.current", "600\n")
	if limit, used, ok := cgroupMemory(root, self); !ok || limit != 5000 || used != 700 {
		t.Errorf("%d of %d, %v", used, limit, ok)
	}
	write("a/b/memory.max", "4000\n")
	if limit, used, _ := cgroupMemory(root, self); limit != 4000 || used != 600 {
		t.Errorf("%d of %d", used, limit)
	}
	if m := memoryNow(); m.total == 0 || m.left == 0 || m.left > m.total {
		t.Errorf("this machine has %d of %d bytes left", m.left, m.total)
	}
}
