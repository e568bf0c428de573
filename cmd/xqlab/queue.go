package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/arena/engine"
	"github.com/xqlab/xqlab/arena/openings"
	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/results"
)

func queueCommand(con *console, db *string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "queue",
		Short: "Several runs waiting in one database, so that a night holds several tests",
		Long: `Runs wait in the database, each with a priority, a budget and what stops it, and
"queue run" plays them one after the other, the highest priority first and equal ones in
the order they were added. Whatever stops "queue run" (a signal, its time, kill -9), the
next one goes on with the same run. Two at once never play the same run.

A run ends when its games are played, its SPRT is decided or its budget is used; one that
fails does not stop the others. "arena stop RUN" ends the one that is being played and
lets the queue go on. What has ended unfinished is resumed by "arena --resume", or by
adding it again under its name.`,
		Example: `  xqlab arena queue add --name lmr --engine name=new,param.NullBase=4 --engine name=old --each nodes=20k --sprt --budget 3h --priority 2
  xqlab arena queue add --config night.toml
  xqlab arena queue list
  xqlab arena queue run --until 07:00`,
		Args: subcommandOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(queueAddCommand(con, db), queueListCommand(con, db), queueRunCommand(con, db), queueRemoveCommand(con, db))
	return cmd
}

// queueTerms is what a queued run has beyond its match; it is stored with it as JSON.
type queueTerms struct {
	Files     map[string]string `json:"files,omitempty"` // SHA-256 by path: engines and what they read, as they were when queued
	Book      string            `json:"book"`            // digest of the openings
	PGN       string            `json:"pgn,omitempty"`
	Log       string            `json:"log,omitempty"`
	Deadlines engine.Deadlines  `json:"deadlines"`
}

// queueAdd is the command that queues a run.
type queueAdd struct {
	arenaFlags
	priority int
	budget   string
	most     int // games
	length   time.Duration
}

func queueAddCommand(con *console, db *string) *cobra.Command {
	var a queueAdd
	cmd := &cobra.Command{
		Use:   "add",
		Short: "Queue a match or tournament",
		Long: `Takes the flags of "xqlab arena" or a --config file and stores the whole description. The
engines are started once and copied, so that what plays is what was queued, whatever is
built meanwhile; paths are taken from this folder. With --name the same line may be given
again: what waits, runs or is finished is not queued twice.`,
		Example: `  xqlab arena queue add --name lmr --engine name=new,param.NullBase=4 --engine name=old --each nodes=20k --sprt --budget 3h --priority 2
  xqlab arena queue add --config night.toml --budget 90m`,
		Args: exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.db = *db
			return a.run(cmd, con)
		},
	}
	fl := cmd.Flags()
	a.define(fl)
	fl.IntVar(&a.priority, "priority", 0, "the highest has its turn first")
	fl.StringVar(&a.budget, "budget", "", "`TIME` that it may be played for, over all sittings, as 3h or 90m")
	fl.IntVar(&a.most, "budget-games", 0, "games after which it is stopped, over all engines (even)")
	fl.BoolVar(&a.asJSON, "json", false, "one JSON object")
	return cmd
}

func (a *queueAdd) run(cmd *cobra.Command, con *console) error {
	m, err := a.match(cmd, con)
	if err != nil {
		return err
	}
	s := &sitting{con: con, flags: &a.arenaFlags, m: m}
	defer s.close()
	given := *m
	if _, err := os.Stat(dbPath(a.db)); err == nil {
		if err := s.open(cmd.Context()); err != nil {
			return err
		}
		if known, err := a.known(cmd.Context(), s); err != nil || known {
			return err
		}
	}
	if m.Seed, m.SeedSet = given.Seed, given.SeedSet; !m.SeedSet {
		m.Seed, m.SeedSet = freshSeed(), true
	}
	return a.enqueue(cmd.Context(), s)
}

// match returns the match to queue, completed, with paths that hold in any folder.
func (a *queueAdd) match(cmd *cobra.Command, con *console) (*spec.Match, error) {
	m, err := a.read(cmd)
	if err != nil {
		return nil, err
	}
	switch {
	case m.Until != "" || m.For != "":
		return nil, usagef("until and for are of a sitting: give them to queue run, or --budget to this run")
	case m.Events == "-":
		return nil, usagef("--events -: a queued run has no standard output; name a file, or give --events - to queue run")
	case cmd.Flags().Changed("budget-games") && (a.most < 2 || a.most%2 != 0):
		return nil, usagef("--budget-games %d: games come in pairs; want an even number from 2", a.most)
	}
	if a.budget != "" {
		if a.length, err = spec.ParseDuration(a.budget); err != nil || a.length <= 0 {
			return nil, usagef("--budget %s: want a time above 0, as 3h or 90m", a.budget)
		}
		if m.Pairs == 0 && !m.SPRTSet {
			m.For = a.budget // no other end is wanted
		}
	}
	notes, err := complete(m)
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		con.notef("%s", n)
	}
	return m, rooted(m, &a.arenaFlags)
}

// rooted makes the paths of a match hold in any folder.
func rooted(m *spec.Match, f *arenaFlags) error {
	for i := range m.Engines {
		e := &m.Engines[i]
		if e.Weights != "" {
			e.Weights = absolute(e.Weights)
		}
		if e.BuiltIn() {
			continue
		}
		e.Cmd = absolute(engine.Path(e.Cmd))
		e.Dir = absolute(e.Dir) // this folder if none was given
	}
	o, err := openings.ParseSpec(m.Openings)
	if err != nil {
		return usageError{err}
	}
	if !slices.Contains([]string{openings.Balanced, openings.Unbalanced, openings.Start, openings.Fly}, o.Book) {
		o.Book = absolute(o.Book)
		m.Openings = o.String()
	}
	for _, p := range []*string{&m.Events, &f.pgn, &f.log} {
		if *p != "" {
			*p = absolute(*p)
		}
	}
	return nil
}

// known tells of a run of the same name that is queued or finished, and reports whether
// there is one. One that was begun gives its seed to the new turn.
func (a *queueAdd) known(ctx context.Context, s *sitting) (bool, error) {
	name := s.m.Name
	if name == "" {
		return false, nil
	}
	all, err := s.db.Queue(ctx)
	if err != nil {
		return false, err
	}
	for i := range all {
		q := &all[i]
		if q.Name != name || q.State != results.Waiting && q.State != results.Running {
			continue
		}
		if q.Priority != a.priority || q.Budget != a.length || q.Games != a.most {
			return false, usagef("%s is queued already with priority %d, budget %s and %d games; remove it first: xqlab arena queue remove %s", name, q.Priority, q.Budget, q.Games, name)
		}
		if err := s.same(q.Config); err != nil {
			return false, usagef("%s is queued already: %v; give another --name, or remove it", name, err)
		}
		s.con.notef("%s is queued already (%s)", name, q.State)
		return true, nil
	}
	run, err := s.db.Run(ctx, name)
	if errors.Is(err, results.ErrNotFound) || err == nil && run.Name != name {
		return false, nil
	} else if err != nil {
		return false, err
	}
	if err := s.same(run.Config); err != nil {
		return false, usagef("run %s: %v; give another --name", name, err)
	}
	if run.StopReason != "" {
		s.con.notef("run %s %s is finished (%s); nothing is queued", run.ID, name, run.StopReason)
	}
	return run.StopReason != "", nil
}

// same refuses a stored match that is not the sitting's, whose seed it gives if none was
// wanted.
func (s *sitting) same(config []byte) error {
	stored, err := spec.ParseTOML("the stored match", config)
	if err != nil {
		return err
	}
	if !s.m.SeedSet {
		s.m.Seed, s.m.SeedSet = stored.Seed, true
	}
	return sameMatch(stored, s.m)
}

// enqueue stores the match, whose engines have been started and kept.
func (a *queueAdd) enqueue(ctx context.Context, s *sitting) error {
	s.files = map[string]string{}
	if err := s.prepare(ctx, nil); err != nil {
		return err
	}
	if s.db == nil {
		if err := s.open(ctx); err != nil {
			return err
		}
	}
	q := &results.Queued{Name: s.m.Name, Kind: "match", Priority: a.priority, Budget: a.length, Games: a.most}
	var err error
	if q.Config, err = s.m.TOML(); err != nil {
		return err
	}
	if q.Rules, err = json.Marshal(queueTerms{s.files, s.book.Digest(), a.pgn, a.log, a.deadlines}); err != nil {
		return err
	}
	if err := s.db.Enqueue(ctx, q); err != nil {
		return err
	}
	if a.asJSON {
		return printJSON(s.con, lineOf(q, 0))
	}
	s.con.notef("queued %s%s in %s", q.ID, prefixed(" ", q.Name), s.db.Path())
	return nil
}

// queueLine is a queued run in JSON.
type queueLine struct {
	ID          string             `json:"id"`
	Name        string             `json:"name"`
	Kind        string             `json:"kind"`
	Priority    int                `json:"priority"`
	State       results.QueueState `json:"state"`
	Reason      string             `json:"reason"` // why it ended: games, sprt, budget, stop, or what failed
	Run         string             `json:"run"`    // its run, "" before it was begun
	Games       int                `json:"games"`  // stored, those not played included
	Budget      float64            `json:"budget_seconds"`
	Used        float64            `json:"used_seconds"`
	BudgetGames int                `json:"budget_games"`
	Added       time.Time          `json:"added"`
	Started     *time.Time         `json:"started"`
	Ended       *time.Time         `json:"ended"`
}

func lineOf(q *results.Queued, games int) queueLine {
	at := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	return queueLine{
		ID: q.ID, Name: q.Name, Kind: q.Kind, Priority: q.Priority, State: q.State, Reason: q.Reason, Run: q.Run, Games: games,
		Budget: q.Budget.Seconds(), Used: q.Used.Seconds(), BudgetGames: q.Games, Added: q.Added, Started: at(q.Started), Ended: at(q.Ended),
	}
}

func queueListCommand(con *console, db *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "What waits, runs and has ended, in the order of turns", Args: exactArgs(0),
		Example: "  xqlab arena queue list --db night.db",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return reading(cmd.Context(), *db, func(s *results.Store) error { return listQueue(cmd.Context(), con, s, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func listQueue(ctx context.Context, con *console, s *results.Store, asJSON bool) error {
	all, err := s.Queue(ctx)
	if err != nil {
		return err
	}
	counts, err := s.Counts(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		lines := []queueLine{}
		for i := range all {
			lines = append(lines, lineOf(&all[i], counts[all[i].Run]))
		}
		return printJSON(con, map[string]any{"db": s.Path(), "queue": lines})
	}
	w := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "id\tname\tpriority\tstate\tgames\ttime used\tended by")
	for i := range all {
		q := &all[i]
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", q.ID, orDash(q.Name), q.Priority, q.State, of(fmt.Sprint(counts[q.Run]), q.Games > 0, q.Games),
			of(q.Used.Round(time.Second).String(), q.Budget > 0, q.Budget), orDash(q.Reason))
	}
	return w.Flush()
}

// of writes what is used of a budget, if there is one.
func of(used string, limited bool, budget any) string {
	if !limited {
		return used
	}
	return fmt.Sprintf("%s of %v", used, budget)
}

func queueRemoveCommand(con *console, db *string) *cobra.Command {
	return &cobra.Command{
		Use: "remove RUN…", Aliases: []string{"rm"}, Short: "Take waiting runs, by name or the beginning of their id, out of the queue", Args: rangeArgs(1, 1<<16),
		Example: "  xqlab arena queue remove lmr --db night.db",
		RunE: func(cmd *cobra.Command, args []string) error {
			return writing(cmd.Context(), *db, func(s *results.Store) (err error) {
				for _, ref := range args {
					removed := s.Dequeue(cmd.Context(), ref)
					if removed == nil {
						con.notef("%s removed from the queue", ref)
					}
					err = errors.Join(err, removed)
				}
				return err
			})
		},
	}
}
