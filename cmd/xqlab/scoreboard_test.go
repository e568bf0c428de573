package main

import "testing"

func TestSignedText(t *testing.T) {
	for _, c := range []struct {
		x        float64
		decimals int
		want     string
	}{{0, 0, "0"}, {-0.3, 0, "0"}, {0.3, 0, "0"}, {-1e-17, 2, "0.00"}, {-0.6, 0, "-1"}, {100, 0, "+100"}, {-0.004, 2, "0.00"}, {0.08, 2, "+0.08"}} {
		if got := signedText(c.x, c.decimals); got != c.want {
			t.Errorf("%v with %d decimals: %q, want %q", c.x, c.decimals, got, c.want)
		}
	}
}
