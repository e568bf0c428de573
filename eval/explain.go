package eval

import (
	"fmt"
	"io"

	"github.com/xqlab/xqlab/movegen"
)

// Term is what one group of features contributes to a score.
type Term struct {
	Name  string  `json:"name"`
	Doc   string  `json:"doc"`
	Red   Pair    `json:"red"` // each side's own sums in centipawns
	Black Pair    `json:"black"`
	Score float64 `json:"score"` // Red's less Black's, blended by phase and scaled, in centipawns
}

// Explanation is a score taken apart.
type Explanation struct {
	Terms []Term // groups that count for either side, in the order of Groups
	Phase int    // 0 (endgame) to PhaseMax
	Scale int    // as in a Trace
	Score int    // Red's view, in centipawns
}

// Explain takes the evaluation of a position apart. The terms' scores add up to the
// score, but for its rounding towards zero.
func (e *Evaluator) Explain(p *movegen.Position) Explanation {
	t := Trace{sides: new([2][Features]int16)}
	v := e.Evaluate(p, &t)
	if p.Side() == movegen.Black {
		v = -v
	}
	x := Explanation{Phase: t.Phase, Scale: t.Scale, Score: v}
	for _, g := range groups {
		term := Term{Name: g.Name, Doc: g.Doc}
		counted := false
		for i := g.First; i < g.First+g.Size; i++ {
			for c, sum := range [...]*Pair{&term.Red, &term.Black} {
				n := int(t.sides[c][i])
				counted = counted || n != 0
				sum.MG += n * e.weights[i].MG()
				sum.EG += n * e.weights[i].EG()
			}
		}
		if !counted {
			continue
		}
		sum := (term.Red.MG-term.Black.MG)*t.Phase + (term.Red.EG-term.Black.EG)*(PhaseMax-t.Phase)
		term.Score = float64(sum*t.Scale) / (PhaseMax * ScaleMax)
		x.Terms = append(x.Terms, term)
	}
	return x
}

// Write prints the explanation as a table.
func (x Explanation) Write(out io.Writer) error {
	_, err := fmt.Fprintf(out, "%-26s %13s %13s %8s\n%-26s %6s %6s %6s %6s\n", "centipawns", "Red", "Black", "score", "", "mg", "eg", "mg", "eg")
	for _, t := range x.Terms {
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%-26s %6d %6d %6d %6d %+8.1f\n", t.Name, t.Red.MG, t.Red.EG, t.Black.MG, t.Black.EG, t.Score)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "phase %d/%d, scale %d/%d\nscore %+d for Red\n", x.Phase, PhaseMax, x.Scale, ScaleMax, x.Score)
	return err
}
