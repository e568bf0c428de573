package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/stats"
	"github.com/xqlab/xqlab/search"
)

// setting is one thing to measure.
type setting struct {
	bench   *results.Bench
	runners []runner
	first   []work // of the first repetition
}

// measure measures a suite under the settings that the flags name, in turn.
func (f *benchFlags) measure(ctx context.Context, con *console, s *suite, core *int) (list []*results.Bench, err error) {
	settings, err := f.settings(ctx, s, core)
	defer func() {
		for _, x := range settings {
			for _, r := range x.runners {
				err = errors.Join(err, r.close())
			}
		}
	}()
	if err != nil {
		return nil, err
	}
	tree, err := f.warmUp(ctx, s, settings)
	if err == nil {
		err = f.rounds(ctx, con, settings)
	}
	for _, x := range settings {
		if len(x.bench.Samples) == 0 {
			continue // stopped before
		}
		x.finish(tree)
		if f.sustain > 0 {
			x.bench.Sustained = sustained(x.bench)
		}
		list = append(list, x.bench)
	}
	if len(list) > 0 {
		efficiencies(list)
	}
	if err != nil && ctx.Err() != nil {
		err = stoppedError{err}
	}
	return list, err
}

// settings returns what to measure.
func (f *benchFlags) settings(ctx context.Context, s *suite, core *int) (list []*setting, err error) {
	add := func(threads, processes int, own *int) {
		if err != nil {
			return
		}
		x := &setting{}
		if x.bench, err = f.newBench(ctx); err != nil {
			return
		}
		list = append(list, x)
		x.bench.Suite, x.bench.Unit = s.name, s.unit
		x.bench.Threads, x.bench.Processes, x.bench.HashMB, x.bench.Core = threads, processes, f.hash, own
		err = x.open(ctx, f, s, core)
	}
	all := cores()
	processes, _ := f.processCount()
	switch {
	case f.scaling:
		for n := 1; ; n = min(2*n, runtime.GOMAXPROCS(0)) {
			if add(n, 1, core); n == runtime.GOMAXPROCS(0) {
				break
			}
		}
	case f.perCore:
		if len(all) == 0 {
			return nil, errors.New("--per-core: this system does not let a program choose its core")
		}
		for _, c := range slices.Sorted(slices.Values(all)) {
			add(1, 1, &c)
		}
	case f.sustain > 0:
		if f.threads == 1 && f.processes == "1" {
			processes = runtime.GOMAXPROCS(0)
		}
		add(f.threads, processes, core)
	case processes > 1:
		add(1, 1, core)
		add(1, processes, nil)
	default:
		add(f.threads, 1, core)
	}
	wall := !preciseCPU || f.sustain > 0 || slices.ContainsFunc(list, func(x *setting) bool { return x.bench.Threads > 1 || x.bench.Processes > 1 })
	for _, x := range list {
		if x.bench.Clock = results.CPUClock; wall {
			x.bench.Clock = results.WallClock
		}
	}
	return list, err
}

// open starts what runs the setting: several processes, one on a core of its own, or
// this process. This one is pinned to core already, if any.
func (x *setting) open(ctx context.Context, f *benchFlags, s *suite, core *int) error {
	b := x.bench
	if b.Processes == 1 && (b.Core == nil || b.Core == core) {
		l, err := newLocal(s, search.Options{HashMB: f.hash, Threads: b.Threads})
		x.runners = []runner{l}
		return err
	}
	exe, err := self()
	if err != nil {
		return err
	}
	all := cores()
	b.Pinned = b.Processes > 1 && b.Processes <= len(all) && b.Threads == 1 && f.pin != "none"
	for i := range b.Processes {
		own := b.Core
		if b.Pinned {
			own = &all[i]
		}
		w, err := startWorker(ctx, exe, exe, s, f, b.Threads, own)
		if err != nil {
			return err
		}
		x.runners = append(x.runners, w)
	}
	return nil
}

// warmTime is how long each runner works before anything counts.
const warmTime = 500 * time.Millisecond

// warmUp lets every runner work for a moment. When no setting has one thread it runs the
// suite on one and returns the signature of that.
func (f *benchFlags) warmUp(ctx context.Context, s *suite, settings []*setting) (tree string, err error) {
	if !slices.ContainsFunc(settings, func(x *setting) bool { return x.bench.Threads == 1 }) {
		one := &setting{bench: &results.Bench{}}
		one.bench.Threads, one.bench.Processes = 1, 1
		if err := one.open(ctx, f, s, nil); err != nil {
			return "", err
		}
		if _, err := one.repeat(ctx); err != nil {
			return "", err
		}
		tree = signature(one.first)
	}
	var g errgroup.Group
	for _, x := range settings {
		for _, r := range x.runners {
			g.Go(func() error {
				for start, i := time.Now(), 0; time.Since(start) < warmTime; i++ {
					if _, err := r.run(ctx, i%r.items()); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil { // one setting after the other
			return tree, err
		}
	}
	return tree, nil
}

// rounds repeats all settings in turn, each round in the other order, until there are
// repetitions enough or the time is up.
func (f *benchFlags) rounds(ctx context.Context, con *console, settings []*setting) error {
	budget, runs := f.limits()
	if f.sustain > 0 {
		budget, runs = f.sustain, max(f.runs, 1<<20)
	}
	start := time.Now()
	order := slices.Clone(settings)
	for round := 1; ; round++ {
		began := time.Now()
		for _, x := range order {
			at := time.Since(start).Seconds()
			r, err := x.repeat(ctx)
			if err != nil {
				return err
			}
			r.At = at
			x.bench.Add(r)
		}
		slices.Reverse(order)
		if took := time.Since(began); round >= runs || time.Since(start)+took > budget {
			return nil
		}
	}
}

// repeat runs the suite once.
func (x *setting) repeat(ctx context.Context) (results.BenchRun, error) {
	runs := make([][]sample, len(x.runners))
	var working atomic.Int32
	working.Store(int32(len(x.runners)))
	g, ctx := errgroup.WithContext(ctx)
	for k, r := range x.runners {
		g.Go(func() error {
			for i := range r.items() {
				s, err := r.run(ctx, i)
				if err != nil {
					return err
				}
				runs[k] = append(runs[k], s)
			}
			// The others are measured under full load to their end.
			working.Add(-1)
			for i := 0; working.Load() > 0; i++ {
				if _, err := r.run(ctx, i%r.items()); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return results.BenchRun{}, err
	}
	return x.total(runs)
}

// total adds up what the processes did, and checks that it is what they did before.
func (x *setting) total(runs [][]sample) (results.BenchRun, error) {
	var r results.BenchRun
	var speed float64
	for _, run := range runs {
		var units uint64
		var seconds float64
		for i, s := range run {
			if x.bench.Threads == 1 {
				if err := x.same(i, s.work); err != nil {
					return r, err
				}
			}
			units, seconds, r.CPU = units+s.Units, seconds+s.Seconds, r.CPU+s.CPU
		}
		r.Units += units
		speed += float64(units) / seconds
	}
	r.Seconds = float64(r.Units) / speed
	return r, nil
}

// same refuses an item whose work differs from that of the first time.
func (x *setting) same(i int, w work) error {
	if i == len(x.first) {
		x.first = append(x.first, w)
	}
	if then := x.first[i]; then != w {
		return fmt.Errorf("suite %s, item %d: %d units the first time, %d now (%s): the same work must be the same each time; this program or this machine is faulty",
			x.bench.Suite, i+1, then.Units, w.Units, w.Item)
	}
	return nil
}

// finish completes the record; tree is the signature on one thread, if it is known.
func (x *setting) finish(tree string) {
	b := x.bench
	b.State[1] = results.HostNow()
	if b.Signature = search.NoSignature; b.Threads == 1 {
		b.Signature = signature(x.first)
	} else {
		b.Tree = tree
	}
	b.Finish()
}

// efficiencies tells what each thread or process gives, compared with the first setting,
// which has one. What ran on several threads belongs to its tree.
func efficiencies(list []*results.Bench) {
	one := list[0]
	for _, b := range list[1:] {
		if b.Threads > 1 && one.Threads == 1 {
			b.Tree = one.Signature
		}
		if n := b.Threads * b.Processes; n > 1 && one.Threads*one.Processes == 1 {
			b.Efficiency = b.Median / one.Median / float64(n)
		}
	}
}

// sustained returns the speed of the last minute by that of the first, or of the last
// third by that of the first where there are no three minutes; 0 when it was run less
// than three times.
func sustained(b *results.Bench) float64 {
	last := b.Repetitions[len(b.Repetitions)-1]
	total := last.At + last.Seconds
	part := min(60, total/3)
	if len(b.Samples) < 3 {
		return 0
	}
	var first, end []float64
	for i, r := range b.Repetitions {
		if r.At < part {
			first = append(first, b.Samples[i])
		}
		if r.At+r.Seconds > total-part {
			end = append(end, b.Samples[i])
		}
	}
	return stats.Median(end) / stats.Median(first)
}
