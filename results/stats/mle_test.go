package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// drawCounts draws cell counts up to most, often empty.
func drawCounts(t *rapid.T, n, most int) []int {
	count := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 9), rapid.IntRange(0, 1e5), rapid.IntRange(0, most))
	return rapid.SliceOfN(count, n, n).Draw(t, "counts")
}

func drawPenta(t *rapid.T, most int) Penta { return Penta(drawCounts(t, 5, most)) }

func drawWDL(t *rapid.T, most int) WDL {
	n := drawCounts(t, 3, most)
	return WDL{n[0], n[1], n[2]}
}

func drawTest(t *rapid.T, models ...Model) SPRT {
	bound := rapid.OneOf(rapid.Float64Range(-10, 10), rapid.Float64Range(-maxBound, maxBound))
	a, b := bound.Draw(t, "elo"), bound.Draw(t, "elo")
	risk := rapid.Float64Range(1e-9, 0.49)
	s := SPRT{rapid.SampledFrom(models).Draw(t, "model"), min(a, b), max(a, b), risk.Draw(t, "alpha"), risk.Draw(t, "beta")}
	if s.Validate() != nil {
		t.Skip("equal bounds")
	}
	return s
}

func finite(x ...float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// maxT is the t of maxBound over pairs.
const maxT = maxBound * math.Sqrt2 / NEloPerSigma

// Every projection lies on its hypothesis: it sums to one and has the mean, or the mean in standard
// deviations, that was asked for.
func TestProjectionsKeepTheirConstraint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Penta(rapid.SliceOfN(rapid.IntRange(0, 1e6), 5, 5).Draw(t, "penta")).cells()
		if rapid.Bool().Draw(t, "games") {
			c = WDL{rapid.IntRange(0, 1e6).Draw(t, "w"), rapid.IntRange(0, 1e6).Draw(t, "d"), rapid.IntRange(0, 1e6).Draw(t, "l")}.cells()
		}
		lead := rapid.Float64Range(-maxLead, maxLead).Draw(t, "lead")
		if q := projected(c, c.atLead(lead)); math.Abs(q.sum()-1) > 1e-9 || math.Abs(q.mean()-0.5-lead) > 1e-9 {
			t.Errorf("at lead %v: sum %v, mean %v", lead, q.sum(), q.mean())
		}
		want := rapid.Float64Range(-maxT, maxT).Draw(t, "t")
		if q := projected(c, c.atT(want)); math.Abs(q.sum()-1) > 1e-9 || math.Abs(q.t()-want) > 1e-8*(1+math.Abs(want)) {
			t.Errorf("at t %v of %v: sum %v, t %v", want, c.p, q.sum(), q.t())
		}
	})
}

// dist is a distribution over scores a.
type dist struct{ a, q []float64 }

func projected(c cells, r projection) dist {
	d := dist{c.a, make([]float64, len(c.a))}
	for i := range d.q {
		d.q[i] = c.p[i] / r.d[i]
	}
	return d
}

func (d dist) sum() (s float64) {
	for _, q := range d.q {
		s += q
	}
	return s
}

func (d dist) mean() (m float64) {
	for i, q := range d.q {
		m += q * d.a[i]
	}
	return m
}

func (d dist) t() float64 {
	m, v := d.mean(), 0.0
	for i, q := range d.q {
		v += q * (d.a[i] - m) * (d.a[i] - m)
	}
	return (m - 0.5) / math.Sqrt(v)
}

func (d dist) logLikelihood(p []float64) (l float64) {
	for i := range p {
		l += p[i] * math.Log(d.q[i])
	}
	return l
}

// No other distribution of the hypothesis makes the sample likelier: random ones, near and far, moved onto the
// hypothesis by a share of wins or losses.
func TestProjectionsAreTheLikeliest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var n Penta
		for i := range n {
			n[i] = rng.IntN([]int{1, 3, 20, 1000}[rng.IntN(4)])
		}
		c := n.cells()
		s, tv := 0.02+0.96*rng.Float64(), max(-maxT, min(maxT, rng.NormFloat64()))
		byMean, byT := projected(c, c.atLead(s-0.5)), projected(c, c.atT(tv))
		for range 200 {
			near := math.Pow(10, -4*rng.Float64())
			compare(t, c, byMean, near, rng, func(d dist) float64 { return d.mean() - s })
			compare(t, c, byT, near, rng, func(d dist) float64 { return d.t() - tv })
		}
	}
}

func compare(t *testing.T, c cells, best dist, near float64, rng *rand.Rand, excess func(dist) float64) {
	t.Helper()
	other := dist{c.a, make([]float64, len(c.a))}
	total := 0.0
	for i := range other.q {
		other.q[i] = best.q[i] * math.Exp(near*6*rng.NormFloat64())
		total += other.q[i]
	}
	for i := range other.q {
		other.q[i] /= total
	}
	end := 0 // mix with sure losses, or with sure wins
	if excess(other) < 0 {
		end = len(c.a) - 1
	}
	mixed := func(share float64) dist {
		d := dist{c.a, make([]float64, len(c.a))}
		for i, q := range other.q {
			d.q[i] = (1 - share) * q
		}
		d.q[end] += share
		return d
	}
	lo, hi := 0.0, 1.0
	for range 100 {
		if mid := (lo + hi) / 2; excess(mixed(mid))*excess(other) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	on := mixed(hi)
	if math.Abs(excess(on)) > 1e-9 {
		return
	}
	if got, min := best.logLikelihood(c.p), on.logLikelihood(c.p); got < min-1e-7 {
		t.Fatalf("sample %v: %v has log-likelihood %v, %v has %v", c.p, best.q, got, on.q, min)
	}
}

func TestLLRFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawTest(t, Normalized, Logistic, Bayesian)
		st := state(t, s, drawWDL(t, maxCount))
		if s.Model != Bayesian {
			if p := state(t, s, drawPenta(t, maxCount)); !finite(p.LLR) {
				t.Errorf("pairs: %+v", p)
			}
		}
		if !finite(st.LLR, st.Lower, st.Upper) || st.Lower >= 0 || st.Upper <= 0 {
			t.Errorf("games: %+v", st)
		}
	})
}

func TestLLRSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawTest(t, Normalized, Logistic, Bayesian)
		swapped := s
		swapped.Elo0, swapped.Elo1 = -s.Elo1, -s.Elo0
		w := drawWDL(t, 1e12)
		a, b := state(t, s, w).LLR, state(t, swapped, w.Swap()).LLR
		if math.Abs(a+b) > 1e-6*(1+math.Abs(a)) {
			t.Errorf("games: %v, swapped %v", a, b)
		}
		if s.Model == Bayesian {
			return
		}
		p := drawPenta(t, 1e12)
		a, b = state(t, s, p).LLR, state(t, swapped, p.Swap()).LLR
		if math.Abs(a+b) > 1e-6*(1+math.Abs(a)) {
			t.Errorf("pairs: %v, swapped %v", a, b)
		}
	})
}

// A better pair in place of a worse one raises the LLR, in samples like those of matches. It need not where cells are
// empty or nearly all pairs alike: there a better pair may add more spread than score.
func TestLLRMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := rapid.SampledFrom([]Model{Normalized, Logistic}).Draw(t, "model")
		n := rapid.SliceOfN(rapid.IntRange(10, 200), 5, 5).Draw(t, "penta")
		elo0 := rapid.Float64Range(-20, 19).Draw(t, "elo0")
		s := SPRT{model, elo0, rapid.Float64Range(elo0+0.5, 25).Draw(t, "elo1"), 0.05, 0.05}
		from := rapid.IntRange(0, 3).Draw(t, "from")
		to := rapid.IntRange(from+1, 4).Draw(t, "to")
		before := state(t, s, Penta(n)).LLR
		n[from], n[to] = n[from]-1, n[to]+1
		if after := state(t, s, Penta(n)).LLR; after <= before {
			t.Errorf("%v: LLR falls from %v to %v", n, before, after)
		}
	})
}

func TestEloFiniteAndSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, w := drawPenta(t, maxCount), drawWDL(t, maxCount)
		for _, e := range [][2]Elo{{p.Elo(), p.Swap().Elo()}, {w.Elo(), w.Swap().Elo()}} {
			a, b := e[0], e[1]
			if !finite(a.Score, a.Elo, a.EloError, a.NElo, a.NEloError, a.LOS, a.DrawRate, a.DrawnPairs, a.PairsRatio) {
				t.Errorf("not finite: %+v", a)
			}
			if a.EloError < 0 || math.Abs(a.Elo) > MaxElo+1e-9 || a.EloError > MaxElo+1e-9 || a.LOS < 0 || a.LOS > 1 || a.DrawRate > 1 {
				t.Errorf("out of range: %+v", a)
			}
			if math.Abs(a.Elo+b.Elo) > 1e-6 || math.Abs(a.NElo+b.NElo) > 1e-6*(1+math.Abs(a.NElo)) || math.Abs(a.LOS+b.LOS-1) > 1e-6 || math.Abs(a.EloError-b.EloError) > 1e-6 {
				t.Errorf("not symmetric: %+v, %+v", a, b)
			}
		}
		for _, e := range []Elo{p.Add(p.Swap()).Elo(), w.Add(w.Swap()).Elo()} {
			if e.Elo != 0 || e.NElo != 0 || e.LOS != 0.5 {
				t.Errorf("level, but not exactly: %+v", e)
			}
		}
	})
}

func BenchmarkLLR(b *testing.B) {
	s := SPRT{Normalized, 0, 5, 0.05, 0.05}
	for b.Loop() {
		if _, err := s.Penta(Penta{43, 61, 144, 55, 37}); err != nil {
			b.Fatal(err)
		}
	}
}

// Up to smallT the stationary point found from the uniform distribution is the likeliest of all that a fine scan finds,
// also for samples of nearly nothing but draws, which have several.
func TestSmallTIsUnique(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 700 {
		var n Penta
		for i := range n {
			n[i] = rng.IntN([]int{1, 3, 20, 1000}[rng.IntN(4)])
		}
		c, tv := n.cells(), smallT*rng.Float64()
		got, want := c.cost(c.atT(tv)), finest(c, tv)
		if c.n*math.Abs(got-want) > 1e-6 {
			t.Fatalf("%v at t %v: log-likelihood −%v, a scan finds −%v", n, tv, c.n*got, c.n*want)
		}
	}
}

// finest returns the least cost of the roots of √V−w on a fine grid, by bisection.
func finest(c cells, t float64) float64 {
	kappa := t / math.Sqrt(1+t*t)
	h := func(w float64) float64 { return c.rootMeanSquare(c.atHalfSpace(kappa, w)) - w }
	lo := 0.25 * kappa / (1 + math.Sqrt(1-kappa*kappa))
	least := math.Inf(1)
	const steps = 300
	for i, above := 1, true; i <= steps; i++ {
		from, to := lo*math.Pow(0.5/lo, float64(i-1)/steps), lo*math.Pow(0.5/lo, float64(i)/steps)
		was := above
		above = i < steps && h(to) > 0
		if was && !above {
			for range 60 {
				if mid := (from + to) / 2; h(mid) > 0 {
					from = mid
				} else {
					to = mid
				}
			}
			least = math.Min(least, c.cost(c.atHalfSpace(kappa, from)))
		}
	}
	return least
}
