package results

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/xqlab/xqlab/results/stats"
)

// Bench is a measured speed: repetitions of a suite on one machine under one setting.
type Bench struct {
	ID        string    `json:"id"` // UUIDv7
	Created   time.Time `json:"created"`
	Suite     string    `json:"suite"`       // bench-1, perft-1, selfplay-1, or an engine's own words
	Unit      string    `json:"unit"`        // what is counted: nodes, paths, plies
	Signature string    `json:"signature"`   // of the work; – when it is not the same each time
	Units     uint64    `json:"nodes_total"` // of one repetition by one process, of the last when they differ
	BenchSettings
	Samples     []float64    `json:"samples"`     // units a second of each repetition
	Repetitions []BenchRun   `json:"repetitions"` // what the samples come from
	Median      float64      `json:"nps_median"`  // units a second
	Low         float64      `json:"nps_low"`     // 95 % interval of the median
	High        float64      `json:"nps_high"`
	Label       string       `json:"label,omitempty"`
	Engine      string       `json:"engine,omitempty"` // "" for the built-in one
	Version     string       `json:"version"`
	Commit      string       `json:"commit,omitempty"`
	SHA256      string       `json:"sha256,omitempty"` // of the program
	Host        Host         `json:"host"`
	State       [2]HostState `json:"state"` // at the start and at the end
}

// BenchSettings is how a speed was measured. Speeds under different settings are
// different things.
type BenchSettings struct {
	Threads    int     `json:"threads"`              // of the search
	Processes  int     `json:"processes"`            // at once, whose speeds are added
	HashMB     int     `json:"hash"`                 // of each process
	Core       *int    `json:"core,omitempty"`       // pinned to this one
	Pinned     bool    `json:"pinned,omitempty"`     // each process to a core of its own
	Clock      string  `json:"clock"`                // cpu: processor seconds, wall: seconds
	Tree       string  `json:"tree,omitempty"`       // signature on one thread of what ran on several
	Efficiency float64 `json:"efficiency,omitempty"` // speed by that of one thread or process and their number
	Sustained  float64 `json:"sustained,omitempty"`  // speed of the last minute by that of the first
	Against    string  `json:"against,omitempty"`    // Bench measured in turn with this one
	PGO        bool    `json:"pgo"`
	CGO        bool    `json:"cgo"`
}

// BenchRun is one run of a suite.
type BenchRun struct {
	At      float64 `json:"at"`            // seconds since the first began
	Units   uint64  `json:"units"`         // by all processes
	Seconds float64 `json:"seconds"`       // of work: waits between items are left out; for several processes their mean
	CPU     float64 `json:"cpu,omitempty"` // processor seconds in them, 0 when unknown
}

// The clocks of BenchSettings.
const (
	CPUClock  = "cpu"
	WallClock = "wall"
)

// BenchLevel is the confidence of a Bench's interval.
const BenchLevel = 0.95

// Add takes in a repetition.
func (b *Bench) Add(r BenchRun) {
	t := r.Seconds
	if b.Clock == CPUClock {
		t = r.CPU
	}
	b.Repetitions = append(b.Repetitions, r)
	b.Samples = append(b.Samples, float64(r.Units)/t)
	b.Units = r.Units / uint64(max(b.Processes, 1))
}

// Finish computes the median, its interval and what else follows from the repetitions.
func (b *Bench) Finish() {
	i := stats.MedianInterval(b.Samples, BenchLevel)
	b.Median, b.Low, b.High = i.Value, i.Low, i.High
}

// Key names what may be compared: the suite, the tree or the moves, and whose they are.
func (b *Bench) Key() string {
	return strings.Join([]string{b.Suite, cmp.Or(b.Tree, b.Signature), b.Engine}, "\x00")
}

// Validate refuses what is no measured speed, as a file from elsewhere may be.
func (b *Bench) Validate() error {
	switch {
	case b.Suite == "" || b.Signature == "" || b.Unit == "":
		return errors.New("no suite, signature or unit: this is no result of xqlab bench --json")
	case len(b.Samples) == 0 || len(b.Samples) != len(b.Repetitions):
		return fmt.Errorf("%d samples of %d repetitions, want one of each and more than none", len(b.Samples), len(b.Repetitions))
	case b.Threads < 1 || b.Processes < 1:
		return fmt.Errorf("threads %d, processes %d, want 1 or more of each", b.Threads, b.Processes)
	case b.Clock != CPUClock && b.Clock != WallClock:
		return fmt.Errorf("clock %q, want %s or %s", b.Clock, CPUClock, WallClock)
	case !(0 < b.Low && b.Low <= b.Median && b.Median <= b.High && !math.IsInf(b.High, 0)):
		return fmt.Errorf("median %v in [%v, %v] is no interval of speeds", b.Median, b.Low, b.High)
	}
	for i, s := range b.Samples {
		if r := b.Repetitions[i]; !(s > 0) || math.IsInf(s, 0) || !(r.Seconds > 0) || r.CPU < 0 {
			return fmt.Errorf("sample %d: %v from %+v is no speed", i+1, s, r)
		}
	}
	if _, err := uuid.Parse(b.ID); err != nil {
		return fmt.Errorf("id %q is no UUID", b.ID)
	}
	return nil
}

// NewBench returns a Bench without repetitions, of this machine as it is now.
func NewBench() (*Bench, error) {
	id, err := uuid.NewV7()
	now := HostNow()
	return &Bench{ID: id.String(), Created: now.At, Host: HostFacts(), State: [2]HostState{now, now}}, err
}

// PutBench stores measured speeds, fully synchronised and all or none. One that is there
// already stays as it is.
func (s *Store) PutBench(ctx context.Context, list ...*Bench) error {
	err := s.submit(ctx, true, func(w *writer) error {
		for _, b := range list {
			if err := w.insertBench(b); err != nil {
				return err
			}
		}
		return nil
	})
	return s.fail("benchmarks", err)
}

func (w *writer) insertBench(b *Bench) error {
	if err := b.Validate(); err != nil {
		return err
	}
	host, err := w.hostID(b.Host)
	if err != nil {
		return err
	}
	var parts [3]string
	for i, v := range []any{storedSettings{b.Unit, b.BenchSettings}, b.State, b.Repetitions} {
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		parts[i] = string(data)
	}
	_, err = w.exec(`INSERT INTO benches (uuid, suite, signature, host, label, version, commit_id, engine, sha256, settings, state, created, nodes, samples, median, low, high)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`, b.ID, b.Suite, b.Signature, host, b.Label, b.Version, b.Commit, b.Engine, b.SHA256,
		parts[0], parts[1], toMicro(b.Created), int64(b.Units), parts[2], b.Median, b.Low, b.High)
	return err
}

// storedSettings is the column settings.
type storedSettings struct {
	Unit string `json:"unit"`
	BenchSettings
}

// Benches returns all stored speeds, oldest first.
func (s *Store) Benches(ctx context.Context) ([]*Bench, error) {
	type line struct {
		Bench
		units                         int64
		facts, settings, state, parts string
	}
	rows, err := s.read.QueryContext(ctx, `SELECT uuid, suite, signature, label, version, commit_id, engine, sha256, b.created, nodes, median, low, high,
		facts, settings, state, samples FROM benches b JOIN hosts h ON h.id = b.host ORDER BY b.created, uuid`)
	lines, err := collect(rows, err, func(l *line) []any {
		return []any{&l.ID, &l.Suite, &l.Signature, &l.Label, &l.Version, &l.Commit, &l.Engine, &l.SHA256, scanTime{&l.Created}, &l.units,
			&l.Median, &l.Low, &l.High, &l.facts, &l.settings, &l.state, &l.parts}
	})
	if err != nil {
		return nil, s.fail("benchmarks", err)
	}
	var all []*Bench
	for i := range lines {
		l := &lines[i]
		var set storedSettings
		var reps []BenchRun
		for text, to := range map[string]any{l.facts: &l.Host, l.settings: &set, l.state: &l.State, l.parts: &reps} {
			if err := json.Unmarshal([]byte(text), to); err != nil {
				return nil, s.fail("benchmark "+l.ID, err)
			}
		}
		l.Unit, l.BenchSettings = set.Unit, set.BenchSettings
		for _, r := range reps {
			l.Add(r)
		}
		l.Units = uint64(l.units)
		if err := l.Validate(); err != nil {
			return nil, s.fail("benchmark "+l.ID, err)
		}
		all = append(all, &l.Bench)
	}
	return all, nil
}
