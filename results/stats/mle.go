package stats

import "math"

// projection is the distribution nearest to a sample, by maximum likelihood, under a hypothesis: cell i has
// the sample's frequency over d[i]. ln holds the logarithms of d, with the digits that log1p keeps.
type projection struct{ d, ln [5]float64 }

// project returns the distribution q nearest to the sample p for which x has mean zero: q = p/(1+θx) with
// Σ q·x = 0 (Owen's empirical likelihood). x must hold values of both signs. The sum falls from +∞ to −∞ between the
// poles θ = −1/max(x) and −1/min(x), so there is one root, between 0 and the pole on the side of Σ p·x. In the half next to the
// pole the search is for the distance to it, since there 1+θx may be as small as p.
func (c cells) project(x []float64) (r projection) {
	pole, mean := 0, 0.0
	for i, v := range x {
		mean += c.p[i] * v
	}
	for i, v := range x {
		if (mean > 0) == (v < x[pole]) {
			pole = i
		}
	}
	half := -0.5 / x[pole]
	base := [5]float64{1, 1, 1, 1, 1}
	if f, _ := c.tilted(x, base, half); (f > 0) == (mean > 0) {
		for i, v := range x {
			base[i] = (x[pole] - v) / x[pole]
		}
		root := c.root(x, base, math.Min(0, -half), math.Max(0, -half))
		for i, v := range x {
			r.d[i] = base[i] + root*v
			r.ln[i] = math.Log(r.d[i])
		}
		return r
	}
	root := c.root(x, base, math.Min(0, half), math.Max(0, half))
	for i, v := range x {
		r.d[i], r.ln[i] = 1+root*v, math.Log1p(root*v)
	}
	return r
}

// tilted returns Σ p·x/(base+v·x) and its derivative by v.
func (c cells) tilted(x []float64, base [5]float64, v float64) (f, slope float64) {
	for i, xi := range x {
		t := xi / (base[i] + v*xi)
		f += c.p[i] * t
		slope -= c.p[i] * t * t
	}
	return f, slope
}

// root returns the root of the decreasing function tilted between lo and hi. Newton's steps are taken where
// they stay within the bracket that the signs seen so far leave, else it is halved: it ends for
// any input.
func (c cells) root(x []float64, base [5]float64, lo, hi float64) float64 {
	v := lo + (hi-lo)/2
	for range 300 {
		f, slope := c.tilted(x, base, v)
		if f > 0 {
			lo = v
		} else {
			hi = v
		}
		next := v - f/slope
		if !(lo < next && next < hi) {
			next = lo + (hi-lo)/2
		}
		if math.Abs(next-v) <= 1e-15*math.Abs(next) || next == lo || next == hi {
			return v
		}
		v = next
	}
	return v
}

// atLead projects on the distributions with mean ½+lead, |lead| < ½.
func (c cells) atLead(lead float64) projection {
	var x [5]float64
	for i, a := range c.a {
		x[i] = a - 0.5 - lead
	}
	return c.project(x[:len(c.a)])
}

// atT projects on the distributions whose mean less ½ is t standard deviations.
//
// With u = a−½, U = E u and V = E u², that is U = κ√V for κ = t/√(1+t²). As √V = min over w of
// (V/w+w)/2, taken at w = √V, the likelihood is stationary where the projection on the half-space
// E[u − κ(u²/w+w)/2] = 0 has a √V of w. √V−w is above 0 at the least w for which that half-space cuts the distributions (the
// solution shrinks to the cell on its rim) and not above 0 at w = ½, the largest √V: a root is bracketed for any sample.
//
// It is the only one when t is small, or lies between 0 and the sample's t: then the set beyond is convex. Else
// a sample may be stretched to a large t in several ways (many pairs a little, few pairs much), and the likeliest of the
// stationary ones is taken.
func (c cells) atT(t float64) projection {
	if t < 0 {
		return c.mirror().atT(-t).mirror(len(c.a))
	}
	kappa := t / math.Sqrt(1+t*t)
	lo := (c.a[len(c.a)/2+1] - 0.5) * kappa / (1 + math.Sqrt(1-kappa*kappa))
	lead, variance := c.moments()
	if t <= smallT || lead >= t*math.Sqrt(variance) {
		return c.stationary(kappa, lo, maxW)
	}
	return c.likeliest(kappa, lo)
}

// likeliest returns the least costly of the stationary points between lo and maxW.
func (c cells) likeliest(kappa, lo float64) projection {
	const steps = 64
	best, least := projection{}, math.Inf(1)
	ratio := math.Pow(maxW/lo, 1.0/steps)
	from, wasAbove := lo, true
	for i := 1; i <= steps; i++ {
		to, above := from*ratio, false
		if i < steps {
			above = c.rootMeanSquare(c.atHalfSpace(kappa, to)) > to
		} else {
			to = maxW
		}
		if wasAbove && !above {
			r := c.stationary(kappa, from, to)
			if loss := c.cost(r); loss < least {
				best, least = r, loss
			}
		}
		from, wasAbove = to, above
	}
	return best
}

// smallT is a t up to which there is one stationary point, by experience over random samples (a test repeats it): 20
// nElo over pairs. Bounds of real tests are below.
const smallT = 0.08

const maxW = 0.5

// stationary returns the projection for the root of √V−w between from, where it is above 0, and to, where it is
// not. w ← √V is nearly the root for small t; where that leaves the bracket, it is halved.
func (c cells) stationary(kappa, from, to float64) projection {
	w := uniformW
	for range 200 {
		if !(from < w && w < to) {
			w = from + (to-from)/2
		}
		r := c.atHalfSpace(kappa, w)
		next := c.rootMeanSquare(r)
		if next > w {
			from = w
		} else {
			to = w
		}
		if math.Abs(next-w) <= 1e-14 || to-from <= 1e-15 {
			return r
		}
		w = next
	}
	return c.atHalfSpace(kappa, w)
}

// cost returns the log-likelihood per observation that a projection loses.
func (c cells) cost(r projection) (loss float64) {
	for i, p := range c.p {
		loss += p * r.ln[i]
	}
	return loss
}

// uniformW is √V when all cells are equally likely, about: where fishtest and OpenBench begin too.
const uniformW = 0.36

func (c cells) atHalfSpace(kappa, w float64) projection {
	var x [5]float64
	for i, a := range c.a {
		u := a - 0.5
		x[i] = u - kappa*(u*u/w+w)/2
	}
	return c.project(x[:len(c.a)])
}

// rootMeanSquare returns √E(a−½)² under a projection.
func (c cells) rootMeanSquare(r projection) float64 {
	v := 0.0
	for i, a := range c.a {
		v += c.p[i] / r.d[i] * (a - 0.5) * (a - 0.5)
	}
	return math.Sqrt(v)
}

func (r projection) mirror(n int) (m projection) {
	for i := range n {
		m.d[i], m.ln[i] = r.d[n-1-i], r.ln[n-1-i]
	}
	return m
}

// mirror returns the sample as the other engine sees it.
func (c cells) mirror() cells {
	m := cells{n: c.n, a: c.a, p: make([]float64, len(c.p)), perGame: c.perGame}
	for i, p := range c.p {
		m.p[len(c.p)-1-i] = p
	}
	return m
}

// llr returns the logarithm of the likelihood of the sample under h1 over that under h0.
func (c cells) llr(h0, h1 projection) float64 {
	return c.n * (c.cost(h0) - c.cost(h1))
}
