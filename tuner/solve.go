package tuner

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// A fit makes
//
//	mean loss + weight · ½ Σ ((w − start) / prior)²
//
// small. The weight is that of the prior beside n positions: the logarithm of a normal
// density with the standard deviation prior, in units of the loss. (For the squared error
// that unit is twice its mean, as if errors were normal.)
func (f *fitting) anchor(prior float64) float64 {
	return f.unit / float64(f.data.Sets[Train].Positions) / (prior * prior)
}

// penalized adds the prior to a slope, and takes frozen weights out of the gradient.
func (f *fitting) penalized(s slope, w vector, prior float64) (objective float64, grad []float64) {
	a := f.anchor(prior)
	objective = s.loss
	grad = make([]float64, 2*len(w))
	for i := range w {
		for p := range 2 {
			d := w[i][p] - f.start[i][p]
			objective += a * d * d / 2
			if !f.frozen[2*i+p] {
				grad[2*i+p] = s.grad[i][p] + a*d
			}
		}
	}
	return objective, grad
}

// norm returns the length of the gradient, without the prior, per standard deviation of
// the prior.
func (f *fitting) norm(g vector, prior float64) float64 {
	sum := 0.0
	for i := range g {
		for p, v := range g[i] {
			if !f.frozen[2*i+p] {
				sum += v * v
			}
		}
	}
	return math.Sqrt(sum) * prior
}

// tolerance is the relative decrease of the loss under which a solver has arrived.
const tolerance = 1e-9

// newton takes a Gauss–Newton step, halved until it helps.
func (f *fitting) newton(w vector, prior float64) (next vector, s slope, arrived bool, err error) {
	s, err = f.slopeAt(w)
	if err != nil {
		return nil, s, false, err
	}
	now, grad := f.penalized(s, w, prior)
	h, err := f.curvature(w)
	if err != nil {
		return nil, s, false, err
	}
	chol, err := f.factor(h, prior)
	if err != nil {
		return nil, s, false, err
	}
	step := mat.NewVecDense(len(grad), nil)
	if err := chol.SolveVecTo(step, mat.NewVecDense(len(grad), grad)); err != nil {
		if _, bad := err.(mat.Condition); !bad {
			return nil, s, false, fmt.Errorf("normal equations: %w", err)
		}
	}
	slopeAlong := -mat.Dot(step, mat.NewVecDense(len(grad), grad))
	for t := 1.0; t > 1e-3; t /= 2 {
		next = w.clone()
		for i := range next {
			next[i][0] -= t * step.AtVec(2*i)
			next[i][1] -= t * step.AtVec(2*i+1)
		}
		after, err := f.gradient(Train, next)
		if err != nil {
			return nil, s, false, err
		}
		then, _ := f.penalized(after, next, prior)
		if then <= now+1e-4*t*slopeAlong {
			f.known.w, f.known.s = next, after
			return next, after, now-then < tolerance*now, nil
		}
		if -slopeAlong < tolerance*now {
			break // rounding is all that is left
		}
	}
	return w.clone(), s, true, nil
}

// slopeAt returns the gradient at weights, which the step that led there has taken already.
func (f *fitting) slopeAt(w vector) (slope, error) {
	if k := &f.known; len(k.w) > 0 && &k.w[0] == &w[0] {
		return k.s, nil
	}
	return f.gradient(Train, w)
}

// factor adds the prior to the second derivative, sets frozen weights aside, and factors.
func (f *fitting) factor(h packed, prior float64) (*mat.Cholesky, error) {
	n := len(f.frozen)
	full := make([]float64, n*n)
	a := f.anchor(prior)
	for i := range n {
		for j, v := range h.row(i) {
			if f.frozen[i] || f.frozen[j] {
				v = 0
			}
			full[j*n+i] = v // the upper triangle is the one that is read
		}
		full[i*n+i] += a
	}
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(n, full)) {
		return nil, fmt.Errorf("the normal equations of %d weights are not positive definite: a feature holds numbers too large or no numbers", n)
	}
	return &chol, nil
}

// lbfgsRound is how many iterations make a step of LBFGS: where it begins anew, so that it
// can be resumed.
const lbfgsRound = 40

// lbfgs runs a round of L-BFGS on weights scaled by their curvature.
func (f *fitting) lbfgs(w vector, prior float64) (next vector, s slope, arrived bool, err error) {
	unit, err := f.scales(w, prior)
	if err != nil {
		return nil, s, false, err
	}
	at := func(x []float64) vector {
		v := w.clone()
		for i := range v {
			v[i][0] += x[2*i] * unit[2*i]
			v[i][1] += x[2*i+1] * unit[2*i+1]
		}
		return v
	}
	var last, grad []float64
	var value float64
	look := func(x []float64) {
		if last != nil && equal(x, last) || err != nil {
			return
		}
		var sl slope
		v := at(x)
		if sl, err = f.gradient(Train, v); err == nil {
			value, grad = f.penalized(sl, v, prior)
			for i := range grad {
				grad[i] *= unit[i]
			}
		}
		last = append(last[:0], x...)
	}
	p := optimize.Problem{
		Func: func(x []float64) float64 { look(x); return value },
		Grad: func(g, x []float64) { look(x); copy(g, grad) },
		Status: func() (optimize.Status, error) {
			if err != nil {
				return optimize.Failure, err
			}
			return optimize.NotTerminated, nil
		},
	}
	zero := make([]float64, 2*len(w))
	look(zero)
	if err != nil {
		return nil, s, false, err
	}
	before := value
	set := &optimize.Settings{MajorIterations: lbfgsRound, GradientThreshold: 1e-12 * (1 + before),
		Converger: &optimize.FunctionConverge{Relative: tolerance, Iterations: 5}, Concurrent: 1}
	res, minErr := optimize.Minimize(p, zero, set, &optimize.LBFGS{Store: 20})
	if err != nil {
		return nil, s, false, err
	}
	if res == nil {
		return nil, s, false, fmt.Errorf("L-BFGS: %w", minErr)
	}
	next = at(res.X)
	if s, err = f.gradient(Train, next); err != nil {
		return nil, s, false, err
	}
	return next, s, minErr != nil || res.Status != optimize.IterationLimit || before-res.F < tolerance*before, nil
}

func equal(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// scales returns one over the root of the diagonal of the second derivative, prior
// included; 0 for frozen weights.
func (f *fitting) scales(w vector, prior float64) ([]float64, error) {
	diag, err := f.diagonal(w)
	if err != nil {
		return nil, err
	}
	a := f.anchor(prior)
	for i := range diag {
		diag[i] = 1 / math.Sqrt(diag[i]+a)
		if f.frozen[i] {
			diag[i] = 0
		}
	}
	return diag, nil
}

// diagonal returns the diagonal of curvature.
func (f *fitting) diagonal(w vector) ([]float64, error) {
	n := 2 * len(w)
	sums := make([][]float64, lanes)
	err := f.data.pass(f.ctx, Train, f.Threads, lanes, &f.done, func(lane int, b *block) {
		if sums[lane] == nil {
			sums[lane] = make([]float64, n)
		}
		var j jacobian
		r := &j.r
		for it := (records{data: b.data}); it.next(r); {
			_, _, h := f.model.at(r.dot(w), r.result, r.score)
			for _, e := range j.of(r) {
				sums[lane][e.at] += h * e.v * e.v
			}
		}
	})
	t := make([]float64, n)
	for _, s := range sums {
		for i, v := range s {
			t[i] += v / float64(f.data.Sets[Train].Positions)
		}
	}
	return t, err
}
