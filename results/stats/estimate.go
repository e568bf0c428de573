package stats

// Estimate is what an SPRT that ended, or was broken off, says of the strength. The plain
// Elo is biased after an SPRT, away from zero when it ends early: the test stops when luck
// is at its peak.
type Estimate struct {
	Elo  float64 `json:"elo"`  // median-unbiased: a worse outcome has probability ½ at it
	Low  float64 `json:"low"`  // lower end of the interval of 95 %
	High float64 `json:"high"` // upper end
	LOS  float64 `json:"los"`  // probability of a worse outcome at equal strength, from 0 to 1
}

// EstimatePenta returns the median-unbiased strength after a test of these pairs whose present state
// was state, in logistic Elo whatever the model, within ±MaxElo.
//
// It takes the LLR as Brownian motion whose drift depends on the true score, and asks at which scores the
// outcome would be the median and the 2.5 % and 97.5 % points. Outcomes are ordered from
// the quickest acceptance of H0 to the quickest of H1 (Siegmund, "Estimation following sequential tests",
// 1978; so has fishtest). The variance is the sample's, so where it is nearly none (all pairs alike) the interval
// is too narrow.
func (s SPRT) EstimatePenta(p Penta, state State) (Estimate, error) {
	if s.Model == Bayesian {
		return Estimate{}, errBayesianPairs
	}
	if err := p.Validate(); err != nil {
		return Estimate{}, err
	}
	return s.checkedEstimate(p.cells(), p.Pairs(), state)
}

// EstimateWDL is EstimatePenta for single games.
func (s SPRT) EstimateWDL(w WDL, state State) (Estimate, error) {
	if err := w.Validate(); err != nil {
		return Estimate{}, err
	}
	return s.checkedEstimate(w.cells(), w.Games(), state)
}

func (s SPRT) checkedEstimate(c cells, observed int, state State) (Estimate, error) {
	if err := s.Validate(); err != nil {
		return Estimate{}, err
	}
	if observed == 0 {
		return Estimate{Low: -MaxElo, High: MaxElo, LOS: 0.5}, nil
	}
	return s.estimate(c, state), nil
}

func (s SPRT) estimate(c cells, state State) Estimate {
	m := s.motion(c)
	lead, _ := c.moments()
	t, llr := c.n, c.n*m.at(lead).drift
	if bound := clamp(llr, m.lower, m.upper); bound != llr {
		t *= bound / llr // the time it would have been there, going straight
		llr = bound
	}
	switch state { // where the overshoot correction stopped it a little short of the bound
	case AcceptH0:
		llr = m.lower
	case AcceptH1:
		llr = m.upper
	}
	worse := func(elo float64) float64 { return m.at(leadOfElo(elo)).atMost(t, llr) }
	quantile := func(p float64) float64 {
		return decreasingRoot(func(elo float64) float64 { return worse(elo) - p }, -MaxElo, MaxElo)
	}
	return Estimate{Elo: quantile(0.5), Low: quantile(0.975), High: quantile(0.025), LOS: worse(0)}
}

// motion describes the LLR of a test as Brownian motion, an observation (pair or game) being the
// unit of time.
type motion struct {
	l0, l1       float64 // expected scores of the hypotheses, less ½
	variance     float64 // of an observation's score
	lower, upper float64
}

func (s SPRT) motion(c cells) motion {
	m := motion{l0: s.lead(c, s.Elo0), l1: s.lead(c, s.Elo1)}
	_, m.variance = c.moments()
	m.lower, m.upper = s.Bounds()
	return m
}

// at returns the motion when the true expected score is ½+lead: the LLR of normal observations.
func (m motion) at(lead float64) brownian {
	step := (m.l1 - m.l0) / m.variance
	return brownian{
		drift: (lead - (m.l0+m.l1)/2) * step, variance: (m.l1 - m.l0) * step,
		lower: m.lower, upper: m.upper,
	}
}

// decreasingRoot returns the root of a decreasing function between lo and hi, or the nearer end.
func decreasingRoot(f func(float64) float64, lo, hi float64) float64 {
	for range 60 {
		mid := lo + (hi-lo)/2
		if f(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + (hi-lo)/2
}
