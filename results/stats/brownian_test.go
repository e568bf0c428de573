package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// series is the plain reference: the eigenfunction expansion of the stopped motion, right while the drift is
// not too strong nor the time too short.
func series(b brownian, t, y float64) float64 {
	width, x0, y0 := b.upper-b.lower, -b.lower, y-b.lower
	g, sum := b.drift/b.variance, 0.0
	for n := 1; n < 4000; n++ {
		k := float64(n) * math.Pi / width
		// ∫ e^(g(x−x0)) sin(kx) dx from 0 to y0, and the flow out at the lower bound after t.
		primitive := func(x float64) float64 {
			return math.Exp(g*(x-x0)) * (g*math.Sin(k*x) - k*math.Cos(k*x)) / (g*g + k*k)
		}
		rate := b.variance * (g*g + k*k) / 2
		inside := primitive(y0) - primitive(0)
		lost := math.Exp(-g*x0) * b.variance / 2 * k / rate
		sum += 2 / width * math.Sin(k*x0) * math.Exp(-rate*t) * (inside - lost)
	}
	return b.hitsLower() + sum
}

func TestBrownianAgreesWithSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := brownian{
			variance: 1, lower: -rapid.Float64Range(0.5, 5).Draw(t, "lower"), upper: rapid.Float64Range(0.5, 5).Draw(t, "upper"),
		}
		width := b.upper - b.lower
		b.drift = rapid.Float64Range(-12, 12).Draw(t, "drift") / width
		time := rapid.Float64Range(0.02, 12).Draw(t, "time") * width * width
		y := b.lower + width*rapid.Float64Range(0, 1).Draw(t, "y")
		if y >= b.upper || y <= b.lower {
			t.Skip()
		}
		if got, want := b.atMost(time, y), series(b, time, y); math.Abs(got-want) > 1e-7 {
			t.Errorf("%+v at %v, %v: %v, series %v", b, time, y, got, want)
		}
	})
}

func TestBrownianIsADistribution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := brownian{
			drift: rapid.Float64Range(-1e6, 1e6).Draw(t, "drift"), variance: math.Exp(rapid.Float64Range(-20, 20).Draw(t, "ln variance")),
			lower: -rapid.Float64Range(0.01, 20).Draw(t, "lower"), upper: rapid.Float64Range(0.01, 20).Draw(t, "upper"),
		}
		time := math.Exp(rapid.Float64Range(-20, 20).Draw(t, "ln time"))
		last := 0.0
		for i := range 21 {
			p := b.atMost(time, b.lower+(b.upper-b.lower)*float64(i)/20)
			if !(p >= last-1e-7 && p <= 1) {
				t.Fatalf("%+v at time %v: %v after %v at step %d", b, time, p, last, i)
			}
			last = p
		}
		lower, upper := b.lowerBy(time), b.upperBy(time)
		if !(lower+upper <= 1+1e-7) || lower > b.hitsLower()+1e-7 || upper > 1-b.hitsLower()+1e-7 {
			t.Fatalf("%+v by time %v: lower %v, upper %v, ever %v", b, time, lower, upper, b.hitsLower())
		}
		if m := b.meanTime(); !(m > 0) || math.IsInf(m, 0) {
			t.Fatalf("%+v: mean time %v", b, m)
		}
	})
}

// A random walk of small steps behaves as the formulas say.
func TestBrownianAgreesWithWalk(t *testing.T) {
	b := brownian{drift: 0.3, variance: 1, lower: -2, upper: 2.5}
	rng := rand.New(rand.NewPCG(3, 4))
	const walks, dt, horizon = 4000, 2e-3, 4.0
	lower, early, total := 0.0, 0.0, 0.0
	for range walks {
		x, at := 0.0, 0.0
		for x > b.lower+0.583*math.Sqrt(dt) && x < b.upper-0.583*math.Sqrt(dt) { // Siegmund's correction of the bounds for the steps
			x += b.drift*dt + math.Sqrt(dt)*rng.NormFloat64()
			at += dt
		}
		total += at
		if x < 0 {
			lower++
			if at <= horizon {
				early++
			}
		}
	}
	for _, c := range []struct {
		name           string
		got, want, tol float64
	}{
		{"ends low", lower / walks, b.hitsLower(), 0.03},
		{"ends low early", early / walks, b.lowerBy(horizon), 0.03},
		{"mean time", total / walks, b.meanTime(), 0.25},
	} {
		if math.Abs(c.got-c.want) > c.tol {
			t.Errorf("%s: %v of walks, formula %v", c.name, c.got, c.want)
		}
	}
}
