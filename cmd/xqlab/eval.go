package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
)

// evalReport is the JSON of eval.
type evalReport struct {
	FEN     string      `json:"fen"`
	Score   int         `json:"score"`     // centipawns from the side to move
	Red     int         `json:"score_red"` // from Red
	Phase   float64     `json:"phase"`     // 1 middlegame, 0 endgame
	Scale   float64     `json:"scale"`     // 1, less in drawish endings, up to 2 in won ones
	Weights string      `json:"weights"`
	Terms   []eval.Term `json:"terms"`
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
			x := eval.New(w).Explain(p)
			if !asJSON {
				return x.Write(con.out)
			}
			r := evalReport{FEN: p.FEN(), Score: x.Score, Red: x.Score, Phase: float64(x.Phase) / eval.PhaseMax,
				Scale: float64(x.Scale) / eval.ScaleMax, Weights: w.Hash(), Terms: x.Terms}
			if p.Side() == movegen.Black {
				r.Score = -r.Score
			}
			return printJSON(con, r)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&weights, "weights", "", "weights `FILE` (default the embedded one)")
	fl.BoolVar(&lenient, "lenient", false, "allow advisors, elephants and soldiers where they can never stand")
	fl.BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}
