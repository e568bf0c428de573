package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// pairWorld draws pairs as the model says: two games with draw weight nu from an opening that adds bias to Red's log-odds.
type pairWorld struct {
	nu, bias float64
	rng      *rand.Rand
}

// scale is Elo per δ·400/ln 10 in this world.
func (w pairWorld) scale() float64 {
	w1, w2 := 2*w.nu*math.Cosh(w.bias/2), w.nu*w.nu+2*math.Cosh(w.bias)
	return (4 + w1) / (2 + 2*w1 + w2)
}

// game returns the first engine's half-points less one at log-odds d.
func (w pairWorld) game(d float64) int {
	win, loss := math.Exp(d/2), math.Exp(-d/2)
	switch x := w.rng.Float64() * (win + loss + w.nu); {
	case x < win:
		return 1
	case x < win+loss:
		return -1
	}
	return 0
}

// pair returns the cell of a pair of engines elo apart.
func (w pairWorld) pair(elo float64) int {
	d := elo * math.Ln10 / 400 / w.scale()
	return 2 + w.game(d+w.bias) + w.game(d-w.bias)
}

func rate(t interface{ Fatal(...any) }, n int, p []Pairing, anchors map[int]float64) Ratings {
	r, err := Rate(n, p, anchors, 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Strengths of simulated tournaments lie within their error bars 95 times in a hundred, with openings that are level and with
// biased ones; the LOS is right as often as it says.
func TestRatingsCover(t *testing.T) {
	truth := []float64{-90, -40, -10, 10, 30, 100}
	for _, bias := range []float64{0, 1.5} {
		w := pairWorld{nu: 2, bias: bias, rng: rand.New(rand.NewPCG(11, 12))}
		covered, total, expected, right, compared := 0, 0, 0.0, 0, 0
		for range 150 {
			r := rate(t, len(truth), w.roundRobin(truth, 60), nil)
			for i := range truth {
				total++
				if math.Abs(r.Elo[i]-truth[i]) <= r.Error[i] {
					covered++
				}
				for j := range i {
					compared++
					expected += math.Max(r.LOS[i][j], r.LOS[j][i])
					if (r.LOS[i][j] > 0.5) == (truth[i] > truth[j]) {
						right++
					}
				}
			}
		}
		if share := float64(covered) / float64(total); share < 0.925 || share > 0.975 {
			t.Errorf("bias %v: %.3f of ratings within their bars of 95 %%", bias, share)
		}
		if share, want := float64(right)/float64(compared), expected/float64(compared); math.Abs(share-want) > 0.03 {
			t.Errorf("bias %v: LOS right in %.3f, says %.3f", bias, share, want)
		}
	}
}

func (w pairWorld) roundRobin(elo []float64, pairs int) []Pairing {
	var out []Pairing
	for i := range elo {
		for j := range i {
			p := Pairing{A: i, B: j}
			for range pairs {
				p.Pairs[w.pair(elo[i]-elo[j])]++
			}
			out = append(out, p)
		}
	}
	return out
}

// A match of two has the same Elo and error as Penta.Elo, where differences are small.
func TestRatingsOfTwoAgreeWithElo(t *testing.T) {
	for _, p := range []Penta{{43, 61, 144, 55, 37}, {100, 900, 2600, 1000, 120}, {20, 60, 400, 70, 25}} {
		e := p.Elo()
		r := rate(t, 2, []Pairing{{0, 1, p}}, nil)
		diff, err := r.Elo[0]-r.Elo[1], 2*r.Error[0]
		if math.Abs(diff-e.Elo) > 0.02*math.Abs(e.Elo)+0.1 || math.Abs(err-e.EloError) > 0.03*e.EloError || math.Abs(r.LOS[0][1]-e.LOS) > 0.01 {
			t.Errorf("%v: ratings %.3f ± %.3f LOS %.4f, match %.3f ± %.3f LOS %.4f", p, diff, err, r.LOS[0][1], e.Elo, e.EloError, e.LOS)
		}
		anchored := rate(t, 2, []Pairing{{0, 1, p}}, map[int]float64{1: 0})
		if math.Abs(anchored.Elo[0]-e.Elo) > 0.02*math.Abs(e.Elo)+0.1 || math.Abs(anchored.Error[0]-e.EloError) > 0.03*e.EloError || anchored.Error[1] != 0 {
			t.Errorf("%v: against an anchor %+v, match %+v", p, anchored, e)
		}
	}
}

func TestRatingsAnchors(t *testing.T) {
	w := pairWorld{nu: 2, bias: 1, rng: rand.New(rand.NewPCG(1, 3))}
	pairs := w.roundRobin([]float64{0, 50, 100, 20}, 400)
	r := rate(t, 4, pairs, map[int]float64{0: 3000, 2: 3100})
	if r.Elo[0] != 3000 || r.Elo[2] != 3100 || r.Error[0] != 0 || r.LOS[2][0] != 1 {
		t.Errorf("anchors moved: %+v", r)
	}
	if math.Abs(r.Elo[1]-3050) > 1.5*r.Error[1] || math.Abs(r.Elo[3]-3020) > 1.5*r.Error[3] {
		t.Errorf("strengths between anchors: %+v", r)
	}
}

func TestRatingsGroups(t *testing.T) {
	pairs := []Pairing{{0, 2, Penta{1, 5, 20, 10, 4}}, {3, 1, Penta{0, 1, 5, 1, 0}}}
	r := rate(t, 5, pairs, nil)
	if len(r.Groups) != 3 || len(r.Groups[0]) != 2 || r.Groups[0][1] != 2 || r.Groups[1][0] != 1 || r.Groups[2][0] != 4 {
		t.Errorf("groups %v", r.Groups)
	}
	if r.LOS[0][1] != 0.5 || r.LOS[0][4] != 0.5 || r.LOS[0][2] < 0.9 {
		t.Errorf("LOS %v", r.LOS)
	}
	if r.Elo[0] != -r.Elo[2] || math.Abs(r.Error[4]) < 200 {
		t.Errorf("%v ± %v", r.Elo, r.Error)
	}
	if both := rate(t, 5, pairs, map[int]float64{2: 100, 1: 0}); both.LOS[0][3] < 0.8 {
		t.Errorf("anchors in both groups: LOS %v", both.LOS)
	}
}

func TestRatingsRefuse(t *testing.T) {
	ok := []Pairing{{0, 1, Penta{0, 0, 1, 0, 0}}}
	for name, f := range map[string]func() (Ratings, error){
		"unknown engine": func() (Ratings, error) { return Rate(2, []Pairing{{0, 2, Penta{}}}, nil, 0) },
		"itself":         func() (Ratings, error) { return Rate(2, []Pairing{{1, 1, Penta{}}}, nil, 0) },
		"negative":       func() (Ratings, error) { return Rate(2, []Pairing{{0, 1, Penta{-1}}}, nil, 0) },
		"anchor":         func() (Ratings, error) { return Rate(2, ok, map[int]float64{2: 0}, 0) },
		"anchor NaN":     func() (Ratings, error) { return Rate(2, ok, map[int]float64{1: math.NaN()}, 0) },
		"prior":          func() (Ratings, error) { return Rate(2, ok, nil, -1) },
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// Any results give finite ratings, clean scores and empty ones too, that do not depend on the order of engines or pairings.
func TestRatingsFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "engines")
		var pairs, swapped []Pairing
		for range rapid.IntRange(0, 8).Draw(t, "pairings") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
			if a == b {
				continue
			}
			p := Pairing{a, b, drawPenta(t, 1e6)}
			pairs = append(pairs, p)
			swapped = append([]Pairing{{n - 1 - b, n - 1 - a, p.Pairs.Swap()}}, swapped...)
		}
		anchors, moved := map[int]float64{}, map[int]float64{}
		if rapid.Bool().Draw(t, "anchored") {
			i := rapid.IntRange(0, n-1).Draw(t, "anchor")
			anchors[i], moved[n-1-i] = 2000, 2000
		}
		r, other := rate(t, n, pairs, anchors), rate(t, n, swapped, moved)
		for i := range n {
			if !finite(r.Elo[i], r.Error[i]) || !finite(r.LOS[i]...) {
				t.Fatalf("%+v", r)
			}
			if math.Abs(r.Elo[i]-other.Elo[n-1-i]) > 0.1+1e-3*math.Abs(r.Elo[i]) {
				t.Fatalf("engine %d: %v, in another order %v", i, r.Elo, other.Elo)
			}
		}
	})
}

func TestRatingDerivatives(t *testing.T) {
	w := pairWorld{nu: 1.5, bias: 1, rng: rand.New(rand.NewPCG(4, 5))}
	m, err := newRatingModel(4, w.roundRobin([]float64{0, 200, -100, 50}, 30), map[int]float64{3: 20}, 300, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		x := make([]float64, 5)
		for i := range x {
			x[i] = 2 * w.rng.NormFloat64()
		}
		got := make([]float64, len(x))
		m.loss(got, x)
		want := fd.Gradient(nil, func(x []float64) float64 { return m.loss(nil, x) }, x, &fd.Settings{Formula: fd.Central})
		h, differences := mat.NewSymDense(len(x), nil), mat.NewDense(len(x), len(x), nil)
		m.hessian(h, x)
		fd.Jacobian(differences, func(y, x []float64) { m.loss(y, x) }, x, &fd.JacobianSettings{Formula: fd.Central})
		for i := range x {
			if math.Abs(got[i]-want[i]) > 1e-4*(1+math.Abs(want[i])) {
				t.Fatalf("at %v: gradient %v, differences %v", x, got, want)
			}
			for j := range x {
				if a, b := h.At(i, j), differences.At(i, j); math.Abs(a-b) > 1e-4*(1+math.Abs(b)) {
					t.Fatalf("at %v: Hessian[%d,%d] %v, differences %v", x, i, j, a, b)
				}
			}
		}
	}
}

func BenchmarkRate8(b *testing.B) {
	w := pairWorld{nu: 2, bias: 1, rng: rand.New(rand.NewPCG(1, 2))}
	pairs := w.roundRobin([]float64{0, 10, 20, 30, 40, 50, 60, 70}, 100)
	for b.Loop() {
		rate(b, 8, pairs, nil)
	}
}
