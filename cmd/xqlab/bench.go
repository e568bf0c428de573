package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/arena/engine"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/report"
	"github.com/xqlab/xqlab/search"
)

// benchFlags are the flags of xqlab bench as given.
type benchFlags struct {
	suite, against, label, db, pin, plot string
	engines                              []string
	threads, hash, runs                  int
	processes                            string
	budget, sustain                      time.Duration
	failBelow                            string
	quick, scaling, perCore              bool
	asJSON, markdown, serves             bool
}

// How long a measurement takes at most, unless --for says otherwise.
const (
	benchBudget = 60 * time.Second
	quickBudget = 10 * time.Second
)

// Most repetitions of a setting unless --runs says otherwise.
const (
	benchRuns = 20
	quickRuns = 3
)

func benchCommand(con *console) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Nodes per second on this machine; history, comparison and tables of what was measured",
		Long: `Runs a frozen suite again and again, for at most a minute, and gives the median with its
95 % interval: bench-1 searches positions (nodes/s), perft-1 counts move paths (paths/s),
selfplay-1 plays games (plies/s). On one thread the work, and so the signature, is the same
on every machine; it changes only with what is measured.

On one thread speeds are by processor time where the system tells it finely, so that
other work on the machine disturbs little; with more threads or processes by the clock on
the wall. --against measures another xqlab in turn with this one, both on one core.`,
		Example: `  xqlab bench
  xqlab bench --json > ryzen.json
  xqlab bench --against ./old-xqlab
  xqlab bench --scaling
  xqlab bench --engine cmd=/usr/games/fairy-stockfish`,
		Args: subcommandOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, con) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.suite, "suite", search.Suite, "bench-1, perft-1, selfplay-1 or all")
	fl.IntVar(&f.threads, "threads", 1, "threads of the search")
	fl.IntVar(&f.hash, "hash", search.DefaultHashMB, "transposition table in MB")
	fl.IntVar(&f.runs, "runs", 0, "run the suite so often (default up to 20 as time allows)")
	fl.DurationVar(&f.budget, "for", benchBudget, "measure for at most this time, but once at least")
	fl.BoolVar(&f.quick, "quick", false, "at most 10 s for each suite")
	fl.StringVar(&f.against, "against", "", "measure this other `XQLAB` in turn and say which is faster")
	fl.StringArrayVar(&f.engines, "engine", nil, "measure an engine's own bench: cmd=PATH,name=,dir=,args= (default bench; repeat: in turn)")
	fl.BoolVar(&f.scaling, "scaling", false, "1, 2, 4 … threads up to all, with efficiency")
	fl.StringVar(&f.processes, "processes", "1", "so many processes at once, each on a core: `N` or all")
	fl.BoolVar(&f.perCore, "per-core", false, "each core by itself")
	fl.DurationVar(&f.sustain, "sustain", 0, "load all cores for this time, first against last minute: does the machine throttle?")
	fl.StringVar(&f.pin, "pin", "", "run on this core: a number, or none (default: only where more than one process is measured)")
	fl.StringVar(&f.label, "label", "", "name of the machine or setting in tables")
	fl.StringVar(&f.db, "db", "", "store the result in this database `FILE` (default: nowhere)")
	fl.StringVar(&f.failBelow, "fail-below", "", "with --against: fail when shown slower by more than this, as -3%")
	fl.StringVar(&f.plot, "plot", "", "with --scaling: draw it to `FILE`.svg or .html")
	fl.BoolVar(&f.asJSON, "json", false, "a JSON object for each setting, a line each")
	fl.BoolVar(&f.markdown, "markdown", false, "a row of a Markdown table for each setting")
	fl.BoolVar(&f.serves, "serve", false, "")
	fl.MarkHidden("serve")
	cmd.AddCommand(benchTable(con), benchHistory(con), benchCompare(con))
	return cmd
}

func (f *benchFlags) run(cmd *cobra.Command, con *console) error {
	suites, err := f.check(cmd)
	if err != nil {
		return err
	}
	core, err := f.pinned()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if err := f.store(ctx); err != nil { // before anything is measured
		return err
	}
	switch {
	case f.serves:
		return f.serve(ctx, con, suites[0])
	case f.against != "":
		return f.duel(ctx, con, suites[0], core)
	case len(f.engines) > 0:
		return f.measureEngines(ctx, con, core)
	}
	var all []*results.Bench
	var stopped error
	for _, s := range suites {
		list, err := f.measure(ctx, con, s, core)
		all = append(all, list...)
		if err != nil {
			if len(all) == 0 {
				return err
			}
			stopped = err // what was measured is shown all the same
			break
		}
	}
	if err := f.deliver(ctx, con, all); err != nil {
		return err
	}
	return stopped
}

// check refuses flags that make no sense, and returns the suites.
func (f *benchFlags) check(cmd *cobra.Command) (list []*suite, err error) {
	given := cmd.Flags().Changed
	if f.threads < 1 || f.threads > 1024 || f.hash < 1 || f.hash > 1<<20 || f.runs < 0 || given("runs") && f.runs == 0 {
		return nil, usagef("--threads %d --hash %d --runs %d: want 1 or more of each, at most 1024 threads", f.threads, f.hash, f.runs)
	}
	if err := roomFor("--hash", f.hash); err != nil {
		return nil, err
	}
	if f.budget <= 0 || f.sustain < 0 || given("sustain") && f.sustain < 3*time.Second {
		return nil, usagef("--for %s --sustain %s: want more than 0, and at least 3s of --sustain", f.budget, f.sustain)
	}
	if _, err := f.processCount(); err != nil {
		return nil, err
	}
	var modes []string
	for _, m := range []string{"against", "engine", "scaling", "per-core", "sustain"} {
		if given(m) {
			modes = append(modes, "--"+m)
		}
	}
	switch {
	case len(modes) > 1:
		return nil, usagef("%s: one at a time", strings.Join(modes, " and "))
	case given("processes") && (f.against != "" || f.scaling || f.perCore || len(f.engines) > 0 || f.threads > 1):
		return nil, usagef("--processes is for the suite on one thread alone")
	case f.threads > 1 && (f.against != "" || f.perCore || f.scaling):
		return nil, usagef("--threads %d: --against, --per-core and --scaling choose their threads", f.threads)
	case given("fail-below") && f.against == "" && len(f.engines) != 2:
		return nil, usagef("--fail-below needs a comparison: --against ./other-xqlab")
	case given("plot") && !f.scaling:
		return nil, usagef("--plot draws --scaling; for what is stored see xqlab bench history --plot")
	}
	if _, err := parseBelow(f.failBelow); err != nil {
		return nil, err
	}
	if err := checkPlot(f.plot); err != nil {
		return nil, err
	}
	return f.suites()
}

func (f *benchFlags) suites() (list []*suite, err error) {
	if f.suite == "all" {
		if f.against != "" {
			return nil, usagef("--against takes one suite")
		}
		for i := range suites {
			if (f.threads == 1 && !f.scaling) || suites[i].threaded {
				list = append(list, &suites[i])
			}
		}
		return list, nil
	}
	s, err := suiteNamed(f.suite)
	if err == nil && !s.threaded && (f.threads > 1 || f.scaling) {
		err = usagef("--suite %s plays one game at a time; measure several at once with --processes N", s.name)
	}
	return []*suite{s}, err
}

// processCount returns how many processes run at once.
func (f *benchFlags) processCount() (int, error) {
	if f.processes == "all" {
		return runtime.GOMAXPROCS(0), nil
	}
	n, err := strconv.Atoi(f.processes)
	if err != nil || n < 1 || n > 1024 {
		return 0, usagef("--processes %s, want 1 to 1024 or all", f.processes)
	}
	return n, nil
}

// pinned pins this process if asked, and returns the core.
func (f *benchFlags) pinned() (*int, error) {
	if f.pin == "" || f.pin == "none" {
		return nil, nil
	}
	core, err := strconv.Atoi(f.pin)
	if err != nil || core < 0 || core >= 1024 {
		return nil, usagef("--pin %s, want the number of a core or none", f.pin)
	}
	if f.against != "" {
		return &core, nil // its processes pin themselves
	}
	if err := pin(core); err != nil {
		return nil, err
	}
	runtime.GOMAXPROCS(f.threads)
	return &core, nil
}

// limits returns the time and the repetitions a measurement may take.
func (f *benchFlags) limits() (budget time.Duration, runs int) {
	budget, runs = f.budget, benchRuns
	if f.quick {
		budget, runs = min(budget, quickBudget), quickRuns
	}
	if f.runs > 0 {
		runs = f.runs
	}
	return budget, runs
}

// newBench returns a record of this build, without a suite.
func (f *benchFlags) newBench(ctx context.Context) (*results.Bench, error) {
	b, err := results.NewBench()
	if err != nil {
		return nil, err
	}
	v := facts()
	b.Label, b.Version, b.Commit = f.label, v.Version, v.Commit
	b.PGO, b.CGO = buildKind()
	path, err := self()
	if err != nil {
		return nil, err
	}
	b.SHA256, err = engine.Sum(ctx, path)
	return b, err
}

// deliver stores and shows what was measured.
func (f *benchFlags) deliver(ctx context.Context, con *console, list []*results.Bench) error {
	if err := f.store(ctx, list...); err != nil {
		return err
	}
	if f.plot != "" {
		if err := plotTo(con, f.plot, func(w io.Writer) error { return report.PlotScaling(w, list) }); err != nil {
			return err
		}
	}
	switch {
	case f.asJSON:
		for _, b := range list {
			if err := printJSON(con, b); err != nil {
				return err
			}
		}
	case f.markdown:
		fmt.Fprint(con.out, report.SpeedRows(list))
	default:
		fmt.Fprint(con.out, report.SpeedText(list))
		if h := list[0].Host; h.GOAMD64 == "v1" && h.Level >= 3 {
			con.notef("this build is for every x86-64 (GOAMD64=v1); the processor could do more: make GOAMD64=v3")
		}
	}
	return nil
}

// store stores speeds if a database was named; without any it sees whether it could.
func (f *benchFlags) store(ctx context.Context, list ...*results.Bench) error {
	if f.db == "" {
		return nil
	}
	db, err := results.Open(context.WithoutCancel(ctx), f.db)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.PutBench(context.WithoutCancel(ctx), list...)
}

// parseBelow reads --fail-below and returns the ratio of speeds below which to fail, 0
// for none.
func parseBelow(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if err != nil || !(-100 < x && x <= 0) {
		return 0, usagef("--fail-below %s, want per cent between -100 and 0, such as -3%%", text)
	}
	return 1 + x/100, nil
}

// checkPlot refuses a file of another kind than can be drawn.
func checkPlot(path string) error {
	if ext := strings.ToLower(filepath.Ext(path)); path != "" && ext != ".svg" && ext != ".html" {
		return usagef("--plot %s, want a file that ends in .svg or .html", path)
	}
	return nil
}

// plotTo draws to a file, an SVG or a page around it.
func plotTo(con *console, path string, draw func(io.Writer) error) error {
	return toFile(con, "--plot", path, func(w io.Writer) error {
		if strings.ToLower(filepath.Ext(path)) != ".html" {
			return draw(w)
		}
		fmt.Fprint(w, "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>xqlab bench</title>\n")
		return draw(w)
	})
}
