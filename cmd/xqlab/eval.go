package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
)

// evalTerm is a group of the evaluation's features in a position, from Red's view.
type evalTerm struct {
	Name  string  `json:"name"`
	Count int     `json:"count"` // features that are not level
	MG    int     `json:"mg"`
	EG    int     `json:"eg"`
	Score float64 `json:"score"` // what it adds, in centipawns
}

// evalReport is the JSON of eval.
type evalReport struct {
	FEN     string     `json:"fen"`
	Score   int        `json:"score"`     // from the side to move
	Red     int        `json:"score_red"` // from Red
	Phase   float64    `json:"phase"`     // 1 middlegame, 0 endgame
	Scale   float64    `json:"scale"`     // 1, less in drawish endings
	Weights string     `json:"weights"`
	Terms   []evalTerm `json:"terms"`
}

func evalCommand(con *console) *cobra.Command {
	var weights string
	var lenient, asJSON bool
	cmd := &cobra.Command{
		Use:     "eval FEN",
		Short:   "The terms of the evaluation of a position",
		Example: `  xqlab eval "r1bakab1r/9/1c2c4/p3p3p/2p3p2/2P3P2/P3P3P/1C2C4/9/R1BAKAB1R w"`,
		Args:    rangeArgs(1, 6),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := position(strings.Join(args, " "), lenient)
			if err != nil {
				return err
			}
			w := eval.Default()
			if weights != "" {
				if w, err = readWeights(weights); err != nil {
					return err
				}
			}
			r := evaluate(p, w)
			if asJSON {
				return printJSON(con, r)
			}
			return printEval(con, r)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&weights, "weights", "", "weights `FILE` (default the embedded one)")
	fl.BoolVar(&lenient, "lenient", false, "allow advisors, elephants and soldiers where they can never stand")
	fl.BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// evaluate takes an evaluation apart by groups of features.
func evaluate(p *movegen.Position, w *eval.Weights) evalReport {
	var t eval.Trace
	score := eval.New(w).Evaluate(p, &t)
	r := evalReport{FEN: p.FEN(), Score: score, Red: score, Phase: float64(t.Phase) / eval.PhaseMax, Scale: float64(t.Scale) / eval.ScaleMax, Weights: w.Hash()}
	if p.Side() == movegen.Black {
		r.Red = -score
	}
	for _, g := range eval.Groups() {
		e := evalTerm{Name: g.Name}
		for i := g.First; i < g.First+g.Size; i++ {
			c := int(t.Coef[i])
			if c != 0 {
				e.Count++
			}
			e.MG += c * w.Values[i].MG
			e.EG += c * w.Values[i].EG
		}
		e.Score = (float64(e.MG)*r.Phase + float64(e.EG)*(1-r.Phase)) * r.Scale
		r.Terms = append(r.Terms, e)
	}
	return r
}

func printEval(con *console, r evalReport) error {
	w := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "term (from Red)\tmiddlegame\tendgame\tadds\t")
	for _, e := range r.Terms {
		if e.Count > 0 {
			fmt.Fprintf(w, "%s\t%d\t%d\t%.1f\t\n", e.Name, e.MG, e.EG, e.Score)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(con.out, "phase %.2f (1 middlegame, 0 endgame), scale %.2f\nscore %+d centipawns for Red, %+d for the side to move\n", r.Phase, r.Scale, r.Red, r.Score)
	return err
}
