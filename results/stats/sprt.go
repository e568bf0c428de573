package stats

import (
	"errors"
	"fmt"
	"math"
)

// Model names what the bounds of an SPRT measure.
type Model string

// The models. An LLR means nothing without its model: one match may have 2.94 under one and 0.56 under another.
const (
	Normalized Model = "normalized" // bounds in normalized Elo
	Logistic   Model = "logistic"   // bounds in Elo
	Bayesian   Model = "bayesian"   // bounds in BayesElo at the sample's draw rate; games only
)

// SPRT is a sequential probability ratio test of H1, a strength of Elo1 or more, against H0, Elo0
// or less, in units of the model.
type SPRT struct {
	Model Model   `json:"model"`
	Elo0  float64 `json:"elo0"`
	Elo1  float64 `json:"elo1"`
	Alpha float64 `json:"alpha"` // risk to accept H1 at Elo0
	Beta  float64 `json:"beta"`  // risk to accept H0 at Elo1
}

// State is where a test stands.
type State string

// The states.
const (
	Continue State = "continue"
	AcceptH0 State = "accept_h0"
	AcceptH1 State = "accept_h1"
)

// SPRTState is a test's position between its bounds.
type SPRTState struct {
	LLR   float64 `json:"llr"`
	Lower float64 `json:"lower"` // ln(β/(1−α)): H0 is accepted at or under it
	Upper float64 `json:"upper"` // ln((1−β)/α): H1 is accepted at or over it
	State State   `json:"state"`

	// StopLower and StopUpper are the bounds that decided: Lower and Upper, in a Sequential moved in by the
	// overshoot.
	StopLower float64 `json:"stop_lower"`
	StopUpper float64 `json:"stop_upper"`
}

// Text returns the LLR with the bounds that decide, as everything that people read shows
// them: 2.93 (-2.94, 2.91).
func (s SPRTState) Text() string {
	return fmt.Sprintf("%.2f (%.2f, %.2f)", s.LLR, s.StopLower, s.StopUpper)
}

// maxBound is the largest bound of a test, in Elo of any model: more than any test asks for, and within what atT can
// do (up to 695 nElo over pairs its half-spaces have no gap).
const maxBound = 500

// Validate reports the first thing that makes no test, naming the field and what would be right.
func (s SPRT) Validate() error {
	switch s.Model {
	case Normalized, Logistic, Bayesian:
	default:
		return fmt.Errorf("model %q: must be normalized, logistic or bayesian", s.Model)
	}
	switch {
	case !(math.Abs(s.Elo0) <= maxBound):
		return fmt.Errorf("elo0 %v: must be from %d to %d", s.Elo0, -maxBound, maxBound)
	case !(math.Abs(s.Elo1) <= maxBound):
		return fmt.Errorf("elo1 %v: must be from %d to %d", s.Elo1, -maxBound, maxBound)
	case s.Elo0 >= s.Elo1:
		return fmt.Errorf("elo1 %v: must be above elo0, which is %v", s.Elo1, s.Elo0)
	case !(1e-9 <= s.Alpha && s.Alpha < 1):
		return fmt.Errorf("alpha %v: must be from 1e-9 to under 1, as 0.05", s.Alpha)
	case !(1e-9 <= s.Beta && s.Beta < 1):
		return fmt.Errorf("beta %v: must be from 1e-9 to under 1, as 0.05", s.Beta)
	case s.Alpha+s.Beta >= 1:
		return fmt.Errorf("alpha %v and beta %v: their sum must be under 1", s.Alpha, s.Beta)
	}
	return nil
}

// Bounds returns Wald's bounds of the LLR, lower < 0 < upper.
func (s SPRT) Bounds() (lower, upper float64) {
	return math.Log(s.Beta / (1 - s.Alpha)), math.Log((1 - s.Beta) / s.Alpha)
}

var errBayesianPairs = errors.New("model bayesian: knows single games only, pairs need normalized or logistic")

// Penta returns where the test stands after these pairs. It looks at the total alone; a running test
// that must not leave a verdict again is a Sequential.
func (s SPRT) Penta(p Penta) (SPRTState, error) {
	if s.Model == Bayesian {
		return SPRTState{}, errBayesianPairs
	}
	if err := p.Validate(); err != nil {
		return SPRTState{}, err
	}
	return s.state(p.cells(), p.Pairs())
}

// WDL returns where the test stands after these games, taken as independent.
func (s SPRT) WDL(w WDL) (SPRTState, error) {
	if err := w.Validate(); err != nil {
		return SPRTState{}, err
	}
	return s.state(w.cells(), w.Games())
}

func (s SPRT) state(c cells, observed int) (SPRTState, error) {
	if err := s.Validate(); err != nil {
		return SPRTState{}, err
	}
	st := SPRTState{State: Continue}
	st.Lower, st.Upper = s.Bounds()
	st.StopLower, st.StopUpper = st.Lower, st.Upper
	if observed > 0 {
		st.LLR = s.llr(c)
	}
	switch {
	case st.LLR <= st.Lower:
		st.State = AcceptH0
	case st.LLR >= st.Upper:
		st.State = AcceptH1
	}
	return st, nil
}

func (s SPRT) llr(c cells) float64 {
	if s.Model == Normalized {
		t := math.Sqrt(c.perGame) / NEloPerSigma
		return c.llr(c.atT(s.Elo0*t), c.atT(s.Elo1*t))
	}
	return c.llr(c.atLead(s.lead(c, s.Elo0)), c.atLead(s.lead(c, s.Elo1)))
}

// lead returns the expected score less ½ of a strength in Elo of the model. That of the normalized model
// depends on the sample's standard deviation, that of the Bayesian one on its draw rate.
func (s SPRT) lead(c cells, elo float64) float64 {
	switch s.Model {
	case Logistic:
		return leadOfElo(elo)
	case Bayesian:
		loss, draw, win := c.p[0], c.p[1], c.p[2]
		return bayesLead(elo, 200*math.Log10((draw+win)/loss*(loss+draw)/win))
	}
	_, variance := c.moments()
	return elo * c.gameSigma(variance) / NEloPerSigma
}

// bayesLead returns the expected score less ½ in BayesElo's model: half of what wins exceed losses by.
func bayesLead(bayesElo, drawElo float64) float64 {
	return (ScoreOfElo(bayesElo-drawElo) - ScoreOfElo(-bayesElo-drawElo)) / 2
}
