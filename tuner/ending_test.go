package tuner

import (
	"math/rand/v2"
	"testing"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/results"
)

// TestFitScales draws results from known scales: those of common classes must be found, those
// of rare ones stay near where they were.
func TestFitScales(t *testing.T) {
	const k, rare = 0.004, 3
	truth := [...]int{16, 64, 100, 1}
	rng := rand.New(rand.NewPCG(1, 2))
	start := eval.Default()
	for i := range truth {
		start.Ending[i] = 48
	}
	path := synthetic(t, eval.Features, func(i int) Sample {
		s := Sample{MG: 0, EG: 1, Score: results.NoScore, Coefs: []Coef{{0, float64(rng.IntN(21) - 10), 0}}}
		s.Coefs[0].EG = s.Coefs[0].MG
		score := 100 * s.Coefs[0].MG
		if class := i % 8; class < len(truth) && (class != rare || i%16000 == rare) {
			s.Class, s.EG = class+1, 48.0/eval.ScaleMax
			score *= float64(truth[class]) / eval.ScaleMax
		}
		if rng.Float64() < sigmoid(k*score) {
			s.Result = 2
		}
		if score == 0 {
			s.Coefs = nil
		}
		return s
	}, 4000, 8)
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	r := &Result{Options: Options{Loss: Squared, Result: 1}, K: k, Start: Lost{Train: 0.15}, Weights: make([]Weight, 2*eval.Features)}
	r.Weights[1].Value = 100
	var first *ScaleFit
	for threads := 1; threads <= 2; threads++ {
		got, err := FitScales(t.Context(), d, start, r, threads)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		} else if *first != *got {
			t.Errorf("two threads: %v, one: %v", got, first)
		}
	}
	for i, v := range first.Ending {
		switch {
		case i == rare:
			if v < 24 || v > 72 {
				t.Errorf("the rare class has become %d", v)
			}
		case i < len(truth):
			if v < truth[i]*70/100-1 || v > truth[i]*130/100+1 {
				t.Errorf("class %d: %d, want about %d", i, v, truth[i])
			}
		case v != start.Ending[i]:
			t.Errorf("class %d, which never came, has become %d", i, v)
		}
	}
	if first.Validation.Mean <= 0 || first.Test.Mean < 3*first.Test.Error || first.Positions == 0 || first.Changed < 3 {
		t.Errorf("%+v", first)
	}
}
