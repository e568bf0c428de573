package stats

import (
	"fmt"
	"math"
)

// Penta counts pairs of games by the points of the first engine in both games:
// 0 (LL), ½ (LD), 1 (WL or DD), 1½ (WD), 2 (WW).
type Penta [5]int

// WDL counts single games from the first engine's view.
type WDL struct{ W, D, L int }

// emptyCell stands for the count of a cell in which nothing fell, so that no likelihood is
// zero (as fastchess, OpenBench and fishtest have it).
const emptyCell = 1e-3

// cells is a distribution of scores: n observations (pairs or games), a[i] the score from 0 to 1
// and p[i] the frequency of cell i, above 0. perGame is how many games one observation holds.
type cells struct {
	n       float64
	a, p    []float64
	perGame float64
}

var (
	pentaScores = []float64{0, 0.25, 0.5, 0.75, 1}
	triScores   = []float64{0, 0.5, 1}
)

// Pairs returns the number of pairs.
func (p Penta) Pairs() int { return p[0] + p[1] + p[2] + p[3] + p[4] }

// Swap returns the counts as the other engine sees them.
func (p Penta) Swap() Penta { return Penta{p[4], p[3], p[2], p[1], p[0]} }

// Add returns the counts of both.
func (p Penta) Add(q Penta) Penta {
	for i := range p {
		p[i] += q[i]
	}
	return p
}

// Validate reports a negative count, or counts too large to be added.
func (p Penta) Validate() error { return validCounts("pair", p[:]) }

// Games returns the number of games.
func (w WDL) Games() int { return w.W + w.D + w.L }

// Swap returns the counts as the other engine sees them.
func (w WDL) Swap() WDL { return WDL{w.L, w.D, w.W} }

// Add returns the counts of both.
func (w WDL) Add(v WDL) WDL { return WDL{w.W + v.W, w.D + v.D, w.L + v.L} }

// Validate reports a negative count, or counts too large to be added.
func (w WDL) Validate() error { return validCounts("game", []int{w.W, w.D, w.L}) }

// maxCount bounds each count: far above what can be played, far below an overflow of the sums.
const maxCount = math.MaxInt / 16

func validCounts(what string, counts []int) error {
	for _, n := range counts {
		if n < 0 || n > maxCount {
			return fmt.Errorf("count of %ss %d: must be from 0 to %d", what, n, maxCount)
		}
	}
	return nil
}

func (p Penta) cells() cells { return newCells(pentaScores, 2, p[:]) }
func (w WDL) cells() cells   { return newCells(triScores, 1, []int{w.L, w.D, w.W}) }

func newCells(scores []float64, perGame float64, counts []int) cells {
	c := cells{a: scores, p: make([]float64, len(scores)), perGame: perGame}
	for i, n := range counts {
		c.p[i] = math.Max(float64(n), emptyCell)
		c.n += c.p[i]
	}
	for i := range c.p {
		c.p[i] /= c.n
	}
	return c
}

// moments returns the mean score of an observation less ½, which keeps its digits in level matches, and
// the score's variance. Scores lie evenly about ½, so cells are taken by twos: what is level is 0 exactly.
func (c cells) moments() (lead, variance float64) {
	for i, j := 0, len(c.a)-1; i < j; i, j = i+1, j-1 {
		lead += (c.p[j] - c.p[i]) * (c.a[j] - 0.5)
	}
	for i, a := range c.a {
		d := a - 0.5 - lead
		variance += c.p[i] * d * d
	}
	return lead, variance
}

// gameSigma returns the standard deviation of a game's score for a variance of an
// observation's: that of two independent games with the variance of the pair.
func (c cells) gameSigma(variance float64) float64 { return math.Sqrt(variance * c.perGame) }
