package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func plan(t interface{ Fatal(...any) }, s SPRT, c Conditions) Plan {
	p, err := s.Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Wald's formulas for a walk with steps of variance δ² and drift ±δ²/2 at the hypotheses, worked by hand: at Elo0 and
// Elo1 (upper−lower risk-weighted)/(δ²/2), halfway −lower·upper/δ².
func TestPlanIsWalds(t *testing.T) {
	s := SPRT{Normalized, 0, 5, 0.05, 0.05}
	delta := 5 * math.Sqrt2 / NEloPerSigma
	bound := math.Log(19)
	p := plan(t, s, Conditions{DrawRate: 0.6, GamesPerHour: 100})
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"at elo0", p.AtElo0.MeanGames, 2 * 0.9 * bound / (delta * delta / 2)},
		{"at elo1", p.AtElo1.MeanGames, 2 * 0.9 * bound / (delta * delta / 2)},
		{"between", p.Between.MeanGames, 2 * bound * bound / (delta * delta)},
		{"hours", p.Between.MeanHours * 100, p.Between.MeanGames},
	} {
		if math.Abs(c.got-c.want) > 2.1 {
			t.Errorf("%s: %v games, want %v", c.name, c.got, c.want)
		}
	}
	if math.Abs(p.AtElo0.AcceptH1-0.05) > 1e-9 || math.Abs(p.AtElo1.AcceptH1-0.95) > 1e-9 || math.Abs(p.Between.AcceptH1-0.5) > 1e-9 {
		t.Errorf("risks: %+v", p)
	}
}

func TestPlanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawTest(t, Normalized, Logistic)
		s.Elo0, s.Elo1 = s.Elo0/20, s.Elo1/20 // tests that people play
		if s.Elo1-s.Elo0 < 0.01 {
			t.Skip("bounds too near")
		}
		c := Conditions{DrawRate: rapid.Float64Range(0, 0.999).Draw(t, "draws")}
		p := plan(t, s, c)
		for _, x := range []PlanPoint{p.AtElo0, p.Between, p.AtElo1} {
			if !finite(x.MeanGames, x.WorstGames) || x.MeanGames < 2 || x.WorstGames < x.MeanGames || x.AcceptH1 < 0 || x.AcceptH1 > 1 {
				t.Errorf("%+v", x)
			}
		}
		if math.Abs(p.AtElo0.AcceptH1-s.Alpha) > 1e-3 && s.Model == Normalized {
			t.Errorf("α %v, planned %v", s.Alpha, p.AtElo0.AcceptH1)
		}
		if other := plan(t, s, Conditions{DrawRate: 0.3}); s.Model == Normalized && math.Abs(other.Between.MeanGames-p.Between.MeanGames) > 2.1 {
			t.Errorf("the normalized length depends on draws: %v, %v", p.Between, other.Between)
		}
	})
}

func TestPlanRefuses(t *testing.T) {
	s := SPRT{Normalized, 0, 5, 0.05, 0.05}
	for name, c := range map[string]Conditions{"all drawn": {DrawRate: 1}, "negative": {DrawRate: -0.1}, "NaN": {DrawRate: math.NaN()}, "counts": {Pairs: Penta{-1}}} {
		if _, err := s.Plan(c); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := (SPRT{Bayesian, 0, 5, 0.05, 0.05}).Plan(Conditions{}); err == nil {
		t.Error("a model without pairs is taken")
	}
}

func TestRemaining(t *testing.T) {
	s := SPRT{Normalized, 0, 5, 0.05, 0.05}
	start, _, err := s.Remaining(Penta{})
	if want := plan(t, s, Conditions{}).Between.MeanGames; err != nil || start != want {
		t.Errorf("before the first pair %v, %v, want the length halfway %v", start, err, want)
	}
	near, worst, err := s.Remaining(Penta{1000, 5000, 9000, 5225, 1047})
	if err != nil || near <= 0 || near >= start/2 || worst < near {
		t.Fatalf("close to a bound %v (worst %v), %v, of %v at the start", near, worst, err, start)
	}
	if over, _, err := s.Remaining(Penta{0, 0, 0, 5000, 5000}); err != nil || over != 0 {
		t.Errorf("after the verdict %v, %v", over, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := drawTest(t, Normalized, Logistic)
		if s.Elo1-s.Elo0 < 0.01 {
			t.Skip("bounds too near")
		}
		mean, worst, err := s.Remaining(drawPenta(t, 1e6))
		if err != nil || !finite(mean, worst) || mean < 0 {
			t.Errorf("%v, %v, %v", mean, worst, err)
		}
	})
}
