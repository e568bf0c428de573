package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/arena/engine"
	"github.com/xqlab/xqlab/arena/openings"
	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/report"
	"github.com/xqlab/xqlab/search"
	"github.com/xqlab/xqlab/tuner"
)

// spsaConfig is what decides about the path of a search by SPSA.
type spsaConfig struct {
	Engine    string   `toml:"engine"`
	Params    []string `toml:"param"`
	Steps     int      `toml:"steps"`
	Pairs     int      `toml:"pairs"`
	Openings  string   `toml:"openings"`
	Seed      uint64   `toml:"seed"`
	Rules     string   `toml:"rules"`
	MoveLimit int      `toml:"move-limit,omitempty"`
	Resign    string   `toml:"resign"`
	Draw      string   `toml:"draw,omitempty"`

	params []tuner.SPSAParam
	match  *spec.Match // of the two sides
}

// spsaFlags are the flags that do not decide about the path.
type spsaFlags struct {
	jobFlags
	concurrency string
	plot, sprt  string
}

func spsaCommand(con *console) *cobra.Command {
	c := &spsaConfig{}
	f := &spsaFlags{}
	cmd := &cobra.Command{
		Use:   "spsa",
		Short: "Search for parameters of an engine by games, in pairs (SPSA)",
		Long: `In each step all parameters are moved a little, each up or down by chance, the two opposite
configurations play some pairs of games, and all parameters move towards the side that won.
A parameter of the built-in engine is NAME alone (see xqlab uci) or a whole line; that of
another engine is an option of that name and needs the line:
"NAME, int|float, value, min, max, c_end, r_end", where c_end is how far it is moved in the
last step and r_end how far a result then changes it, in units of c_end.
What a search finds is a candidate: --sprt lets it play against the start.`,
		Example: `  xqlab tune spsa --param NullEval --param "ReduceBase, int, 400, -200, 1000, 100, 0.02" --steps 4 --pairs 2 --engine nodes=200 --db spsa.db
  xqlab tune spsa --engine cmd=./my-engine,nodes=20k --param "LMRBase, int, 100, 0, 300, 15, 0.002" --steps 2000 --name lmr --plot lmr.html`,
		Args: exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return runSPSA(cmd, con, f, c) },
	}
	fl := cmd.Flags()
	f.bind(fl)
	fl.StringVar(&c.Engine, "engine", "", "the engine, key=value words as in arena (default the built-in one)")
	fl.StringArrayVar(&c.Params, "param", nil, "a parameter (repeat for each)")
	fl.IntVar(&c.Steps, "steps", 1000, "steps of the search")
	fl.IntVar(&c.Pairs, "pairs", 8, "pairs of games in each step")
	fl.StringVar(&c.Openings, "openings", manyOpenings, "`BOOK`, as in arena")
	fl.Uint64Var(&c.Seed, "seed", 0, "seed of the openings and the perturbations (default a fresh one, printed)")
	fl.StringVar(&c.Rules, "rules", spec.DefaultRules, "computer, axf, ucci-league or check-only")
	fl.IntVar(&c.MoveLimit, "move-limit", 0, "plies without a capture that draw (default that of the rules)")
	fl.StringVar(&c.Draw, "draw", "", "adjudicate draws by score: movenumber=50,movecount=8,score=20 (default none)")
	fl.StringVar(&c.Resign, "resign", "none", "adjudicate wins by score: movecount=3,score=600,twosided=true")
	fl.StringVar(&f.concurrency, "concurrency", "auto", "games at once: N, auto, or -N to leave N cores free")
	fl.StringVar(&f.plot, "plot", "", "draw the path of every parameter into this HTML `FILE`")
	fl.StringVar(&f.sprt, "sprt", "", "in the end, test the result against the start by this `TEST`: gain (also bare), fast, strict, simplify, or as in arena")
	fl.Lookup("sprt").NoOptDefVal = "gain"
	return cmd
}

// manyOpenings never end: where nodes limit both sides, a pair from an opening that was had
// before would be the same games again.
const manyOpenings = "random,plies=8,eval=-100..100"

// complete implements settings.
func (c *spsaConfig) complete() error {
	m := &spec.Match{Openings: c.Openings, Rules: c.Rules, MoveLimit: c.MoveLimit, Strict: true, Pairs: 1}
	words := []spec.Pair{}
	if c.Engine != "" {
		var err error
		if words, err = spec.SplitWords(c.Engine); err != nil {
			return fmt.Errorf("--engine %s: %w", c.Engine, err)
		}
	}
	for _, side := range []string{"plus", "minus"} {
		if err := m.AddEngine(words, []spec.Pair{{Key: "name", Value: side}}); err != nil {
			return fmt.Errorf("--engine %s: %w", c.Engine, err)
		}
	}
	if _, err := complete(m); err != nil {
		return err
	}
	c.match, c.Rules = m, m.Rules
	if c.Resign != "none" {
		m.Resign, m.ResignSet = c.Resign, true
		if _, err := arena.ParseResign(c.Resign); err != nil {
			return fmt.Errorf("--%w", err)
		}
	}
	if c.Draw != "" {
		m.Draw = c.Draw
		if _, err := arena.ParseDraw(c.Draw); err != nil {
			return fmt.Errorf("--%w", err)
		}
	}
	return c.parseParams()
}

// parseParams reads the parameters and writes them out in full.
func (c *spsaConfig) parseParams() error {
	if len(c.Params) == 0 {
		return errors.New("no --param: which parameters are to be searched?")
	}
	builtIn := c.match.Engines[0].BuiltIn()
	c.params = nil
	for i, line := range c.Params {
		p, err := paramOf(line, builtIn)
		if err != nil {
			return fmt.Errorf("--param: %w", err)
		}
		if builtIn && slices.ContainsFunc(c.match.Engines[0].Params, func(o spec.Option) bool { return o.Name == p.Name }) {
			return fmt.Errorf("--param %s: --engine sets param.%s too; say where it starts in --param alone", p.Name, p.Name)
		}
		c.params = append(c.params, p)
		c.Params[i] = p.String()
	}
	return (&tuner.SPSA{Params: c.params, Steps: c.Steps, Pairs: c.Pairs}).Validate()
}

// paramOf reads a parameter; of the built-in engine the name is enough.
func paramOf(line string, builtIn bool) (tuner.SPSAParam, error) {
	if !builtIn {
		return tuner.ParseSPSAParam(line)
	}
	name, _, full := strings.Cut(line, ",")
	for _, d := range search.ParamList() {
		if d.Name != strings.TrimSpace(name) {
			continue
		}
		if !full {
			p := tuner.SPSAParam{Name: d.Name, Integer: true, Start: float64(d.Default), Min: float64(d.Min), Max: float64(d.Max),
				CEnd: float64(d.Step), REnd: tuner.DefaultREnd}
			return p, p.Validate()
		}
		p, err := tuner.ParseSPSAParam(line)
		if err == nil && (!p.Integer || p.Min < float64(d.Min) || p.Max > float64(d.Max)) {
			err = fmt.Errorf("parameter %s is an int from %d to %d", p.Name, d.Min, d.Max)
		}
		return p, err
	}
	return tuner.SPSAParam{}, fmt.Errorf("the built-in engine has no parameter %q (xqlab uci lists them)%s", strings.TrimSpace(name), didYouMean(strings.TrimSpace(name), "%q", paramNames()))
}

func paramNames() (names []string) {
	for _, d := range search.ParamList() {
		names = append(names, d.Name)
	}
	return names
}

// spsaRun is a search under way.
type spsaRun struct {
	*job
	f       *spsaFlags
	c       *spsaConfig
	name    string
	cast    []*entrant // plus, minus
	book    *openings.Book
	conduct arena.Conduct
	meter   *meter
	partial []results.Row // of the step that an earlier sitting did not finish
	played  int           // games stored
	failed  int           // of them, by failures

	mu    sync.Mutex
	games int          // at once
	match *arena.Match // of the step that is played
}

func runSPSA(cmd *cobra.Command, con *console, f *spsaFlags, c *spsaConfig) (err error) {
	ctx := cmd.Context()
	if err := errors.Join(checkTest(f.sprt), checkOutput("--plot", f.plot)); err != nil {
		return err
	}
	j, err := findJob(ctx, cmd, con, &f.jobFlags, "spsa", c, &spsaConfig{}, &c.Seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	s := &spsaRun{job: j, f: f, c: c, name: f.name}
	if j.run != nil && j.run.StopReason != "" {
		con.notef("run %s%s is finished (%s)", j.run.ID, prefixed(" ", j.run.Name), j.run.StopReason)
		return s.show(ctx)
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	sitting, err := j.begin(ctx, &f.jobFlags, s.fresh)
	if err != nil {
		return err
	}
	cause := s.playAll(sitting)
	ctx = context.WithoutCancel(ctx)
	why, outcome := s.stopped(cause, "tune spsa")
	if outcome == nil {
		if err := s.db.Finish(ctx, s.run.ID, why, nil); err != nil {
			return err
		}
		s.run.StopReason = why
		return s.show(cmd.Context())
	}
	return errors.Join(outcome, s.show(ctx))
}

// prepare makes everything ready that needs no database.
func (s *spsaRun) prepare(ctx context.Context) (err error) {
	m := *s.c.match
	m.Concurrency = s.f.concurrency
	if s.games, err = concurrency(&m); err != nil {
		return usageError{err}
	}
	m.Engines = nil
	for _, e := range s.c.match.Engines {
		m.Engines = append(m.Engines, s.withValues(e, s.starts()))
	}
	if s.conduct, err = conduct(&m); err != nil {
		return usageError{err}
	}
	o, err := openings.ParseSpec(s.c.Openings)
	if err != nil {
		return usageError{err}
	}
	options := openings.Options{Seed: s.c.Seed, Judge: judgeOpening(ctx, o.Window)}
	if s.run != nil && o.Book == openings.Fly {
		if options.Made, err = madeOpenings(ctx, s.db, s.run, 1, o.Plies); err != nil {
			return err
		}
	}
	if s.book, err = o.Open(options); err != nil {
		return err
	}
	c := &casting{match: &m, keepDir: keepDir(dbPath(s.f.db))}
	if s.cast, err = c.cast(ctx); err != nil {
		return err
	}
	for _, n := range s.cast[0].notes {
		s.con.notef("engine: %s", n)
	}
	if s.run == nil {
		return s.checkRange(ctx, m)
	}
	if h := s.book.Digest(); h != s.run.BookHash {
		return fmt.Errorf("openings %s have changed since the run began: SHA-256 %s then, %s now", s.c.Openings, s.run.BookHash, h)
	}
	return sameEngine(s.run.Engines[0], s.cast[0].record)
}

// checkRange starts the engine with the ends of all ranges, so that no game is lost to a value
// that it refuses.
func (s *spsaRun) checkRange(ctx context.Context, m spec.Match) error {
	var low, high []float64
	for i := range s.c.params {
		low, high = append(low, s.c.params[i].Min), append(high, s.c.params[i].Max)
	}
	m.Engines = []spec.Engine{s.withValues(s.c.match.Engines[0], low), s.withValues(s.c.match.Engines[1], high)}
	c := &casting{match: &m, keepDir: keepDir(dbPath(s.f.db))}
	if _, err := c.cast(ctx); err != nil {
		return fmt.Errorf("--param: an end of a range is refused: %w", err)
	}
	return nil
}

// starts returns the values that the search begins with.
func (s *spsaRun) starts() (values []float64) {
	for i := range s.c.params {
		values = append(values, s.c.params[i].Start)
	}
	return values
}

// withValues is the engine with parameters or options set.
func (s *spsaRun) withValues(e spec.Engine, values []float64) spec.Engine {
	set := &e.Options
	if e.BuiltIn() {
		set = &e.Params
	}
	list := append([]spec.Option(nil), *set...)
	for i := range s.c.params {
		list = append(list, spec.Option{Name: s.c.params[i].Name, Value: paramText(values[i])})
	}
	*set = list
	return e
}

func paramText(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// fresh describes a new run.
func (s *spsaRun) fresh() (*results.Run, error) {
	config, err := toml.Marshal(s.c)
	return &results.Run{
		Kind: "spsa", Name: s.name, Config: config, Seed: s.c.Seed, Rules: s.c.Rules, MoveLimit: s.c.MoveLimit,
		Book: s.c.Openings, BookHash: s.book.Digest(), Pairs: s.c.Steps * s.c.Pairs, Version: version,
		Engines: []results.Engine{s.cast[0].record, s.cast[1].record},
	}, err
}

// playAll plays the steps that are left.
func (s *spsaRun) playAll(ctx context.Context) error {
	done, _, err := s.path(ctx)
	if err != nil {
		return err
	}
	rows, err := s.db.Rows(ctx, s.run.ID)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Pair >= len(done)*s.c.Pairs {
			s.partial = append(s.partial, r)
		}
		s.count(&r)
	}
	s.con.notef("run %s%s in %s", s.run.ID, prefixed(" ", s.run.Name), s.db.Path())
	s.con.notef("  %d parameters of %s, %s, %d steps of %d pairs, openings %s, rules %s, seed %d, %d at once",
		len(s.c.params), s.cast[0].record.IDName, s.cast[0].spec.LimitText(), s.c.Steps, s.c.Pairs, s.c.Openings, s.c.Rules, s.c.Seed, s.games)
	if len(rows) > 0 {
		s.con.notef("  resumed: %d steps and %d games are stored already", len(done), len(rows))
	}
	s.meter = newMeter(s.con, "games", len(rows), 2*s.c.Steps*s.c.Pairs)
	defer s.meter.stop()
	h := &helm{con: s.con, db: s.db, run: s.run.ID, games: s.games, of: s, progress: s.meter.published}
	go h.listen(ctx)
	search := &tuner.SPSA{Params: s.c.params, Steps: s.c.Steps, Pairs: s.c.Pairs, Seed: s.c.Seed, Play: s.play, Stored: s.stored}
	_, err = search.Run(ctx, done)
	return err
}

// SetConcurrency is for the helm.
func (s *spsaRun) SetConcurrency(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.games = n; s.match != nil {
		s.match.SetConcurrency(n)
	}
}

// Drain is for the helm.
func (s *spsaRun) Drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.match != nil {
		s.match.Drain()
	}
}

// play plays the games of a step.
func (s *spsaRun) play(ctx context.Context, step int, plus, minus []float64) (float64, error) {
	first := step * s.c.Pairs // pair of the run
	tally := map[[2]int]results.Result{}
	note := func(r *results.Row) {
		if r.Result != results.NotPlayed {
			tally[[2]int{r.Pair, r.Leg}] = r.Result
		}
	}
	m := &arena.Match{
		Run: s.run.ID, Conduct: s.conduct, Pairings: []arena.Pairing{{First: 0, Second: 1}}, Pairs: s.c.Pairs, Policy: arena.DefaultPolicy,
		Opening: func(round int) (arena.Opening, error) {
			o, err := s.book.Opening(first + round)
			return arena.Opening{FEN: o.FEN, Moves: o.Moves}, err
		},
		Put: func(ctx context.Context, g *results.Game) error {
			whole := *g
			whole.Pair += first
			return s.db.Put(ctx, &whole)
		},
		Stored: func(g *results.Game) error {
			r, err := results.RowOf(g)
			if err != nil {
				return err
			}
			note(&r)
			s.meter.add(1, fmt.Sprintf("step %d", step+1))
			if failed := s.count(&r); failed && s.failed >= arena.DefaultPolicy.Crashes && float64(s.failed) > mostFailed*float64(s.played) {
				return fmt.Errorf("%d of %d games ended by a failure of the engine, the last by %s: %s; mend it, as such games tell nothing of the parameters", s.failed, s.played, r.Reason, r.Detail)
			}
			return nil
		},
	}
	for _, r := range s.partial {
		r.Pair -= first
		note(&r)
		m.Done = append(m.Done, r)
	}
	s.partial = nil
	for i, values := range [][]float64{plus, minus} {
		open, err := s.opener(i, values)
		if err != nil {
			return 0, err
		}
		m.Contestants = append(m.Contestants, arena.Contestant{Name: s.cast[i].spec.Name, Limits: s.cast[i].spec.Limits, Open: open})
	}
	s.mu.Lock()
	m.Concurrency, s.match = max(s.games, 1), m
	s.mu.Unlock()
	if err := m.Play(ctx); err != nil {
		return 0, err
	}
	for i := range s.cast {
		if why := m.SetAside(i); why != "" {
			return 0, errors.New(why)
		}
	}
	score := 0.0
	for key, r := range tally {
		score += float64(halves(r, key[1]) - 1)
	}
	return score, nil
}

// mostFailed is the share of games that an engine may fail in.
const mostFailed = 0.02

// failures are the ends of games that tell of a fault of the engine's, not of its play.
var failures = []results.Reason{results.Crash, results.Hang, results.StartFailed, results.IllegalMove}

// count counts a game that is stored, and reports whether the engine failed in it.
func (s *spsaRun) count(r *results.Row) bool {
	s.played++
	failed := slices.Contains(failures, r.Reason)
	if failed {
		s.failed++
	}
	return failed
}

// opener returns how players of a side are opened.
func (s *spsaRun) opener(side int, values []float64) (func() (arena.Player, error), error) {
	x := s.cast[side]
	if x.config == nil {
		e := s.withValues(s.c.match.Engines[side], values)
		w, p, err := builtInOf(&e)
		if err != nil {
			return nil, err
		}
		o := search.Options{HashMB: e.Hash, Threads: e.Threads}
		return func() (arena.Player, error) { return arena.NewBuiltIn(e.Name, w, p, o), nil }, nil
	}
	cfg := *x.config
	cfg.Options = append([]engine.Option(nil), cfg.Options...)
	n := len(cfg.Options) - len(s.c.params) // the last ones are the start values
	for i := range s.c.params {
		cfg.Options[n+i].Value = paramText(values[i])
	}
	return func() (arena.Player, error) { return engine.New(cfg), nil }, nil
}

// stored stores a step.
func (s *spsaRun) stored(ctx context.Context, step tuner.SPSAStep) error {
	values := map[string]float64{}
	for i := range s.c.params {
		values[s.c.params[i].Name] = step.Values[i]
	}
	text, err := json.Marshal(values)
	if err != nil {
		return err
	}
	return s.db.PutSPSAStep(context.WithoutCancel(ctx), s.run.ID, results.SPSAStep{Step: step.Step, Params: text, Score: step.Score})
}

// path returns the steps that are stored.
func (s *spsaRun) path(ctx context.Context) (done []tuner.SPSAStep, at []time.Time, err error) {
	steps, err := s.db.SPSASteps(ctx, s.run.ID)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range steps {
		values := map[string]float64{}
		if err := json.Unmarshal(d.Params, &values); err != nil {
			return nil, nil, fmt.Errorf("run %s, step %d: its values: %w", s.run.ID, d.Step, err)
		}
		x := tuner.SPSAStep{Step: d.Step, Score: d.Score}
		for i := range s.c.params {
			v, ok := values[s.c.params[i].Name]
			if !ok {
				return nil, nil, fmt.Errorf("run %s, step %d: no value of %s", s.run.ID, d.Step, s.c.params[i].Name)
			}
			x.Values = append(x.Values, v)
		}
		done, at = append(done, x), append(at, d.At)
	}
	return done, at, nil
}

// spsaSummary is how a search stands.
type spsaSummary struct {
	Run       string          `json:"run"`
	Name      string          `json:"name"`
	Seed      uint64          `json:"seed"`
	StoppedBy string          `json:"stopped_by"` // "" while unfinished
	Steps     int             `json:"steps"`
	Planned   int             `json:"planned_steps"`
	Games     int             `json:"games"`
	Params    []spsaOutcome   `json:"params"`
	OnTime    int             `json:"lost_on_time"` // games
	Failed    int             `json:"failed_games"` // by crash, hang, illegal move or failed start
	Plot      string          `json:"plot,omitempty"`
	SPRT      json.RawMessage `json:"sprt,omitempty"` // the match's summary
}

// spsaOutcome is what became of a parameter.
type spsaOutcome struct {
	Name   string  `json:"name"`
	Start  float64 `json:"start"`
	Value  float64 `json:"value"` // as the search has it
	Final  float64 `json:"final"` // what to set: integers rounded
	Moved  float64 `json:"moved"` // in perturbations of the last step
	AtEdge bool    `json:"at_edge"`
}

// showSPSA prints a stored run of tune spsa.
func showSPSA(ctx context.Context, con *console, db *results.Store, run *results.Run, asJSON bool) error {
	c := &spsaConfig{}
	err := decodeSettings(run.Config, c)
	if err == nil {
		err = c.complete()
	}
	if err != nil {
		return fmt.Errorf("run %s: its configuration: %w", orElse(run.Name, run.ID), err)
	}
	s := &spsaRun{job: &job{con: con, db: db, run: run}, f: &spsaFlags{jobFlags: jobFlags{asJSON: asJSON}}, c: c}
	return s.show(ctx)
}

// show prints how the search stands, draws the paths and, when it is done, tests the result.
func (s *spsaRun) show(ctx context.Context) error {
	done, _, err := s.path(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	sum := &spsaSummary{Run: s.run.ID, Name: s.run.Name, Seed: s.run.Seed, StoppedBy: s.run.StopReason, Steps: len(done), Planned: s.c.Steps, Games: 2 * s.c.Pairs * len(done)}
	final := s.starts()
	if len(done) > 0 {
		final = done[len(done)-1].Values
	}
	for i := range s.c.params {
		p := &s.c.params[i]
		sum.Params = append(sum.Params, spsaOutcome{p.Name, p.Start, final[i], p.Final(final[i]), (final[i] - p.Start) / p.CEnd,
			math.Min(final[i]-p.Min, p.Max-final[i]) < p.CEnd/2})
	}
	rows, err := s.db.Rows(context.WithoutCancel(ctx), s.run.ID)
	if err != nil {
		return err
	}
	for i := range rows {
		switch {
		case rows[i].Reason == results.TimeLoss:
			sum.OnTime++
		case slices.Contains(failures, rows[i].Reason):
			sum.Failed++
		}
	}
	if s.f.plot != "" {
		if err := s.draw(done); err != nil {
			return err
		}
		sum.Plot = s.f.plot
	}
	if !s.f.asJSON {
		if err := sum.print(s.con.out); err != nil {
			return err
		}
	}
	if s.f.sprt != "" && s.run.StopReason != "" {
		if sum.SPRT, err = s.test(ctx, sum); err != nil {
			return err
		}
	}
	if s.f.asJSON {
		return printJSON(s.con, sum)
	}
	return nil
}

// print prints the parameters as a table.
func (s *spsaSummary) print(out io.Writer) error {
	fmt.Fprintf(out, "run %s%s: %d of %d steps, %d games\n\n", s.Run, prefixed(" ", s.Name), s.Steps, s.Planned, s.Games)
	if s.OnTime > 0 {
		fmt.Fprintf(out, "lost on time: %d; such games tell nothing of the moves, a longer time control or fewer games at once would help\n\n", s.OnTime)
	}
	if s.Failed > 0 {
		fmt.Fprintf(out, "ended by a failure of the engine: %d; xqlab results games lists them, and they tell nothing of the parameters\n\n", s.Failed)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "parameter\tstart\tvalue\tset\tmoved, in c_end")
	for _, p := range s.Params {
		edge := ""
		if p.AtEdge {
			edge = "\tat the edge of its range"
		}
		fmt.Fprintf(w, "%s\t%v\t%.2f\t%v\t%s%s\n", p.Name, p.Start, p.Value, paramText(p.Final), signedText(p.Moved, 2), edge)
	}
	return w.Flush()
}

// draw writes the paths.
func (s *spsaRun) draw(done []tuner.SPSAStep) error {
	d := report.Paths{Title: orElse(s.run.Name, s.run.ID), Unit: "games"}
	for i := range s.c.params {
		p := &s.c.params[i]
		path := report.Path{Name: p.Name, Min: p.Min, Max: p.Max, Points: []report.Point{{X: 0, Y: p.Start}}}
		for _, step := range done {
			path.Points = append(path.Points, report.Point{X: float64(2 * s.c.Pairs * (step.Step + 1)), Y: step.Values[i]})
		}
		d.Paths = append(d.Paths, path)
	}
	return toFile(s.con, "--plot", s.f.plot, d.WriteHTML)
}

// test lets the result play against the start, and returns the match's summary.
func (s *spsaRun) test(ctx context.Context, sum *spsaSummary) (json.RawMessage, error) {
	set := "option."
	if s.c.match.Engines[0].BuiltIn() {
		set = "param."
	}
	sides := map[string]string{"tuned": "name=tuned", "start": "name=start"}
	if !slices.ContainsFunc(sum.Params, func(p spsaOutcome) bool { return p.Final != p.Start }) {
		s.con.notef("nothing to test: every parameter ends where it began; more steps or a larger r_end would move them")
		return nil, nil
	}
	for _, p := range sum.Params {
		sides["tuned"] += fmt.Sprintf(",%s%s=%s", set, p.Name, paramText(p.Final))
		sides["start"] += fmt.Sprintf(",%s%s=%s", set, p.Name, paramText(p.Start))
	}
	args := []string{"--name", orElse(s.run.Name, s.run.ID) + "-sprt", "--engine", sides["tuned"], "--engine", sides["start"],
		"--sprt=" + s.f.sprt, "--openings", s.c.Openings, "--rules", s.c.Rules, "--concurrency", s.f.concurrency}
	if s.c.Engine != "" {
		args = append(args, "--each", s.c.Engine)
	}
	if s.c.MoveLimit > 0 {
		args = append(args, "--move-limit", strconv.Itoa(s.c.MoveLimit))
	}
	if s.c.Resign != "none" {
		args = append(args, "--resign="+s.c.Resign)
	}
	if s.c.Draw != "" {
		args = append(args, "--draw="+s.c.Draw)
	}
	return playMatch(ctx, s.con, s.f.asJSON, s.db.Path(), args)
}
