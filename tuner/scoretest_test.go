package tuner

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// candidates draws data whose last features are candidates: f6 matters, f7 does not, though
// it goes along with f0, which does.
func candidates(t *testing.T, seed uint64, games, each int, worth float64) (*truth, *Dataset) {
	t.Helper()
	truth := newTruth(seed, 7, 40)
	truth.weights[6] = [2]float64{worth, -worth / 2}
	shared := 0.0
	d, err := Open(synthetic(t, 8, func(i int) Sample {
		if i%each == 0 {
			truth.shock, shared = 80*truth.rng.NormFloat64(), math.Round(truth.rng.NormFloat64())
		}
		s := truth.sample()
		n := math.Round(truth.rng.NormFloat64()) + shared // alike within a game, so that its positions are not independent
		if len(s.Coefs) > 0 && s.Coefs[0].Index == 0 {
			n += s.Coefs[0].MG
		}
		if n != 0 {
			s.Coefs = append(s.Coefs, Coef{7, n, n})
		}
		return s
	}, games, each))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return truth, d
}

// TestScoreTest holds z and χ² to their laws where the frozen weights are right, and to be
// large where one is not.
func TestScoreTest(t *testing.T) {
	const rounds = 60
	var chi2, squares, most float64
	for seed := range uint64(rounds) {
		truth, d := candidates(t, 300+seed, 300, 8, 120)
		r := fit(t, d, Options{K: truth.k, Prior: 1000, Freeze: []string{"f6", "f7"}})
		if len(r.Frozen) != 2 || r.Frozen[0].Name != "f6" || r.Frozen[0].Z < 2 || r.Frozen[0].Gain <= 0 {
			t.Errorf("seed %d: the candidate that matters does not stand first: %+v", seed, r.Frozen)
		}
		null := r.Frozen[len(r.Frozen)-1]
		chi2 += null.Chi2
		for _, w := range null.Weights {
			squares += w.Z * w.Z
			most = max(most, math.Abs(w.Z))
		}
		if null.Freedom != 2 || null.Gain > r.Frozen[0].Gain {
			t.Errorf("seed %d: %+v", seed, null)
		}
	}
	mean, square := chi2/rounds, squares/(2*rounds)
	t.Logf("what does not matter: mean χ² of two %.2f, mean z² %.2f, largest |z| %.2f", mean, square, most)
	if mean < 1.2 || mean > 2.8 || square < 0.65 || square > 1.4 || most > 4.5 {
		t.Errorf("mean χ² %v, want about 2; mean z² %v, want about 1; largest |z| %v", mean, square, most)
	}
}

// TestScoreStep: the step that a test expects is the one a fit makes.
func TestScoreStep(t *testing.T) {
	truth, d := candidates(t, 400, 3000, 6, 20)
	for _, prior := range []float64{10, 1000} {
		for _, name := range []string{"f6:mg", "f6:eg", "f7:mg", "f7:eg"} {
			frozen := fit(t, d, Options{K: truth.k, Prior: prior, Loss: CrossEntropy, Freeze: []string{name}})
			free := fit(t, d, Options{K: truth.k, Prior: prior, Loss: CrossEntropy})
			w := frozen.Frozen[0].Weights[0]
			i := slices.IndexFunc(free.Weights, func(x Weight) bool { return x.Name == w.Name && x.Phase == w.Phase })
			if x := free.Weights[i]; math.Abs(w.Step-x.Value) > 0.1*math.Abs(x.Value)+0.3 || math.Abs(w.Z-x.Value/x.Error) > 0.15*math.Abs(w.Z)+0.3 && prior > 100 {
				t.Errorf("prior %v: %s is expected at %v (z %v), fitted %v ± %v", prior, name, w.Step, w.Z, x.Value, x.Error)
			}
		}
	}
}

// TestScoreDependent: weights that others stand for, frozen or free, are no further degrees
// of freedom, and nothing is said of what never occurs.
func TestScoreDependent(t *testing.T) {
	truth := newTruth(410, 4, 40)
	d, err := Open(synthetic(t, 7, func(int) Sample {
		s := truth.sample()
		for _, c := range s.Coefs {
			if c.Index == 1 { // 4 and 5 stand for each other, together with no one else
				c.Index = 4
				s.Coefs = append(s.Coefs, c, Coef{5, -c.MG, -c.EG})
				break
			}
		}
		return s
	}, 500, 4))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	r := fit(t, d, Options{K: truth.k, Prior: 1e6, Freeze: []string{"f1", "f4", "f5", "f6"}})
	if len(r.Frozen) != 3 {
		t.Fatalf("%d groups", len(r.Frozen))
	}
	for _, g := range r.Frozen {
		if g.Freedom != 2 || g.Name == "f6" {
			t.Errorf("%s has %d degrees of freedom", g.Name, g.Freedom)
		}
	}
	r = fit(t, d, Options{K: truth.k, Prior: 1e6, Freeze: []string{"f4", "f5"}})
	for _, g := range r.Frozen { // f1, which is free, is what they are
		if math.IsNaN(g.Z+g.Chi2+g.Gain) || g.Chi2 > 12 {
			t.Errorf("%+v", g)
		}
	}
	// One group of both.
	d.Features = slices.Clone(d.Features)
	for i := range d.Features[4:6] {
		d.Features[4+i] = fmt.Sprintf("pair[%d]", i)
	}
	r = fit(t, d, Options{K: truth.k, Prior: 1e6, Freeze: []string{"f1", "pair"}})
	if len(r.Frozen) != 2 {
		t.Fatalf("%d groups", len(r.Frozen))
	}
	for _, g := range r.Frozen {
		if g.Freedom != 2 || len(g.Weights) != map[string]int{"f1": 2, "pair": 4}[g.Name] {
			t.Errorf("%+v", g)
		}
	}
}

// TestScoreSameBits: tests do not depend on the number of threads, and large data or no
// frozen weights leave them out.
func TestScoreSameBits(t *testing.T) {
	truth, d := candidates(t, 420, 400, 4, 20)
	o := Options{K: truth.k, Prior: 100, Freeze: []string{"f6", "f7:mg"}, Threads: 1}
	want := fit(t, d, o)
	o.Threads = 3
	if got := fit(t, d, o); !reflect.DeepEqual(got.Frozen, want.Frozen) || len(got.Frozen) != 2 {
		t.Errorf("%+v, want %+v", got.Frozen, want.Frozen)
	}
	o.Freeze = nil
	if got := fit(t, d, o); got.Frozen != nil {
		t.Errorf("%+v without frozen weights", got.Frozen)
	}
}

func TestDeviate(t *testing.T) {
	for _, k := range []int{1, 2, 3, 10, 100} {
		for _, z := range []float64{-2.5, -1, -0.1, 0, 0.05, 0.3, 1, 2, 3, 5, 7} {
			p := distuv.UnitNormal.Survival(z)
			x := distuv.ChiSquared{K: float64(k)}.Quantile(1 - p)
			if got := deviate(x, k); math.Abs(got-z) > 0.06 {
				t.Errorf("χ² %v of %d is %v, want %v", x, k, got, z)
			}
		}
	}
	if z := deviate(1e6, 1); math.Abs(z-1000) > 1 || !(deviate(0, 1) < -5) || deviate(5, 0) != 0 {
		t.Errorf("%v", z)
	}
}
