package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/search"
)

// work is what running an item of a suite was and how much.
type work struct {
	Item  string `json:"item"`
	Units uint64 `json:"units"`
}

// sample is an item's work with its time.
type sample struct {
	work
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu"` // processor seconds of the process, 0 when the system does not tell them finely
}

// loader prepares an item, so that what it returns does the work and nothing else.
type loader func(item int) (func(context.Context) (work, error), error)

// suite is a frozen list of work, item by item.
type suite struct {
	name, unit string
	threaded   bool // takes several threads
	round      int  // items of a round of a comparison: about half a second
	open       func(o search.Options) (items int, load loader, err error)
}

var suites = []suite{
	{search.Suite, "nodes", true, 8, openSearchSuite},
	{movegen.BenchSuite, "paths", true, 5, openPerftSuite},
	{arena.BenchSuite, "plies", false, 4, openGameSuite},
}

// suiteNamed returns a suite by its name.
func suiteNamed(name string) (*suite, error) {
	var names []string
	for i := range suites {
		if suites[i].name == name {
			return &suites[i], nil
		}
		names = append(names, suites[i].name)
	}
	return nil, usagef("--suite %s, want %s or all", name, strings.Join(names, ", "))
}

func openSearchSuite(o search.Options) (int, loader, error) {
	b, err := search.NewBenchmark(eval.Default(), search.DefaultParams(), o)
	if err != nil {
		return 0, nil, err
	}
	return b.Len(), func(i int) (func(context.Context) (work, error), error) {
		run, err := b.Load(i)
		return func(ctx context.Context) (work, error) {
			p, err := run(ctx)
			return work{p.FEN, p.Nodes}, err
		}, err
	}, nil
}

func openPerftSuite(o search.Options) (int, loader, error) {
	return movegen.BenchPerfts(), func(i int) (func(context.Context) (work, error), error) {
		return func(ctx context.Context) (w work, err error) {
			w.Item, w.Units, err = movegen.BenchPerft(ctx, i, o.Threads)
			return w, err
		}, nil
	}, nil
}

func openGameSuite(o search.Options) (int, loader, error) {
	b, err := arena.NewBenchmark(eval.Default(), search.DefaultParams(), o)
	if err != nil {
		return 0, nil, err
	}
	return b.Len(), func(i int) (func(context.Context) (work, error), error) {
		return func(ctx context.Context) (w work, err error) {
			w.Item, w.Units, err = b.Play(ctx, i)
			return w, err
		}, nil
	}, nil
}

// runner runs items of a suite: here, or in another process.
type runner interface {
	items() int
	run(ctx context.Context, item int) (sample, error)
	close() error
}

// local runs items in this process.
type local struct {
	n    int
	load loader
}

func newLocal(s *suite, o search.Options) (*local, error) {
	n, load, err := s.open(o)
	return &local{n, load}, err
}

func (l *local) items() int   { return l.n }
func (l *local) close() error { return nil }

func (l *local) run(ctx context.Context, item int) (sample, error) {
	do, err := l.load(item)
	if err != nil {
		return sample{}, err
	}
	cpu, wall := processCPU(), time.Now()
	w, err := do(ctx)
	s := sample{w, time.Since(wall).Seconds(), (processCPU() - cpu).Seconds()}
	if err == nil && s.Seconds <= 0 {
		err = fmt.Errorf("item %d took no time: the clock does not run", item+1)
	}
	return s, err
}

// signature returns the signature of a whole run.
func signature(run []work) string {
	s := search.NewSigner()
	for _, w := range run {
		s.Add(w.Item, w.Units)
	}
	return s.Sum()
}
