package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/stats"
	"github.com/xqlab/xqlab/tuner"
	"github.com/xqlab/xqlab/tuner/report"
)

// tuneConfig is what decides about the outcome of a fit.
type tuneConfig struct {
	Weights    string   `toml:"weights,omitempty"`
	Features   string   `toml:"features,omitempty"`
	Names      string   `toml:"names,omitempty"`
	Runs       []string `toml:"run,omitempty"`
	Engines    []string `toml:"engine,omitempty"`
	MinPly     int      `toml:"min-ply"`
	MaxPly     int      `toml:"max-ply"`
	ScoreLimit int      `toml:"score-limit"`
	PerGame    int      `toml:"per-game"`
	HalfMoves  int      `toml:"half-moves"`
	Quiet      string   `toml:"quiet"`
	Seed       uint64   `toml:"seed"`

	Loss   string   `toml:"loss"`
	Result float64  `toml:"result"`
	Prior  float64  `toml:"prior"`
	K      float64  `toml:"k"`
	Solver string   `toml:"solver"`
	Freeze []string `toml:"freeze,omitempty"`
	Scales bool     `toml:"scales,omitempty"`
}

// bind binds the flags that say which positions are taken and how they are fitted.
func (c *tuneConfig) bind(fl *pflag.FlagSet) {
	c.bindPositions(fl)
	fl.StringVar(&c.Features, "features", "", "fit another evaluation: `FILE` of lines result, phase, pair, i:mg:eg …")
	fl.StringVar(&c.Names, "names", "", "`FILE` with the features' names, one a line, and their start weights")
	fl.StringVar(&c.Loss, "loss", string(tuner.Squared), "squared, cross-entropy, or ordered (win, draw and loss)")
	fl.Float64Var(&c.Result, "result", 0, "share of the game's result in the target, above 0 to 1; the rest is the move's score (default 0.2 where moves have scores, else 1)")
	fl.Float64Var(&c.Prior, "prior", 0, "how far a weight may go from its start: standard deviation in centipawns, 0 to choose by the validation set")
	fl.Float64Var(&c.K, "k", 0, "scale of the sigmoid per centipawn, 0 to fit it to the start weights")
	fl.StringVar(&c.Solver, "solver", "", "gauss-newton or lbfgs (default the first where its matrix fits)")
	fl.StringArrayVar(&c.Freeze, "freeze", nil, "weights or groups that stay, as psqt.*, mobility.rook or material.rook:mg (repeat for each)")
	fl.BoolVar(&c.Scales, "scales", false, "fit the scales of endings too, after the weights and to results alone")
}

func (c *tuneConfig) bindPositions(fl *pflag.FlagSet) {
	fl.StringVar(&c.Weights, "weights", "", "weights `FILE` to begin from (default the embedded ones)")
	fl.StringArrayVar(&c.Runs, "run", nil, "games of this run alone (repeat for each; default all)")
	fl.StringArrayVar(&c.Engines, "engine", nil, "games of this engine or player alone (repeat for each)")
	fl.IntVar(&c.MinPly, "min-ply", 0, "first ply of a game that is taken (those of the opening never are)")
	fl.IntVar(&c.MaxPly, "max-ply", 0, "last ply that is taken, 0 for all")
	fl.IntVar(&c.ScoreLimit, "score-limit", 1500, "greatest |score| in centipawns of the move played, in games with scores; 0 for any and none")
	fl.IntVar(&c.PerGame, "per-game", 20, "most positions of a game, 0 for all")
	fl.IntVar(&c.HalfMoves, "half-moves", 60, "most plies since a capture, 0 for any")
	fl.StringVar(&c.Quiet, "quiet", "none", "which positions: static (no capture gains anything), resolve (play captures out), none (all without check)")
	fl.Uint64Var(&c.Seed, "seed", 1, "seed of the choice of positions")
}

// complete implements settings.
func (c *tuneConfig) complete() error {
	if _, err := tuner.ParseLoss(c.Loss); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if (c.Features == "") != (c.Names == "") {
		return errors.New("--features and --names belong together: the positions, and what their features are called")
	}
	if c.Features != "" && c.Scales {
		return errors.New("--scales is for the built-in evaluation")
	}
	if c.Features != "" && c.Weights != "" {
		return errors.New("--weights is for the built-in evaluation; the start weights of --features stand in the names file")
	}
	if c.Result != 0 && !(c.Result > 0 && c.Result <= 1) {
		return fmt.Errorf("--result %g, want above 0 to 1", c.Result)
	}
	if !(c.Prior >= 0 && c.Prior <= math.MaxFloat32) {
		return fmt.Errorf("--prior %g, want centipawns above 0, or 0 to have it chosen", c.Prior)
	}
	if !(c.K >= 0 && c.K <= math.MaxFloat32) {
		return fmt.Errorf("--k %g, want more than 0, or 0 to have it fitted", c.K)
	}
	switch tuner.Quiet(c.Quiet) {
	case tuner.Static, tuner.Resolve, "none":
	default:
		return fmt.Errorf("--quiet %q, want static, resolve or none", c.Quiet)
	}
	for _, b := range []struct {
		flag string
		v    int
	}{{"min-ply", c.MinPly}, {"max-ply", c.MaxPly}, {"score-limit", c.ScoreLimit}, {"per-game", c.PerGame}, {"half-moves", c.HalfMoves}} {
		if b.v < 0 || b.v > int(results.MaxScore) {
			return fmt.Errorf("--%s %d, want 0 to %d", b.flag, b.v, results.MaxScore)
		}
	}
	return nil
}

// reasons are the ends of games whose result says something of the positions: no clock, no
// crash, no bound on the length of games.
var reasons = []results.Reason{results.Checkmate, results.Stalemate, results.PerpetualCheck, results.PerpetualChase, results.Repetition, results.MutualPerpetual,
	results.MoveLimit, results.InsufficientMaterial, results.Resignation, results.DrawAgreed, results.AdjResign, results.AdjDraw, results.Unknown}

// extraction returns which positions of db are taken.
func (c *tuneConfig) extraction(ctx context.Context, db *results.Store, start *eval.Weights) (*tuner.Extraction, error) {
	f := results.PositionFilter{MinPly: c.MinPly, MaxPly: c.MaxPly, AfterBook: true, ScoreLimit: results.Score(c.ScoreLimit), Unscored: true, NotInCheck: true,
		NoRepetition: true, MaxHalfMoves: c.HalfMoves, PerGame: c.PerGame, Seed: c.Seed, Distinct: true}
	f.Reasons, f.Engines = reasons, c.Engines
	for _, ref := range c.Runs {
		run, err := db.Run(ctx, ref)
		if err != nil {
			return nil, err
		}
		f.Runs = append(f.Runs, run.ID)
	}
	quiet := tuner.Quiet(c.Quiet)
	if c.Quiet == "none" {
		quiet = tuner.Anything
	}
	return &tuner.Extraction{Positions: f, Quiet: quiet, Weights: start, By: tuner.OwnBy(start),
		Evaluation: func() tuner.Evaluation { return tuner.Own(start) }}, nil
}

func tuneCommand(con *console) *cobra.Command {
	c := &tuneConfig{}
	f := &jobFlags{}
	o := &tuneOutput{}
	cmd := &cobra.Command{
		Use:   "tune",
		Short: "Fit evaluation weights to results and scores of stored games, with standard errors",
		Long: `Takes positions from stored games, splits them by opening into train, validation
and test, and fits the weights of the evaluation to results and scores of the search: with
the scale fitted to the start weights and frozen, held to the start as strongly as the
validation set says. The weights file has each value with its standard error (by game) and
count. Everything is stored; a fit that is killed goes on with --resume and ends the same. Of
what --freeze holds the report says how strongly the games want to move it (score test), by
group and by weight: give candidates for new features the weight 0, freeze them, and free
those that stand first.

--features FILE has a position a line: the first player's result (1, 0.5 or 0), the phase from
0 (endgame) to 1 (middlegame), a word for the opening, whose positions stay in one of train,
validation and test, and the features, i:mg:eg or i:n, i counting the lines of --names from 0,
the numbers being the first player's count less the second's; *:n is a part of the score in
centipawns that no weight changes. --names FILE has a feature a line: its name and, if they are
not 0, its weights to begin from, middlegame and endgame. Words are parted by blanks.`,
		Example: `  xqlab selfplay --games 300 --nodes 400 --db tune.db
  xqlab tune --db tune.db --out new.toml --report new.html
  xqlab tune --features positions.tsv --names names.txt --out fitted.txt`,
		Args: exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return runTune(cmd, con, f, c, o) },
	}
	fl := cmd.Flags()
	f.bind(fl)
	c.bind(fl)
	o.bind(fl)
	cmd.AddCommand(tuneCheckCommand(con), loopCommand(con), spsaCommand(con))
	return cmd
}

// tuneOutput says what is made of a fit.
type tuneOutput struct {
	out, report string
	threads     int
	sprt        string
	each        string
	matchArgs   string
}

func (o *tuneOutput) bind(fl *pflag.FlagSet) {
	fl.StringVar(&o.out, "out", "", "weights `FILE` to write (required)")
	fl.StringVar(&o.report, "report", "", "HTML `FILE` with plots to write")
	fl.IntVar(&o.threads, "threads", 0, "threads, 0 for all cores; the result does not depend on it")
	fl.StringVar(&o.sprt, "sprt", "", "play old against new until one is accepted by this `TEST`: gain (also bare), fast, strict, simplify, or as in arena")
	fl.Lookup("sprt").NoOptDefVal = "gain"
	fl.StringVar(&o.each, "each", "nodes=5000", "limits of both sides of that match, as nodes=5000 or tc=10+0.1")
	fl.StringVar(&o.matchArgs, "match-args", matchFlags, "more `FLAGS` for that match, those of xqlab arena")
}

// check finds out before anything is computed whether the outputs can be written.
func (o *tuneOutput) check(start string, foreign bool) error {
	if o.out == "" {
		return usagef("--out FILE is missing: where the weights go")
	}
	if foreign && o.sprt != "" {
		return usagef("--sprt is for the built-in evaluation")
	}
	if err := checkFlags(o.matchArgs, arenaCommand); err != nil {
		return usagef("--match-args %v", err)
	}
	if err := checkTest(o.sprt); err != nil {
		return err
	}
	words, err := spec.SplitWords(o.each)
	if err == nil {
		err = (&spec.Match{}).AddEngine(words, nil)
	}
	if err != nil {
		return usagef("--each %v", err)
	}
	if absolute(o.report) == absolute(o.out) || sameFile(o.report, o.out) {
		return usagef("--out and --report are both %s; name another file for the report", o.report)
	}
	if o.threads < 0 {
		return usagef("--threads %d, want 1 or more, or 0 for all cores", o.threads)
	}
	for _, f := range [...]struct{ flag, path string }{{"--out", o.out}, {"--report", o.report}} {
		if f.path != "" && sameFile(f.path, start) {
			return usagef("%s %s is what the fit begins from, and what a fit that is stopped needs to go on; name another file to write", f.flag, f.path)
		}
		if err := checkOutput(f.flag, f.path); err != nil {
			return err
		}
	}
	return nil
}

// checkTest refuses an --sprt that the match in the end would refuse; "" is none.
func checkTest(text string) error {
	if text == "" {
		return nil
	}
	if _, err := stats.ParseSPRT(text); err != nil {
		return usagef("--sprt: %v", err)
	}
	return nil
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// tuning is one sitting at a fit.
type tuning struct {
	*job
	*tuneConfig
	o      *tuneOutput
	flags  *jobFlags
	data   *tuner.Dataset // of foreign features, when they were read already
	own    *eval.Weights  // start of the built-in evaluation, nil for foreign features
	names  []string       // of the features
	start  [][2]float64
	scales *tuner.ScaleFit // nil unless they were fitted
	spoke  time.Time
	said   int // steps that were told
}

func runTune(cmd *cobra.Command, con *console, f *jobFlags, c *tuneConfig, o *tuneOutput) (err error) {
	if err := c.complete(); err != nil {
		return usageError{err}
	}
	if err := o.check(orElse(c.Names, c.Weights), c.Features != ""); err != nil {
		return err
	}
	if c.Features == "" {
		if _, err := os.Stat(dbPath(f.db)); err != nil {
			return fmt.Errorf("%s: there is no database; play games with xqlab selfplay, or import some", absolute(dbPath(f.db)))
		}
	}
	if c.Result == 0 && cmd.Flags().Changed("result") {
		return usagef("--result 0, want above 0 to 1")
	}
	j, err := findJob(cmd.Context(), cmd, con, f, "tune", c, &tuneConfig{}, new(uint64))
	if err != nil {
		return err
	}
	t := &tuning{job: j, tuneConfig: c, o: o, flags: f}
	defer func() { err = errors.Join(err, j.close()) }()
	if err := t.readStart(); err != nil {
		return err
	}
	if err := tuner.CheckOptions(t.names, t.options()); err != nil {
		return usagef("--%v", err)
	}
	if t.own == nil && j.run == nil {
		if err := t.readFeatures(cmd.Context()); err != nil {
			return err
		}
	}
	if j.run == nil || j.run.StopReason == "" {
		sitting, err := j.begin(cmd.Context(), f, func() (*results.Run, error) { return t.fresh(f.name) })
		if err != nil {
			return err
		}
		if err := t.conclude(cmd.Context(), t.fit(sitting)); err != nil {
			return err
		}
	} else if err := t.again(cmd.Context()); err != nil {
		return err
	}
	if o.sprt != "" {
		if err := t.match(cmd.Context(), f); err != nil {
			return err
		}
	}
	return t.show(cmd.Context(), f.asJSON)
}

// fresh describes a new run.
func (t *tuning) fresh(name string) (*results.Run, error) {
	config, err := toml.Marshal(t.tuneConfig)
	return &results.Run{Kind: "tune", Name: name, Config: config, Seed: t.Seed, Version: version}, err
}

// readStart reads the weights to begin from.
func (t *tuning) readStart() error {
	if t.Features != "" {
		f, err := os.Open(t.Names)
		if err != nil {
			return err
		}
		defer f.Close()
		if t.names, t.start, err = tuner.ReadNames(f); err != nil {
			return fmt.Errorf("%s: %w", t.Names, err)
		}
		return nil
	}
	t.own = eval.Default()
	if t.Weights != "" {
		w, err := readWeights(t.Weights)
		if err != nil {
			return err
		}
		t.own = w
	}
	t.names, t.start = tuner.Own(t.own).Names(), tuner.OwnStart(t.own)
	return nil
}

// readFeatures reads the features of a new run: a file that cannot be fitted to makes no
// database.
func (t *tuning) readFeatures(ctx context.Context) (err error) {
	t.con.notef("reading %s", t.Features)
	if t.data, err = tuner.ImportFeatures(ctx, t.Features, t.names, tuner.DatasetDir(absolute(dbPath(t.flags.db)))); err != nil {
		return err
	}
	if err := tuner.Check(t.data, t.options()); err != nil {
		return errors.Join(err, t.data.Close())
	}
	return nil
}

// base returns the start weights as a file.
func (t *tuning) base() (*results.WeightsFile, error) {
	var b bytes.Buffer
	name := orElse(filepath.Base(t.Weights), "default")
	if t.Weights == "" {
		name = "default"
	}
	if t.own == nil {
		name = filepath.Base(t.Names)
		for i, n := range t.names {
			fmt.Fprintf(&b, "%s %v %v\n", n, t.start[i][0], t.start[i][1])
		}
	} else if err := t.own.Write(&b); err != nil {
		return nil, err
	}
	return &results.WeightsFile{Name: name, Data: b.Bytes()}, nil
}

// dataset returns the samples, from the file of the stored fit if there is one.
func (t *tuning) dataset(ctx context.Context) (*tuner.Dataset, error) {
	dir := tuner.DatasetDir(t.db.Path())
	if fits, err := t.db.Fits(ctx, t.run.ID); err != nil {
		return nil, err
	} else if len(fits) > 0 {
		if d, err := tuner.Open(filepath.Join(dir, fits[0].Dataset[:32]+".samples")); err == nil {
			return d, nil
		}
	}
	if t.data != nil {
		return t.data, nil
	}
	if t.own == nil {
		t.con.notef("reading %s", t.Features)
		return tuner.ImportFeatures(ctx, t.Features, t.names, dir)
	}
	x, err := t.extraction(ctx, t.db, t.own)
	if err != nil {
		return nil, err
	}
	x.Threads = t.threads()
	x.Progress = t.extracted()
	d, made, err := x.Dataset(ctx, t.db, dir)
	if err == nil {
		t.sayDamaged(made)
	}
	return d, err
}

func (t *tuning) sayDamaged(x tuner.Extracted) {
	if x.Damaged > 0 {
		t.con.notef("%d damaged games were left out, the first: %v", x.Damaged, x.Damage)
	}
}

func (t *tuning) threads() int {
	if t.o.threads > 0 {
		return t.o.threads
	}
	return runtime.GOMAXPROCS(0)
}

// extracted returns a function that tells how far an extraction is.
func (t *tuning) extracted() func(tuner.Extracted) {
	last := time.Now()
	return func(e tuner.Extracted) {
		if time.Since(last) >= speakEvery {
			last = time.Now()
			t.con.notef("extracted %d positions of %d of %d games", e.Positions, e.Games, e.Of)
		}
	}
}

// fit extracts, fits and writes what came of it.
func (t *tuning) fit(ctx context.Context) error {
	d, err := t.dataset(ctx)
	if err != nil {
		return err
	}
	defer d.Close()
	t.con.notef("run %s%s in %s", t.run.ID, prefixed(" ", t.run.Name), t.db.Path())
	t.con.notef("  %d positions of %d games from %d openings (train %d, validation %d, test %d), %d bytes a position", d.Positions(), d.Games(), d.Pairs(),
		d.Sets[tuner.Train].Positions, d.Sets[tuner.Validation].Positions, d.Sets[tuner.Test].Positions, d.Bytes/int64(max(d.Positions(), 1)))
	o := t.options()
	if err := tuner.Check(d, o); err != nil {
		return err
	}
	if o.K != t.K {
		t.con.notef("  all weights begin at 0, so the scale is set, not fitted: k = %.5f (--k)", o.K)
	}
	stored, err := t.store(ctx, d)
	if err != nil {
		return err
	}
	o.Resume = stored.Checkpoint
	o.Save = func(s tuner.Step, checkpoint []byte) error {
		return t.db.PutFitStep(ctx, t.run.ID, 0, results.FitStep{Step: s.Number, At: s.At, Train: s.Train, Validation: s.Validation, Gradient: s.Gradient}, checkpoint)
	}
	o.Progress = t.progress
	if n := len(d.Unseen()); n > 0 {
		t.con.notef("  %d of %d features never occur in training positions; their weights stay", n, len(d.Features))
	}
	r, err := tuner.Fit(ctx, d, o)
	if err != nil {
		return err
	}
	if t.Scales && t.own != nil {
		if t.scales, err = tuner.FitScales(ctx, d, t.own, r, o.Threads); err != nil {
			return err
		}
	}
	return t.finish(ctx, d, stored, r)
}

// options returns the fit's options; a scale is needed where all weights begin at 0.
func (t *tuning) options() tuner.Options {
	o := tuner.Options{Start: t.start, Loss: tuner.Loss(t.Loss), Result: t.Result, K: t.K, Prior: t.Prior, Solver: tuner.Solver(t.Solver),
		Freeze: t.Freeze, Threads: t.threads()}
	if o.K == 0 && zero(t.start) && o.Loss != tuner.Ordered {
		o.K = zeroScale
	}
	return o
}

// zeroScale is the scale where there are no weights to fit it to: that of the Elo formula,
// with a hundredth of a pawn for a point of rating.
const zeroScale = 0.0057565

func zero(w [][2]float64) bool {
	for _, x := range w {
		if x != [2]float64{} {
			return false
		}
	}
	return true
}

// store notes dataset, base and the fit, and returns the fit as it is stored.
func (t *tuning) store(ctx context.Context, d *tuner.Dataset) (*results.Fit, error) {
	base, err := t.base()
	if err != nil {
		return nil, err
	}
	row := results.Dataset{Hash: d.Key, Inputs: d.Inputs, Games: d.Games(), Pairs: d.Pairs(), Positions: d.Positions(), Bytes: d.Bytes}
	if err := t.db.PutDataset(ctx, row); err != nil {
		return nil, err
	}
	if err := t.db.PutWeights(ctx, base); err != nil {
		return nil, err
	}
	config, err := json.Marshal(map[string]any{"loss": t.Loss, "result": t.Result, "prior": t.Prior, "k": t.K, "solver": t.Solver, "freeze": t.Freeze})
	if err != nil {
		return nil, err
	}
	return t.db.BeginFit(ctx, results.Fit{Run: t.run.ID, Dataset: d.Key, Base: base.SHA256, Config: config})
}

// progress tells a step that is new, and how far one is that takes long.
func (t *tuning) progress(p tuner.Progress) {
	left := ""
	if p.Left > 0 {
		left = fmt.Sprintf(", at most %s left", p.Left.Round(time.Second))
	}
	switch {
	case p.Step.Number >= t.said:
		t.said, t.spoke = p.Step.Number+1, time.Now()
		prior := "start"
		if p.Step.Prior > 0 {
			prior = fmt.Sprintf("prior %g cp", p.Step.Prior)
		}
		t.con.notef("  step %d: %s, loss %.6f, validation %.6f, gradient %.2g%s", p.Step.Number, prior, p.Step.Train, p.Step.Validation, p.Step.Gradient, left)
	case time.Since(t.spoke) >= speakEvery:
		t.spoke = time.Now()
		t.con.notef("  step %d: %.0f %%%s", p.Step.Number+1, 100*p.Part, left)
	}
}

// finish writes the files and stores the end of the fit, in this order: whoever is killed
// in between does it again, with the same outcome.
func (t *tuning) finish(ctx context.Context, d *tuner.Dataset, stored *results.Fit, r *tuner.Result) error {
	text, err := t.file(d, stored, r)
	if err != nil {
		return err
	}
	sum := t.summary(d, r, text)
	if err := putFile(t.con, "--out", t.o.out, text); err != nil {
		return err
	}
	page := &report.Page{Result: r, Info: d.Info, Own: t.own != nil, Title: "Fit of " + orElse(t.run.Name, t.run.ID), Facts: sum.facts(t)}
	if t.o.report != "" {
		if err := toFile(t.con, "--report", t.o.report, page.WriteHTML); err != nil {
			return err
		}
	}
	var b strings.Builder
	if err := page.WriteText(&b); err != nil {
		return err
	}
	if t.scales != nil {
		fmt.Fprintf(&b, "\nscales of endings: %s\n", t.scales)
	}
	sum.Text = b.String()
	var weights []results.FitWeight
	for i := range r.Weights {
		w := &r.Weights[i]
		weights = append(weights, results.FitWeight{Name: w.Name, Phase: w.Phase, Start: w.Start, Value: w.Value, Error: w.Error, Count: w.Count, Prior: w.Prior})
	}
	end := *stored
	end.K, end.Train, end.Validation, end.Test, end.Rounded, end.Condition, end.Steps = r.K, r.End.Train, r.End.Validation, r.End.Test, r.End.Rounded, r.Condition, len(r.Steps)
	err = t.db.FinishFit(ctx, end, weights, &results.WeightsFile{Name: filepath.Base(t.o.out), Parent: stored.Base, Data: text})
	if err != nil {
		return err
	}
	summary, err := json.Marshal(sum)
	if err != nil {
		return err
	}
	if err := t.db.Finish(ctx, t.run.ID, "done", summary); err != nil {
		return err
	}
	t.run.StopReason, t.run.Summary = "done", summary
	return nil
}

// file returns the weights file, which depends on the fit alone.
func (t *tuning) file(d *tuner.Dataset, stored *results.Fit, r *tuner.Result) ([]byte, error) {
	provenance := map[string]string{
		"run": t.run.ID, "data": d.Key, "revision": version, "from": stored.Base, "positions": fmt.Sprint(d.Positions()), "games": fmt.Sprint(d.Games()),
		"loss": string(r.Options.Loss), "k": fmt.Sprintf("%.6g", r.K), "prior": fmt.Sprintf("%g", r.Prior),
		"loss_train": fmt.Sprintf("%.6f", r.End.Train), "loss_validation": fmt.Sprintf("%.6f", r.End.Validation),
		"loss_test": fmt.Sprintf("%.6f", r.End.Test), "loss_rounded": fmt.Sprintf("%.6f", r.End.Rounded),
	}
	var b bytes.Buffer
	if t.own == nil {
		err := tuner.WriteFeatureWeights(&b, provenance, r)
		return b.Bytes(), err
	}
	w, err := tuner.OwnWeights(t.own, r)
	if err != nil {
		return nil, err
	}
	if t.scales != nil {
		w.Ending = t.scales.Ending
		provenance["scales"] = t.scales.String()
	}
	w.Provenance = provenance
	err = w.Write(&b)
	return b.Bytes(), err
}

// conclude stores what stopped a sitting.
func (t *tuning) conclude(ctx context.Context, cause error) error {
	again := "tune --out " + shellWord(t.o.out)
	if t.o.report != "" {
		again += " --report " + shellWord(t.o.report)
	}
	if t.o.sprt != "" {
		again += " --sprt=" + shellWord(t.o.sprt) + " --each " + shellWord(t.o.each) + " --match-args " + shellWord(t.o.matchArgs)
	}
	_, err := t.stopped(cause, again)
	if err != nil && t.lease != nil {
		// A run that nothing was fitted in yet is no run to go on with, and must not keep its
		// name from the next try.
		begun := func(f results.Fit) bool { return f.Checkpoint != nil || !f.Finished.IsZero() }
		fits, e := t.db.Fits(context.WithoutCancel(ctx), t.run.ID)
		if e == nil && !slices.ContainsFunc(fits, begun) && ctx.Err() == nil && !errors.Is(cause, errTimeUp) && !errors.Is(cause, errLost) {
			// Where even that fails, on a full disk, a run stays that can be gone on with.
			if t.lease.Release() == nil {
				_ = t.db.Delete(context.WithoutCancel(ctx), t.run.ID)
			}
		}
	}
	return err
}

// again writes the weights of a finished run once more.
func (t *tuning) again(ctx context.Context) error {
	t.con.notef("run %s%s is finished (%s)", t.run.ID, prefixed(" ", t.run.Name), t.run.StopReason)
	sum, err := decodeSummary(t.run.Summary)
	if err != nil {
		return fmt.Errorf("run %s: %w", t.run.ID, err)
	}
	if t.o.report != "" {
		t.con.notef("--report is written by the sitting that ends the fit")
	}
	f, err := t.db.Weights(ctx, sum.SHA256)
	if err != nil {
		return err
	}
	return putFile(t.con, "--out", t.o.out, f.Data)
}

// tuneSummary is the JSON of a fit.
type tuneSummary struct {
	Run        string            `json:"run"`
	Name       string            `json:"name"`
	Dataset    string            `json:"dataset"`
	Positions  int               `json:"positions"`
	Games      int               `json:"games"`
	Openings   int               `json:"openings"`
	Loss       string            `json:"loss"`
	K          float64           `json:"k"`
	Margin     float64           `json:"margin,omitempty"`
	Prior      float64           `json:"prior"`
	Train      float64           `json:"loss_train"`
	Validation float64           `json:"loss_validation"`
	Test       float64           `json:"loss_test"`
	Rounded    float64           `json:"loss_rounded"`
	Start      tuner.Lost        `json:"start"`
	Gain       tuner.Change      `json:"gain"`
	Drift      float64           `json:"scale_drift"`
	Condition  float64           `json:"condition"`
	Determined float64           `json:"determined"`
	Open       int               `json:"prior_decides"` // weights of which the data say next to nothing
	Unseen     int               `json:"unseen"`
	Frozen     []tuner.GroupTest `json:"frozen,omitempty"` // score tests
	Scales     *tuner.ScaleFit   `json:"scales,omitempty"`
	Steps      int               `json:"steps"`
	Weights    string            `json:"weights"`
	SHA256     string            `json:"sha256"` // of the weights file
	Match      *tuneMatch        `json:"sprt,omitempty"`
	Text       string            `json:"text,omitempty"` // the report
}

func (t *tuning) summary(d *tuner.Dataset, r *tuner.Result, file []byte) *tuneSummary {
	sum := sha256.Sum256(file)
	s := &tuneSummary{Run: t.run.ID, Name: t.run.Name, Dataset: d.Key, Positions: d.Positions(), Games: d.Games(), Openings: d.Pairs(),
		Loss: string(r.Options.Loss), K: r.K, Margin: r.Margin, Prior: r.Prior, Train: r.End.Train, Validation: r.End.Validation, Test: r.End.Test, Rounded: r.End.Rounded,
		Start: r.Start, Gain: r.Gain, Drift: r.Drift, Condition: r.Condition, Determined: r.Determined, Unseen: len(r.Unseen), Frozen: r.Frozen, Scales: t.scales, Steps: len(r.Steps),
		Weights: t.o.out, SHA256: hex.EncodeToString(sum[:])}
	for i := range r.Weights {
		if w := &r.Weights[i]; !w.Frozen && !w.Decided() {
			s.Open++
		}
	}
	return s
}

// decodeSummary reads what a run has stored of its fit.
func decodeSummary(text []byte) (*tuneSummary, error) {
	var s tuneSummary
	if err := json.Unmarshal(text, &s); err != nil || s.SHA256 == "" {
		return nil, errors.New("it ended without fitting anything")
	}
	return &s, nil
}

// showFit prints a stored run of tune.
func showFit(con *console, run *results.Run, asJSON bool) error {
	if run.StopReason == "" {
		return fmt.Errorf("run %s is unfinished; go on with: xqlab tune --resume %s --out FILE", orElse(run.Name, run.ID), run.ID)
	}
	sum, err := decodeSummary(run.Summary)
	switch {
	case err != nil:
		return fmt.Errorf("run %s: %w", orElse(run.Name, run.ID), err)
	case asJSON:
		sum.Text = ""
		return printJSON(con, sum)
	}
	_, err = fmt.Fprintf(con.out, "%sweights: %s\n", sum.Text, sum.Weights)
	return err
}

// facts are the lines that head a report.
func (s *tuneSummary) facts(t *tuning) []string {
	from := "the embedded weights"
	if t.own == nil {
		from = t.Names
	} else if t.Weights != "" {
		from = t.Weights
	}
	return []string{fmt.Sprintf("run %s in %s, xqlab %s", s.Run, t.db.Path(), version), fmt.Sprintf("from %s, dataset %.16s", from, s.Dataset)}
}

// show prints a finished run.
func (t *tuning) show(ctx context.Context, asJSON bool) error {
	sum, err := decodeSummary(t.run.Summary)
	if err != nil {
		return err
	}
	sum.Weights = t.o.out
	if t.o.sprt != "" {
		m, err := t.verdict(ctx, sum.SHA256)
		if err != nil {
			return err
		}
		sum.Match = m
	}
	if asJSON {
		sum.Text = ""
		return printJSON(t.con, sum)
	}
	if _, err := io.WriteString(t.con.out, sum.Text); err != nil {
		return err
	}
	fmt.Fprintf(t.con.out, "weights: %s\n", t.o.out)
	if sum.Match != nil {
		fmt.Fprintf(t.con.out, "match %s of new against old: %s after %d games\n", sum.Match.Run, orElse(sum.Match.Verdict, "undecided"), sum.Match.Games)
	}
	return nil
}
