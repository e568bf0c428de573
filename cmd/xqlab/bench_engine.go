package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/shlex"

	"github.com/xqlab/xqlab/arena/engine"
	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/report"
	"github.com/xqlab/xqlab/search"
)

// benchEngine is an external engine that measures itself.
type benchEngine struct {
	name, cmd, dir string
	words          []string // arguments that start its bench, and the command for one that takes none
	bench          *results.Bench
}

// parseBenchEngine reads the words of --engine.
func parseBenchEngine(text string) (e benchEngine, err error) {
	pairs, err := spec.SplitWords(text)
	if err != nil {
		return e, usagef("--engine %s: %v", text, err)
	}
	e.words = []string{"bench"}
	for _, p := range pairs {
		switch p.Key {
		case "name":
			e.name = p.Value
		case "cmd":
			e.cmd = p.Value
		case "dir":
			e.dir = p.Value
		case "args":
			e.words, err = shlex.Split(p.Value)
		default:
			err = fmt.Errorf("%s= has no meaning here, want cmd, name, dir or args", p.Key)
		}
		if err != nil {
			return e, usagef("--engine %s: %v", text, err)
		}
	}
	if e.cmd == "" || len(e.words) == 0 {
		return e, usagef("--engine %s: want cmd=PATH, and words in args= if it is given", text)
	}
	if e.name == "" {
		e.name = filepath.Base(e.cmd)
	}
	return e, nil
}

// measureEngines runs engines' own benches in turn.
func (f *benchFlags) measureEngines(ctx context.Context, con *console, core *int) error {
	var list []*benchEngine
	var benches []*results.Bench
	for _, text := range f.engines {
		e, err := parseBenchEngine(text)
		if err != nil {
			return err
		}
		if e.bench, err = f.newBench(ctx); err != nil {
			return err
		}
		path := engine.Path(e.cmd)
		if e.bench.SHA256, err = engine.Sum(ctx, path); err != nil {
			return usagef("--engine %s: %v", text, err)
		}
		e.bench.Suite, e.bench.Unit, e.bench.Engine, e.bench.Threads, e.bench.Processes = strings.Join(e.words, " "), "nodes", e.name, 1, 1
		e.bench.Version, e.bench.Commit, e.bench.PGO, e.bench.CGO = "", "", false, false
		e.bench.Clock, e.bench.Core = results.WallClock, core
		if preciseCPU {
			e.bench.Clock = results.CPUClock
		}
		list, benches = append(list, &e), append(benches, e.bench)
	}
	if err := f.engineRounds(ctx, list); err != nil {
		if ctx.Err() != nil {
			err = stoppedError{err}
		}
		return err
	}
	if len(list) == 2 && benches[0].Suite == benches[1].Suite && benches[0].Signature == benches[1].Signature && benches[0].Signature != search.NoSignature {
		if err := f.store(ctx, benches...); err != nil {
			return err
		}
		return showComparison(con, report.Paired(benches[0], benches[1], logRatios(benches[0], benches[1])), f)
	}
	if f.failBelow != "" {
		return errors.New("--fail-below: the two did not search the same number of nodes, so their speeds are not comparable")
	}
	return f.deliver(ctx, con, benches)
}

// engineRounds runs the engines in turn, each round in the other order.
func (f *benchFlags) engineRounds(ctx context.Context, list []*benchEngine) error {
	budget, runs := f.limits()
	start := time.Now()
	for round := 0; ; round++ {
		began := time.Now()
		for k := range list {
			e := list[k]
			if round%2 == 1 {
				e = list[len(list)-1-k]
			}
			at := time.Since(start).Seconds()
			r, err := e.run(ctx)
			if err != nil {
				return fmt.Errorf("engine %s: %w", e.name, err)
			}
			r.At = at
			e.take(r)
		}
		if took := time.Since(began); round+1 >= runs || time.Since(start)+took > budget {
			break
		}
	}
	for _, e := range list {
		e.bench.State[1] = results.HostNow()
		e.bench.Finish()
	}
	return nil
}

// take adds a run. The signature of an engine's bench is its number of nodes, while that
// stays the same.
func (e *benchEngine) take(r results.BenchRun) {
	sign := strconv.FormatUint(r.Units, 10) + " nodes"
	if b := e.bench; len(b.Samples) > 0 && b.Signature != sign {
		sign = search.NoSignature
	}
	e.bench.Signature = sign
	e.bench.Add(r)
}

// run runs the engine's bench once: by arguments, or, for an engine that takes none, by a
// command on its input.
func (e *benchEngine) run(ctx context.Context) (results.BenchRun, error) {
	r, said, err := e.start(ctx, e.words, "")
	if err == nil && r.Units == 0 {
		r, said, err = e.start(ctx, nil, "uci\n"+strings.Join(e.words, " ")+"\nquit\n")
	}
	if err == nil && r.Units == 0 {
		err = fmt.Errorf("%q printed no count of nodes such as \"Nodes searched : 123\"; its last line: %s", strings.Join(e.words, " "), orDash(said))
	}
	return r, err
}

// start runs the program to its end. Its start is part of the time, unless it tells its own.
func (e *benchEngine) start(ctx context.Context, args []string, input string) (r results.BenchRun, said string, err error) {
	cmd := exec.CommandContext(ctx, engine.Path(e.cmd), args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = e.dir, strings.NewReader(input), &out, &out, time.Second
	began := time.Now()
	err = cmd.Run()
	r.Seconds = time.Since(began).Seconds()
	text := strings.TrimSpace(out.String())
	said = text[strings.LastIndexByte(text, '\n')+1:]
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return r, said, context.Cause(ctx)
	case errors.As(err, &exit):
		if r.Units = countedNodes(text); r.Units == 0 && input != "" {
			return r, said, fmt.Errorf("%w; its last line: %s", err, orDash(said))
		}
	case err != nil:
		return r, said, err
	}
	r.Units = countedNodes(text)
	r.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return r, said, nil
}

// nodeLines are the ways engines tell the nodes of their bench.
var nodeLines = []*regexp.Regexp{
	regexp.MustCompile(`(?im)^\s*(?:info string )?(?:total )?nodes(?: searched)?\s*[:=]\s*([0-9]+)`),
	regexp.MustCompile(`(?im)\b([0-9]+) nodes\b`),
}

// countedNodes finds the total number of nodes in what a bench printed, 0 for none: the
// last that is told in the first way there is.
func countedNodes(text string) uint64 {
	for _, re := range nodeLines {
		if all := re.FindAllStringSubmatch(text, -1); len(all) > 0 {
			n, _ := strconv.ParseUint(all[len(all)-1][1], 10, 64)
			return n
		}
	}
	return 0
}

// logRatios returns the logarithms of the ratios of speeds measured in turn.
func logRatios(a, b *results.Bench) (logs []float64) {
	for i := range min(len(a.Samples), len(b.Samples)) {
		logs = append(logs, math.Log(a.Samples[i]/b.Samples[i]))
	}
	return logs
}
