package stats

import (
	"fmt"
	"math"
)

// Conditions are what the length of a test depends on.
type Conditions struct {
	// Pairs are measured ones, whose spread is taken. Without any, DrawRate says it.
	Pairs Penta
	// DrawRate is the share of games drawn, from 0 to under 1, of engines about equal and games independent. Openings
	// that favour a side make pairs more alike than that, and tests shorter.
	DrawRate float64
	// GamesPerHour is the measured rate of play, 0 when there is none.
	GamesPerHour float64
}

// Plan is how long a test will be, for three true strengths.
type Plan struct {
	GameSigma float64   `json:"game_sigma"` // standard deviation of a game's score, half a pair's variance taken for each
	AtElo0    PlanPoint `json:"elo0"`
	Between   PlanPoint `json:"between"` // halfway, where it is longest
	AtElo1    PlanPoint `json:"elo1"`
}

// PlanPoint is how long a test will be at one true strength. Games are whole pairs.
type PlanPoint struct {
	Elo        float64 `json:"elo"`       // in Elo of the test's model
	AcceptH1   float64 `json:"accept_h1"` // probability
	MeanGames  float64 `json:"mean_games"`
	WorstGames float64 `json:"worst_games"` // 95 % of tests are not longer
	MeanHours  float64 `json:"mean_hours"`  // 0 without a rate
	WorstHours float64 `json:"worst_hours"`
}

// Plan returns the length to expect of a test. It takes the LLR as Brownian motion (Wald's identities for the mean), which
// the overshoot correction of Sequential makes nearly exact. Under the normalized model the number of
// games does not depend on the spread at all.
func (s SPRT) Plan(c Conditions) (Plan, error) {
	if err := s.Validate(); err != nil {
		return Plan{}, err
	}
	if s.Model == Bayesian {
		return Plan{}, errBayesianPairs
	}
	pairs, err := c.cells()
	if err != nil {
		return Plan{}, err
	}
	_, variance := pairs.moments()
	m := s.motion(pairs)
	point := func(elo float64) PlanPoint {
		b := m.at(s.lead(pairs, elo))
		p := PlanPoint{Elo: elo, AcceptH1: 1 - b.hitsLower(), MeanGames: wholePairs(b.meanTime()), WorstGames: wholePairs(b.timeBy(0.95))}
		if c.GamesPerHour > 0 {
			p.MeanHours, p.WorstHours = p.MeanGames/c.GamesPerHour, p.WorstGames/c.GamesPerHour
		}
		return p
	}
	return Plan{pairs.gameSigma(variance), point(s.Elo0), point((s.Elo0 + s.Elo1) / 2), point(s.Elo1)}, nil
}

func wholePairs(pairs float64) float64 { return 2 * math.Ceil(pairs-1e-9) }

// cells returns the distribution of pairs that the conditions tell of.
func (c Conditions) cells() (cells, error) {
	if err := c.Pairs.Validate(); err != nil {
		return cells{}, err
	}
	if c.Pairs.Pairs() > 0 {
		return c.Pairs.cells(), nil
	}
	if !(c.DrawRate >= 0 && c.DrawRate < 1) {
		return cells{}, fmt.Errorf("draw rate %v: must be from 0 to under 1", c.DrawRate)
	}
	d, w := c.DrawRate, (1-c.DrawRate)/2
	return cells{n: 1, a: pentaScores, perGame: 2, p: []float64{w * w, 2 * w * d, d*d + 2*w*w, 2 * w * d, w * w}}, nil
}

// timeBy returns the time by which a bound has been hit with probability p.
func (b brownian) timeBy(p float64) float64 {
	left := func(t float64) float64 { return p - b.lowerBy(t) - b.upperBy(t) }
	hi := b.meanTime()
	for left(hi) > 0 {
		hi *= 2
	}
	return decreasingRoot(left, 0, hi)
}

// Remaining returns how many games a running test is expected to take still, the mean and what 95 % will not pass, given the
// pairs read so far. The true strength is taken as measured, drawn to the middle of the bounds as by one
// observation of the bounds' distance: before there are pairs, that is the expected length halfway.
func (s SPRT) Remaining(p Penta) (mean, worst float64, err error) {
	st, err := s.Penta(p)
	if err != nil || st.State != Continue {
		return 0, 0, err
	}
	c := p.cells()
	if p.Pairs() == 0 {
		c, _ = Conditions{DrawRate: 0.5}.cells() // which matters for the logistic model only
	}
	m := s.motion(c)
	lead, _ := c.moments()
	middle, weight := (m.l0+m.l1)/2, float64(p.Pairs())/m.variance
	prior := 1 / ((m.l1 - m.l0) * (m.l1 - m.l0))
	b := m.at((lead*weight + middle*prior) / (weight + prior))
	b.lower, b.upper = m.lower-st.LLR, m.upper-st.LLR
	return wholePairs(b.meanTime()), wholePairs(b.timeBy(0.95)), nil
}
