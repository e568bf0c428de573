package eval

import "github.com/xqlab/xqlab/movegen"

// Trace is what an evaluation counted: its score is a function of the weights through
// these numbers alone. Scores are Red's.
type Trace struct {
	Coef  [Features]int16 // Red's count less Black's
	Phase int             // 0 (endgame) to PhaseMax
	Scale int             // ScaleMax, less in drawish endings, up to MaxEnding in won ones

	Ending int // class of the ending for the side that the score favours, or NoEnding

	sides *[2][Features]int16 // each side's counts, for Explain
}

// Score returns the score of the counts under the weights, from Red's view, in
// centipawns, before the division by PhaseMax·ScaleMax.
func (t *Trace) Score(w *Weights) int {
	mg, eg := 0, 0
	for i, c := range t.Coef {
		mg += int(c) * w.Values[i].MG
		eg += int(c) * w.Values[i].EG
	}
	return (mg*t.Phase + eg*(PhaseMax-t.Phase)) * t.Scale
}

// add counts a feature n times for a side.
//
//go:noinline
func (t *Trace) add(c movegen.Color, i, n int) {
	t.Coef[i] += int16(n * (1 - 2*int(c)))
	if t.sides != nil {
		t.sides[c&1][i] += int16(n)
	}
}
