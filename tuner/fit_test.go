package tuner

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xqlab/xqlab/results"
)

// truth draws data from known weights: positions of a game share some of their features,
// and results follow the model.
type truth struct {
	features int
	weights  vector
	k        float64
	rng      *rand.Rand
	luck     float64 // standard deviation in centipawns of what all positions of a game share
	shock    float64
}

func newTruth(seed uint64, features int, spread float64) *truth {
	t := &truth{features: features, k: 0.006, rng: rand.New(rand.NewPCG(seed, 7))}
	for range features {
		t.weights = append(t.weights, [2]float64{spread * t.rng.NormFloat64(), spread * t.rng.NormFloat64()})
	}
	return t
}

// sample draws a position of which each feature is present with one in three.
func (t *truth) sample() Sample {
	phase := float64(t.rng.IntN(17)) / 16
	s := Sample{MG: phase, EG: 1 - phase, Score: results.NoScore}
	score := t.shock
	for i := range t.features {
		if t.rng.IntN(3) > 0 {
			continue
		}
		c := Coef{i, float64(t.rng.IntN(5) - 2), 0}
		if c.EG = c.MG; i%7 == 6 {
			c.EG += 0.5
		}
		if c.MG == 0 && c.EG == 0 {
			continue
		}
		s.Coefs = append(s.Coefs, c)
		score += s.MG*c.MG*t.weights[i][0] + s.EG*c.EG*t.weights[i][1]
	}
	s.Result = t.outcome(sigmoid(t.k * score))
	return s
}

// outcome draws a result with the expectation p, draws included.
func (t *truth) outcome(p float64) int {
	draw := min(p, 1-p)
	switch x := t.rng.Float64(); {
	case x < p-draw/2:
		return 2
	case x < p+draw/2:
		return 1
	}
	return 0
}

// data writes games of each positions.
func (t *truth) data(tb testing.TB, games, each int) *Dataset {
	tb.Helper()
	d, err := Open(synthetic(tb, t.features, func(i int) Sample {
		if i%each == 0 {
			t.shock = t.luck * t.rng.NormFloat64()
		}
		return t.sample()
	}, games, each))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { d.Close() })
	return d
}

func fit(t *testing.T, d *Dataset, o Options) *Result {
	t.Helper()
	if o.Start == nil {
		o.Start = make(vector, len(d.Features))
	}
	r, err := Fit(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecovery(t *testing.T) {
	for _, solver := range []Solver{GaussNewton, LBFGS} {
		for _, loss := range Losses {
			if testing.Short() && loss == Ordered {
				continue // whose scale takes a second
			}
			t.Run(string(solver)+" "+string(loss), func(t *testing.T) {
				truth := newTruth(1, 16, 60)
				d := truth.data(t, 3000, 5)
				o := Options{Loss: loss, Solver: solver, Prior: 1000, K: truth.k}
				if loss == Ordered {
					o.K = 0
					o.Start = truth.weights.clone() // its scale needs scores
					for i := range o.Start {
						o.Start[i][0] += 20 * float64(i%3-1)
					}
				}
				r := fit(t, d, o)
				slope := 1.0
				if loss == Ordered { // the model is another: weights agree but for the scale
					slope = r.Drift
				}
				far := 0
				for i, w := range r.Weights {
					want := truth.weights[i/2][i%2] * slope
					if math.Abs(w.Value-want) > 3.5*w.Error+1 {
						far++
					}
					if w.Error < 1 || w.Error > 20 || w.Prior > 0.1 || w.Count == 0 {
						t.Errorf("%s phase %d: %+v", w.Name, w.Phase, w)
					}
				}
				if far > 0 && loss != Ordered {
					t.Errorf("%d of %d weights far from the truth", far, len(r.Weights))
				}
				if loss != Ordered && (r.Gain.Mean < 5*r.Gain.Error || r.End.Test >= r.Start.Test || math.Abs(r.End.Rounded-r.End.Validation) > 1e-4) {
					t.Errorf("losses %+v, %+v, gain %+v", r.Start, r.End, r.Gain)
				}
			})
		}
	}
}

// TestSolversAgree holds Gauss–Newton and L-BFGS to the same optimum.
func TestSolversAgree(t *testing.T) {
	truth := newTruth(2, 15, 50)
	d := truth.data(t, 600, 6)
	for _, loss := range []Loss{Squared, CrossEntropy} {
		a := fit(t, d, Options{Loss: loss, Prior: 30, K: truth.k})
		b := fit(t, d, Options{Loss: loss, Prior: 30, K: truth.k, Solver: LBFGS})
		for i := range a.Weights {
			if x, y := a.Weights[i], b.Weights[i]; math.Abs(x.Value-y.Value) > 0.05 || math.Abs(x.Error-y.Error) > 0.01 {
				t.Errorf("%s: %s %v ± %v, %v ± %v", loss, x.Name, x.Value, x.Error, y.Value, y.Error)
			}
		}
	}
}

// newFitting prepares a fit that is not begun.
func newFitting(t *testing.T, d *Dataset, o Options) *fitting {
	t.Helper()
	f := &fitting{Options: o, ctx: t.Context(), data: d}
	if err := f.prepare(); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestGradientAndCurvature(t *testing.T) {
	truth := newTruth(3, 9, 60)
	d := truth.data(t, 120, 4)
	for _, loss := range Losses {
		for _, share := range []float64{1, 0.6} {
			f := newFitting(t, d, Options{Loss: loss, Start: make(vector, 9)})
			f.model.k, f.model.d, f.model.lambda = 0.006, 80, share
			w := truth.weights
			s, err := f.gradient(Train, w)
			if err != nil {
				t.Fatal(err)
			}
			for i := range w {
				for p := range 2 {
					const h = 1e-3
					up, down := w.clone(), w.clone()
					up[i][p] += h
					down[i][p] -= h
					a, _ := f.meanLoss(Train, up)
					b, _ := f.meanLoss(Train, down)
					if want := (a - b) / (2 * h); math.Abs(want-s.grad[i][p]) > 1e-9+1e-5*math.Abs(want) {
						t.Errorf("%s %v: gradient %d.%d is %v, by differences %v", loss, share, i, p, s.grad[i][p], want)
					}
				}
			}
		}
	}
	// The matrix against one built densely.
	f := newFitting(t, d, Options{Start: make(vector, 9)})
	f.model.k = 0.006
	h, err := f.curvature(truth.weights)
	if err != nil {
		t.Fatal(err)
	}
	dense := make([][18]float64, 18)
	n := 0.0
	d.each(Train, func(r *record) bool {
		var x [18]float64
		for _, c := range r.coefs(nil) {
			x[2*c.Index], x[2*c.Index+1] = r.mg*c.MG, r.eg*c.EG
		}
		_, _, v := f.model.at(r.dot(truth.weights), r.result, r.score)
		for i := range dense {
			for j := range dense[i] {
				dense[i][j] += v * x[i] * x[j]
			}
		}
		n++
		return true
	})
	for i := range dense {
		for j := range i + 1 {
			if got, want := h.row(i)[j], dense[i][j]/n; math.Abs(got-want) > 1e-12+1e-9*math.Abs(want) {
				t.Errorf("curvature %d,%d is %v, densely %v", i, j, got, want)
			}
		}
	}
}

// TestSameBits holds fits with one, two and three threads, and resumed ones, to the same
// bits.
func TestSameBits(t *testing.T) {
	truth := newTruth(4, 8, 40)
	d := truth.data(t, 1000, 5)
	if len(d.blocks[Train]) < 2*lanes {
		t.Fatal("too few blocks")
	}
	for _, solver := range []Solver{GaussNewton, LBFGS} {
		var saved [][]byte
		o := Options{Solver: solver, Threads: 1, K: truth.k, Save: func(_ Step, b []byte) error {
			saved = append(saved, b)
			return nil
		}}
		if testing.Short() {
			o.Prior = 30 // one trial instead of nine
		}
		want := fit(t, d, o)
		same := func(name string, got *Result) {
			t.Helper()
			a, b := *want, *got
			a.Options, b.Options = Options{}, Options{}
			a.Steps, b.Steps = untimed(a.Steps), untimed(b.Steps)
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%s, %s: another result", solver, name)
			}
		}
		o.Save = nil
		for threads := 2; threads <= 3; threads++ {
			o.Threads = threads
			procs := runtime.GOMAXPROCS(threads)
			same(fmt.Sprint(threads, " threads"), fit(t, d, o))
			runtime.GOMAXPROCS(procs)
		}
		for i, b := range saved {
			if i%6 == 1 || i == len(saved)-1 {
				o.Resume = b
				same(fmt.Sprint("resumed at ", i), fit(t, d, o))
			}
		}
	}
}

func untimed(steps []Step) []Step {
	out := slices.Clone(steps)
	for i := range out {
		out[i].At = time.Time{}
	}
	return out
}

// TestCoverage holds standard errors to what they promise: of many samples, the interval
// of two errors holds the truth as often as it should, though all positions of a game
// share its luck.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("statistics of many fits; not with -short")
	}
	in, all := 0, 0
	var ratio float64
	const rounds = 40
	for seed := range uint64(rounds) {
		truth := newTruth(100+seed, 6, 40)
		truth.luck = 150
		d := truth.data(t, 500, 12)
		// Luck makes weights smaller on the whole, so the truth is not what is estimated;
		// compare two halves of the world instead.
		other := truth.data(t, 500, 12)
		a := fit(t, d, Options{Prior: 1e4, K: truth.k, Loss: CrossEntropy})
		b := fit(t, other, Options{Prior: 1e4, K: truth.k, Loss: CrossEntropy})
		for i := range a.Weights {
			x, y := a.Weights[i], b.Weights[i]
			se := math.Hypot(x.Error, y.Error)
			z := (x.Value - y.Value) / se
			ratio += z * z
			all++
			if math.Abs(z) < 1.96 {
				in++
			}
		}
	}
	share := float64(in) / float64(all)
	t.Logf("%.1f %% of %d within 1.96 errors, mean z² %.3f", 100*share, all, ratio/float64(all))
	if share < 0.915 || share > 0.98 {
		t.Errorf("%.1f %% within 1.96 errors, want about 95", 100*share)
	}
}

// TestPriorDecides holds what is said of weights that the data do not touch.
func TestPriorDecides(t *testing.T) {
	truth := newTruth(5, 10, 50)
	d, err := Open(synthetic(t, 12, func(i int) Sample { return truth.sample() }, 1500, 4)) // two more than are ever drawn
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	start := make(vector, 12)
	start[10] = [2]float64{33, -7}
	r := fit(t, d, Options{Start: start, K: truth.k, Prior: 50, Freeze: []string{"f1:mg", "f3*"}})
	for _, w := range r.Weights {
		switch {
		case w.Feature >= 10:
			if w.Value != start[w.Feature][w.Phase] || math.Abs(w.Error-50) > 1e-6 || w.Prior < 0.999999 || w.Count != 0 || w.Decided() {
				t.Errorf("unseen %+v", w)
			}
		case w.Frozen != (w.Feature == 1 && w.Phase == 0 || w.Feature == 3):
			t.Errorf("frozen or not: %+v", w)
		case w.Frozen:
			if w.Value != 0 || w.Error != 0 || w.Decided() {
				t.Errorf("frozen %+v", w)
			}
		case !w.Decided() || w.Value == 0:
			t.Errorf("seen %+v", w)
		}
	}
	if !slices.Equal(r.Unseen, []string{"f10", "f11"}) || r.Determined > 17 || r.Determined < 14 || !(r.Condition > 1) {
		t.Errorf("unseen %v, determined %v, condition %v", r.Unseen, r.Determined, r.Condition)
	}
}

// TestPriorIsChosen: where the start is the truth the prior is strong, where it is far off
// weak.
func TestPriorIsChosen(t *testing.T) {
	truth := newTruth(6, 30, 40)
	d := truth.data(t, 1500, 4)
	near := fit(t, d, Options{Start: truth.weights, K: truth.k})
	far := fit(t, d, Options{K: truth.k})
	if near.Prior >= far.Prior || far.Prior < 16 {
		t.Errorf("prior %v from the truth, %v from nothing", near.Prior, far.Prior)
	}
	if far.End.Validation >= far.Start.Validation || near.End.Validation > near.Start.Validation {
		t.Errorf("validation %v → %v and %v → %v", far.Start.Validation, far.End.Validation, near.Start.Validation, near.End.Validation)
	}
}

func TestFitRefuses(t *testing.T) {
	truth := newTruth(7, 5, 50)
	good := truth.data(t, 200, 2)
	few := truth.data(t, 4, 2)
	set := func(f func(*Sample)) *Dataset {
		d, err := Open(synthetic(t, 5, func(int) Sample { s := truth.sample(); f(&s); return s }, 200, 2))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return d
	}
	start := make(vector, 5)
	nan := make(vector, 5)
	nan[2][1] = math.NaN()
	for _, c := range []struct {
		d    *Dataset
		o    Options
		want string
	}{
		{set(func(s *Sample) { s.Result = 2 }), Options{Start: start}, "one-sided"},
		{set(func(s *Sample) { s.Result = 1 }), Options{Start: start}, "one-sided"},
		{few, Options{Start: start}, "openings"},
		{set(func(s *Sample) { s.Coefs = []Coef{{1, 1, 1}} }), Options{Start: start}, "never occur"},
		{good, Options{Start: start[:4]}, "start: 4 weights"},
		{good, Options{Start: nan}, "f2"},
		{good, Options{Start: start}, "scale"}, // scores of 0 do not tell who wins
		{good, Options{Start: start, K: 7}, "k 7"},
		{good, Options{Start: start, Loss: "l1"}, "l1"},
		{good, Options{Start: start, Solver: "adam"}, "adam"},
		{good, Options{Start: start, Result: 2}, "result 2"},
		{good, Options{Start: start, Result: 0.5, K: 0.005}, "no position has a score"},
		{good, Options{Start: start, Prior: -1}, "prior"},
		{good, Options{Start: start, Freeze: []string{"nix*"}}, "nix"},
		{good, Options{Start: start, Freeze: []string{"*"}}, "all weights are frozen"},
		{good, Options{Start: start, K: 0.005, Resume: []byte("{")}, "checkpoint"},
		{good, Options{Start: start, K: 0.005, Resume: []byte(`{"format":1,"data":"other"}`)}, "another fit"},
	} {
		if _, err := Fit(t.Context(), c.d, c.o); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: error %v, want one line with %q", c.o, err, c.want)
		}
	}
	full := errors.New("disk full")
	if _, err := Fit(t.Context(), good, Options{Start: start, K: 0.005, Save: func(Step, []byte) error { return full }}); !errors.Is(err, full) {
		t.Errorf("a checkpoint that cannot be saved: %v", err)
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"psqt.*", "psqt.king[d0]", true}, {"psqt.*", "pairs", false}, {"*", "", true}, {"a", "a", true}, {"a", "ab", false},
		{"*[d0]", "psqt.king[d0]", true}, {"*x*y*", "axbyc", true}, {"*x*y", "axbyc", false}, {"", "a", false},
	} {
		if got := match(c.pattern, c.name); got != c.want {
			t.Errorf("match(%q, %q) is %v", c.pattern, c.name, got)
		}
	}
}

// TestScaleIsFound: the scale of scores that are the truth is the truth's.
func TestScaleIsFound(t *testing.T) {
	truth := newTruth(8, 10, 80)
	d := truth.data(t, 3000, 3)
	for _, loss := range []Loss{Squared, CrossEntropy} {
		f := newFitting(t, d, Options{Start: truth.weights, Loss: loss})
		if err := f.fitScale(); err != nil || math.Abs(f.model.k/truth.k-1) > 0.05 {
			t.Errorf("%s: k %v, want %v (%v)", loss, f.model.k, truth.k, err)
		}
	}
}

// TestFreezeByName: a pattern names weights, or groups of them, in one phase or both.
func TestFreezeByName(t *testing.T) {
	names := []string{"tempo", "psqt.king[d0]", "psqt.king[e0]", "psqt.rook[a0]", "pairs[0]"}
	for _, c := range []struct {
		pattern string
		frozen  string // by feature, b for both phases
	}{
		{"tempo", "b----"}, {"psqt.king", "-bb--"}, {"psqt.king:mg", "-mm--"}, {"psqt.king[e0]:eg", "--e--"},
		{"psqt.*", "-bbb-"}, {"psqt.*0]", "-bbb-"}, {"pairs", "----b"}, {"pair", ""}, {"psqt", ""}, {"psqt.king[", ""},
	} {
		f := &fitting{Options: Options{Freeze: []string{c.pattern}}, data: &Dataset{Info: Info{Features: names}}, start: make(vector, len(names))}
		if err := f.freeze(); (err != nil) != (c.frozen == "") {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for i, want := range c.frozen {
			mg, eg := f.frozen[2*i], f.frozen[2*i+1]
			if mg != (want == 'b' || want == 'm') || eg != (want == 'b' || want == 'e') {
				t.Errorf("%s: %s is frozen %v, %v", c.pattern, names[i], mg, eg)
			}
		}
	}
}
