package results

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// testBench is a speed measured in three repetitions.
func testBench(t testing.TB) *Bench {
	b, err := NewBench()
	if err != nil {
		t.Fatal(err)
	}
	core := 1
	b.Suite, b.Signature, b.Unit, b.Label, b.Version = "bench-1", "0123456789abcdef", "nodes", "desk", "v1"
	b.BenchSettings = BenchSettings{Threads: 1, Processes: 1, HashMB: 16, Core: &core, Clock: CPUClock}
	for i, cpu := range []float64{1.5, 1.25, 1} {
		b.Add(BenchRun{At: float64(i), Units: 1000000, Seconds: 2, CPU: cpu})
	}
	b.Finish()
	return b
}

func TestBenchFigures(t *testing.T) {
	b := testBench(t)
	if b.Median != 800000 || b.Low < 1e6/1.5-1 || b.High > 1e6 || b.Units != 1000000 || b.Validate() != nil {
		t.Errorf("median %v [%v, %v] of %v, %v", b.Median, b.Low, b.High, b.Samples, b.Validate())
	}
	b.Processes, b.Clock = 2, WallClock
	if b.Add(BenchRun{Units: 600, Seconds: 2}); b.Units != 300 || b.Samples[3] != 300 {
		t.Errorf("two processes: %d units each, %v a second", b.Units, b.Samples[3])
	}
}

func TestBenchRefusesWhatIsNone(t *testing.T) {
	for _, c := range []struct {
		break_ func(*Bench)
		want   string
	}{
		{func(b *Bench) { b.Suite = "" }, "no suite"},
		{func(b *Bench) { b.Samples = nil }, "0 samples"},
		{func(b *Bench) { b.Samples[1] = 0 }, "sample 2"},
		{func(b *Bench) { b.Repetitions[0].Seconds = 0 }, "sample 1"},
		{func(b *Bench) { b.Threads = 0 }, "threads 0"},
		{func(b *Bench) { b.Clock = "sun" }, `clock "sun"`},
		{func(b *Bench) { b.Low = b.High + 1 }, "no interval"},
		{func(b *Bench) { b.ID = "1" }, "no UUID"},
	} {
		b := testBench(t)
		c.break_(b)
		if err := b.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestHostNamesNobody looks for what would tell a person in what is published.
func TestHostNamesNobody(t *testing.T) {
	text, err := json.Marshal([]any{HostFacts(), HostNow()})
	if err != nil {
		t.Fatal(err)
	}
	name, _ := os.Hostname()
	for _, private := range []string{name, os.Getenv("USER"), os.Getenv("HOME")} {
		if len(private) > 3 && strings.Contains(string(text), private) {
			t.Errorf("%q is in %s", private, text)
		}
	}
}

func TestStoredBenches(t *testing.T) {
	a, other := openTest(t), openTest(t)
	first, second := testBench(t), testBench(t)
	second.Host.CPU = "another"
	second.Created = first.Created.Add(1e9)
	for _, x := range []struct {
		s *Store
		b []*Bench
	}{{a, []*Bench{first}}, {a, []*Bench{first}}, {other, []*Bench{second, first}}} {
		if err := x.s.PutBench(t.Context(), x.b...); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // merging again changes nothing
		if _, err := a.Merge(t.Context(), other.Path()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := a.Benches(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := []*Bench{first, second}; len(got) != 2 || jsonText(t, got) != jsonText(t, want) {
		t.Errorf("stored:\n%s\nwant:\n%s", jsonText(t, got), jsonText(t, want))
	}
	bad := testBench(t)
	bad.Samples = nil
	if err := a.PutBench(t.Context(), testBench(t), bad); err == nil {
		t.Error("a speed without samples was stored")
	}
	if again, err := a.Benches(t.Context()); err != nil || !reflect.DeepEqual(len(again), 2) {
		t.Errorf("%d after a refused batch, %v", len(again), err)
	}
}

func jsonText(t *testing.T, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
