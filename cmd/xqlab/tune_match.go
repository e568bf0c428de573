package main

import (
	"context"
	"errors"
	"time"

	"github.com/google/shlex"

	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/stats"
)

// tuneMatch is the match of tuned weights against those they began from.
type tuneMatch struct {
	Run     string      `json:"run"`
	Verdict string      `json:"verdict"` // accepted, rejected, "" undecided
	Games   int         `json:"games"`
	LLR     float64     `json:"llr"`
	State   stats.State `json:"state"`
}

// matchFlags end games that are decided: of 7,122 games played out (xqlab results adjudicate)
// 99.3 % of the wins they would have given were won, for a tenth of the plies. A lower score
// hides what weights change later in games: at 600 one win in ten was none, and the gain of
// the match, 1.6 points in a hundred, was gone.
const matchFlags = "--resign=score=1200 --draw=movenumber=50,movecount=8,score=20"

// matchName names the match of a weights file, so that the same command goes on with it.
func matchName(sum string) string { return "sprt-" + sum[:16] }

// match plays new weights against old until the test decides, and goes on with a match that
// was stopped.
func (t *tuning) match(ctx context.Context, f *jobFlags) error {
	sum, err := t.fitted(ctx)
	if err != nil {
		return err
	}
	if fitted, err := readWeights(t.o.out); err != nil {
		return err
	} else if fitted.Hash() == t.own.Hash() {
		t.con.notef("nothing to test: %s has the weights that the fit began from; more games might move them", t.o.out)
		return nil
	}
	old := "name=old"
	if t.Weights != "" {
		old = spec.JoinWords([]string{old, "weights=" + t.Weights})
	}
	more, _ := shlex.Split(t.o.matchArgs) // check has looked
	quiet := *t.con
	quiet.out = t.con.err // standard output is the fit's
	cmd := arenaCommand(&quiet)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	args := []string{"--db", t.db.Path(), "--name", matchName(sum), "--engine", spec.JoinWords([]string{"name=new", "weights=" + t.o.out}),
		"--engine", old, "--each", t.o.each, "--openings", manyOpenings, "--sprt=" + t.o.sprt}
	if f.forText != "" {
		args = append(args, "--for", f.forText)
	}
	cmd.SetArgs(append(args, more...))
	if err := cmd.ExecuteContext(ctx); err != nil {
		return err
	}
	return t.record(ctx, sum)
}

// fitted returns the SHA-256 of the weights that were fitted.
func (t *tuning) fitted(ctx context.Context) (string, error) {
	sum, err := decodeSummary(t.run.Summary)
	if err != nil {
		return "", err
	}
	return sum.SHA256, ctx.Err()
}

// record stores the verdict of a match.
func (t *tuning) record(ctx context.Context, sum string) error {
	m, err := t.verdict(ctx, sum)
	if err != nil || m == nil {
		return err
	}
	base, err := t.base()
	if err != nil {
		return err
	}
	if err := t.db.PutWeights(ctx, base); err != nil {
		return err
	}
	trial := results.Trial{Run: m.Run, Candidate: sum, Base: base.SHA256, Verdict: m.Verdict}
	if m.Verdict != "" {
		trial.Decided = time.Now()
	}
	return t.db.PutTrial(ctx, trial)
}

// verdict returns how the match of the weights stands, nil before it began.
func (t *tuning) verdict(ctx context.Context, sum string) (*tuneMatch, error) {
	run, err := t.db.Run(ctx, matchName(sum))
	if errors.Is(err, results.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s, err := summarize(ctx, t.db, run, run.StopReason, nil)
	if err != nil {
		return nil, err
	}
	m := &tuneMatch{Run: run.ID, Games: s.Games}
	if s.SPRT != nil {
		m.LLR, m.State = s.SPRT.LLR, s.SPRT.State
		switch m.State {
		case stats.AcceptH1:
			m.Verdict = "accepted"
		case stats.AcceptH0:
			m.Verdict = "rejected"
		}
	}
	return m, nil
}
