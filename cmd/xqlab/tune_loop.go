package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/google/shlex"
	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/arena/openings"
	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/stats"
)

// loopConfig is what decides about the outcome of a loop.
type loopConfig struct {
	Rounds   int    `toml:"rounds"`
	Games    int    `toml:"games"`
	Nodes    string `toml:"nodes"`
	Weights  string `toml:"weights,omitempty"`
	Keep     int    `toml:"keep"`
	Each     string `toml:"each"`
	SPRT     string `toml:"sprt"`
	Openings string `toml:"openings"`
	Most     int    `toml:"match-games,omitempty"`
	Seed     uint64 `toml:"seed"`
	Selfplay string `toml:"selfplay-args,omitempty"`
	Tune     string `toml:"tune-args,omitempty"`
	Match    string `toml:"match-args,omitempty"`
}

func loopCommand(con *console) *cobra.Command {
	c := &loopConfig{}
	f := &jobFlags{}
	var out string
	cmd := &cobra.Command{
		Use:   "loop",
		Short: "Self-play, fit and test, round after round: each accepted set of weights makes the next games",
		Long: `Each round plays games with the best weights so far (xqlab selfplay), fits weights to the
games of this and earlier rounds (xqlab tune) and lets the new ones play against the old
until a test decides (xqlab arena --sprt). What is accepted makes the games of the next
round; what is rejected is kept in the database and left alone. Every stage is a run of its
own with a name, so a loop that was stopped or killed goes on where it was.`,
		Example: `  xqlab tune loop --rounds 2 --games 200 --nodes 200 --each nodes=200 --sprt 0,100 --match-games 100 --name try --db loop.db --out better.toml
  xqlab tune loop --rounds 0 --games 20000 --nodes 1k --for 24h --name night --out better.toml`,
		Args: exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return runLoop(cmd, con, f, c, out) },
	}
	fl := cmd.Flags()
	f.bind(fl)
	fl.StringVar(&out, "out", "", "weights `FILE` that gets the best weights, as soon as some are accepted (required)")
	fl.IntVar(&c.Rounds, "rounds", 2, "rounds, 0 to go on until --for or a signal")
	fl.IntVar(&c.Games, "games", 20000, "games of self-play in each round")
	fl.StringVar(&c.Nodes, "nodes", "1k", "their soft limit of a move")
	fl.StringVar(&c.Weights, "weights", "", "weights `FILE` to begin from (default the embedded ones)")
	fl.IntVar(&c.Keep, "keep", 0, "fit to the games of so many last rounds, 0 for all")
	fl.StringVar(&c.Each, "each", "nodes=5000", "limits of both sides of the match, as nodes=5000 or tc=10+0.1")
	fl.StringVar(&c.SPRT, "sprt", "gain", "the match's test: gain, fast, strict, simplify, or as in arena")
	fl.StringVar(&c.Openings, "openings", manyOpenings, "`BOOK` of the match")
	fl.IntVar(&c.Most, "match-games", 0, "reject what the test has not accepted after so many games, 0 to wait for it")
	fl.Uint64Var(&c.Seed, "seed", 0, "seed of all rounds (default a fresh one, printed)")
	fl.StringVar(&c.Selfplay, "selfplay-args", "", "more `FLAGS` for xqlab selfplay")
	fl.StringVar(&c.Tune, "tune-args", "", "more `FLAGS` for xqlab tune")
	fl.StringVar(&c.Match, "match-args", matchFlags, "more `FLAGS` for the match, those of xqlab arena")
	return cmd
}

// adopt implements adopter: what a fit is given may change from sitting to sitting, since a
// fit that fails would otherwise end the loop for good.
func (c *loopConfig) adopt(given settings) { c.Tune = given.(*loopConfig).Tune }

// complete implements settings.
func (c *loopConfig) complete() error {
	if c.Rounds < 0 || c.Games < 1 || c.Keep < 0 {
		return fmt.Errorf("--rounds %d --games %d --keep %d: want no negative number, and games", c.Rounds, c.Games, c.Keep)
	}
	if _, err := stats.ParseSPRT(c.SPRT); err != nil {
		return fmt.Errorf("--sprt: %w", err)
	}
	if err := (&spec.Match{}).SetGames(c.Most); c.Most != 0 && err != nil {
		return fmt.Errorf("--match-%w", err)
	}
	if _, err := openings.ParseSpec(c.Openings); err != nil {
		return fmt.Errorf("--%w", err)
	}
	for _, more := range []struct {
		flag, text string
		command    func(*console) *cobra.Command
	}{{"selfplay", c.Selfplay, selfplayCommand}, {"tune", c.Tune, tuneCommand}, {"match", c.Match, arenaCommand}} {
		if err := checkFlags(more.text, more.command); err != nil {
			return fmt.Errorf("--%s-args %w", more.flag, err)
		}
	}
	if c.Weights != "" {
		c.Weights = absolute(c.Weights)
	}
	return nil
}

// loopRound is what a round gave.
type loopRound struct {
	Round      int     `json:"round"` // from 1
	TuneArgs   string  `json:"tune_args,omitempty"`
	Try        int     `json:"try,omitempty"` // fits before this one that came to nothing and were begun anew with other tune_args
	GamesRun   string  `json:"games_run"`
	Games      int     `json:"games"`
	FitRun     string  `json:"fit_run,omitempty"`
	Positions  int     `json:"positions,omitempty"`
	Before     float64 `json:"loss_before,omitempty"` // of the weights the round began with, on the validation set
	Validation float64 `json:"loss_validation,omitempty"`
	Test       float64 `json:"loss_test,omitempty"`
	Drift      float64 `json:"scale_drift,omitempty"`
	Weights    string  `json:"weights,omitempty"` // file
	Hash       string  `json:"weights_hash,omitempty"`
	Match      string  `json:"match,omitempty"` // run
	MatchGames int     `json:"match_games,omitempty"`
	Elo        float64 `json:"elo,omitempty"`
	EloError   float64 `json:"elo_error,omitempty"`
	LLR        float64 `json:"llr,omitempty"`
	Verdict    string  `json:"verdict,omitempty"` // accepted, rejected, unchanged, "" while open
}

// loopSummary is how a loop stands.
type loopSummary struct {
	Run       string       `json:"run"`
	Name      string       `json:"name"`
	Seed      uint64       `json:"seed"`
	StoppedBy string       `json:"stopped_by"`
	Rounds    []*loopRound `json:"rounds"`
	Weights   string       `json:"weights,omitempty"` // --out, once something is accepted
}

// loop is one sitting at a loop.
type loop struct {
	*job
	c    *loopConfig
	out  string
	best string       // weights file, "" for the embedded ones
	past []*loopRound // as an earlier sitting left them
	sum  loopSummary
}

func runLoop(cmd *cobra.Command, con *console, f *jobFlags, c *loopConfig, out string) (err error) {
	if err := (&tuneOutput{out: out}).check("", false); err != nil {
		return err
	}
	ctx := cmd.Context()
	j, err := findJob(ctx, cmd, con, f, "loop", c, &loopConfig{}, &c.Seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	l := &loop{job: j, c: c, out: out}
	if err := l.earlier(); err != nil {
		return err
	}
	if j.run != nil && j.run.StopReason != "" {
		con.notef("run %s%s is finished (%s)", j.run.ID, prefixed(" ", j.run.Name), j.run.StopReason)
		return l.show(f.asJSON)
	}
	if n := len(l.past); n > 0 && cmd.Flags().Changed("resume") && !cmd.Flags().Changed("tune-args") {
		c.Tune = l.past[n-1].TuneArgs // the last that were given
	}
	resumed := j.run != nil
	sitting, err := j.begin(ctx, f, func() (*results.Run, error) {
		config, err := toml.Marshal(c)
		return &results.Run{Kind: "loop", Name: f.name, Config: config, Seed: c.Seed, Version: version}, err
	})
	if err != nil {
		return err
	}
	l.sum = loopSummary{Run: l.run.ID, Name: l.run.Name, Seed: c.Seed}
	con.notef("run %s%s in %s", l.run.ID, prefixed(" ", l.run.Name), l.db.Path())
	cause := l.pin(!resumed)
	if cause == nil {
		cause = l.rounds(sitting)
	}
	if sitting.Err() != nil { // whatever the stage that was stopped makes of it
		cause = context.Cause(sitting)
	}
	why, outcome := l.stopped(cause, "tune loop --out "+shellWord(out))
	if outcome == nil {
		l.sum.StoppedBy = "rounds"
		text, err := json.Marshal(&l.sum)
		if err == nil {
			err = l.db.Finish(context.WithoutCancel(ctx), l.run.ID, l.sum.StoppedBy, text)
		}
		if err != nil {
			return err
		}
	} else {
		l.sum.StoppedBy = why
	}
	return errors.Join(outcome, l.show(f.asJSON))
}

// earlier reads how an earlier sitting left the loop.
func (l *loop) earlier() error {
	if l.run == nil {
		_, err := weightsOf(l.c.Weights)
		if err != nil {
			return usageError{err}
		}
		return nil
	}
	if len(l.run.Summary) == 0 {
		return nil
	}
	if err := json.Unmarshal(l.run.Summary, &l.sum); err != nil {
		return fmt.Errorf("run %s: its summary: %w", l.run.ID, err)
	}
	l.past = l.sum.Rounds
	return nil
}

// pin makes the rounds begin from a copy of the weights that were given, which may be
// written over in the meantime, by --out for one.
func (l *loop) pin(fresh bool) error {
	if l.best = l.c.Weights; l.best == "" {
		return nil
	}
	if err := os.MkdirAll(l.dir(), 0o755); err != nil {
		return err
	}
	start := filepath.Join(l.dir(), "start.toml")
	if fresh {
		if err := l.copyFile(l.c.Weights, start); err != nil {
			return err
		}
	}
	if exists(start) { // else the first sitting died before it
		l.best = start
	}
	_, err := readWeights(l.best)
	return err
}

// copyFile copies a file so that the copy is whole or not there.
func (l *loop) copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return putFile(l.con, "tune loop", to, data)
}

// weightsOf returns the weights of a file, or the embedded ones.
func weightsOf(path string) (*eval.Weights, error) {
	if path == "" {
		return eval.Default(), nil
	}
	return readWeights(path)
}

// rounds plays the rounds. Those that are done say so at once, from what is stored.
func (l *loop) rounds(ctx context.Context) error {
	for r := 1; l.c.Rounds == 0 || r <= l.c.Rounds; r++ {
		round := &loopRound{Round: r}
		l.prepare(round)
		l.sum.Rounds = append(l.sum.Rounds, round)
		for _, stage := range []func(context.Context, *loopRound) error{l.play, l.fit, l.match, l.decide} {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := stage(ctx, round); err != nil {
				return err
			}
			if err := l.save(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepare settles what a round's fit is given. An earlier sitting's stays with a fit that is
// done; a fit that is not is begun anew, as another run, where now something else is given.
func (l *loop) prepare(r *loopRound) {
	r.TuneArgs = l.c.Tune
	if r.Round > len(l.past) {
		return
	}
	was := l.past[r.Round-1]
	r.Try = was.Try
	switch {
	case was.FitRun != "":
		r.TuneArgs = was.TuneArgs
	case was.GamesRun != "" && was.TuneArgs != r.TuneArgs: // a fit may have been begun
		r.Try++
	}
}

// save stores how the loop stands. Rounds that are not reached again yet stay as they were.
func (l *loop) save(ctx context.Context) error {
	sum := l.sum
	if n := len(sum.Rounds); n < len(l.past) {
		sum.Rounds = append(sum.Rounds[:n:n], l.past[n:]...)
	}
	text, err := json.Marshal(&sum)
	if err != nil {
		return err
	}
	return l.db.SaveSummary(context.WithoutCancel(ctx), l.run.ID, text)
}

// name names a run of a round.
func (l *loop) name(round int, stage string) string {
	return fmt.Sprintf("%s-%d-%s", orElse(l.run.Name, l.run.ID), round, stage)
}

// seed returns a seed for a stage of a round that is easy to type again.
func (l *loop) seed(round, stage int) string {
	const bits = 31
	return strconv.FormatUint(openings.Mix(l.c.Seed, uint64(2*round+stage))>>(64-bits), 10)
}

// play plays the games of a round.
func (l *loop) play(ctx context.Context, r *loopRound) error {
	l.con.notef("round %d: self-play", r.Round)
	more, _ := shlex.Split(l.c.Selfplay) // complete has looked
	args := append([]string{"--db", l.db.Path(), "--name", l.name(r.Round, "games"), "--games", strconv.Itoa(l.c.Games), "--nodes", l.c.Nodes, "--seed", l.seed(r.Round, 0)}, more...)
	if l.best != "" {
		args = append(args, "--weights", l.best)
	}
	text, err := inner(ctx, l.con, selfplayCommand, args)
	if err != nil {
		return fmt.Errorf("round %d: self-play: %w", r.Round, err)
	}
	var s selfplaySummary
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("round %d: self-play: %w", r.Round, err)
	}
	r.GamesRun, r.Games = s.Run, s.Games
	return nil
}

// dir is where the weights and reports of the rounds go.
func (l *loop) dir() string { return filepath.Join(l.db.Path()+".loops", l.run.ID) }

// fit fits weights to the games of the rounds.
func (l *loop) fit(ctx context.Context, r *loopRound) error {
	l.con.notef("round %d: fit", r.Round)
	if err := os.MkdirAll(l.dir(), 0o755); err != nil {
		return err
	}
	r.Weights = filepath.Join(l.dir(), fmt.Sprintf("round-%d.toml", r.Round))
	more, _ := shlex.Split(r.TuneArgs)
	stage := "fit"
	if r.Try > 0 {
		stage = fmt.Sprintf("fit-%d", r.Try+1)
	}
	args := append([]string{"--db", l.db.Path(), "--name", l.name(r.Round, stage), "--out", r.Weights}, more...)
	if l.best != "" {
		args = append(args, "--weights", l.best)
	}
	first := 1
	if l.c.Keep > 0 {
		first = max(r.Round-l.c.Keep+1, 1)
	}
	for _, x := range l.sum.Rounds[first-1:] {
		args = append(args, "--run", x.GamesRun)
	}
	if page := filepath.Join(l.dir(), fmt.Sprintf("round-%d.html", r.Round)); !exists(page) {
		args = append(args, "--report", page)
	}
	text, err := inner(ctx, l.con, tuneCommand, args)
	switch {
	case err != nil && ctx.Err() == nil:
		return fmt.Errorf("round %d: fit: %w; go on, with other --tune-args if they or the games are at fault (--run NAME there adds those of a run): xqlab tune loop --out %s --resume %s --db %s",
			r.Round, err, l.out, l.run.ID, l.db.Path())
	case err != nil:
		return fmt.Errorf("round %d: fit: %w", r.Round, err)
	}
	var s tuneSummary
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("round %d: fit: %w", r.Round, err)
	}
	r.FitRun, r.Positions, r.Before, r.Validation, r.Test, r.Drift = s.Run, s.Positions, s.Start.Validation, s.Validation, s.Test, s.Drift
	w, err := readWeights(r.Weights)
	if err != nil {
		return err
	}
	r.Hash = w.Hash()
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// match plays the new weights against the best so far.
func (l *loop) match(ctx context.Context, r *loopRound) error {
	old, err := weightsOf(l.best)
	if err != nil {
		return err
	}
	if old.Hash() == r.Hash {
		r.Verdict = "unchanged"
		return nil
	}
	l.con.notef("round %d: match", r.Round)
	words := []string{"name=old"}
	if l.best != "" {
		words = append(words, "weights="+l.best)
	}
	args := []string{"--name", l.name(r.Round, "match"), "--engine", spec.JoinWords([]string{"name=new", "weights=" + r.Weights}), "--engine", spec.JoinWords(words),
		"--each", l.c.Each, "--sprt=" + l.c.SPRT, "--openings", l.c.Openings, "--seed", l.seed(r.Round, 1)}
	if l.c.Most > 0 {
		args = append(args, "--games", strconv.Itoa(l.c.Most))
	}
	more, _ := shlex.Split(l.c.Match) // complete has looked
	text, err := playMatch(ctx, l.con, true, l.db.Path(), append(args, more...))
	if err != nil {
		return fmt.Errorf("round %d: match: %w", r.Round, err)
	}
	var m struct {
		Run   string
		Games int
		Match *stats.Elo
		SPRT  *struct {
			LLR   float64
			State stats.State
		}
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("round %d: match: %w", r.Round, err)
	}
	r.Match, r.MatchGames, r.Verdict = m.Run, m.Games, "rejected"
	if m.Match != nil {
		r.Elo, r.EloError = m.Match.Elo, m.Match.EloError
	}
	if m.SPRT != nil {
		if r.LLR = m.SPRT.LLR; m.SPRT.State == stats.AcceptH1 {
			r.Verdict = "accepted"
		}
	}
	return nil
}

// decide records the verdict and makes accepted weights the best.
func (l *loop) decide(ctx context.Context, r *loopRound) error {
	l.con.notef("round %d: %s", r.Round, r.Verdict)
	if r.Match != "" {
		fit, err := l.db.Fit(ctx, r.FitRun, 0)
		if err != nil {
			return err
		}
		file, err := os.ReadFile(r.Weights)
		if err != nil {
			return err
		}
		candidate := &results.WeightsFile{Name: filepath.Base(r.Weights), Parent: fit.Base, Data: file}
		if err := l.db.PutWeights(ctx, candidate); err != nil { // known already, by the fit
			return err
		}
		err = l.db.PutTrial(ctx, results.Trial{Run: r.Match, Candidate: candidate.SHA256, Base: fit.Base, Verdict: r.Verdict, Decided: time.Now()})
		if err != nil {
			return err
		}
	}
	if r.Verdict != "accepted" {
		return nil
	}
	l.best, l.sum.Weights = r.Weights, l.out
	return l.copyFile(r.Weights, l.out)
}

// showLoop prints a stored run of tune loop.
func showLoop(con *console, run *results.Run, asJSON bool) error {
	l := &loop{job: &job{con: con, run: run}, sum: loopSummary{Run: run.ID, Name: run.Name, Seed: run.Seed}}
	if err := l.earlier(); err != nil {
		return err
	}
	return l.show(asJSON)
}

// show prints what the rounds gave.
func (l *loop) show(asJSON bool) error {
	if asJSON {
		return printJSON(l.con, &l.sum)
	}
	w := tabwriter.NewWriter(l.con.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "round\tgames\tpositions\tvalidation before\tafter\tmatch games\tElo\t±\tLLR\tverdict\t")
	for _, r := range l.sum.Rounds {
		elo, se, llr := "–", "–", "–"
		if r.MatchGames > 0 {
			elo, se, llr = signedText(r.Elo, 1), fmt.Sprintf("%.1f", r.EloError), signedText(r.LLR, 2)
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%.6f\t%.6f\t%d\t%s\t%s\t%s\t%s\t\n", r.Round, r.Games, r.Positions, r.Before, r.Validation,
			r.MatchGames, elo, se, llr, orElse(r.Verdict, "open"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	text := "no weights were accepted\n"
	if l.sum.Weights != "" {
		text = fmt.Sprintf("weights: %s\n", l.sum.Weights)
	}
	_, err := io.WriteString(l.con.out, text)
	return err
}
