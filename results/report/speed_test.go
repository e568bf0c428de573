package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/stats"
)

// bench returns a measurement of so many units a second, in runs of a second.
func bench(machine, signature string, threads int, speeds ...float64) *results.Bench {
	b := &results.Bench{ID: "01a22b8b-f8bb-77e9-ae07-f8f067fb6706", Suite: "bench-1", Unit: "nodes", Signature: signature, Version: "v1",
		Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Host: results.Host{Machine: machine, CPU: "CPU of " + machine, LogicalCores: 4, PhysicalCores: 2, OS: "linux", Arch: "amd64", Go: "go1"}}
	b.Threads, b.Processes, b.HashMB, b.Clock = threads, 1, 16, results.WallClock
	for _, s := range speeds {
		b.Add(results.BenchRun{Units: uint64(s), Seconds: 1, CPU: 0.99 * float64(threads)})
	}
	b.Finish()
	return b
}

func TestUnequalWorkIsApart(t *testing.T) {
	list := []*results.Bench{bench("a", "1111", 1, 1e6), bench("b", "2222", 1, 2e6), bench("c", "1111", 1, 3e6)}
	text := SpeedMarkdown(list)
	if strings.Count(text, "**suite") != 2 || strings.Index(text, "CPU of c") > strings.Index(text, "CPU of a") || strings.Index(text, "CPU of a") > strings.Index(text, "2222") {
		t.Errorf("want two tables, the first of c above a:\n%s", text)
	}
	if rows := SpeedRows(list[:1]); strings.Count(rows, "\n") != 1 || !strings.Contains(rows, "1,000,000") || strings.Contains(rows, "---") {
		t.Errorf("a row: %q", rows)
	}
	many := bench("a", "–", 2, 2e6)
	many.Tree = "1111"
	if n := len(speedGroups(append(list, many))); n != 2 {
		t.Errorf("%d tables, want what ran on two threads beside the same tree on one", n)
	}
}

func TestBusyMachinesAreTold(t *testing.T) {
	b := bench("a", "1111", 1, 1e6)
	if text := SpeedText([]*results.Bench{b}); strings.Contains(text, "busy") {
		t.Errorf("a free machine:\n%s", text)
	}
	b.Repetitions[0].CPU = 0.5
	if text := SpeedText([]*results.Bench{b}); !strings.Contains(text, "busy") || !strings.Contains(text, "50.0 %") {
		t.Errorf("a busy machine:\n%s", text)
	}
}

func TestCompare(t *testing.T) {
	fast := []float64{104e4, 105e4, 105e4, 106e4, 105e4, 104e4}
	slow := []float64{100e4, 101e4, 100e4, 99e4, 100e4, 100e4}
	one := func(b ...*results.Bench) []*results.Bench { return b }
	for name, c := range map[string]struct {
		a, b    []*results.Bench
		verdict stats.SpeedVerdict
		err     string
	}{
		"faster":         {one(bench("a", "1", 1, fast...)), one(bench("a", "1", 1, slow...)), stats.Faster, ""},
		"slower":         {one(bench("a", "1", 1, slow...)), one(bench("a", "1", 1, fast...)), stats.Slower, ""},
		"same":           {one(bench("a", "1", 1, slow...)), one(bench("a", "1", 1, slow...)), stats.NoDifference, ""},
		"two machines":   {one(bench("a", "1", 1, slow...)), one(bench("b", "1", 1, fast...)), stats.Slower, ""},
		"few runs":       {one(bench("a", "1", 1, 1e6)), one(bench("a", "1", 1, fast...)), stats.NoDifference, ""},
		"other tree":     {one(bench("a", "1", 1, slow...)), one(bench("a", "2", 1, slow...)), "", "nothing to compare"},
		"other threads":  {one(bench("a", "1", 1, slow...)), one(bench("a", "1", 2, slow...)), "", "nothing to compare"},
		"mixed machines": {one(bench("a", "1", 1, slow...), bench("b", "1", 1, fast...)), one(bench("a", "1", 1, slow...)), "", "2 machines on one side, 1 on the other"},
	} {
		list, err := Compare(c.a, c.b)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", name, err, c.err)
			}
		case err != nil || len(list) != 1 || list[0].Verdict != c.verdict:
			t.Errorf("%s: %v, %+v", name, err, list)
		case !strings.Contains(list[0].Text(), string(c.verdict)):
			t.Errorf("%s: the verdict is not in\n%s", name, list[0].Text())
		}
	}
	if _, err := Compare(one(bench("a", "1", 1, 1)), one(bench("a", "2", 1, 1))); !errors.Is(err, ErrIncomparable) {
		t.Error(err)
	}
}

func TestPaired(t *testing.T) {
	a, b := bench("a", "1", 1, 1e6), bench("a", "1", 1, 1e6)
	logs := []float64{0.03, 0.031, 0.029, 0.03, 0.032, 0.028, 0.03}
	if c := Paired(a, b, logs); c.Verdict != stats.NoDifference || !strings.Contains(c.Text(), "too few") {
		t.Errorf("7 rounds: %s", c.Text())
	}
	if c := Paired(a, b, append(logs, 0.03)); c.Verdict != stats.Faster || math.Abs(c.Ratio.Value-1.0304) > 0.001 || !strings.Contains(c.Text(), "8 rounds in turn") {
		t.Errorf("8 rounds: %s", c.Text())
	}
}

func TestPlots(t *testing.T) {
	list := []*results.Bench{bench("a", "1", 1, 1e6, 1.1e6), bench("a", "1", 2, 19e5, 2e6), bench("b<&>", "1", 1, 9e5), bench("a", "2", 1, 1e3)}
	for name, plot := range map[string]func(io.Writer, []*results.Bench) error{"history": PlotHistory, "scaling": PlotScaling} {
		var out bytes.Buffer
		if err := plot(&out, list); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, title := range []string{"signature 1, nodes", "signature 2, nodes"} { // a picture each, for they are not on one scale
			if n := strings.Count(out.String(), title); n != 1 {
				t.Errorf("%s: %d titles with %q", name, n, title)
			}
		}
		for d := xml.NewDecoder(&out); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s is no XML: %v", name, err)
			}
		}
		if err := plot(io.Discard, nil); err == nil {
			t.Errorf("%s of nothing", name)
		}
	}
}

// TestWordsStandLeft: in a table to be published columns of words are not set like numbers.
func TestWordsStandLeft(t *testing.T) {
	list := []*results.Bench{bench("here", "s", 1, 12345)}
	lines := strings.Split(SpeedMarkdown(list), "\n")
	head, rule := strings.Split(lines[2], "|"), strings.Split(lines[3], "|")
	if len(head) != len(rule) {
		t.Fatalf("%d heads, %d rules", len(head), len(rule))
	}
	for i, h := range head[1 : len(head)-1] {
		h = strings.TrimSpace(h)
		left := i == 0 || slices.Contains(speedWords, h)
		if got := !strings.HasSuffix(rule[i+1], ":"); got != left {
			t.Errorf("column %q: to the left %v, want %v", h, got, left)
		}
	}
}
