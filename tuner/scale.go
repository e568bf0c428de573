package tuner

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"

	"github.com/xqlab/xqlab/results"
)

// scalePositions is how many positions the scale is fitted to at most, roughly.
const scalePositions = 2_000_000

// marginPositions is the same for the draw margin, whose search takes more steps.
const marginPositions = 200_000

// Bounds of the scale per centipawn: outside of them the scores say nothing about the
// results, or are not in centipawns.
const (
	minScale = 1e-4
	maxScale = 0.2
)

// scored is a position's score and result, for the scale.
type scored struct {
	score  float64
	result uint8
}

// fitScale fits k, and d for Ordered, to the scores that the start weights give. They are
// frozen afterwards: left free they would grow or shrink with all weights together.
func (f *fitting) fitScale() error {
	list, err := f.scores(f.start)
	if err != nil {
		return err
	}
	mean := func(m *model, stride int) float64 {
		sum, n := 0.0, 0
		for i := 0; i < len(list); i += stride {
			v, _, _ := m.at(list[i].score, int(list[i].result), results.NoScore)
			sum, n = sum+v, n+1
		}
		return sum / float64(n)
	}
	squared := model{loss: Squared, lambda: 1}
	if f.model.loss == CrossEntropy {
		squared.loss = CrossEntropy
	}
	f.model.k = golden(math.Log(minScale), math.Log(maxScale), func(x float64) float64 {
		squared.k = math.Exp(x)
		return mean(&squared, 1)
	})
	if f.model.k < 1.05*minScale || f.model.k > maxScale/1.05 {
		return fmt.Errorf("the scale fitted to the start weights is %.2g per centipawn, want %g to %g: their scores do not tell who wins; are they these games' and in centipawns? (--k sets the scale)",
			f.model.k, minScale, maxScale)
	}
	if f.model.loss == Ordered {
		return f.fitMargin(func(m *model) float64 { return mean(m, 1+len(list)/marginPositions) })
	}
	return nil
}

// golden returns e to the place in [a, b] where f is smallest; f has one valley there.
func golden(a, b float64, f func(float64) float64) float64 {
	const ratio = 0.6180339887498949
	x, y := b-ratio*(b-a), a+ratio*(b-a)
	fx, fy := f(x), f(y)
	for b-a > 1e-6 {
		if fx < fy {
			b, y, fy = y, x, fx
			x = b - ratio*(b-a)
			fx = f(x)
		} else {
			a, x, fx = x, y, fy
			y = a + ratio*(b-a)
			fy = f(y)
		}
	}
	return math.Exp((a + b) / 2)
}

// fitMargin fits k and the draw margin d of Ordered together, from where k is now.
func (f *fitting) fitMargin(mean func(*model) float64) error {
	at := func(x []float64) model {
		return model{loss: Ordered, k: math.Exp(x[0]), d: math.Exp(x[1]), lambda: 1}
	}
	p := optimize.Problem{Func: func(x []float64) float64 {
		m := at(x)
		if v := mean(&m); !math.IsNaN(v) {
			return v
		}
		return math.Inf(1)
	}}
	res, err := optimize.Minimize(p, []float64{math.Log(f.model.k * 1.5), math.Log(1 / f.model.k)}, &optimize.Settings{MajorIterations: 200,
		Converger: &optimize.FunctionConverge{Absolute: 1e-9, Iterations: 15}}, &optimize.NelderMead{})
	if err != nil && res == nil {
		return fmt.Errorf("fitting the draw margin: %w", err)
	}
	lambda := f.model.lambda
	f.model = at(res.X)
	f.model.lambda = lambda
	return nil
}

// scores returns scores and results of training positions, of a large set every stride-th
// block's.
func (f *fitting) scores(w vector) ([]scored, error) {
	stride := 1 + f.data.Sets[Train].Positions/scalePositions
	parts := make([][]scored, len(f.data.blocks[Train]))
	err := f.data.pass(f.ctx, Train, f.Threads, lanes, nil, func(_ int, b *block) {
		if b.index%stride != 0 {
			return
		}
		var r record
		list := make([]scored, 0, b.N)
		for it := (records{data: b.data}); it.next(&r); {
			list = append(list, scored{r.dot(w), uint8(r.result)})
		}
		parts[b.index] = list
	})
	var all []scored
	for _, p := range parts {
		all = append(all, p...)
	}
	return all, err
}

// drift returns the slope of the regression of the new scores on the old over the test
// set: how much larger the evaluation has become on the whole.
func (f *fitting) drift(old, now vector) (float64, error) {
	var sums [lanes][2]float64
	err := f.data.pass(f.ctx, Test, f.Threads, lanes, nil, func(lane int, b *block) {
		var r record
		for it := (records{data: b.data}); it.next(&r); {
			x := r.dot(old)
			sums[lane][0] += x * r.dot(now)
			sums[lane][1] += x * x
		}
	})
	var xy, xx float64
	for _, s := range sums {
		xy += s[0]
		xx += s[1]
	}
	if xx == 0 {
		return 0, err
	}
	return xy / xx, err
}
