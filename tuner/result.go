package tuner

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Weight is one weight of a fit.
type Weight struct {
	Feature int     `json:"feature"`
	Phase   int     `json:"phase"` // 0 middlegame, 1 endgame
	Name    string  `json:"name"`  // of the feature
	Start   float64 `json:"start"`
	Value   float64 `json:"value"` // before rounding
	Error   float64 `json:"error"` // standard error by game, the prior's width included; −1 unknown
	Count   int     `json:"count"` // training positions with the feature
	Prior   float64 `json:"prior"` // share of the prior in the value, 0 to 1
	Frozen  bool    `json:"frozen,omitempty"`
}

// PriorDecides is the share of the prior above which the data say next to nothing of a
// weight.
const PriorDecides = 0.8

// Decided reports whether the data rather than the prior decide the weight.
func (w *Weight) Decided() bool { return !w.Frozen && w.Prior <= PriorDecides }

// Rounded returns the weight as the evaluation holds it, an integer.
func (w *Weight) Rounded() int { return int(math.Round(w.Value)) }

// Change is a mean and its standard error, which takes the positions of a game for one
// observation.
type Change struct {
	Mean  float64 `json:"mean"`
	Error float64 `json:"error"`
}

// Lost are the losses of a set of weights. Test belongs to the rounded weights and is looked at
// once.
type Lost struct {
	Train      float64 `json:"train"`
	Validation float64 `json:"validation"`
	Test       float64 `json:"test"`
	Rounded    float64 `json:"rounded"` // on the validation set
}

// Result is what a fit found.
type Result struct {
	Options    Options     `json:"-"`
	K          float64     `json:"k"`      // per centipawn
	Margin     float64     `json:"margin"` // draw margin of Ordered, centipawns
	Prior      float64     `json:"prior"`  // standard deviation that was chosen or given
	Start      Lost        `json:"start"`  // of the start weights
	End        Lost        `json:"end"`
	Gain       Change      `json:"gain"`             // loss of the start less that of the rounded weights on the test set
	Drift      float64     `json:"drift"`            // new scores over old, by regression on the test set
	Condition  float64     `json:"condition"`        // of the normal equations, prior included; 0 unknown
	Determined float64     `json:"determined"`       // how many weights' worth the data decide
	Weights    []Weight    `json:"weights"`          // by feature, middlegame and endgame in turn
	Frozen     []GroupTest `json:"frozen,omitempty"` // score tests of what was frozen, the surest first; none where the normal equations are too large
	Unseen     []string    `json:"unseen"`           // features without a training position
	Steps      []Step      `json:"steps"`
	Calibration
}

// result measures the weights that were found.
func (f *fitting) result() (*Result, error) {
	best := f.cp.Best
	r := &Result{Options: f.Options, K: f.model.k, Margin: f.model.d, Prior: best.Prior, Unseen: f.data.Unseen(), Steps: f.cp.Steps}
	if r.Prior == 0 { // no prior was better than to stay
		r.Prior = f.priors[0]
	}
	r.Options.Resume = nil
	rounded := best.Weights.clone()
	for i := range rounded {
		for p := range 2 {
			rounded[i][p] = math.Round(rounded[i][p])
			if f.frozen[2*i+p] {
				rounded[i][p] = f.start[i][p]
			}
		}
	}
	if err := f.losses(r, best.Weights, rounded); err != nil {
		return nil, err
	}
	for i, n := range f.data.Features {
		for p := range 2 {
			r.Weights = append(r.Weights, Weight{Feature: i, Phase: p, Name: n, Start: f.start[i][p], Value: best.Weights[i][p],
				Error: -1, Count: f.data.Sets[Train].With[i], Prior: 1, Frozen: f.frozen[2*i+p]})
		}
	}
	if err := f.confidence(r, best.Weights); err != nil {
		return nil, err
	}
	var err error
	if r.Drift, err = f.drift(f.start, rounded); err != nil {
		return nil, err
	}
	r.Calibration, err = f.calibrate(rounded)
	return r, err
}

// losses measures start, end and rounded weights.
func (f *fitting) losses(r *Result, w, rounded vector) (err error) {
	for _, m := range []struct {
		to  *float64
		set Set
		w   vector
	}{
		{&r.Start.Train, Train, f.start}, {&r.Start.Validation, Validation, f.start}, {&r.Start.Test, Test, f.start},
		{&r.End.Train, Train, w}, {&r.End.Validation, Validation, w}, {&r.End.Rounded, Validation, rounded}, {&r.End.Test, Test, rounded},
	} {
		if *m.to, err = f.meanLoss(m.set, m.w); err != nil {
			return err
		}
	}
	r.Start.Rounded = r.Start.Validation
	r.Gain, err = f.gain(f.start, rounded)
	return err
}

// gain returns by how much the loss on the test set has fallen, and how sure that is.
func (f *fitting) gain(old, now vector) (Change, error) {
	type part struct{ sum, squares, n float64 }
	var sums [lanes]part
	games := float64(f.data.Sets[Test].Games)
	mean := 0.0
	for round := range 2 { // the mean first, then how games scatter around it
		sums = [lanes]part{}
		err := f.data.pass(f.ctx, Test, f.Threads, lanes, nil, func(lane int, b *block) {
			var r record
			p := &sums[lane]
			game, n := 0.0, 0.0
			closeGame := func() {
				p.sum += game
				p.squares += (game - n*mean) * (game - n*mean)
				p.n += n
				game, n = 0, 0
			}
			b.inOrder(&r, func() bool {
				if r.first {
					closeGame()
				}
				before, _, _ := f.model.at(r.dot(old), r.result, r.score)
				after, _, _ := f.model.at(r.dot(now), r.result, r.score)
				game += before - after
				n++
				return true
			})
			closeGame()
		})
		if err != nil {
			return Change{}, err
		}
		var t part
		for _, s := range sums {
			t.sum, t.squares, t.n = t.sum+s.sum, t.squares+s.squares, t.n+s.n
		}
		if round == 1 {
			return Change{mean, math.Sqrt(t.squares*games/max(games-1, 1)) / t.n}, nil
		}
		mean = t.sum / t.n
	}
	panic("tuner: not reached")
}

// confidence fills in errors, shares and score tests: with A the second derivative, prior included, and
// B the scatter of the games' gradients and of the prior's, the covariance of the weights
// is A⁻¹·B·A⁻¹ (the sandwich of a clustered M-estimator). The prior enters B as an
// observation of each weight with its standard deviation, so that of a weight without data
// the error is the prior's.
func (f *fitting) confidence(r *Result, w vector) error {
	a := f.anchor(r.Prior)
	if matrixLanes(2*len(w)) == 0 {
		return f.roughly(r, w, a)
	}
	h, err := f.curvature(w)
	if err != nil {
		return err
	}
	chol, err := f.factor(h, r.Prior)
	if err != nil {
		return err
	}
	r.Condition = min(chol.Cond(), math.MaxFloat64)
	n := 2 * len(w)
	inverse := mat.NewSymDense(n, nil)
	if err := chol.InverseTo(inverse); err != nil {
		if _, bad := err.(mat.Condition); !bad {
			return fmt.Errorf("inverting the normal equations: %w", err)
		}
	}
	s, err := f.scatter(w)
	if err != nil {
		return err
	}
	middle := mat.NewSymDense(n, nil)
	for i := range n {
		for j, v := range s.row(i) {
			if !f.frozen[i] && !f.frozen[j] {
				middle.SetSym(i, j, v)
			}
		}
		middle.SetSym(i, i, middle.At(i, i)+a*a*r.Prior*r.Prior)
	}
	var half mat.Dense
	half.Mul(mat.DenseCopyOf(middle), mat.DenseCopyOf(inverse)) // symmetric ones are multiplied element by element, which takes half a minute
	for i := range r.Weights {
		x := &r.Weights[i]
		if x.Frozen {
			x.Error = 0
			continue
		}
		v := 0.0
		for j := range n {
			v += inverse.At(i, j) * half.At(j, i)
		}
		x.Error = math.Sqrt(max(v, 0))
		x.Prior = min(a*inverse.At(i, i), 1)
		r.Determined += 1 - x.Prior
	}
	r.Frozen, err = f.scoreTests(r, w, h, s, inverse)
	return err
}

// roughly fills in the shares alone, as if weights did not depend on each other, where the
// matrix is too large.
func (f *fitting) roughly(r *Result, w vector, a float64) error {
	diag, err := f.diagonal(w)
	if err != nil {
		return err
	}
	for i := range r.Weights {
		if x := &r.Weights[i]; !x.Frozen {
			x.Prior = a / (diag[i] + a)
			r.Determined += 1 - x.Prior
		}
	}
	return nil
}
