package main

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
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

// judgeOpening returns a judge of openings for the window, or for any score: the built-in
// engine with fixed nodes, which says the same of a position whenever it is asked, until
// ctx ends.
func judgeOpening(ctx context.Context, window *openings.Window) openings.Judge {
	return judgeBy(ctx, search.Limits{Nodes: openingNodes}, window)
}

// sieve are the short searches before a judgement's whole one: what part of the nodes
// they cost, or how many plies less deep they are, and how far outside the window, in
// centipawns, a score ends the judging. Most random lines hang a piece, which costs a
// 64th to see. Of the positions that a whole search finds inside -50..50 the sieve loses a
// third, those on which shallow searches disagree most, and it saves two thirds of the
// nodes for each that is left.
var sieve = [...]struct{ part, plies, margin int }{{64, 6, 120}, {16, 4, 100}, {4, 2, 80}}

// judgeBy returns a judge that searches each position anew under the limits, and may be
// called from many goroutines. With a window it says of a position that a short search
// finds far outside what that search says.
func judgeBy(ctx context.Context, limits search.Limits, window *openings.Window) openings.Judge {
	rules, err := referee.Named("computer")
	if err != nil {
		panic("xqlab: the default rules are unknown: " + err.Error())
	}
	engines := sync.Pool{New: func() any {
		return search.New(eval.Default(), search.DefaultParams(), search.Options{HashMB: 1, Threads: 1})
	}}
	return func(p *movegen.Position) (int, error) {
		e := engines.Get().(*search.Engine)
		defer engines.Put(e)
		e.NewGame()
		g := referee.NewGame(p, rules)
		score := func(l search.Limits) int {
			n := e.Search(ctx, g, l, nil).Score
			if p.Side() == movegen.Black {
				return -n
			}
			return n
		}
		for _, s := range sieve {
			if window == nil {
				break
			}
			short := search.Limits{Nodes: max(limits.Nodes/uint64(s.part), 1)} // 0 would be no limit
			if limits.Depth > 0 {
				short = search.Limits{Depth: max(limits.Depth-s.plies, 1)}
			}
			if n := score(short); window.Distance(n) > s.margin && ctx.Err() == nil {
				return n, nil
			}
		}
		n := score(limits)
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return n, nil
	}
}

func bookCommand(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "book",
		Short: "Opening books: make, check",
		Example: `  xqlab book make balanced.epd.gz --number 500
  xqlab book check balanced`,
		Args: subcommandOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
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
	asJSON  bool
}

func (f *bookFlags) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.nodes, "nodes", "10k", "nodes of a judgement")
	fl.IntVar(&f.depth, "depth", 0, "depth of a judgement, instead of nodes")
	fl.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "judgements at a time")
	fl.BoolVar(&f.asJSON, "json", false, "one JSON object at the end")
}

// check refuses what no judgement can be made with.
func (f *bookFlags) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("nodes") && cmd.Flags().Changed("depth") {
		return usagef("--nodes and --depth: a judgement has one of them")
	}
	if f.workers < 1 || f.depth < 0 {
		return usagef("--workers %d --depth %d: want 1 or more workers and no negative depth", f.workers, f.depth)
	}
	return nil
}

// judge returns the judge and its description.
func (f *bookFlags) judge(ctx context.Context, window *openings.Window) (openings.Judge, string, error) {
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
	return judgeBy(ctx, limits, window), by, nil
}

// sometimes returns a notef that is silent but for every few seconds.
func (c *console) sometimes() func(format string, args ...any) {
	spoke := time.Now()
	return func(format string, args ...any) {
		if time.Since(spoke) >= speakEvery {
			spoke = time.Now()
			c.notef(format, args...)
		}
	}
}

// bookMade is what came of book make.
type bookMade struct {
	File    string `json:"file"`
	Made    int    `json:"openings"`
	Wanted  int    `json:"wanted"`
	Tried   uint64 `json:"candidates"`
	Resumed int    `json:"resumed"` // openings that an earlier, interrupted command had found
}

func bookMake(con *console) *cobra.Command {
	var f bookFlags
	var m openings.Maker
	var from, plies string
	cmd := &cobra.Command{
		Use:   "make FILE.epd[.gz]",
		Short: "Make a book of distinct positions whose score is in a window",
		Long: `Goes through random lines, or those of another book, judges each last position by a search
and keeps those inside the window; a position and its mirror image count as one. A command
that was stopped goes on when it is given again.`,
		Example: "  xqlab book make balanced.epd.gz --number 500 --plies 4..10 --eval=-50..50 --seed 1",
		Args:    exactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if m.N < 1 {
				return usagef("--number %d, want 1 or more openings", m.N)
			}
			if m.Window, err = openings.ParseWindow(f.window); err != nil {
				return usagef("--eval: %v", err)
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			if m.Judge, m.By, err = f.judge(cmd.Context(), &m.Window); err != nil {
				return err
			}
			if m.Plies, m.MaxPlies, err = pliesRange(plies); err != nil {
				return usagef("--plies %v", err)
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
			speak := con.sometimes()
			m.Progress = func(k openings.Making) { speak("%s", k) }
			done, err := m.Make(cmd.Context(), args[0])
			if err != nil && cmd.Context().Err() != nil {
				return stoppedError{fmt.Errorf("%w; the same command goes on", err)}
			}
			if err == nil && f.asJSON {
				return printJSON(con, bookMade{args[0], done.Made, done.Wanted, done.Tried, done.Resumed})
			}
			if err == nil {
				more := ""
				if done.Made < done.Wanted {
					more = "; there are no others"
				}
				con.notef("%s: %s%s", args[0], done, more)
			}
			return err
		},
	}
	f.flags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.window, "eval", "-50..50", "window of scores in centipawns; 100..250 is the advantage of either side")
	fl.IntVar(&m.N, "number", 500, "openings wanted")
	fl.StringVar(&plies, "plies", "4..10", "plies of the random lines, a number or a range from which each line's is drawn")
	fl.Uint64Var(&m.Seed, "seed", 1, "seed of the random lines")
	fl.StringVar(&from, "from", "", "judge the lines of this `BOOK` instead of random ones")
	return cmd
}

// pliesRange reads "8" or "4..10".
func pliesRange(text string) (low, high int, err error) {
	const most = 100
	first, last, found := strings.Cut(text, "..")
	if !found {
		last = first
	}
	low, err1 := strconv.Atoi(first)
	high, err2 := strconv.Atoi(last)
	if err1 != nil || err2 != nil || low < 1 || high < low || high > most {
		return 0, 0, fmt.Errorf("%q, want a number from 1 to %d or a range such as 4..10", text, most)
	}
	return low, high, nil
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
			if err := f.check(cmd); err != nil {
				return err
			}
			k := openings.Checker{Rules: rules, Workers: f.workers}
			if f.window != "" {
				w, err := openings.ParseWindow(f.window)
				if err != nil {
					return usagef("--eval: %v", err)
				}
				k.Window = &w
				if k.Judge, _, err = f.judge(cmd.Context(), &w); err != nil {
					return err
				}
			}
			speak := con.sometimes()
			k.Progress = func(judged, of int) { speak("%d of %d positions judged", judged, of) }
			found, err := k.Check(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return f.tell(con, args[0], found)
		},
	}
	f.flags(cmd)
	cmd.Flags().StringVar(&f.window, "eval", "", "window of scores in centipawns (default: scores are not checked)")
	return cmd
}

// bookChecked is what book check found.
type bookChecked struct {
	Book       string `json:"book"`
	Good       int    `json:"good"`
	Broken     int    `json:"broken"`
	Over       int    `json:"over"`
	Repeated   int    `json:"repeated"`
	Duplicates int    `json:"duplicates"`
	Outside    int    `json:"outside"`
	Mirrored   int    `json:"mirrored"` // good, but the mirror image of an earlier line
	RedToMove  int    `json:"red_to_move"`
}

// tell tells what was found in a book, and returns an error if that is a fault.
func (f *bookFlags) tell(con *console, book string, found *openings.Findings) error {
	told := &faults{con: con}
	for _, fault := range found.Faults {
		told.tell(fmt.Errorf("%s: %s", book, fault))
	}
	told.n = max(told.n, found.Bad())
	told.end()
	if f.asJSON {
		sum := bookChecked{book, found.Good, found.Broken, found.Over, found.Repeated, found.Duplicates, found.Outside, found.Mirrored, found.Spread.RedToMove}
		if err := printJSON(con, sum); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(con.out, "%s: %s\n", book, found)
		if found.Spread.Positions > 0 {
			fmt.Fprintf(con.out, "%s: %s\n", book, &found.Spread)
		}
	}
	if found.Spread.Positions == 0 && found.Bad() == 0 {
		return fmt.Errorf("%s: no opening in it; want a line of EPD, or a game of PGN, for each", book)
	}
	if !found.OK() {
		return errReported
	}
	return nil
}
