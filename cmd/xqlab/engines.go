package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/shirou/gopsutil/v4/cpu"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/arena/engine"
	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/search"
)

// entrant is an engine of a match, ready to play.
type entrant struct {
	spec   *spec.Engine
	record results.Engine
	open   func() (arena.Player, error)
	config *engine.Config // of an external engine
	ranks  int            // the number of Red's first rank in its moves
	notes  []string
}

// casting is how the engines of a match are prepared.
type casting struct {
	match     *spec.Match
	keepDir   string // where programs and files are kept, empty to run them where they are
	logDir    string // what engines say, empty for nothing
	deadlines engine.Deadlines
	restarted func(name string) // told when an engine is started again
	files     map[string]string // SHA-256 by path of what was queued: filled where it lacks a path; nil outside of the queue
}

// cast prepares the engines.
func (c *casting) cast(ctx context.Context) ([]*entrant, error) {
	var list []*entrant
	for i := range c.match.Engines {
		e := &c.match.Engines[i]
		var x *entrant
		var err error
		if e.BuiltIn() {
			x, err = c.builtIn(ctx, e)
		} else {
			x, err = c.external(ctx, e)
		}
		var failure *arena.Failure // which says whose it is
		if err != nil && !errors.As(err, &failure) {
			err = fmt.Errorf("engine %s: %w", e.Name, err)
		}
		if err != nil {
			return nil, err
		}
		x.spec, x.record.Name = e, e.Name
		if x.record.Config, err = json.Marshal(e); err != nil {
			return nil, fmt.Errorf("engine %s: %w", e.Name, err)
		}
		list = append(list, x)
	}
	return list, nil
}

// builtIn prepares the built-in engine.
func (c *casting) builtIn(ctx context.Context, e *spec.Engine) (*entrant, error) {
	kept := *e
	if e.Weights != "" {
		var err error
		if kept.Weights, _, err = c.keep(ctx, e.Weights); err != nil {
			return nil, err
		}
	}
	w, p, err := builtInOf(&kept)
	if err != nil {
		return nil, err
	}
	options := search.Options{HashMB: e.Hash, Threads: e.Threads}
	return &entrant{
		record: builtInRecord(w),
		open:   func() (arena.Player, error) { return arena.NewBuiltIn(e.Name, w, p, options), nil },
	}, nil
}

func builtInRecord(w *eval.Weights) results.Engine {
	return results.Engine{IDName: "xqlab " + version, Proto: "built-in", NetSHA256: w.Hash()}
}

// builtInOf returns the weights and parameters of a configuration of the built-in engine.
func builtInOf(e *spec.Engine) (*eval.Weights, search.Params, error) {
	w, p := eval.Default(), search.DefaultParams()
	if e.Weights != "" {
		var err error
		if w, err = readWeights(e.Weights); err != nil {
			return nil, p, err
		}
	}
	for _, o := range e.Params {
		n, err := strconv.Atoi(o.Value)
		if err != nil {
			return nil, p, usagef("param.%s=%s: want a whole number", o.Name, o.Value)
		}
		if _, err := p.Get(o.Name); err != nil {
			return nil, p, usagef("param.%s=%s: %v%s", o.Name, o.Value, err, didYouMean(o.Name, "%q", paramNames()))
		}
		if err := p.Set(o.Name, n); err != nil {
			return nil, p, usagef("param.%s=%s: %v", o.Name, o.Value, err)
		}
	}
	for _, o := range e.Options {
		return nil, p, usagef("option.%s: the built-in engine takes threads=, hash=, weights= and param.NAME=", o.Name)
	}
	return w, p, nil
}

// readWeights reads a weights file.
func readWeights(path string) (*eval.Weights, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w, err := eval.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

// threadsOf returns the most threads an engine of the match uses.
func threadsOf(m *spec.Match) int {
	most := 1
	for _, e := range m.Engines {
		most = max(most, e.Threads)
	}
	return most
}

// concurrency returns how many games to play at once. Timed games leave a core (two
// from 16 up) to the machine, since an engine must not wait for its core on its clock;
// games by nodes or depth use all.
func concurrency(m *spec.Match) (int, error) {
	cores, threads := runtime.GOMAXPROCS(0), threadsOf(m) // GOMAXPROCS knows the cgroup's quota
	if m.Concurrency == "auto" {
		if timed(m) {
			if n, err := cpu.Counts(false); err == nil && n > 0 {
				cores = min(cores, n)
			}
			if cores >= 16 {
				cores--
			}
			cores--
		}
		return max(cores/threads, 1), nil
	}
	n, err := strconv.Atoi(m.Concurrency)
	switch {
	case err != nil || n == 0:
		return 0, fmt.Errorf("concurrency %q, want a number, auto, or -N to leave N cores free", m.Concurrency)
	case n < 0:
		return max((cores+n)/threads, 1), nil
	}
	return n, nil
}

// timed reports whether a clock decides about any engine's moves.
func timed(m *spec.Match) bool {
	for _, e := range m.Engines {
		if e.Limits.Timed() {
			return true
		}
	}
	return false
}

// keepDir returns where the engines of a database's runs are kept.
func keepDir(db string) string { return filepath.Clean(db) + ".engines" }
