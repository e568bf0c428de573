package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/results/stats"
)

func statsCommand(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "The statistics of matches alone: SPRT, Elo, length of a test",
		Example: `  xqlab stats elo --penta 3,20,52,21,4
  xqlab stats plan --sprt gain`,
		Args: subcommandOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(statsSPRT(con), statsElo(con), statsPlan(con))
	return cmd
}

// counts are the flags for what a match gave.
type counts struct{ penta, wdl string }

func (c *counts) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.penta, "penta", "", "pairs by the first engine's points: `LL,LD,DD,WD,WW` (DD is WL+DD)")
	cmd.Flags().StringVar(&c.wdl, "wdl", "", "games: `W,D,L` of the first engine")
}

// read returns one of the two.
func (c *counts) read(cmd *cobra.Command) (*stats.Penta, *stats.WDL, error) {
	penta, wdl := cmd.Flags().Changed("penta"), cmd.Flags().Changed("wdl")
	if penta == wdl {
		return nil, nil, usagef("%s: give either --penta LL,LD,DD,WD,WW or --wdl W,D,L", cmd.CommandPath())
	}
	if penta {
		n, err := numbers(c.penta, 5)
		if err != nil {
			return nil, nil, usagef("--penta %s: %v", c.penta, err)
		}
		return (*stats.Penta)(n), nil, nil
	}
	n, err := numbers(c.wdl, 3)
	if err != nil {
		return nil, nil, usagef("--wdl %s: %v", c.wdl, err)
	}
	return nil, &stats.WDL{W: n[0], D: n[1], L: n[2]}, nil
}

// mostGames bounds a count: sums of products of such counts are exact enough.
const mostGames = 1_000_000_000_000

// numbers reads n counts between commas.
func numbers(text string, n int) ([]int, error) {
	words := strings.Split(text, ",")
	if len(words) != n {
		return nil, fmt.Errorf("%d numbers, want %d between commas", len(words), n)
	}
	list := make([]int, n)
	for i, w := range words {
		v, err := strconv.Atoi(strings.TrimSpace(w))
		if err != nil || v < 0 || v > mostGames {
			return nil, fmt.Errorf("%q, want a count from 0 to %d", w, mostGames)
		}
		list[i] = v
	}
	return list, nil
}

func statsSPRT(con *console) *cobra.Command {
	var c counts
	var asJSON bool
	test := stats.SPRT{Model: stats.Normalized}
	var model string
	cmd := &cobra.Command{
		Use:   "sprt",
		Short: "Log-likelihood ratio of two hypotheses and its verdict",
		Long: `The bounds are Wald's, log β/(1−α) and log (1−β)/α. A match that xqlab arena plays stops a
little inside them: there the steps of the test are known, and what it would overshoot.`,
		Example: "  xqlab stats sprt --penta 39,8843,26675,9240,44 --elo0 0.5 --elo1 2.5",
		Args:    exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			penta, wdl, err := c.read(cmd)
			if err != nil {
				return err
			}
			test.Model = stats.Model(model)
			if err := test.Validate(); err != nil {
				return usageError{err}
			}
			var st stats.SPRTState
			if penta != nil {
				st, err = test.Penta(*penta)
			} else {
				st, err = test.WDL(*wdl)
			}
			if err != nil {
				return usageError{err}
			}
			if asJSON {
				return printJSON(con, st)
			}
			fmt.Fprintf(con.out, "LLR %.4f [%.4f, %.4f] %s (%s, %g to %g)\n", st.LLR, st.Lower, st.Upper, st.State, test.Model, test.Elo0, test.Elo1)
			return nil
		},
	}
	c.flags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&model, "model", string(stats.Normalized), "normalized, logistic or bayesian (games only)")
	fl.Float64Var(&test.Elo0, "elo0", 0, "Elo of H0")
	fl.Float64Var(&test.Elo1, "elo1", 5, "Elo of H1")
	fl.Float64Var(&test.Alpha, "alpha", 0.05, "risk of accepting H1 at elo0")
	fl.Float64Var(&test.Beta, "beta", 0.05, "risk of accepting H0 at elo1")
	fl.BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func statsElo(con *console) *cobra.Command {
	var c counts
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "elo",
		Short:   "Elo difference with its error, likelihood of superiority, draws",
		Example: "  xqlab stats elo --penta 34,54,63,64,75",
		Args:    exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			penta, wdl, err := c.read(cmd)
			if err != nil {
				return err
			}
			var e stats.Elo
			if penta != nil {
				e = penta.Elo()
			} else {
				e = wdl.Elo()
			}
			if asJSON {
				return printJSON(con, e)
			}
			fmt.Fprintf(con.out, "Elo %s ± %.2f  nElo %s ± %.2f  LOS %.2f %%  score %.2f %%  games %d  drawn pairs %.2f %%  pairs ratio %.2f\n",
				signedText(e.Elo, 2), e.EloError, signedText(e.NElo, 2), e.NEloError, 100*e.LOS, 100*e.Score, e.Games, 100*e.DrawnPairs, e.PairsRatio)
			return nil
		},
	}
	c.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func statsPlan(con *console) *cobra.Command {
	var text, penta string
	var c stats.Conditions
	var perSecond float64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "How many games and hours a test will take",
		Example: `  xqlab stats plan --sprt gain --draw-rate 0.3 --games-per-second 0.5
  xqlab stats plan --sprt elo0=0,elo1=10 --penta 34,54,63,64,75`,
		Args: exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			test, err := stats.ParseSPRT(text)
			if err != nil {
				return usageError{err}
			}
			if cmd.Flags().Changed("penta") {
				n, err := numbers(penta, 5)
				if err != nil {
					return usagef("--penta %s: %v", penta, err)
				}
				c.Pairs = stats.Penta(n)
			}
			c.GamesPerHour = 3600 * perSecond
			plan, err := test.Plan(c)
			if err != nil {
				return usageError{err}
			}
			if asJSON {
				return printJSON(con, plan)
			}
			return printPlan(con, test, plan)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&text, "sprt", "gain", "the test, as for xqlab arena")
	fl.Float64Var(&c.DrawRate, "draw-rate", 0.3, "share of games drawn between equals, 0 to 1")
	fl.StringVar(&penta, "penta", "", "measured pairs `LL,LD,DD,WD,WW`, instead of a draw rate")
	fl.Float64Var(&perSecond, "games-per-second", 0, "measured rate, for hours and nights")
	fl.BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// night is what a night of play is taken as, in hours.
const night = 8

func printPlan(con *console, test stats.SPRT, plan stats.Plan) error {
	w := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(con.out, "SPRT %s [%g, %g] α %g β %g\n", test.Model, test.Elo0, test.Elo1, test.Alpha, test.Beta)
	fmt.Fprintln(w, "true Elo\taccepts H1\tmean games\t95 % within\tmean hours\t95 % within\tnights of 8 h\t")
	for _, p := range []stats.PlanPoint{plan.AtElo0, plan.Between, plan.AtElo1} {
		fmt.Fprintf(w, "%g\t%.0f %%\t%.0f\t%.0f\t", p.Elo, 100*p.AcceptH1, p.MeanGames, p.WorstGames)
		if p.MeanHours > 0 {
			fmt.Fprintf(w, "%.1f\t%.1f\t%.1f\t\n", p.MeanHours, p.WorstHours, p.MeanHours/night)
		} else {
			fmt.Fprint(w, "-\t-\t-\t\n")
		}
	}
	return w.Flush()
}

func printJSON(con *console, v any) error { return json.NewEncoder(con.out).Encode(v) }
