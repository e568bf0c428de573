package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// brownian is Brownian motion from 0 with drift and variance per unit of time, stopped at lower
// < 0 or at upper > 0: what an LLR is when steps are small against the bounds.
type brownian struct{ drift, variance, lower, upper float64 }

// hitsLower returns the probability that the motion ends at the lower bound.
func (b brownian) hitsLower() float64 {
	g := 2 * b.drift / b.variance
	if g < 0 {
		return 1 - b.mirror().hitsLower()
	}
	if g*b.upper < 1e-300 {
		return b.upper / (b.upper - b.lower)
	}
	return math.Exp(g*b.lower) * math.Expm1(-g*b.upper) / math.Expm1(-g*(b.upper-b.lower))
}

func (b brownian) mirror() brownian {
	return brownian{-b.drift, b.variance, -b.upper, -b.lower}
}

// meanTime returns the expected time to a bound (Wald's identities).
func (b brownian) meanTime() float64 {
	if math.Abs(b.drift)*(b.upper-b.lower)/b.variance < 1e-6 {
		return -b.lower * b.upper / b.variance
	}
	p := b.hitsLower()
	return (p*b.lower + (1-p)*b.upper) / b.drift
}

// lowerBy returns the probability that the lower bound has been hit by time t, before the upper.
func (b brownian) lowerBy(t float64) float64 {
	if b.longPast(t) {
		return b.hitsLower()
	}
	width, s := b.upper-b.lower, math.Sqrt(b.variance*t)
	g, sum := b.drift/b.variance, 0.0
	for k, n := -b.images(s), b.images(s); k <= n; k++ {
		d := -b.lower + 2*float64(k)*width
		term := weightedCDF(g*(b.lower-math.Abs(d)), (b.drift*t-math.Abs(d))/s) +
			weightedCDF(g*(b.lower+math.Abs(d)), (-b.drift*t-math.Abs(d))/s)
		sum += math.Copysign(term, d)
	}
	return clamp(sum, 0, 1)
}

// upperBy returns the probability that the upper bound has been hit by time t, before the lower.
func (b brownian) upperBy(t float64) float64 { return b.mirror().lowerBy(t) }

// atMost returns the distribution function at y of the stopped motion at time t: with outcomes ordered from the
// earliest end at the lower bound to the earliest at the upper, the probability of one that is
// not better than (t, y).
func (b brownian) atMost(t, y float64) float64 {
	switch {
	case y <= b.lower:
		return b.lowerBy(t)
	case y >= b.upper:
		return 1 - b.upperBy(t)
	case b.longPast(t):
		return b.hitsLower()
	}
	return clamp(b.lowerBy(t)+b.insideBelow(t, y), 0, 1)
}

// insideBelow returns the probability that the motion has hit no bound by time t and is below y, as a
// sum over images of the start in the bounds, each with the weight the drift gives it.
func (b brownian) insideBelow(t, y float64) float64 {
	width, s := b.upper-b.lower, math.Sqrt(b.variance*t)
	g, sum := b.drift/b.variance, 0.0
	between := func(weight, image float64) float64 {
		from, to := (b.lower-image-b.drift*t)/s, (y-image-b.drift*t)/s
		if from > 0 { // the difference of the small tails keeps its digits
			from, to = -to, -from
		}
		return weightedCDF(weight, to) - weightedCDF(weight, from)
	}
	for k, n := -b.images(s), b.images(s); k <= n; k++ {
		shift := 2 * float64(k) * width
		sum += between(g*shift, shift) - between(g*(2*b.lower+shift), 2*b.lower+shift)
	}
	return sum
}

// longPast reports whether a motion still between the bounds at time t has a probability below 1e-20.
func (b brownian) longPast(t float64) bool {
	width := b.upper - b.lower
	return b.variance*t*math.Pi*math.Pi/2/(width*width) > 46
}

// images returns how many images on each side matter at standard deviation s. The drift cannot raise
// an image's density above exp((upper−lower)²/2s²) of a normal one, which bounds them for any drift.
func (b brownian) images(s float64) int {
	r := (b.upper - b.lower) / s
	return 2 + int(math.Sqrt(2*(40+r*r/2))/(2*r))
}

// weightedCDF returns exp(w)·Φ(z) without overflow of its factors.
func weightedCDF(w, z float64) float64 {
	if z > -30 {
		return math.Exp(w + math.Log(distuv.UnitNormal.CDF(z)))
	}
	// Mills' ratio to three terms: 1e-8 at z = −30.
	q := 1 / (z * z)
	return math.Exp(w-z*z/2) / (-z * math.Sqrt(2*math.Pi)) * (1 - q*(1-3*q))
}
