package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/arena/openings"
	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/search"
)

// openingNodes is what judging a random opening may cost.
const openingNodes = 20_000

// judgeOpening returns a judge of openings: the built-in engine with fixed nodes, which
// says the same of a position whenever it is asked, until ctx ends.
func judgeOpening(ctx context.Context) openings.Judge {
	return judgeBy(ctx, search.Limits{Nodes: openingNodes})
}

// judgeBy returns a judge that searches each position anew under the limits, and may be
// called from many goroutines.
func judgeBy(ctx context.Context, limits search.Limits) openings.Judge {
	rules, err := referee.Named("computer")
	if err != nil {
		panic("xqlab: the default rules are unknown: " + err.Error())
	}
	engines := sync.Pool{New: func() any {
		return search.New(eval.Default(), search.DefaultParams(), search.Options{HashMB: 4, Threads: 1})
	}}
	return func(p *movegen.Position) (int, error) {
		e := engines.Get().(*search.Engine)
		defer engines.Put(e)
		e.NewGame()
		score := e.Search(ctx, referee.NewGame(p, rules), limits, nil).Score
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if p.Side() == movegen.Black {
			score = -score
		}
		return score, nil
	}
}

func bookCommand(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "book",
		Short: "Opening books: make, check",
		Args:  subcommandOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(bookMake(con), bookCheck(con))
	return cmd
}

// bookFlags are the flags of both commands.
type bookFlags struct {
	window  string
	nodes   string
	depth   int
	workers int
}

func (f *bookFlags) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.nodes, "nodes", "20k", "nodes of a judgement")
	fl.IntVar(&f.depth, "depth", 0, "depth of a judgement, instead of nodes")
	fl.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "judgements at a time")
}

// judge returns the judge and its description.
func (f *bookFlags) judge(ctx context.Context) (openings.Judge, string, error) {
	limits := search.Limits{Depth: f.depth}
	by := fmt.Sprintf("xqlab weights %.12s depth %d", eval.Default().Hash(), f.depth)
	if f.depth == 0 {
		n, err := spec.ParseCount(f.nodes)
		if err != nil {
			return nil, "", usagef("--nodes %v", err)
		}
		limits.Nodes = n
		by = fmt.Sprintf("xqlab weights %.12s nodes %d", eval.Default().Hash(), n)
	}
	if f.workers < 1 || f.depth < 0 {
		return nil, "", usagef("--workers %d --depth %d: want 1 or more workers and no negative depth", f.workers, f.depth)
	}
	return judgeBy(ctx, limits), by, nil
}

func bookMake(con *console) *cobra.Command {
	var f bookFlags
	var m openings.Maker
	var from string
	cmd := &cobra.Command{
		Use:   "make FILE.epd[.gz]",
		Short: "Make a book of distinct positions whose score is in a window",
		Long: `Goes through random lines, or those of another book, judges each last position by a search
and keeps those inside the window; a position and its mirror image count as one. A command
that was stopped goes on when it is given again.`,
		Example: "  xqlab book make balanced.epd.gz --number 500 --plies 8 --eval=-40..40 --seed 1",
		Args:    exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if m.Window, err = openings.ParseWindow(f.window); err != nil {
				return usagef("--eval: %v", err)
			}
			if m.Judge, m.By, err = f.judge(cmd.Context()); err != nil {
				return err
			}
			if from != "" {
				s, err := openings.ParseSpec(from + ",order=sequential")
				if err != nil {
					return usageError{err}
				}
				if m.From, err = s.Open(openings.Options{}); err != nil {
					return err
				}
			}
			m.Workers = f.workers
			spoke := time.Now()
			m.Progress = func(k openings.Making) {
				if time.Since(spoke) >= speakEvery {
					spoke = time.Now()
					con.notef("%s", k)
				}
			}
			done, err := m.Make(cmd.Context(), args[0])
			if err != nil && cmd.Context().Err() != nil {
				return stoppedError{fmt.Errorf("%w; the same command goes on", err)}
			}
			if err == nil {
				con.notef("%s: %s", args[0], done)
			}
			return err
		},
	}
	f.flags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.window, "eval", "-50..50", "window of scores in centipawns; 100..250 is the advantage of either side")
	fl.IntVar(&m.N, "number", 500, "openings wanted")
	fl.IntVar(&m.Plies, "plies", 8, "plies of the random lines")
	fl.Uint64Var(&m.Seed, "seed", 1, "seed of the random lines")
	fl.StringVar(&from, "from", "", "judge the lines of this `BOOK` instead of random ones")
	return cmd
}

func bookCheck(con *console) *cobra.Command {
	var f bookFlags
	cmd := &cobra.Command{
		Use:     "check BOOK",
		Short:   "Is each line legal, not over, not in a repetition, not there twice, and inside the window?",
		Example: "  xqlab book check balanced --eval=-60..60",
		Args:    exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rules, err := rulesOf(spec.DefaultRules, 0)
			if err != nil {
				return err
			}
			k := openings.Checker{Rules: rules, Workers: f.workers}
			if f.window != "" {
				w, err := openings.ParseWindow(f.window)
				if err != nil {
					return usagef("--eval: %v", err)
				}
				k.Window = &w
				if k.Judge, _, err = f.judge(cmd.Context()); err != nil {
					return err
				}
			}
			found, err := k.Check(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			for _, fault := range found.Faults {
				con.notef("%s: %s", args[0], fault)
			}
			fmt.Fprintf(con.out, "%s: %s\n", args[0], found)
			if !found.OK() {
				return errReported
			}
			return nil
		},
	}
	f.flags(cmd)
	cmd.Flags().StringVar(&f.window, "eval", "", "window of scores in centipawns (default: scores are not checked)")
	return cmd
}
