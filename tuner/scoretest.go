package tuner

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// GroupTest is the score test (Rao's) of the frozen weights of a group: how strongly the
// training data want to move them from where they stand, told from the slope of the loss at
// the fitted values of the others, without a fit. It is what to rank candidates for new
// features by, which enter the data with weights of 0, frozen.
//
// What the others could do instead is taken out of the slope. With H the second derivative,
// A that of the free weights, prior included, and g the gradient, the efficient slope of the
// frozen weights is s = g_f − H_fa·A⁻¹·g_a, and its variance V that of the games' efficient
// slopes, a game being one observation, with the prior of the free weights as one of each as
// in the standard errors. Then s′V⁻¹s is χ² if the frozen weights are right.
type GroupTest struct {
	Name    string       `json:"name"`    // what stands before "[" in the features' names
	Freedom int          `json:"df"`      // frozen weights with training positions, less those that others of the group stand for
	Chi2    float64      `json:"chi2"`    // about Freedom if they are right
	Z       float64      `json:"z"`       // standard normal deviate as improbable as Chi2
	Gain    float64      `json:"gain"`    // loss that freeing the group is expected to save on games not fitted to
	Weights []WeightTest `json:"weights"` // each alone, the surest first
}

// WeightTest is the score test of one frozen weight.
type WeightTest struct {
	Name  string  `json:"name"`
	Phase int     `json:"phase"` // 0 middlegame, 1 endgame
	Count int     `json:"count"` // training positions with the feature
	Z     float64 `json:"z"`     // standard normal if the weight is right; positive wants more
	Step  float64 `json:"step"`  // change in centipawns that a fit with this weight freed, under the same prior, is expected to make
	Gain  float64 `json:"gain"`  // as of a group
}

// slopes are the efficient slopes of the frozen weights, what they scatter, and their own
// curvature when the free weights follow.
type slopes struct {
	weights  []int // rows of the matrix
	s        []float64
	variance *mat.Dense
	curve    *mat.Dense // without the prior
	raw      []float64  // scatter of the slopes before the free weights' part is taken out
	anchor   float64
}

// scoreTests tests the frozen weights that have training positions, the surest group first.
// h, scatter and inverse are what confidence has: the inverse is of the second derivative
// of the free weights, prior included.
func (f *fitting) scoreTests(r *Result, w vector, h, scatter packed, inverse *mat.SymDense) ([]GroupTest, error) {
	var frozen []int
	for i := range r.Weights {
		if x := &r.Weights[i]; x.Frozen && x.Count > 0 {
			frozen = append(frozen, i)
		}
	}
	if len(frozen) == 0 {
		return nil, nil
	}
	g, err := f.gradient(Train, w)
	if err != nil {
		return nil, err
	}
	e := f.efficient(frozen, g, w, r.Prior, h, scatter, inverse)
	var list []GroupTest
	for from := 0; from < len(frozen); { // neighbours in the data, as groups are
		name := groupOf(r.Weights[frozen[from]].Name)
		to := from + 1
		for to < len(frozen) && groupOf(r.Weights[frozen[to]].Name) == name {
			to++
		}
		t := e.group(from, to)
		t.Name = name
		for i := from; i < to; i++ {
			x := &r.Weights[frozen[i]]
			one := e.weight(i)
			one.Name, one.Phase, one.Count = x.Name, x.Phase, x.Count
			t.Weights = append(t.Weights, one)
		}
		slices.SortStableFunc(t.Weights, func(a, b WeightTest) int { return cmp.Compare(math.Abs(b.Z), math.Abs(a.Z)) })
		list = append(list, t)
		from = to
	}
	slices.SortStableFunc(list, func(a, b GroupTest) int { return cmp.Compare(b.Z, a.Z) })
	return list, nil
}

// groupOf returns the group of a feature's name.
func groupOf(name string) string {
	group, _, _ := strings.Cut(name, "[")
	return group
}

// efficient takes what the free weights explain out of the slopes of the frozen ones.
func (f *fitting) efficient(frozen []int, g slope, w vector, prior float64, h, scatter packed, inverse *mat.SymDense) *slopes {
	n, m, a := len(f.frozen), len(frozen), f.anchor(prior)
	at := func(p packed, i, j int) float64 { return p.row(max(i, j))[min(i, j)] }
	// Columns of the second derivative, all rows and those of free weights alone.
	columns, free := mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
	for i := range n {
		for j, k := range frozen {
			v := at(h, i, k)
			columns.Set(i, j, v)
			if !f.frozen[i] {
				free.Set(i, j, v)
			}
		}
	}
	// out turns slopes of all weights into efficient ones: the identity for the frozen,
	// less what the free ones take out.
	var out, priors mat.Dense
	out.Mul(mat.DenseCopyOf(inverse), free)
	priors.Mul(out.T(), &out)
	out.Scale(-1, &out)
	for j, k := range frozen {
		out.Set(k, j, 1)
	}
	_, grad := f.penalized(g, w, prior)
	e := &slopes{weights: frozen, s: make([]float64, m), raw: make([]float64, m), variance: new(mat.Dense), curve: new(mat.Dense), anchor: a}
	for j, k := range frozen {
		grad[k] = g.grad[k/2][k%2]
		e.raw[j] = at(scatter, k, k)
	}
	for j := range m {
		for i, v := range grad {
			e.s[j] += out.At(i, j) * v
		}
	}
	full := mat.NewDense(n, n, nil)
	for i := range n {
		for j, v := range scatter.row(i) {
			full.Set(i, j, v)
			full.Set(j, i, v)
		}
	}
	var half mat.Dense
	half.Mul(full, &out)
	e.variance.Mul(out.T(), &half)
	priors.Scale(a*a*prior*prior, &priors)
	e.variance.Add(e.variance, &priors)
	e.curve.Mul(out.T(), columns)
	return e
}

// independent is the least share of a slope's scatter that must be left of a direction for
// it to count: below, it is rounding, of weights that others stand for.
const independent = 1e-7

// group tests the frozen weights from, …, to−1 together.
func (e *slopes) group(from, to int) (t GroupTest) {
	n := to - from
	v, c := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	s := make([]float64, n)
	scale := func(i int) float64 {
		if e.raw[from+i] <= 0 {
			return 0
		}
		return 1 / math.Sqrt(e.raw[from+i])
	}
	for i := range n {
		s[i] = e.s[from+i] * scale(i)
		for j := range i + 1 {
			v.SetSym(i, j, (e.variance.At(from+i, from+j)+e.variance.At(from+j, from+i))/2*scale(i)*scale(j))
			c.SetSym(i, j, (e.curve.At(from+i, from+j)+e.curve.At(from+j, from+i))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(v, true) {
		return t // numbers that are none, which the weights' errors have told already
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for k, value := range eigen.Values(nil) {
		if value <= independent {
			continue
		}
		x := 0.0
		for i := range n {
			x += vectors.At(i, k) * s[i]
		}
		t.Chi2 += x * x / value
		t.Freedom++
	}
	t.Z = deviate(t.Chi2, t.Freedom)
	t.Gain = e.gain(from, to, c)
	return t
}

// gain returns by how much the loss of new games is expected to fall when the weights are
// freed: with δ the step they make, the fall −s′δ − ½δ′cδ on the training games less tr(E⁻¹V),
// by which a step that was chosen on the same games flatters itself; E is the curvature c with
// the prior.
func (e *slopes) gain(from, to int, c *mat.SymDense) float64 {
	n := to - from
	withPrior := mat.NewSymDense(n, nil)
	withPrior.CopySym(c)
	for i := range n {
		withPrior.SetSym(i, i, c.At(i, i)+e.anchor)
	}
	var chol mat.Cholesky
	if !chol.Factorize(withPrior) {
		return 0
	}
	s := mat.NewVecDense(n, e.s[from:to])
	var step mat.VecDense
	var flattery mat.Dense
	// A condition that is bad is no error: the prior bounds every direction.
	_ = chol.SolveVecTo(&step, s)
	_ = chol.SolveTo(&flattery, e.variance.Slice(from, to, from, to))
	return mat.Dot(&step, s) - mat.Inner(&step, c, &step)/2 - mat.Trace(&flattery)
}

// weight tests one frozen weight.
func (e *slopes) weight(i int) (t WeightTest) {
	v, c := e.variance.At(i, i), max(e.curve.At(i, i), 0)
	if v > independent*e.raw[i] {
		t.Z = -e.s[i] / math.Sqrt(v)
	}
	curve := c + e.anchor
	t.Step = -e.s[i] / curve
	t.Gain = -e.s[i]*t.Step - c*t.Step*t.Step/2 - v/curve
	return t
}

// deviate returns the standard normal deviate that is exceeded as seldom as χ² with so many
// degrees of freedom: Barndorff-Nielsen's r*, which is as good where the probability itself has
// run out of digits, and Wilson and Hilferty's approximation near the mean, where r* is 0/0.
func deviate(chi2 float64, freedom int) float64 {
	if freedom == 0 {
		return 0
	}
	k, x := float64(freedom)/2, max(chi2, 1e-300)/2 // of the gamma law
	r := math.Copysign(math.Sqrt(2*max(x-k-k*math.Log(x/k), 0)), x-k)
	if math.Abs(r) < 0.1 {
		return (math.Cbrt(x/k) - 1 + 1/(9*k)) * 3 * math.Sqrt(k)
	}
	return r + math.Log((x-k)/(math.Sqrt(k)*r))/r
}
