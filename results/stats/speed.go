package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Interval is an estimate with the bounds of its confidence interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// SpeedLevel is the confidence of the intervals of comparisons of speeds. It is higher
// than the usual 95 % because many are made and a difference that is not there costs
// more than one that is seen a minute later.
const SpeedLevel = 0.99

// resamples is how often the bootstrap draws.
const resamples = 2000

// Median returns the median of x, NaN for none.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// MedianInterval returns the median of x with its bootstrap interval (percentiles) of the
// given confidence, 0 to 1. One value has an interval without width: nothing is known of
// its spread. The same values give the same interval.
func MedianInterval(x []float64, level float64) Interval {
	draw := sampler(x)
	return bootstrap(Median(x), level, func() float64 { return Median(draw()) })
}

// RatioInterval returns the ratio of the median of a to that of b, which were measured
// apart, with its bootstrap interval. What differs between the occasions of a and b alone
// cannot be told from what differs between the things.
func RatioInterval(a, b []float64, level float64) Interval {
	drawA, drawB := sampler(a), sampler(b)
	return bootstrap(Median(a)/Median(b), level, func() float64 { return Median(drawA()) / Median(drawB()) })
}

// PairedRatio returns the ratio behind the natural logarithms of the ratios of pairs that
// were measured in turn: the exponential of their mean without the lowest and the highest
// fifth, with its bootstrap interval, widened by √(n/(n−1)), as the bootstrap's spread is
// that of a population.
func PairedRatio(logs []float64, level float64) Interval {
	const share = 0.2
	mean := TrimmedMean(logs, share)
	draw := sampler(logs)
	n := float64(len(logs))
	wider := math.Sqrt(n / max(n-1, 1))
	i := bootstrap(mean, level, func() float64 { return mean + wider*(TrimmedMean(draw(), share)-mean) })
	return Interval{math.Exp(i.Value), math.Exp(i.Low), math.Exp(i.High)}
}

// TrimmedMean returns the mean of x without the lowest and the highest share (below ½) of
// its values, NaN for none.
func TrimmedMean(x []float64, share float64) float64 {
	s := slices.Sorted(slices.Values(x))
	cut := int(share * float64(len(s)))
	return stat.Mean(s[cut:len(s)-cut], nil)
}

// sampler returns a function that draws len(x) values of x with replacement, by numbers
// that are the same each time. The result is valid until the next call.
func sampler(x []float64) func() []float64 {
	r := rand.New(rand.NewPCG(uint64(len(x)), 0x78716c6162))
	out := make([]float64, len(x))
	return func() []float64 {
		for i := range out {
			out[i] = x[r.IntN(len(x))]
		}
		return out
	}
}

// bootstrap returns value between the percentiles of many draws.
func bootstrap(value, level float64, draw func() float64) Interval {
	if math.IsNaN(value) {
		return Interval{value, value, value}
	}
	all := make([]float64, resamples)
	for i := range all {
		all[i] = draw()
	}
	slices.Sort(all)
	tail := (1 - level) / 2
	return Interval{value, stat.Quantile(tail, stat.LinInterp, all, nil), stat.Quantile(1-tail, stat.LinInterp, all, nil)}
}

// SpeedVerdict is what a comparison of speeds shows.
type SpeedVerdict string

// The verdicts.
const (
	Faster       SpeedVerdict = "faster"
	Slower       SpeedVerdict = "slower"
	NoDifference SpeedVerdict = "no difference shown"
)

// Verdict reads the interval of a ratio of speeds.
func (i Interval) Verdict() SpeedVerdict {
	switch {
	case i.Low > 1:
		return Faster
	case i.High < 1:
		return Slower
	}
	return NoDifference
}
