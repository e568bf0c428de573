package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/tuner"
)

// What is tried when no rules are asked for.
var (
	usualResign = []string{"score=400", "score=600", "score=800", "score=1000", "score=1200", "score=1500"}
	usualDraw   = []string{"movenumber=50,movecount=8,score=20"}
)

// adjudication is what a rule would have made of games that were played out.
type adjudication struct {
	Rule  string  `json:"rule"`
	Ended int     `json:"ended"`        // games that it would have ended
	Right int     `json:"right"`        // of them with the result that they had
	Drawn int     `json:"drawn"`        // wins given that were drawn
	Wrong int     `json:"wrong"`        // others
	Plies float64 `json:"plies"`        // share of the plies that would have been played
	Score float64 `json:"score"`        // points of the first engine per game, as played
	First float64 `json:"score_change"` // what the rule would have added to them

	conduct arena.Conduct
	played  int
}

func resultsAdjudicate(con *console, db *string) *cobra.Command {
	var f gameFilter
	var resign, draw []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "adjudicate",
		Short: "What --resign and --draw would have made of games that were played out",
		Long: `Tries rules of adjudication on stored games that ended by the rules of Xiangqi, whose true
results are known: how many games a rule would have ended, how many of them with another
result, how many plies it would have saved, and how it would have changed the score of the
first engine (of imported games Red). What a score is worth depends on the engine: look before
you adjudicate. How imported games ended is not known: --reason unknown takes them for played out.`,
		Example: `  xqlab results adjudicate --run lmr-test
  xqlab results adjudicate --run lmr-test --resign score=700,movecount=4 --draw movenumber=40,movecount=6,score=15`,
		Args: exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			rules, err := adjudications(resign, draw)
			if err != nil {
				return err
			}
			return reading(ctx, *db, func(s *results.Store) error {
				filter, err := f.filter(ctx, s)
				if err != nil {
					return err
				}
				if filter.Reasons, err = trueReasons(filter.Reasons); err != nil {
					return err
				}
				games, err := tryRules(ctx, s, filter, rules)
				if err != nil {
					return err
				}
				if asJSON {
					return encodeLine(con, map[string]any{"games": games, "rules": rules})
				}
				return showRules(con, games, rules)
			})
		},
	}
	f.flags(cmd)
	fl := cmd.Flags()
	fl.StringArrayVar(&resign, "resign", nil, "a rule for wins, as in xqlab arena: movecount=3,score=600,twosided=true (repeat for each)")
	fl.StringArrayVar(&draw, "draw", nil, "a rule for draws: movenumber=,movecount=,score= (repeat for each; default several rules)")
	fl.BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// trueReasons returns the reasons that are chosen, by default all by which the rules end
// games; those whose results may not be true are refused.
func trueReasons(chosen []results.Reason) ([]results.Reason, error) {
	if len(chosen) == 0 {
		return slices.DeleteFunc(results.Reasons(), func(r results.Reason) bool { return !r.ByRules() }), nil
	}
	for _, r := range chosen {
		if !r.ByRules() && r != results.Unknown {
			return nil, usagef("--reason %s: games that end so were not played out; want one by which the rules end games, or unknown for imported ones", r)
		}
	}
	return chosen, nil
}

// adjudications reads the rules that are to be tried.
func adjudications(resign, draw []string) (list []*adjudication, err error) {
	if len(resign)+len(draw) == 0 {
		resign, draw = usualResign, usualDraw
	}
	if slices.Contains(resign, "") || slices.Contains(draw, "") {
		return nil, usagef("--resign or --draw is empty; want a rule, as score=1200")
	}
	for _, text := range resign {
		a := &adjudication{Rule: "--resign=" + text}
		if a.conduct.Resign, err = arena.ParseResign(text); err != nil {
			return nil, usagef("--%v", err)
		}
		list = append(list, a)
	}
	for _, text := range draw {
		a := &adjudication{Rule: "--draw=" + text}
		if a.conduct.Draw, err = arena.ParseDraw(text); err != nil {
			return nil, usagef("--%v", err)
		}
		list = append(list, a)
	}
	return list, nil
}

// tryRules tries all rules on the games that a filter chooses and returns their number.
func tryRules(ctx context.Context, s *results.Store, f results.Filter, rules []*adjudication) (int, error) {
	games, plies := 0, 0
	for g, err := range s.Games(ctx, f) {
		if err != nil {
			return games, err
		}
		if _, ok := tuner.Points(g.Result); !ok {
			continue // not played
		}
		games++
		plies += len(g.Plies)
		for _, a := range rules {
			if err := a.add(g); err != nil {
				return games, err
			}
		}
	}
	for _, a := range rules {
		n := float64(max(games, 1))
		a.Plies, a.First, a.Score = float64(a.played)/float64(max(plies, 1)), a.First/n, a.Score/n
	}
	return games, nil
}

// add tries the rule on a game.
func (a *adjudication) add(g *results.Game) error {
	r, at, err := a.conduct.Adjudicate(g)
	if err != nil {
		return err
	}
	had := firstPoints(g, g.Result)
	a.Score += had
	if r == results.Unfinished {
		a.played += len(g.Plies)
		return nil
	}
	a.Ended++
	a.played += at
	a.First += firstPoints(g, r) - had
	switch {
	case r == g.Result:
		a.Right++
	case g.Result == results.Drawn:
		a.Drawn++
	default:
		a.Wrong++
	}
	return nil
}

// firstPoints returns what a result is worth to the first of a game's two engines, in points;
// of an imported game that is Red.
func firstPoints(g *results.Game, r results.Result) float64 {
	half, _ := tuner.Points(r)
	if g.Red > g.Black {
		half = 2 - half
	}
	return float64(half) / 2
}

func showRules(con *console, games int, rules []*adjudication) error {
	if games == 0 {
		return errors.New("no game that was played out: such rules are tried on games whose results are true; play some without --resign and --draw")
	}
	fmt.Fprintf(con.out, "%d games that were played out; the first engine scored %.1f %%\n\n", games, 100*rules[0].Score)
	w := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "rule\tends\tright %\twas drawn %\twas lost %\tplies left %\tscore change %\t")
	for _, a := range rules {
		share := func(n int) string { return fmt.Sprintf("%.1f", 100*float64(n)/float64(max(a.Ended, 1))) }
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%.0f\t%+.2f\t\n", a.Rule, a.Ended, share(a.Right), share(a.Drawn), share(a.Wrong), 100*a.Plies, 100*a.First)
	}
	return w.Flush()
}
