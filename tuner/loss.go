package tuner

import (
	"fmt"
	"math"

	"github.com/xqlab/xqlab/results"
)

// Loss is what a fit makes small.
type Loss string

// The losses. With k the scale, s a score and R the result in points (0, ½, 1):
const (
	// Squared is the mean of (R − σ(k·s))². Upsets weigh little, for its slope vanishes
	// where the prediction is sure.
	Squared Loss = "squared"
	// CrossEntropy is the mean of −R·ln σ − (1−R)·ln(1−σ), the likelihood of a model
	// without draws; convex in the weights.
	CrossEntropy Loss = "cross-entropy"
	// Ordered is minus the mean log likelihood of win, draw and loss with probabilities
	// σ(k(s−d)), the rest, and σ(k(−s−d)): an ordered logit whose draw margin d is fitted
	// with k.
	Ordered Loss = "ordered"
)

// Losses lists the losses.
var Losses = []Loss{Squared, CrossEntropy, Ordered}

// ParseLoss returns the loss of a name.
func ParseLoss(name string) (Loss, error) {
	for _, l := range Losses {
		if string(l) == name {
			return l, nil
		}
	}
	return "", fmt.Errorf("loss %q, want %s, %s or %s", name, Squared, CrossEntropy, Ordered)
}

// model turns a score into a prediction and a loss.
type model struct {
	loss   Loss
	k      float64 // per centipawn
	d      float64 // Ordered: draw margin in centipawns
	lambda float64 // share of the result in the target; the rest is the search score's
}

// sigmoid returns 1/(1+e^−x).
func sigmoid(x float64) float64 { return 1 / (1 + exp(-x)) }

// exp returns e^x to within 2⁻⁵¹ of itself, or 0 or +Inf where that is out of range. It
// takes a third of the time of math.Exp, which was a quarter of a pass: x is
// (n + i/32)·ln 2 + r, and the powers 2^(i/32) are kept.
func exp(x float64) float64 {
	const steps = 32
	if !(math.Abs(x) < 700) {
		return math.Exp(x)
	}
	n := int(math.RoundToEven(x * (steps / math.Ln2)))
	// ln 2 in two parts, the first of which has room for n.
	const high, low = 0x1.62e42feep-1 / steps, 0x1.a39ef35793c76p-33 / steps
	r := x - float64(n)*high - float64(n)*low
	p := 1 + r*(1+r*(1.0/2+r*(1.0/6+r*(1.0/24+r*(1.0/120+r*(1.0/720))))))
	return p * math.Float64frombits(powers[n&(steps-1)]+uint64(n>>5)<<52)
}

// powers are the bits of 2^(i/32).
var powers = func() (t [32]uint64) {
	for i := range t {
		t[i] = math.Float64bits(math.Exp2(float64(i) / 32))
	}
	return t
}()

// logSigmoid returns ln σ(x) without losing small values.
func logSigmoid(x float64) float64 {
	if x < 0 {
		return x - math.Log1p(math.Exp(x))
	}
	return -math.Log1p(math.Exp(-x))
}

// expect returns the points that Red is predicted to make with a score.
func (m *model) expect(s float64) float64 {
	if m.loss == Ordered {
		return (1 + sigmoid(m.k*(s-m.d)) - sigmoid(m.k*(-s-m.d))) / 2
	}
	return sigmoid(m.k * s)
}

// at returns the loss of a position with score s, a result in half points and the search's
// score, its first derivative by s, and a second
// derivative that is never negative: Gauss–Newton's, or the expected one.
func (m *model) at(s float64, result int, score results.Score) (v, g, h float64) {
	if m.loss == Ordered {
		return m.ordered(s, result, score)
	}
	t := float64(result) / 2
	if m.lambda < 1 && score.Known() {
		t = m.lambda*t + (1-m.lambda)*sigmoid(m.k*float64(score))
	}
	x := m.k * s
	p := sigmoid(x)
	slope := p * (1 - p) * m.k
	if m.loss == Squared {
		e := p - t
		return e * e, 2 * e * slope, 2 * slope * slope
	}
	return -t*logSigmoid(x) - (1-t)*logSigmoid(-x), m.k * (p - t), m.k * slope
}

// ordered is at for Ordered.
func (m *model) ordered(s float64, result int, score results.Score) (v, g, h float64) {
	win, draw, lose, a, b := m.chances(s)
	dw, dl := m.k*win*(1-win), -m.k*lose*(1-lose) // by s
	dd := -dw - dl
	var t [3]float64 // shares of loss, draw, win in the target
	t[result] = 1
	if m.lambda < 1 && score.Known() {
		w, d, l, _, _ := m.chances(float64(score))
		for i, p := range [3]float64{l, d, w} {
			t[i] = m.lambda*t[i] + (1-m.lambda)*p
		}
	}
	v = -t[2]*logSigmoid(a) - t[0]*logSigmoid(b) - t[1]*m.logDraw(a, b)
	g = -t[2]*m.k*(1-win) + t[0]*m.k*(1-lose)
	if t[1] > 0 {
		g -= t[1] * dd / draw
	}
	if win > 0 {
		h += dw * dw / win
	}
	if lose > 0 {
		h += dl * dl / lose
	}
	if draw > 0 {
		h += dd * dd / draw
	}
	return v, g, h
}

// chances returns the probabilities of win, draw and loss, and the logits of win and loss.
func (m *model) chances(s float64) (win, draw, lose, a, b float64) {
	a, b = m.k*(s-m.d), m.k*(-s-m.d)
	win, lose = sigmoid(a), sigmoid(b)
	return win, math.Exp(m.logDraw(a, b)), lose, a, b
}

// logDraw returns ln(1 − σ(a) − σ(b)) with a + b = −2kd, which is
// ln(1 − e^−2kd) + ln σ(−a) + ln σ(−b).
func (m *model) logDraw(a, b float64) float64 {
	return math.Log(-math.Expm1(a+b)) + logSigmoid(-a) + logSigmoid(-b)
}
