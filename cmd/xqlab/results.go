package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/movegen/pgn"
	"github.com/xqlab/xqlab/results"
)

func resultsCommand(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "results",
		Short: "What is stored: runs, standings, games; import, export, merge, verify, backup",
		Example: `  xqlab results list --db night.db
  xqlab results show --db night.db`,
		Args: subcommandOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var db string
	cmd.PersistentFlags().StringVar(&db, "db", "", "database `FILE` (default $XQLAB_DB, else xqlab.db)")
	cmd.AddCommand(
		resultsList(con, &db), resultsShow(con, &db), resultsGames(con, &db), resultsImport(con, &db), resultsExport(con, &db),
		resultsMerge(con, &db), resultsVerify(con, &db), resultsBackup(con, &db), resultsDelete(con, &db),
		resultsAdjudicate(con, &db),
	)
	return cmd
}

// reading runs f with the database opened for reading.
func reading(ctx context.Context, db string, f func(*results.Store) error) error {
	return closing(func() (*results.Store, error) { return results.OpenReadOnly(ctx, dbPath(db)) }, f)
}

// writing runs f with the database opened for writing.
func writing(ctx context.Context, db string, f func(*results.Store) error) error {
	return closing(func() (*results.Store, error) { return results.Open(ctx, dbPath(db)) }, f)
}

func closing(open func() (*results.Store, error), f func(*results.Store) error) error {
	s, err := open()
	if err != nil {
		return err
	}
	return errors.Join(f(s), s.Close())
}

// runLine is a run in the JSON of results list.
type runLine struct {
	ID        string    `json:"run"`
	Kind      string    `json:"kind"`
	Name      string    `json:"name"`
	Created   time.Time `json:"created"`
	StoppedBy string    `json:"stopped_by"`
	Games     int       `json:"games"`
	Planned   int       `json:"planned_games"`
	Engines   []string  `json:"engines"`
}

func resultsList(con *console, db *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "The runs, newest first",
		Example: "  xqlab results list --db night.db",
		Args:    exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return reading(cmd.Context(), *db, func(s *results.Store) error { return listRuns(cmd.Context(), con, s, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func listRuns(ctx context.Context, con *console, s *results.Store, asJSON bool) error {
	runs, err := s.Runs(ctx)
	if err != nil {
		return err
	}
	counts, err := s.Counts(ctx)
	if err != nil {
		return err
	}
	lines := []runLine{}
	for _, r := range runs {
		l := runLine{ID: r.ID, Kind: r.Kind, Name: r.Name, Created: r.Created, StoppedBy: r.StopReason, Games: counts[r.ID], Planned: 2 * r.Pairs}
		if r.Kind == "selfplay" {
			l.Planned = r.Pairs // a game each
		}
		for _, e := range r.Engines {
			l.Engines = append(l.Engines, e.Name)
		}
		lines = append(lines, l)
	}
	if asJSON {
		return printJSON(con, map[string]any{"db": s.Path(), "runs": lines})
	}
	w := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "run\tkind\tname\tcreated\tgames\tstate\tengines")
	for _, l := range lines {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", l.ID, l.Kind, orDash(l.Name), l.Created.Local().Format("2006-01-02 15:04"), l.Games,
			stateText(l.StoppedBy), orDash(strings.Join(l.Engines, ", ")))
	}
	return w.Flush()
}

// stateText is the state of a run that ended for a reason, or did not.
func stateText(stopped string) string {
	if stopped == "" {
		return "unfinished"
	}
	return "finished (" + stopped + ")"
}

// pickRun returns the run that a word names, or the newest one.
func pickRun(ctx context.Context, s *results.Store, args []string) (*results.Run, error) {
	if len(args) > 0 {
		return s.Run(ctx, args[0])
	}
	runs, err := s.Runs(ctx)
	if err == nil && len(runs) == 0 {
		err = fmt.Errorf("%s: no run is stored", s.Path())
	}
	if err != nil {
		return nil, err
	}
	return runs[0], nil
}

func resultsShow(con *console, db *string) *cobra.Command {
	var format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show [RUN]",
		Aliases: []string{"standings"},
		Short:   "How a run stands (the newest, or the one named by its name or the beginning of its id)",
		Example: "  xqlab results show lmr-test --format openbench",
		Args:    rangeArgs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return reading(ctx, *db, func(s *results.Store) error {
				run, err := pickRun(ctx, s, args)
				if err != nil {
					return err
				}
				if asJSON {
					format = "json"
				}
				return showRun(ctx, con, s, run, format)
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text; of games also openbench, fishtest or markdown")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// showRun prints how a run stands; one that is no games says what its command says.
func showRun(ctx context.Context, con *console, s *results.Store, run *results.Run, format string) error {
	asJSON := format == "json"
	show := map[string]func() error{
		"tune": func() error { return showFit(con, run, asJSON) },
		"loop": func() error { return showLoop(con, run, asJSON) },
		"spsa": func() error { return showSPSA(ctx, con, s, run, asJSON) },
	}[run.Kind]
	switch {
	case show != nil && !asJSON && format != "text":
		return usagef("--format %s is for games; run %s is a %s", format, orElse(run.Name, run.ID), run.Kind)
	case show != nil:
		return show()
	}
	sum, err := summarize(ctx, s, run, run.StopReason, nil)
	if err != nil {
		return err
	}
	return showSummary(con, sum, format)
}

func resultsImport(con *console, db *string) *cobra.Command {
	var name string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Games of people and other engines, from files in every format; known ones are left out",
		Long: `Reads what xqlab convert reads. A game's tags, its moves, and the scores, depths, nodes and
times that engines left in comments are stored; other comments and variations are not. A game
whose moves from its start position are those of a stored one is left out.`,
		Example: "  xqlab results import --db games.db masters.pgn",
		Args:    rangeArgs(1, 1<<30),
		RunE: func(cmd *cobra.Command, files []string) error {
			ctx := cmd.Context()
			return writing(ctx, *db, func(s *results.Store) error { return importFiles(ctx, con, s, name, files, asJSON) })
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the run that holds the games")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// importSummary is what came of an import.
type importSummary struct {
	Run        string `json:"run"` // "" where no game was new
	Games      int    `json:"games"`
	Plies      int    `json:"plies"`
	Duplicates int    `json:"duplicates"`
	Failed     int    `json:"failed"`
}

// importFiles brings the games of files into a run of their own; where all are known, no run stays.
func importFiles(ctx context.Context, con *console, s *results.Store, name string, files []string, asJSON bool) error {
	run := &results.Run{Kind: "import", Name: name, Config: fmt.Appendf(nil, "files = %q\n", strings.Join(files, " ")), Version: version}
	lease, err := s.CreateRun(ctx, run)
	if err != nil {
		return err
	}
	defer lease.Release()
	failed := &faults{con: con}
	done, err := s.Import(ctx, run.ID, gamesOf(files, failed.tell))
	failed.end()
	con.notef("%d games imported, %d known already, %d could not be read", done.Games, done.Duplicates, failed.n)
	if err != nil {
		return err
	}
	if err := s.Finish(ctx, run.ID, "games", nil); err != nil {
		return err
	}
	id := run.ID
	if done.Games == 0 {
		id = ""
		if err := errors.Join(lease.Release(), s.Delete(ctx, run.ID)); err != nil {
			return err
		}
	}
	if asJSON {
		sum := importSummary{Run: id, Games: done.Games, Plies: done.Plies, Duplicates: done.Duplicates, Failed: failed.n}
		if err := printJSON(con, sum); err != nil {
			return err
		}
	}
	if failed.n > 0 {
		return errReported
	}
	return nil
}

// gamesOf reads the games of files one by one; faults are told and passed over.
func gamesOf(files []string, report func(error)) iter.Seq[*results.Game] {
	return func(yield func(*results.Game) bool) {
		for _, path := range files {
			if !gamesOfFile(path, report, yield) {
				return
			}
		}
	}
}

// gamesOfFile reports whether to go on.
func gamesOfFile(path string, report func(error), yield func(*results.Game) bool) bool {
	f, err := pgn.Open(path)
	if err != nil {
		report(err)
		return true
	}
	defer f.Close()
	src, err := pgn.NewSource(f, pgn.AnyFormat, pgn.Options{Name: path, Notes: true})
	if err != nil {
		report(fmt.Errorf("%s: %w", path, err))
		return true
	}
	for games := 0; ; games++ {
		g, err := src.Next()
		var bad *pgn.GameError
		switch {
		case err == io.EOF:
			if games == 0 {
				report(fmt.Errorf("%s: no game in it", path))
			}
			return true
		case errors.As(err, &bad):
			report(err)
			continue
		case err != nil:
			report(fmt.Errorf("%s: %w", path, err))
			return true
		}
		rec, err := results.FromPGN(g)
		if err != nil {
			report(fmt.Errorf("%s:%d: %w", path, g.Line, err))
			continue
		}
		if !yield(rec) {
			return false
		}
	}
}

// mergeLine is what a database brought in the JSON of results merge.
type mergeLine struct {
	File      string `json:"file"`
	Runs      int    `json:"runs"`  // new
	Games     int    `json:"games"` // new
	Known     int    `json:"known"`
	Conflicts int    `json:"conflicts"` // stored with other content
}

func resultsMerge(con *console, db *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "merge FILE…",
		Short:   "Bring everything of other databases into this one; again changes nothing",
		Example: "  xqlab results merge --db all.db laptop.db server.db",
		Args:    rangeArgs(1, 1<<30),
		RunE: func(cmd *cobra.Command, files []string) error {
			return writing(cmd.Context(), *db, func(s *results.Store) error { return mergeFiles(cmd.Context(), con, s, files, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "a JSON object for each file, a line each")
	return cmd
}

func mergeFiles(ctx context.Context, con *console, s *results.Store, files []string, asJSON bool) error {
	conflicts := 0
	for _, f := range files {
		m, err := s.Merge(ctx, f)
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		l := mergeLine{File: f, Runs: m.Runs, Games: m.Games, Known: m.Known, Conflicts: len(m.Conflicts)}
		conflicts += l.Conflicts
		if asJSON {
			if err := encodeLine(con, l); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(con.out, "%s: %d new runs, %d new games, %d known, %d with other content\n", f, l.Runs, l.Games, l.Known, l.Conflicts)
	}
	if conflicts > 0 {
		return fmt.Errorf("%d games are stored here with other content, which stays", conflicts)
	}
	return nil
}

// verifySummary is what results verify found.
type verifySummary struct {
	DB       string        `json:"db"`
	Games    int           `json:"games"` // checked
	Findings []verifyFault `json:"findings"`
}

type verifyFault struct {
	Kind string `json:"kind"` // damage, game, moves or result
	Game string `json:"game"` // run, pair and game; "" for the file
	Text string `json:"text"`
}

func resultsVerify(con *console, db *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "verify",
		Short:   "Check the file, and replay every game under the referee",
		Example: "  xqlab results verify --db night.db",
		Args:    exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return reading(cmd.Context(), *db, func(s *results.Store) error { return verify(cmd.Context(), con, s, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func verify(ctx context.Context, con *console, s *results.Store, asJSON bool) error {
	sum := verifySummary{DB: s.Path(), Findings: []verifyFault{}}
	for f, err := range s.Verify(ctx, func(n int) { sum.Games = n }) {
		if err != nil {
			return err
		}
		fault := verifyFault{Kind: f.Kind, Text: f.Text}
		if f.Game.Run != "" {
			fault.Game = f.Game.String()
		}
		sum.Findings = append(sum.Findings, fault)
		if !asJSON {
			fmt.Fprintf(con.out, "%s: %s\n", f.Kind, f.Text)
		}
	}
	if asJSON {
		if err := printJSON(con, sum); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(con.out, "%d games checked, %d findings\n", sum.Games, len(sum.Findings))
	}
	if len(sum.Findings) > 0 {
		return errReported
	}
	return nil
}

func resultsBackup(con *console, db *string) *cobra.Command {
	return &cobra.Command{
		Use:     "backup FILE",
		Short:   "Copy the database, also while a run goes on",
		Example: "  xqlab results backup --db night.db night-copy.db",
		Args:    exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return reading(cmd.Context(), *db, func(s *results.Store) error {
				if err := s.Backup(cmd.Context(), args[0]); err != nil {
					return err
				}
				con.notef("%s copied to %s", s.Path(), absolute(args[0]))
				return nil
			})
		},
	}
}

func resultsDelete(con *console, db *string) *cobra.Command {
	return &cobra.Command{
		Use:     "delete RUN",
		Short:   "Delete a run and its games",
		Example: "  xqlab results delete lmr-test",
		Args:    exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return writing(cmd.Context(), *db, func(s *results.Store) error {
				run, err := s.Run(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if err := s.Delete(cmd.Context(), run.ID); err != nil {
					return err
				}
				con.notef("run %s%s deleted", run.ID, prefixed(" ", run.Name))
				return nil
			})
		},
	}
}

// encodeLine writes a JSON line.
func encodeLine(con *console, v any) error {
	e := json.NewEncoder(con.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
