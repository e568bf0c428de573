package stats

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// presets are the bounds that have names: a gain is the usual test, fast and strict trade length for
// resolution, simplify asks that a removal costs nothing.
var presets = []struct {
	name       string
	elo0, elo1 float64
}{{"gain", 0, 5}, {"fast", 0, 10}, {"strict", 0, 3}, {"simplify", -5, 0}}

// ParseSPRT reads a test as people write it: a preset (gain [0,5], fast [0,10], strict [0,3], simplify
// [-5,0]), two bounds "0,5" or "[0,5]", or fields "elo0=0,elo1=5,alpha=.05,beta=.05,model=normalized", which may also
// follow a preset or bounds. Commas and spaces separate. The empty text is gain; α and β are 0.05 and the model
// normalized unless given. The test is valid for pairs, so the bayesian model is refused. An error names the field and what would be
// right.
func ParseSPRT(text string) (SPRT, error) {
	p := sprtParser{text: text, test: SPRT{Model: Normalized, Elo0: presets[0].elo0, Elo1: presets[0].elo1, Alpha: 0.05, Beta: 0.05}}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t[]", r) })
	for _, w := range words {
		if err := p.word(w); err != nil {
			return SPRT{}, fmt.Errorf("sprt %q: %w", text, err)
		}
	}
	if err := p.finish(); err != nil {
		return SPRT{}, fmt.Errorf("sprt %q: %w", text, err)
	}
	return p.test, nil
}

type sprtParser struct {
	text   string
	test   SPRT
	preset bool
	bounds int // how many were given without a name
	seen   map[string]bool
}

func (p *sprtParser) word(w string) error {
	if name, value, ok := strings.Cut(w, "="); ok {
		return p.field(name, value)
	}
	for _, s := range presets {
		if w == s.name {
			if p.preset || p.bounds > 0 || len(p.seen) > 0 {
				return fmt.Errorf("%s: a preset comes first and alone", w)
			}
			p.preset, p.test.Elo0, p.test.Elo1 = true, s.elo0, s.elo1
			return nil
		}
	}
	bounds := []*float64{&p.test.Elo0, &p.test.Elo1}
	if p.preset || len(p.seen) > 0 || p.bounds == len(bounds) {
		return fmt.Errorf("%q: must be name=value with a name of elo0, elo1, alpha, beta, model", w)
	}
	v, err := strconv.ParseFloat(w, 64)
	if err != nil {
		if w == p.text {
			return errors.New("must be gain, fast, strict, simplify, two bounds as 0,5, or name=value")
		}
		return fmt.Errorf("%q: must be gain, fast, strict, simplify, two bounds as 0,5, or name=value", w)
	}
	*bounds[p.bounds] = v
	p.bounds++
	return nil
}

func (p *sprtParser) field(name, value string) error {
	if p.seen[name] {
		return fmt.Errorf("%s: given twice", name)
	}
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[name] = true
	if name == "model" {
		p.test.Model = Model(value)
		return nil
	}
	field, ok := map[string]*float64{
		"elo0": &p.test.Elo0, "elo1": &p.test.Elo1, "alpha": &p.test.Alpha, "beta": &p.test.Beta,
	}[name]
	if !ok {
		return fmt.Errorf("%q: no such field; there are elo0, elo1, alpha, beta, model", name)
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return fmt.Errorf("%s %q: must be a number", name, value)
	}
	*field = v
	return nil
}

func (p *sprtParser) finish() error {
	elo0, elo1 := p.seen["elo0"], p.seen["elo1"]
	switch {
	case p.bounds == 1:
		return fmt.Errorf("one bound only: must be two, as 0,5")
	case p.bounds == 2 && (elo0 || elo1), p.preset && (elo0 || elo1):
		return fmt.Errorf("elo0 or elo1 given twice")
	case elo0 != elo1:
		return fmt.Errorf("elo0 and elo1: must be given both, as elo0=0,elo1=5")
	case p.test.Model == Bayesian:
		return fmt.Errorf("model %q: must be normalized or logistic, pairs have no other", p.test.Model)
	}
	return p.test.Validate()
}

// String writes the test as ParseSPRT reads it.
func (s SPRT) String() string {
	return fmt.Sprintf("elo0=%v,elo1=%v,alpha=%v,beta=%v,model=%s", s.Elo0, s.Elo1, s.Alpha, s.Beta, s.Model)
}
