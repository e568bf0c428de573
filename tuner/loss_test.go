package tuner

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestExp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-745, 710).Draw(t, "x")
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 5e-16*want {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	})
	for _, x := range []float64{0, math.Inf(1), math.Inf(-1), 1e300, -1e300, 699.999, -699.999, 800} {
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 5e-16*want {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if !math.IsNaN(exp(math.NaN())) {
		t.Error("exp(NaN)")
	}
}
