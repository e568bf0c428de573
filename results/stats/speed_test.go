package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}, {[]float64{1, 2, 3, 100}, 2.5}} {
		if got := Median(c.x); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.x, got, c.want)
		}
	}
	if !math.IsNaN(Median(nil)) || !math.IsNaN(MedianInterval(nil, 0.95).Low) {
		t.Error("no values have a median")
	}
}

func TestIntervalsHoldTheirEstimate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(1, 1e6), 1, 6).Draw(t, "x")
		m := MedianInterval(x, 0.95)
		if !(m.Low <= m.Value && m.Value <= m.High) || m != MedianInterval(x, 0.95) {
			t.Fatalf("%v: interval %v", x, m)
		}
		if r := RatioInterval(x, x, 0.95); r.Value != 1 || r.Verdict() != NoDifference {
			t.Fatalf("%v against itself: %v", x, r)
		}
	})
}

// TestPairedRatioErrors simulates comparisons on a noisy machine: rounds whose
// logarithms of ratios spread by 3 % with one in ten far off. Identical things must
// seldom differ, and 3 % must nearly always be seen.
func TestPairedRatioErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rounds := func(n int, slow float64) []float64 {
		logs := make([]float64, n)
		for i := range logs {
			logs[i] = slow + 0.03*r.NormFloat64()
			if r.IntN(10) == 0 {
				logs[i] += 0.2 * r.NormFloat64()
			}
		}
		return logs
	}
	const tries = 60
	for _, n := range []int{12, 50} {
		wrong, seen := 0, 0
		for range tries {
			if PairedRatio(rounds(n, 0), SpeedLevel).Verdict() != NoDifference {
				wrong++
			}
			if PairedRatio(rounds(n, math.Log(0.97)), SpeedLevel).Verdict() == Slower {
				seen++
			}
		}
		if wrong > tries/20 || n == 50 && seen < tries*9/10 {
			t.Errorf("%d rounds: %d of %d identical differ, %d of %d slower by 3 %% are seen", n, wrong, tries, seen, tries)
		}
	}
}
