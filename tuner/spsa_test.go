package tuner

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseSPSAParam(t *testing.T) {
	p, err := ParseSPSAParam(" LMRBase, int, 100, 0, 300, 12.5, 0.002")
	want := SPSAParam{"LMRBase", true, 100, 0, 300, 12.5, 0.002}
	if err != nil || p != want {
		t.Fatalf("%+v, %v", p, err)
	}
	if again, err := ParseSPSAParam(p.String()); err != nil || again != p {
		t.Errorf("%s is read back as %+v, %v", p, again, err)
	}
	if _, err := ParseSPSAParam("Time Factor, float, 0.5, 0, 1, 0.05, .002"); err != nil {
		t.Error(err)
	}
	for line, want := range map[string]string{
		"A, int, 5, 0, 10, 1":           "6 words",
		"A, bool, 5, 0, 10, 1, .002":    `type "bool"`,
		"A, int, x, 0, 10, 1, .002":     `"x" is no number`,
		", int, 5, 0, 10, 1, .002":      "without a name",
		"A, int, 11, 0, 10, 1, .002":    "outside 0 to 10",
		"A, int, 5, 10, 10, 1, .002":    "below the greatest",
		"A, int, 5.5, 0, 10, 1, .002":   "whole numbers",
		"A, int, 5, 0, 10, 0.5, .002":   "c_end 0.5: below 1",
		"A, float, 5, 0, 10, 0, .002":   "more than 0",
		"A, float, 5, 0, 10, 6, .002":   "twice that is more than the range",
		"A, int, 5, 0, 10, 1, 0":        "r_end 0",
		"A, int, 5, 0, 10, 1, 2":        "r_end 2",
		"A, float, NaN, 0, 10, 1, .002": "no finite number",
		"A, int, 5, 0, +Inf, 1, 0.002":  "no finite number",
	} {
		if _, err := ParseSPSAParam(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

// bowl plays games whose winner is nearer to a point, with chance.
func bowl(point []float64) func(context.Context, int, []float64, []float64) (float64, error) {
	return func(_ context.Context, step int, plus, minus []float64) (float64, error) {
		r := rand.New(rand.NewPCG(9, uint64(step)))
		d := 0.0
		for i := range point {
			d += math.Abs(minus[i]-point[i]) - math.Abs(plus[i]-point[i])
		}
		score := 0.0
		for range 8 {
			if r.Float64() < 1/(1+math.Exp(-d/20)) {
				score++
			} else {
				score--
			}
		}
		return score, nil
	}
}

func bowlSPSA(steps int) *SPSA {
	return &SPSA{
		Params: []SPSAParam{{"a", true, 20, 0, 100, 4, 0.02}, {"b", false, 80, 0, 100, 4, 0.02}},
		Steps:  steps, Pairs: 4, Seed: 5, Play: bowl([]float64{60, 50}),
		Stored: func(context.Context, SPSAStep) error { return nil },
	}
}

// TestSPSAFindsTheBest, in games that chance decides most of.
func TestSPSAFindsTheBest(t *testing.T) {
	got, err := bowlSPSA(1500).Run(t.Context(), nil)
	if err != nil || math.Abs(got[0]-60) > 6 || math.Abs(got[1]-50) > 6 {
		t.Errorf("%v, %v; want about 60, 50", got, err)
	}
}

// TestSPSAGoesOn with the same path from any step.
func TestSPSAGoesOn(t *testing.T) {
	run := func(done []SPSAStep, stopAfter int) []SPSAStep {
		s := bowlSPSA(30)
		s.Stored = func(_ context.Context, p SPSAStep) error {
			done = append(done, p)
			if len(done) == stopAfter {
				return context.Canceled
			}
			return nil
		}
		if _, err := s.Run(t.Context(), slices.Clone(done)); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		return done
	}
	want := run(nil, 0)
	for n := 1; n < 30; n += 6 {
		if got := run(run(nil, n), 0); !reflect.DeepEqual(got, want) {
			t.Fatalf("stopped after %d steps the path is another", n)
		}
	}
	s := bowlSPSA(30)
	if _, err := s.Run(t.Context(), want[1:]); err == nil {
		t.Error("a path with a gap was taken")
	}
}

// TestSPSASides: in range, integers whole, and never alike.
func TestSPSASides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := SPSAParam{Name: "x", Integer: rapid.Bool().Draw(t, "int"), Min: float64(rapid.IntRange(-50, 50).Draw(t, "min")), REnd: 0.002}
		p.Max = p.Min + float64(rapid.IntRange(2, 100).Draw(t, "range"))
		p.Start = float64(rapid.IntRange(int(p.Min), int(p.Max)).Draw(t, "start"))
		p.CEnd = rapid.Float64Range(1, (p.Max-p.Min)/2).Draw(t, "c")
		s := &SPSA{Params: []SPSAParam{p}, Steps: rapid.IntRange(1, 1000).Draw(t, "steps"), Pairs: rapid.IntRange(1, 20).Draw(t, "pairs"), Seed: rapid.Uint64().Draw(t, "seed")}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		step := rapid.IntRange(0, s.Steps-1).Draw(t, "step")
		at := rapid.Float64Range(p.Min, p.Max).Draw(t, "value")
		plus, minus := s.Sides(step, []float64{at})
		for _, v := range []float64{plus[0], minus[0]} {
			if v < p.Min || v > p.Max || p.Integer && v != math.Trunc(v) {
				t.Fatalf("%v of %s", v, p)
			}
		}
		if plus[0] == minus[0] {
			t.Fatalf("both sides play with %v", plus[0])
		}
	})
}
