package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat/distuv"
)

// Pairing is what two engines have done against each other.
type Pairing struct {
	A, B  int   // their indexes
	Pairs Penta // from A's view
}

// DefaultPrior is the standard deviation in Elo of a rating about the middle of its group before any
// game: wide enough to weigh less than one pair, narrow enough to keep a clean score finite.
const DefaultPrior = 500

// Ratings are the joint strengths of many engines.
type Ratings struct {
	Elo   []float64   // by engine; without an anchor in its group, relative to the group's mean
	Error []float64   // half the width of the interval of 95 %; 0 of an anchor
	LOS   [][]float64 // [i][j]: probability that i is stronger than j; ½ where the two cannot be compared
	// Groups are the engines that pairs connect, each in ascending order. Ratings of different groups can be compared only
	// when both hold an anchor.
	Groups [][]int
}

// Rate returns the joint ratings of n engines by maximum likelihood. anchors fixes the Elo of some of them; prior is the
// standard deviation of the others' δ, as Elo, about the middle of their group (the mean of its anchors, else 0),
// DefaultPrior when 0.
//
// The model is Bradley and Terry's with Davidson's draws (Davidson, 1970), carried over from games to pairs. Two games that are
// independent but for one opening, which adds β to the log-odds of Red, have half-points k of A with
//
//	P(k) ∝ w[k]·exp((k−2)·δ/2),  w = 1, 2ν·cosh(β/2), ν²+2cosh(β), 2ν·cosh(β/2), 1,
//
// δ being the difference in strength and ν the weight of a draw. Here w[1] = w[3] and w[2] are free parameters, shared by
// all pairings, and the likelihood is the product of P over whole pairs. So the pair is the observation, and how
// alike its games are is estimated with the strengths: with biased openings more pairs are level, the variance of a pair is smaller, and the
// error bars are narrower, as they should be. Errors come from the inverse of the Hessian of the log-posterior
// at its maximum, over strengths and weights together.
//
// Elo is δ·400/ln 10 times four times the slope of the expected score at δ = 0 (which is 1 without draws), so that small differences
// are those of Penta.Elo; BayesElo scales so too. Anchors that are apart are put on δ by the scale of a first fit
// without anchors; the posterior is then concave for any results, and its maximum the only one. The weights have a
// prior worth one pair, of independent games half of which are drawn.
func Rate(n int, pairings []Pairing, anchors map[int]float64, prior float64) (Ratings, error) {
	m, err := newRatingModel(n, pairings, nil, prior, 1)
	if err != nil {
		return Ratings{}, err
	}
	x, err := m.maximize()
	if err != nil {
		return Ratings{}, err
	}
	if len(anchors) > 0 {
		scale := newWeights(x[m.engines], x[m.engines+1]).scale
		if m, err = newRatingModel(n, pairings, anchors, prior, scale); err != nil {
			return Ratings{}, err
		}
		if x, err = m.maximize(); err != nil {
			return Ratings{}, err
		}
		m.scale = scale
	}
	cov, err := m.covariance(x)
	if err != nil {
		return Ratings{}, err
	}
	return m.ratings(x, cov), nil
}

// eloUnit is the unit of δ in the fit, as Elo: about the size of differences.
const eloUnit = 100

// deltaUnit is eloUnit as δ.
const deltaUnit = eloUnit * math.Ln10 / 400

// ratingModel is the log-posterior. Its parameters are the free engines' δ in eloUnit, then ln w[1] and ln w[2].
type ratingModel struct {
	n        int
	pairings []Pairing
	free     []int // parameter of each engine, −1 of an anchor
	fixed    []float64
	centre   []float64 // of the prior, by engine
	engines  int       // free ones
	prior    float64
	groups   [][]int
	anchored []bool  // by group
	group    []int   // by engine
	scale    float64 // of the anchors, 0 without any
}

func newRatingModel(n int, pairings []Pairing, anchors map[int]float64, prior, scale float64) (*ratingModel, error) {
	if prior == 0 {
		prior = DefaultPrior
	}
	if !(prior > 0 && prior <= 1e4) {
		return nil, fmt.Errorf("prior %v: must be above 0 and to 10000 Elo", prior)
	}
	m := &ratingModel{n: n, prior: prior, free: make([]int, n), fixed: make([]float64, n), centre: make([]float64, n)}
	for i, elo := range anchors {
		if i < 0 || i >= n || !(math.Abs(elo) <= 1e5) {
			return nil, fmt.Errorf("anchor of engine %d at %v: must be of an engine 0 to %d and within ±100000 Elo", i, elo, n-1)
		}
	}
	for i := range m.free {
		m.free[i] = -1
		if elo, ok := anchors[i]; ok {
			m.fixed[i] = elo / eloUnit / scale
			continue
		}
		m.free[i] = m.engines
		m.engines++
	}
	for _, p := range pairings {
		if p.A < 0 || p.A >= n || p.B < 0 || p.B >= n || p.A == p.B {
			return nil, fmt.Errorf("pairing of engines %d and %d: must be two of 0 to %d", p.A, p.B, n-1)
		}
		if err := p.Pairs.Validate(); err != nil {
			return nil, fmt.Errorf("pairing of engines %d and %d: %w", p.A, p.B, err)
		}
		if p.Pairs.Pairs() > 0 {
			m.pairings = append(m.pairings, p)
		}
	}
	m.connect()
	return m, nil
}

// connect finds the groups and the middles of their priors.
func (m *ratingModel) connect() {
	leader := make([]int, m.n)
	for i := range leader {
		leader[i] = i
	}
	find := func(i int) int {
		for leader[i] != i {
			leader[i] = leader[leader[i]]
			i = leader[i]
		}
		return i
	}
	for _, p := range m.pairings {
		a, b := find(p.A), find(p.B)
		leader[max(a, b)] = min(a, b)
	}
	m.group = make([]int, m.n)
	index := map[int]int{}
	for i := range m.n {
		g, ok := index[find(i)]
		if !ok {
			g = len(m.groups)
			index[find(i)] = g
			m.groups = append(m.groups, nil)
		}
		m.group[i] = g
		m.groups[g] = append(m.groups[g], i)
	}
	for _, members := range m.groups {
		sum, anchors := 0.0, 0
		for _, i := range members {
			if m.free[i] < 0 {
				sum += m.fixed[i]
				anchors++
			}
		}
		m.anchored = append(m.anchored, anchors > 0)
		for _, i := range members {
			if anchors > 0 {
				m.centre[i] = sum / float64(anchors)
			}
		}
	}
}

// weights are the pair weights with their scale: Elo is scale·δ·400/ln 10.
type weights struct {
	w     [5]float64
	scale float64
	byA   float64 // derivative of ln scale by a = ln w[1]
	byB   float64 // and by b = ln w[2]
}

func newWeights(a, b float64) weights {
	w1, w2 := math.Exp(a), math.Exp(b)
	total := 2 + 2*w1 + w2
	return weights{[5]float64{1, w1, w2, w1, 1}, (4 + w1) / total, w1/(4+w1) - 2*w1/total, -w2 / total}
}

// cells returns the probabilities of a pair's cells at difference δ and the logarithm of their sum before scaling.
func (w weights) cells(delta float64) (p [5]float64, lnZ float64) {
	shift, z := math.Abs(delta), 0.0 // the largest exponent, taken out against overflow
	for k := range p {
		p[k] = w.w[k] * math.Exp(float64(k-2)*delta/2-shift)
		z += p[k]
	}
	for k := range p {
		p[k] /= z
	}
	return p, math.Log(z) + shift
}

// rating returns an engine's δ in eloUnit.
func (m *ratingModel) rating(x []float64, engine int) float64 {
	if i := m.free[engine]; i >= 0 {
		return x[i]
	}
	return m.fixed[engine]
}

// loss returns the negative log-posterior and, unless grad is nil, its gradient.
func (m *ratingModel) loss(grad, x []float64) float64 {
	a, b := m.engines, m.engines+1
	w := newWeights(x[a], x[b])
	for i := range grad {
		grad[i] = 0
	}
	sum := m.weightPrior(grad, w, x[a], x[b])
	for _, pairing := range m.pairings {
		delta := (m.rating(x, pairing.A) - m.rating(x, pairing.B)) * deltaUnit
		p, lnZ := w.cells(delta)
		n, byDelta, cell := 0.0, 0.0, [3]float64{}
		for k, c := range pairing.Pairs {
			n += float64(c)
			byDelta += float64(c) * float64(k-2) / 2
			cell[min(k, 4-k)] += float64(c)
		}
		sum -= byDelta*delta + cell[1]*x[a] + cell[2]*x[b] - n*lnZ
		if grad == nil {
			continue
		}
		for k := range p {
			byDelta -= n * p[k] * float64(k-2) / 2
		}
		for _, e := range [2]struct {
			engine int
			sign   float64
		}{{pairing.A, 1}, {pairing.B, -1}} {
			if i := m.free[e.engine]; i >= 0 {
				grad[i] -= e.sign * byDelta * deltaUnit
			}
		}
		grad[a] -= cell[1] - n*(p[1]+p[3])
		grad[b] -= cell[2] - n*p[2]
	}
	return sum + m.ratingPrior(grad, x)
}

// weightPrior is one pair of independent games half of which are drawn.
func (m *ratingModel) weightPrior(grad []float64, w weights, a, b float64) float64 {
	const n1, n2 = 8. / 16, 6. / 16
	p, lnZ := w.cells(0)
	if grad != nil {
		grad[m.engines] -= n1 - (p[1] + p[3])
		grad[m.engines+1] -= n2 - p[2]
	}
	return lnZ - n1*a - n2*b
}

func (m *ratingModel) ratingPrior(grad, x []float64) (sum float64) {
	precision := (eloUnit / m.prior) * (eloUnit / m.prior)
	for e, i := range m.free {
		if i < 0 {
			continue
		}
		d := x[i] - m.centre[e]
		sum += precision * d * d / 2
		if grad != nil {
			grad[i] += precision * d
		}
	}
	return sum
}

// hessian sets h to the second derivatives of loss. In δ, a and b a pairing's likelihood is an exponential
// family, whose second derivative is the covariance of its statistics.
func (m *ratingModel) hessian(h *mat.SymDense, x []float64) {
	h.Zero()
	add := func(i, j int, v float64) {
		if i >= 0 && j >= 0 {
			h.SetSym(i, j, h.At(i, j)+v)
		}
	}
	a, b := m.engines, m.engines+1
	w := newWeights(x[a], x[b])
	for _, pairing := range m.pairings {
		p, _ := w.cells((m.rating(x, pairing.A) - m.rating(x, pairing.B)) * deltaUnit)
		n, cov := float64(pairing.Pairs.Pairs()), covarianceOf(p)
		at := [4]int{m.free[pairing.A], m.free[pairing.B], a, b}
		slope := [4][3]float64{{deltaUnit}, {-deltaUnit}, {0, 1}, {0, 0, 1}} // of δ, a and b
		for i := range at {
			for j := range i + 1 {
				add(at[i], at[j], n*quadratic(slope[i], cov, slope[j]))
			}
		}
	}
	m.priorHessian(add, w)
}

func (m *ratingModel) priorHessian(add func(i, j int, v float64), w weights) {
	p, _ := w.cells(0)
	cov := covarianceOf(p)
	a, b := m.engines, m.engines+1
	add(a, a, cov[1][1])
	add(a, b, cov[1][2])
	add(b, b, cov[2][2])
	for _, i := range m.free {
		add(i, i, (eloUnit/m.prior)*(eloUnit/m.prior))
	}
}

// covarianceOf returns that of (k−2)/2, of k being odd and of k = 2.
func covarianceOf(p [5]float64) (c [3][3]float64) {
	mean, odd, ends := (2*(p[4]-p[0])+p[3]-p[1])/2, p[1]+p[3], p[0]+p[4]
	c[0][0] = ends + odd/4 - mean*mean
	c[0][1] = (p[3]-p[1])/2 - mean*odd
	c[0][2] = -mean * p[2]
	c[1][1] = odd * (ends + p[2])
	c[1][2] = -odd * p[2]
	c[2][2] = p[2] * (ends + odd)
	c[1][0], c[2][0], c[2][1] = c[0][1], c[0][2], c[1][2]
	return c
}

func quadratic(x [3]float64, c [3][3]float64, y [3]float64) (sum float64) {
	for i := range x {
		for j := range y {
			sum += x[i] * c[i][j] * y[j]
		}
	}
	return sum
}

func (m *ratingModel) maximize() ([]float64, error) {
	x := make([]float64, m.engines+2)
	for e, i := range m.free {
		if i >= 0 {
			x[i] = m.centre[e]
		}
	}
	ends, one, level, total := 2./16, 8./16, 6./16, 1.0 // the prior's pair
	for _, p := range m.pairings {
		ends += float64(p.Pairs[0] + p.Pairs[4])
		one += float64(p.Pairs[1] + p.Pairs[3])
		level += float64(p.Pairs[2])
		total += float64(p.Pairs.Pairs())
	}
	x[m.engines], x[m.engines+1] = math.Log(one/ends), math.Log(2*level/ends) // right for equal engines
	problem := optimize.Problem{
		Func: func(x []float64) float64 { return m.loss(nil, x) },
		Grad: func(grad, x []float64) { m.loss(grad, x) },
		Hess: m.hessian,
	}
	settings := &optimize.Settings{GradientThreshold: 1e-9 * total, MajorIterations: 500}
	result, err := optimize.Minimize(problem, x, settings, &optimize.Newton{})
	if result == nil {
		return nil, fmt.Errorf("ratings: %w", err)
	}
	return m.polish(result.X)
}

// polish takes plain Newton steps to the maximum, near which a line search ends early: the loss of a million pairs no longer
// changes in its last digit there. What is left is judged by the gradient in units of the posterior.
func (m *ratingModel) polish(x []float64) ([]float64, error) {
	grad, step := mat.NewVecDense(len(x), nil), mat.NewVecDense(len(x), nil)
	h := mat.NewSymDense(len(x), nil)
	for range 30 {
		m.loss(grad.RawVector().Data, x)
		m.hessian(h, x)
		chol, err := factorize(h)
		if err != nil {
			return nil, err
		}
		if err := chol.SolveVecTo(step, grad); inexact(err) != nil {
			return nil, fmt.Errorf("ratings: %w", err)
		}
		left := mat.Dot(grad, step) // the square of the distance in standard deviations
		for i := range x {
			x[i] -= step.AtVec(i)
		}
		if left < 1e-8 {
			return x, nil
		}
	}
	return nil, errors.New("ratings: no maximum found")
}

func factorize(h *mat.SymDense) (*mat.Cholesky, error) {
	var chol mat.Cholesky
	if !chol.Factorize(h) {
		return nil, errors.New("ratings: no maximum found: the Hessian is not positive definite")
	}
	return &chol, nil
}

// inexact drops the notice that a matrix is ill-conditioned, which the priors bound.
func inexact(err error) error {
	if _, ok := err.(mat.Condition); ok {
		return nil
	}
	return err
}

// covariance returns that of the parameters, the inverse of the Hessian.
func (m *ratingModel) covariance(x []float64) (*mat.SymDense, error) {
	h := mat.NewSymDense(len(x), nil)
	m.hessian(h, x)
	chol, err := factorize(h)
	if err != nil {
		return nil, err
	}
	cov := mat.NewSymDense(len(x), nil)
	return cov, inexact(chol.InverseTo(cov))
}

// ratings reads the result off the parameters. Without an anchor the middle of a group means nothing: ratings
// and their errors are relative to its mean.
func (m *ratingModel) ratings(x []float64, cov mat.Symmetric) Ratings {
	r := Ratings{Elo: make([]float64, m.n), Error: make([]float64, m.n), LOS: make([][]float64, m.n), Groups: m.groups}
	w := newWeights(x[m.engines], x[m.engines+1])
	scale := w.scale * eloUnit
	if m.scale > 0 {
		scale = m.scale * eloUnit
	}
	dir := make([]*mat.VecDense, m.n) // the derivatives of engine i's Elo by the parameters
	for i := range m.n {
		mean, anchored := m.centre[i], m.anchored[m.group[i]]
		dir[i] = mat.NewVecDense(len(x), nil)
		members := m.groups[m.group[i]]
		if !anchored && len(members) > 1 {
			mean = 0
			for _, j := range members {
				mean += m.rating(x, j) / float64(len(members))
				dir[i].SetVec(m.free[j], -scale/float64(len(members)))
			}
		}
		r.Elo[i] = (m.rating(x, i) - mean) * scale
		if k := m.free[i]; k >= 0 {
			dir[i].SetVec(k, dir[i].AtVec(k)+scale)
			dir[i].SetVec(m.engines, r.Elo[i]*w.byA)
			dir[i].SetVec(m.engines+1, r.Elo[i]*w.byB)
		}
		if anchored {
			r.Elo[i] = m.rating(x, i) * scale
		}
	}
	sigma := func(v *mat.VecDense) float64 { return math.Sqrt(math.Max(0, mat.Inner(v, cov, v))) }
	for i := range m.n {
		r.Error[i] = Z95 * sigma(dir[i])
		r.LOS[i] = make([]float64, m.n)
		for j := range m.n {
			r.LOS[i][j] = 0.5
			if i == j || (m.group[i] != m.group[j] && !(m.anchored[m.group[i]] && m.anchored[m.group[j]])) {
				continue
			}
			var d mat.VecDense
			d.SubVec(dir[i], dir[j])
			r.LOS[i][j] = superiority(r.Elo[i]-r.Elo[j], sigma(&d))
		}
	}
	return r
}

func superiority(diff, sigma float64) float64 {
	switch {
	case sigma > 0:
		return distuv.UnitNormal.CDF(diff / sigma)
	case diff > 0: // two anchors
		return 1
	case diff < 0:
		return 0
	}
	return 0.5
}
