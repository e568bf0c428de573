package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/arena/openings"
	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/report"
	"github.com/xqlab/xqlab/results/stats"
)

// sitting is one process's turn at a run.
type sitting struct {
	con    *console
	flags  *arenaFlags
	cancel context.CancelCauseFunc // ends everything, with why
	m      *spec.Match

	conduct  arena.Conduct
	pairings []arena.Pairing
	cast     []*entrant
	book     *openings.Book
	sprt     *stats.SPRT       // nil without one
	first    int               // pairs, from the first, that a pilot plays; 0 for all
	games    int               // at once
	scale    float64           // of all times on this machine
	places   [][]int           // processors that games are bound to, nil for none
	end      time.Time         // of the sitting, zero for none
	files    map[string]string // SHA-256 by path of what was queued, nil outside of the queue
	queued   *turn             // of the queue, nil outside of it
	stopped  string            // why it ended, as in the summary
	sum      *report.Summary

	db    *results.Store
	run   *results.Run
	tell  *herald
	lease *results.Lease
	done  []results.Row // by earlier sittings
	match *arena.Match
	board *scoreboard
	pgn   *pgnFile // nil without one

	quiet   bool      // nothing is shown at the end
	repeats sync.Once // told that openings are used again
}

// run is the whole command.
func (f *arenaFlags) run(cmd *cobra.Command, con *console) error {
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	s := &sitting{con: con, flags: f, cancel: cancel}
	defer s.close()
	stored, err := s.find(ctx, cmd)
	if err != nil {
		return err
	}
	if stored != nil && stored.StopReason != "" {
		return s.showFinished(ctx, stored)
	}
	if stored == nil && !s.m.SeedSet {
		s.m.Seed, s.m.SeedSet = freshSeed(), true
	}
	if f.dryRun {
		if err := s.prepare(ctx, stored); err != nil {
			return err
		}
		return s.plan()
	}
	return s.sit(cmd.Context(), ctx, stored)
}

// sit plays a new run, or what is left of a stored one, and tells those who listen. Only a
// signal ends parent, ctx ends with the sitting.
func (s *sitting) sit(parent, ctx context.Context, stored *results.Run) (err error) {
	defer outliveReaders()()
	if s.m.Events == "-" && s.flags.asJSON && s.queued == nil {
		return usagef("--events - and --json both write to standard output; give --events FILE, or leave --json out: the run_end event holds the same object")
	}
	if s.tell, err = newHerald(s.con, s.m.Events, s.m.Notify); err != nil {
		return err
	}
	s.tell.name = s.m.Name
	err = s.playRun(ctx, stored)
	s.sayEnd(err)
	if unsaid := s.tell.close(parent); err == nil {
		err = unsaid
	}
	return err
}

// playRun prepares, plays and concludes.
func (s *sitting) playRun(ctx context.Context, stored *results.Run) error {
	err := s.prepare(ctx, stored)
	if err == nil {
		err = s.createPGN(stored != nil)
	}
	if err != nil {
		return err
	}
	if stored != nil {
		err = s.takeOver(ctx, stored)
	} else {
		err = s.begin(ctx)
	}
	if err != nil {
		s.dropPGN(stored != nil)
		return err
	}
	if err := s.fillPGN(ctx); err != nil {
		return err
	}
	s.announce()
	s.sayStart()
	if s.flags.pilot {
		return s.pilot(ctx)
	}
	return s.conclude(ctx, s.play(ctx))
}

// find decides what is to be played: s.m, and the stored run to go on with, if any.
func (s *sitting) find(ctx context.Context, cmd *cobra.Command) (*results.Run, error) {
	f := s.flags
	if cmd.Flags().Changed("resume") {
		if _, err := os.Stat(dbPath(f.db)); err != nil {
			return nil, fmt.Errorf("%s: no run to resume: there is no database yet", absolute(dbPath(f.db)))
		}
		if err := s.open(ctx); err != nil {
			return nil, err
		}
		stored, err := s.unfinished(ctx, strings.TrimSpace(f.resume))
		if err != nil {
			return nil, err
		}
		return stored, s.adopt(stored, func(m *spec.Match) error { return f.describe(cmd, m) })
	}
	var err error
	if s.m, err = f.match(cmd, s.con); err != nil || s.m.Name == "" {
		return nil, err
	}
	if _, err := os.Stat(dbPath(f.db)); err != nil {
		return nil, nil // no database, no run of that name
	}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	stored, err := s.db.Run(ctx, s.m.Name)
	if errors.Is(err, results.ErrNotFound) || err == nil && stored.Name != s.m.Name {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	given := *s.m
	return stored, s.adopt(stored, func(m *spec.Match) error {
		if !given.SeedSet {
			given.Seed, given.SeedSet = m.Seed, m.SeedSet
		}
		*m = given
		return nil
	})
}

// open opens the database for writing.
func (s *sitting) open(ctx context.Context) (err error) {
	if s.db, err = results.Open(ctx, dbPath(s.flags.db)); err == nil && s.db.Made() {
		s.con.notef("database made: %s", s.db.Path())
	}
	return err
}

// unfinished returns the run to resume: the one named, or the only one. With all
// finished it is the newest, as a kill may come between the last game and the result.
func (s *sitting) unfinished(ctx context.Context, ref string) (*results.Run, error) {
	if ref == "" {
		ref = s.flags.name
	}
	if ref != "" {
		run, err := s.db.Run(ctx, ref)
		if err == nil && run.Kind != "match" {
			return nil, wrongKind(ref, run.Kind, "match")
		}
		return run, err
	}
	runs, err := s.db.Runs(ctx)
	if err != nil {
		return nil, err
	}
	runs = slices.DeleteFunc(runs, func(r *results.Run) bool { return r.Kind != "match" })
	var open []*results.Run
	for _, r := range runs {
		if r.StopReason == "" {
			open = append(open, r)
		}
	}
	switch {
	case len(runs) == 0:
		return nil, fmt.Errorf("%s: no run to resume", s.db.Path())
	case len(open) == 0:
		return runs[0], nil // the newest is finished: its result is shown
	case len(open) == 1:
		return open[0], nil
	}
	for _, r := range open {
		s.con.notef("  %s  %s  %s", r.ID, r.Created.Local().Format(time.DateTime), r.Name)
	}
	return nil, usagef("%d unfinished runs in %s: name one with --resume RUN", len(open), s.db.Path())
}

// adopt makes the stored configuration the sitting's. What the flags say must agree with
// it, but for what is of a sitting: how long, how many at once, whom to tell.
func (s *sitting) adopt(stored *results.Run, flags func(*spec.Match) error) error {
	m, err := spec.ParseTOML("run "+stored.ID, stored.Config)
	if err != nil {
		return err
	}
	given, err := spec.ParseTOML("run "+stored.ID, stored.Config)
	if err != nil {
		return err
	}
	given.Until, given.For = "", ""
	if err := flags(given); err != nil {
		return err
	}
	until, forText := given.Until, given.For
	// A match that only its time ended is one without end: it is completed as one.
	given.Until, given.For = orElse(until, m.Until), orElse(forText, m.For)
	for _, x := range []*spec.Match{m, given} {
		if _, err := complete(x); err != nil {
			return err
		}
	}
	if err := sameMatch(m, given); err != nil {
		return usagef("run %s: %v; say the same, leave out a flag that was given, or start another run", orElse(stored.Name, stored.ID), err)
	}
	m.Until, m.For, m.Concurrency, m.Events, m.Notify = until, forText, given.Concurrency, given.Events, given.Notify
	s.m = m
	return nil
}

func orElse(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// sameMatch names the first difference between two matches, both values included.
func sameMatch(stored, given *spec.Match) error {
	text := func(m *spec.Match) ([]byte, error) {
		c := *m
		c.Until, c.For, c.Concurrency, c.Events, c.Notify = "", "", "-", "", ""
		return c.TOML()
	}
	a, err := text(stored)
	if err != nil {
		return err
	}
	b, err := text(given)
	if err != nil {
		return err
	}
	return firstDifference(a, b)
}

// differing returns the first lines of two texts that differ, where one of them may lack a
// line that the other has.
func differing(a, b []string) (x, y string) {
	x, y = lineOr(a, 0), lineOr(b, 0)
	key := func(line string) string { k, _, _ := strings.Cut(line, " ="); return k }
	has := func(lines []string, line string) bool {
		return slices.ContainsFunc(lines, func(l string) bool { return key(l) == key(line) })
	}
	switch {
	case key(x) == key(y):
	case has(b, x): // b has a line more
		x = "nothing"
	default:
		y = "nothing"
	}
	return x, y
}

func lineOr(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing"
}

// prepare makes everything ready that needs no owner of the run, which is nil for a new one.
func (s *sitting) prepare(ctx context.Context, stored *results.Run) (err error) {
	m := s.m
	if s.conduct, err = conduct(m); err != nil {
		return usageError{err}
	}
	if s.pairings, err = arena.Pairings(arena.Event(m.Event), len(m.Engines), max(m.Seeds, 1)); err != nil {
		return usageError{err}
	}
	if s.sprt, err = testOf(m); err != nil {
		return usageError{err}
	}
	if s.games, err = concurrency(m); err != nil {
		return usageError{err}
	}
	if s.queued == nil { // the queue has an end of its own
		if err := roomForBuiltIn(m, s.games); err != nil {
			return err
		}
		var note string
		if s.places, note, err = s.flags.places(s.games, threadsOf(m)); err != nil {
			return err
		}
		if note != "" {
			s.con.notef("%s", note)
		}
		if s.end, err = deadline(m, time.Now()); err != nil {
			return usageError{err}
		}
	}
	if err := s.readBook(ctx, stored); err != nil {
		return err
	}
	if err := s.sameBook(); err != nil {
		return err
	}
	c := &casting{match: m, keepDir: keepDir(dbPath(s.flags.db)), logDir: s.flags.log, deadlines: s.flags.deadlines, restarted: s.sayRestarted, files: s.files}
	if s.flags.dryRun {
		c.keepDir = ""
	}
	if s.cast, err = c.cast(ctx); err != nil {
		return err
	}
	for _, e := range s.cast {
		for _, n := range e.notes {
			s.con.notef("engine %s: %s", e.spec.Name, n)
		}
	}
	if s.scale, err = scaleTC(ctx, m, s.games); err == nil && s.scale != 1 {
		s.con.notef("%s", scaleText(m, s.scale))
	}
	return err
}

func (s *sitting) readBook(ctx context.Context, stored *results.Run) error {
	o, err := openings.ParseSpec(s.m.Openings)
	if err != nil {
		return usageError{err}
	}
	options := openings.Options{Seed: s.m.Seed, Judge: judgeOpening(ctx, o.Window)}
	if stored != nil && o.Book == openings.Fly {
		if options.Made, err = madeOpenings(ctx, s.db, stored, len(s.pairings), o.Plies); err != nil {
			return err
		}
	}
	if s.book, err = o.Open(options); err != nil {
		return err
	}
	for _, n := range s.book.Notes {
		s.con.notef("openings %s: %s", o.Book, n)
	}
	if k := len(s.book.Notes); s.book.Broken+s.book.Duplicates > k {
		s.con.notef("openings: %d broken and %d duplicate lines skipped in all", s.book.Broken, s.book.Duplicates)
	}
	if n := s.book.Len(); n > 0 && s.m.Pairs > n {
		s.repeats.Do(func() {
			s.con.notef("openings: %d pairs from %d openings: some repeat, which makes error bars too small", s.m.Pairs, n)
		})
	}
	return nil
}

// madeOpenings returns the random openings that a run has had, by round. A line that is
// not whole, as of a game that a very low move limit ended, is made again.
func madeOpenings(ctx context.Context, db *results.Store, run *results.Run, pairings, plies int) (map[int][]movegen.Move, error) {
	made := map[int][]movegen.Move{}
	for g, err := range db.Games(ctx, results.Filter{Runs: []string{run.ID}}) {
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", run.ID, err)
		}
		round := g.Pair / pairings
		if made[round] != nil || g.Book != plies || g.Opening != movegen.StartFEN {
			continue
		}
		for _, p := range g.Plies[:g.Book] {
			made[round] = append(made[round], p.Move)
		}
	}
	return made, nil
}

// sameBook refuses openings that have changed since the run was queued.
func (s *sitting) sameBook() error {
	if s.queued == nil || s.queued.terms.Book == s.book.Digest() {
		return nil
	}
	return fmt.Errorf("openings %s have changed since the run was queued: SHA-256 %s then, %s now", s.m.Openings, s.queued.terms.Book, s.book.Digest())
}

// opening returns the opening of a round.
func (s *sitting) opening(round int) (arena.Opening, error) {
	o, err := s.book.Opening(round)
	if err == nil && s.book.Repeats(round) {
		s.repeats.Do(func() {
			s.con.notef("openings: all have been used and are used again, which makes error bars too small")
		})
	}
	return arena.Opening{FEN: o.FEN, Moves: o.Moves}, err
}

// begin stores a new run.
func (s *sitting) begin(ctx context.Context) error {
	if s.db == nil {
		if err := s.open(ctx); err != nil {
			return err
		}
	}
	config, err := s.m.TOML()
	if err != nil {
		return err
	}
	s.run = &results.Run{
		Kind: "match", Name: s.m.Name, Config: config, Seed: s.m.Seed, Rules: s.m.Rules, MoveLimit: s.m.MoveLimit,
		Book: s.m.Openings, BookHash: s.book.Digest(), Pairs: s.m.Pairs * len(s.pairings), Version: version,
	}
	for _, e := range s.cast {
		s.run.Engines = append(s.run.Engines, e.record)
	}
	if s.queued != nil {
		s.run.ID = s.queued.claim.ID // so that the next turn finds it, whenever this one is killed
	}
	if s.lease, err = s.db.CreateRun(ctx, s.run); err != nil {
		return err
	}
	return s.noteRun(ctx)
}

// noteRun stores in the queue which run is its turn's.
func (s *sitting) noteRun(ctx context.Context) error {
	if s.queued == nil || s.queued.claim.Run == s.run.ID {
		return nil
	}
	return s.queued.claim.SetRun(ctx, s.run.ID)
}

// takeOver becomes the owner of an unfinished run.
func (s *sitting) takeOver(ctx context.Context, stored *results.Run) (err error) {
	s.run = stored
	if h := s.book.Digest(); h != stored.BookHash {
		return fmt.Errorf("openings %s have changed since the run began: SHA-256 %s then, %s now", s.m.Openings, stored.BookHash, h)
	}
	for i, e := range s.cast {
		if err := sameEngine(stored.Engines[i], e.record); err != nil {
			return err
		}
	}
	if s.lease, err = s.db.Acquire(ctx, stored.ID); err != nil {
		return err
	}
	if err := s.noteRun(ctx); err != nil {
		return err
	}
	s.done, err = s.db.Rows(ctx, stored.ID)
	return err
}

// sameEngine refuses an engine that has changed since its run began.
func sameEngine(then, now results.Engine) error {
	for _, h := range []struct{ what, then, now string }{
		{"the program", then.SHA256, now.SHA256}, {"the network or weights", then.NetSHA256, now.NetSHA256},
	} {
		if h.then != h.now {
			return fmt.Errorf("engine %s: %s changed since the run began: SHA-256 %s then, %s now; put the old file back, or start another run", then.Name, h.what, orDash(h.then), orDash(h.now))
		}
	}
	return nil
}

// Causes that end a sitting.
var (
	errTimeUp = errors.New("the time is up")
	errLost   = errors.New("another process has taken the run over")
)

// play plays what is left.
func (s *sitting) play(ctx context.Context) error {
	defer s.endAt(s.end, errTimeUp)()
	if s.queued != nil {
		defer s.endAt(s.queued.budget, errBudget)()
	}
	go func() {
		select {
		case <-s.lease.Lost():
			s.cancel(errLost)
		case <-ctx.Done():
		}
	}()
	s.board = newScoreboard(s)
	defer s.board.stop()
	s.match = &arena.Match{
		Run: s.run.ID, Conduct: s.conduct, Pairings: s.pairings, Pairs: s.pairs(),
		Places: s.places, Concurrency: s.games, Policy: policy(s.m), Opening: s.opening, Done: s.done, ReplayLate: s.m.ReplayLate,
		Put: s.db.Put, Stored: s.board.stored, Begun: s.begun, Aside: s.sayAside,
	}
	for _, e := range s.cast {
		s.match.Contestants = append(s.match.Contestants, arena.Contestant{Name: e.spec.Name, Limits: e.spec.Limits.Scaled(s.scale), Open: e.open})
	}
	if s.scale != 1 {
		if err := s.db.Event(ctx, s.run.ID, "scale-tc", scaleText(s.m, s.scale)); err != nil {
			return err
		}
	}
	if err := s.board.decided(); err != nil {
		return err
	}
	h := &helm{con: s.con, db: s.db, run: s.run.ID, games: s.games, of: s.match, progress: s.board.published, obeyed: s.saySteered}
	go h.listen(ctx)
	return s.match.Play(ctx)
}

// ends returns when the sitting's time or its run's budget is up, zero for never, and why.
func (s *sitting) ends() (time.Time, string) {
	if s.queued != nil && !s.queued.budget.IsZero() && (s.end.IsZero() || s.queued.budget.Before(s.end)) {
		return s.queued.budget, "budget"
	}
	return s.end, "until"
}

// endAt ends the sitting with a cause at a time, unless that is zero, until the function
// that it returns is called.
func (s *sitting) endAt(at time.Time, cause error) func() {
	if at.IsZero() {
		return func() {}
	}
	timer := time.AfterFunc(time.Until(at), func() { s.cancel(cause) })
	return func() { timer.Stop() }
}

// conclude stores why the sitting ended, shows the result and returns the error for the
// exit status.
func (s *sitting) conclude(ctx context.Context, cause error) error {
	ctx = context.WithoutCancel(ctx)
	var signal errSignal
	cause = s.spent(cause)
	stopped, outcome := "error", cause
	switch {
	case errors.Is(cause, errBudget):
		stopped = "budget"
	case cause == nil:
		stopped = "games"
	case errors.Is(cause, arena.ErrDecided):
		stopped, outcome = "sprt", nil
	case errors.Is(cause, errTimeUp):
		stopped, outcome = "until", stoppedError{fmt.Errorf("stopped: %w; %s", cause, goOn("arena", s.run.ID, s.db.Path()))}
	case errors.Is(cause, arena.ErrDrained), errors.As(cause, &signal):
		stopped, outcome = "signal", stoppedError{fmt.Errorf("%w; %s", cause, goOn("arena", s.run.ID, s.db.Path()))}
	}
	sum, err := summarize(ctx, s.db, s.run, stopped, s.board.test)
	if err != nil {
		return errors.Join(outcome, err)
	}
	s.stopped, s.sum = stopped, sum
	if outcome == nil {
		if err := s.finish(ctx, stopped, sum); err != nil {
			return err
		}
	}
	s.board.stop()
	if s.quiet {
		return errors.Join(outcome, s.setAside())
	}
	if err := s.show(sum); err != nil && !unread(err) {
		return errors.Join(outcome, err)
	}
	if outcome == nil {
		s.tryNext()
		return s.setAside()
	}
	return outcome
}

// tryNext says what to do after the first match that nobody described.
func (s *sitting) tryNext() {
	if !s.m.Demo || s.flags.asJSON {
		return
	}
	self := os.Args[0]
	s.con.notef(`
what to try next:
  %[1]s arena --engine name=mine,cmd=PATH/TO/ENGINE --engine name=own --each tc=5+0.05 --games 40    your engine against the built-in one
  %[1]s results games --run %[2]s --reason perpetual_chase    the games that were decided so; then: results games GAME
  %[1]s arena --name idea --engine name=new,param.NullBase=4 --engine name=old --each nodes=10k --sprt    is a change a gain?`, self, s.run.ID)
}

// setAside returns an error if an engine was set aside.
func (s *sitting) setAside() error {
	var lines []string
	for i := range s.cast {
		if why := s.match.SetAside(i); why != "" {
			lines = append(lines, why)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return fmt.Errorf("set aside, remaining games not played: %s", strings.Join(lines, "; "))
}

func (s *sitting) close() {
	if s.pgn != nil {
		if err := s.pgn.file.Close(); err != nil {
			s.con.notef("xqlab: %v", err)
		}
	}
	if s.lease != nil {
		s.lease.Release() // the run stays as it is stored; an owner that is gone is noticed anyway
	}
	if s.db != nil {
		if err := s.db.Close(); err != nil {
			s.con.notef("xqlab: %v", err)
		}
	}
}
