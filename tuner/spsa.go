package tuner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// maxSPSA is the most pairs of a search.
const maxSPSA = 1_000_000_000

// SPSA searches parameters by games alone (Spall, "Multivariate stochastic approximation
// using a simultaneous perturbation gradient approximation", 1992): in each step all of
// them are moved at once, each up or down by chance, the two opposite configurations play
// pairs of games, and all move a little towards the side that won.
//
// With K pairs in all and k the number of the step's first pair, parameter i is perturbed
// by c = c_end·(K/k)^γ and moves by R·c·(wins − losses) in the direction of its
// perturbation, where R = r_end·(c_end/c)²·((A+K)/(A+k))^α; A = K/10. These are the
// sequences that the engine-testing services use, so that values of c_end and r_end can be
// taken over; a step of several pairs moves as far as as many steps of one.
//
// The path depends on the seed and the games alone.
type SPSA struct {
	Params []SPSAParam
	Steps  int
	Pairs  int // of each step
	Seed   uint64
	// Play plays the pairs of a step, from 0, and returns wins less losses of plus over
	// minus in all their games. Values of integers are whole numbers.
	Play func(ctx context.Context, step int, plus, minus []float64) (score float64, err error)
	// Stored is told of each step once it is done, and makes it durable.
	Stored func(ctx context.Context, s SPSAStep) error
}

// The exponents and the share of the stabilizing constant.
const (
	spsaAlpha = 0.602
	spsaGamma = 0.101
	spsaA     = 0.1
)

// SPSAStep is a step that is done.
type SPSAStep struct {
	Step   int       // from 0
	Values []float64 // of the parameters after it
	Score  float64   // wins less losses of plus
}

// SPSAParam is a parameter to search.
type SPSAParam struct {
	Name            string
	Integer         bool
	Start, Min, Max float64
	CEnd            float64 // perturbation in the last step
	REnd            float64 // how far a result moves it then, in perturbations
}

// DefaultREnd is the learning rate that is common for search parameters.
const DefaultREnd = 0.002

// ParseSPSAParam reads "Name, int, value, min, max, c_end, r_end", as OpenBench has it.
func ParseSPSAParam(line string) (SPSAParam, error) {
	const form = "want Name, int|float, value, min, max, c_end, r_end"
	f := strings.Split(line, ",")
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	if len(f) != 7 {
		return SPSAParam{}, fmt.Errorf("parameter %q: %d words, %s", line, len(f), form)
	}
	p := SPSAParam{Name: f[0], Integer: f[1] == "int"}
	if f[1] != "int" && f[1] != "float" {
		return SPSAParam{}, fmt.Errorf("parameter %q: type %q, %s", line, f[1], form)
	}
	for i, to := range []*float64{&p.Start, &p.Min, &p.Max, &p.CEnd, &p.REnd} {
		v, err := strconv.ParseFloat(f[2+i], 64)
		if err != nil {
			return SPSAParam{}, fmt.Errorf("parameter %q: %q is no number, %s", line, f[2+i], form)
		}
		*to = v
	}
	return p, p.Validate()
}

// String returns the line that ParseSPSAParam reads.
func (p SPSAParam) String() string {
	kind := "float"
	if p.Integer {
		kind = "int"
	}
	return fmt.Sprintf("%s, %s, %v, %v, %v, %v, %v", p.Name, kind, p.Start, p.Min, p.Max, p.CEnd, p.REnd)
}

// Validate finds what would waste the games.
func (p *SPSAParam) Validate() error {
	whole := func(v float64) bool { return v == math.Trunc(v) }
	bad := func(format string, args ...any) error {
		return fmt.Errorf("parameter %s: %s", p.Name, fmt.Sprintf(format, args...))
	}
	for _, v := range []float64{p.Start, p.Min, p.Max, p.CEnd, p.REnd} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return bad("%v is no finite number", v)
		}
	}
	switch {
	case p.Name == "":
		return errors.New("a parameter without a name")
	case p.Min >= p.Max:
		return bad("from %v to %v: the least value must be below the greatest", p.Min, p.Max)
	case p.Start < p.Min || p.Start > p.Max:
		return bad("value %v is outside %v to %v", p.Start, p.Min, p.Max)
	case p.Integer && !(whole(p.Start) && whole(p.Min) && whole(p.Max)):
		return bad("value %v, min %v and max %v must be whole numbers for an int", p.Start, p.Min, p.Max)
	case p.Integer && p.CEnd < 1:
		return bad("c_end %v: below 1 the two sides of an int would play with the same value; want 1 or more", p.CEnd)
	case p.CEnd <= 0:
		return bad("c_end %v, want more than 0", p.CEnd)
	case 2*p.CEnd > p.Max-p.Min:
		return bad("c_end %v: twice that is more than the range from %v to %v", p.CEnd, p.Min, p.Max)
	case p.REnd <= 0 || p.REnd > 1:
		return bad("r_end %v, want more than 0 and at most 1, such as %v", p.REnd, DefaultREnd)
	}
	return nil
}

// Validate finds what would waste the games.
func (s *SPSA) Validate() error {
	if len(s.Params) == 0 {
		return errors.New("no parameter to search")
	}
	if s.Steps < 1 || s.Pairs < 1 || s.Steps > maxSPSA/s.Pairs {
		return fmt.Errorf("%d steps of %d pairs, want 1 or more of both and at most %d pairs in all", s.Steps, s.Pairs, maxSPSA)
	}
	names := map[string]bool{}
	for i := range s.Params {
		if err := s.Params[i].Validate(); err != nil {
			return err
		}
		if names[s.Params[i].Name] {
			return fmt.Errorf("parameter %s is given twice", s.Params[i].Name)
		}
		names[s.Params[i].Name] = true
	}
	return nil
}

// Run plays the steps that are not among those done, which are all from the first, and
// returns the values after the last.
func (s *SPSA) Run(ctx context.Context, done []SPSAStep) ([]float64, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	values := make([]float64, len(s.Params))
	for i := range s.Params {
		values[i] = s.Params[i].Start
	}
	for i, d := range done {
		if d.Step != i || len(d.Values) != len(values) {
			return nil, fmt.Errorf("step %d with %d values in the place of step %d with %d", d.Step, len(d.Values), i, len(values))
		}
		values = d.Values
	}
	for step := len(done); step < s.Steps; step++ {
		m := s.move(step, values)
		score, err := s.Play(ctx, step, m.plus, m.minus)
		if err != nil {
			return nil, err
		}
		values = s.after(step, values, m, score)
		if err := s.Stored(ctx, SPSAStep{step, values, score}); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Sides returns the values that the two sides of a step play with, from those before it.
func (s *SPSA) Sides(step int, before []float64) (plus, minus []float64) {
	m := s.move(step, before)
	return m.plus, m.minus
}

// spsaMove is the perturbation of a step.
type spsaMove struct {
	flips       []float64 // 1 or −1
	plus, minus []float64
}

// perturbation returns c of a parameter in a step.
func (s *SPSA) perturbation(p *SPSAParam, step int) float64 {
	return p.CEnd * math.Pow(s.share(step), -spsaGamma)
}

// share returns k/K.
func (s *SPSA) share(step int) float64 {
	return float64(step*s.Pairs+1) / float64(s.Steps*s.Pairs)
}

func (s *SPSA) move(step int, values []float64) spsaMove {
	r := rand.New(rand.NewPCG(s.Seed, uint64(step)))
	n := len(s.Params)
	m := spsaMove{make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range s.Params {
		p := &s.Params[i]
		m.flips[i] = float64(1 - 2*int(r.Uint64()&1))
		c, round := s.perturbation(p, step)*m.flips[i], r.Float64()
		m.plus[i], m.minus[i] = p.value(values[i]+c, round), p.value(values[i]-c, round)
	}
	return m
}

// value brings a value into its range and rounds that of an integer up or down with a
// chance by its fraction, so that it is right in the mean.
func (p *SPSAParam) value(v, chance float64) float64 {
	v = min(max(v, p.Min), p.Max)
	if p.Integer {
		v = math.Floor(v + chance)
	}
	return min(v, p.Max)
}

// after returns the values after a step with a score.
func (s *SPSA) after(step int, values []float64, m spsaMove, score float64) []float64 {
	k, all := float64(step*s.Pairs+1), float64(s.Steps*s.Pairs)
	a := spsaA * all
	out := make([]float64, len(values))
	for i := range s.Params {
		p := &s.Params[i]
		c := s.perturbation(p, step)
		rate := p.REnd * (p.CEnd / c) * (p.CEnd / c) * math.Pow((a+all)/(a+k), spsaAlpha)
		out[i] = min(max(values[i]+rate*c*score*m.flips[i], p.Min), p.Max)
	}
	return out
}

// Final returns what the engine is given in the end: integers rounded.
func (p *SPSAParam) Final(v float64) float64 {
	if p.Integer {
		return math.Round(v)
	}
	return v
}
