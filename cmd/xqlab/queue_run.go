package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/report"
)

// queueRun plays what waits in the queue.
type queueRun struct {
	con            *console
	dbFlag         string
	until, forText string
	events, notify string
	asJSON         bool

	db     *results.Store
	end    time.Time // zero for none
	ended  []endedTurn
	unsaid error // events of a run that was played could not be written
}

// endedTurn is a turn that this process has brought to its end.
type endedTurn struct {
	queueLine
	Result *report.Summary `json:"result"` // nil if nothing is stored
}

// turn is what a sitting has of the queue.
type turn struct {
	claim  *results.Claim
	terms  queueTerms
	budget time.Time // when it is used up, zero for none
}

// errBudget ends a sitting whose run has used its budget.
var errBudget = errors.New("the budget is used")

func queueRunCommand(con *console, db *string) *cobra.Command {
	q := &queueRun{con: con}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Play what waits, one run after the other",
		Long: `Plays the queue until nothing waits, or until its time is up (exit status 3, as after a
signal; the run that was being played waits again and is gone on with). A run that fails
does not stop the others: the last lines name it and the exit status is 1. What stops
"queue run" itself is a database that cannot be written.`,
		Example: "  xqlab arena queue run --until 07:00 --db night.db",
		Args:    exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.dbFlag = *db
			return q.run(cmd.Context())
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&q.until, "until", "", "stop at this time of day, as 07:00")
	fl.StringVar(&q.forText, "for", "", "stop after this time, as 8h")
	fl.StringVar(&q.events, "events", "", "write what happens in every run as JSON lines to this `FILE`, or - for standard output")
	fl.StringVar(&q.notify, "notify", "", "run this `COMMAND` when a run ends or an engine starts failing")
	fl.BoolVar(&q.asJSON, "json", false, "one JSON object at the end")
	return cmd
}

func (q *queueRun) run(ctx context.Context) (err error) {
	if q.end, err = deadline(&spec.Match{Until: q.until, For: q.forText}, time.Now()); err != nil {
		return usageError{err}
	}
	if q.events == "-" && q.asJSON {
		return usagef("--events - and --json both write to standard output; give --events FILE, or leave --json out: the run_end events hold the same figures")
	}
	if _, err := os.Stat(dbPath(q.dbFlag)); err != nil {
		return fmt.Errorf("%s: nothing is queued: there is no database yet", absolute(dbPath(q.dbFlag)))
	}
	return writing(ctx, q.dbFlag, func(s *results.Store) error {
		q.db = s
		return q.conclude(ctx, q.playAll(ctx))
	})
}

// playAll plays until nothing waits; otherwise it returns what came first.
func (q *queueRun) playAll(ctx context.Context) error {
	for {
		if !q.end.IsZero() && !time.Now().Before(q.end) {
			return errTimeUp
		}
		claim, err := q.db.NextQueued(ctx)
		switch {
		case errors.Is(err, results.ErrNotFound):
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		}
		if err := q.turn(ctx, claim); err != nil {
			return errors.Join(err, claim.Release())
		}
	}
}

// turn plays one queued run. It returns an error only when the queue cannot go on; the run
// then waits again.
func (q *queueRun) turn(parent context.Context, claim *results.Claim) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	go func() {
		select {
		case <-claim.Lost():
			cancel(errLost)
		case <-ctx.Done():
		}
	}()
	q.con.notef("queue: %s, priority %d", label(claim), claim.Priority)
	s := &sitting{con: q.con, cancel: cancel, db: q.db, end: q.end, queued: &turn{claim: claim}}
	defer func() {
		s.db = nil // the queue goes on with it
		s.close()
	}()
	err := q.sit(parent, ctx, s)
	if errors.Is(err, errUnsaid) {
		q.unsaid, err = err, nil
	}
	switch {
	case err == nil:
	case parent.Err() != nil:
		return context.Cause(parent)
	case s.stopped == "until":
		return errTimeUp
	case lasting(err):
		return err
	}
	return q.endTurn(context.WithoutCancel(ctx), s, err)
}

// lasting reports whether an error would meet every run of the queue.
func lasting(err error) bool {
	for _, e := range []error{results.ErrFull, results.ErrDamaged, results.ErrBusy, results.ErrClosed} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func label(c *results.Claim) string { return strings.TrimSpace(c.Name + " " + c.ID) }

// sit plays the claimed run as far as its budget and the queue's time go.
func (q *queueRun) sit(parent, ctx context.Context, s *sitting) error {
	t := s.queued
	if t.claim.Kind != "match" {
		return fmt.Errorf("it is of the kind %q, which this program does not play from the queue", t.claim.Kind)
	}
	if err := json.Unmarshal(t.claim.Rules, &t.terms); err != nil {
		return fmt.Errorf("what was stored with it is no JSON of this program: %w", err)
	}
	s.flags = &arenaFlags{db: q.dbFlag, asJSON: q.asJSON, pgn: t.terms.PGN, log: t.terms.Log, deadlines: t.terms.Deadlines}
	s.files = t.terms.Files
	left, limited := t.claim.Left()
	if limited {
		t.budget = time.Now().Add(left)
	}
	stored, err := s.findQueued(ctx)
	if err != nil {
		return err
	}
	if q.events != "" {
		s.m.Events = q.events
	}
	if q.notify != "" {
		s.m.Notify = q.notify
	}
	if stored != nil {
		s.run = stored
	}
	switch {
	case stored != nil && stored.StopReason != "":
		s.stopped = stored.StopReason
		return s.showFinished(ctx, stored)
	case limited && left == 0:
		s.stopped = "budget"
		return nil
	}
	return s.sit(parent, ctx, stored)
}

// findQueued reads the claimed match and returns the run that was begun for it, if any:
// by an earlier turn, which gave it the turn's own ID, or under its name.
func (s *sitting) findQueued(ctx context.Context) (*results.Run, error) {
	c := s.queued.claim
	given, err := spec.ParseTOML("queued run "+c.ID, c.Config)
	if err != nil {
		return nil, err
	}
	for _, ref := range []string{c.Run, c.ID, c.Name} {
		if ref == "" {
			continue
		}
		run, err := s.db.Run(ctx, ref)
		if errors.Is(err, results.ErrNotFound) || err == nil && run.ID != ref && run.Name != ref {
			continue
		} else if err != nil {
			return nil, err
		}
		if err := s.adopt(run, func(m *spec.Match) error { *m = *given; return nil }); err != nil {
			return nil, err
		}
		s.m.Until, s.m.For = "", ""
		return run, nil
	}
	s.m = given
	_, err = complete(s.m)
	return nil, err
}

// spent returns the cause of a sitting's end, which is its budget if all games that this
// pays for are played but not all that the match has.
func (s *sitting) spent(cause error) error {
	if total := s.m.Pairs * len(s.pairings); cause == nil && s.pairs() != total {
		return errBudget
	}
	return cause
}

// pairs returns how many pairs are played in all, 0 for no end.
func (s *sitting) pairs() int {
	total := s.m.Pairs * len(s.pairings)
	if s.queued != nil {
		total = lesser(total, s.queued.claim.Games/2)
	}
	return lesser(total, s.first)
}

// lesser returns the smaller of two bounds of which 0 is none.
func lesser(a, b int) int {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// endTurn stores why the turn has ended.
func (q *queueRun) endTurn(ctx context.Context, s *sitting, err error) error {
	state, reason := results.Done, s.stopped
	switch {
	case err == nil || s.stopped == "budget":
	case errors.Is(err, arena.ErrDrained):
		reason = "stop"
	default:
		state, reason = results.Failed, err.Error()
	}
	claim := s.queued.claim
	switch err := claim.End(ctx, state, reason); {
	case errors.Is(err, results.ErrOwned):
		q.con.notef("queue: %s is another process's now", label(claim))
		return nil
	case err != nil:
		return err
	}
	if state == results.Failed {
		q.con.notef("queue: %s failed: %s", label(claim), reason)
	} else {
		q.con.notef("queue: %s ended (%s)", label(claim), reason)
	}
	line := claim.Queued
	line.State, line.Reason, line.Ended = state, reason, time.Now()
	games := 0
	if s.sum != nil {
		games = s.sum.Games + s.sum.NotPlayed
	}
	q.ended = append(q.ended, endedTurn{lineOf(&line, games), s.sum})
	return nil
}

// conclude tells what was done and what was not, and returns the error for the exit status.
func (q *queueRun) conclude(ctx context.Context, cause error) error {
	all, err := q.db.Queue(context.WithoutCancel(ctx))
	if err != nil {
		return errors.Join(cause, err)
	}
	waiting := 0
	for i := range all {
		if all[i].State == results.Waiting {
			waiting++
		}
	}
	if q.asJSON {
		if err := printJSON(q.con, map[string]any{"db": q.db.Path(), "ended": append([]endedTurn{}, q.ended...), "waiting": waiting}); err != nil {
			return errors.Join(cause, err)
		}
	}
	var failed []string
	for _, e := range q.ended {
		if e.State == results.Failed {
			failed = append(failed, fmt.Sprintf("%s (%s)", orElse(e.Name, e.ID), e.Reason))
		}
	}
	q.con.notef("queue: %d ended, %d of them failed, %d waiting", len(q.ended), len(failed), waiting)
	if len(failed) > 0 {
		err = fmt.Errorf("failed: %s", strings.Join(failed, "; "))
	} else {
		err = q.unsaid
	}
	var signal errSignal
	switch {
	case errors.Is(cause, errTimeUp) && waiting == 0:
		return err
	case errors.Is(cause, errTimeUp) || errors.As(cause, &signal):
		stop := fmt.Errorf("%w; go on with: xqlab arena queue run --db %s", cause, q.db.Path())
		if err != nil {
			stop = fmt.Errorf("%w; %w", stop, err)
		}
		return stoppedError{stop}
	}
	return errors.Join(cause, err)
}
