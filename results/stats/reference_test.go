package stats

import (
	"math"
	"testing"
)

// The numbers are rows of the project's STATISTICS.md, which were computed with the code of fastchess,
// fishtest and OpenBench on their own published cases.
func TestReferenceLLR(t *testing.T) {
	tests := []struct {
		row        int
		model      Model
		sample     any
		elo0, elo1 float64
		want, tol  float64
	}{
		{1, Normalized, WDL{36433, 68692, 36027}, 0, 2, 0.923293, 1e-6},
		{3, Normalized, WDL{4250, 0, 0}, 0, 10, 120.548268, 1e-6},
		{4, Logistic, WDL{21404, 40708, 21184}, 0.5, 2.5, -1.571890, 2e-6},
		{5, Logistic, WDL{57433, 106593, 57030}, 0, 2, -2.593020, 5e-6},
		{6, Bayesian, WDL{68965, 128429, 68526}, 0, 2, -1.26215, 6e-6},
		{8, Normalized, Penta{365, 16618, 36229, 16974, 390}, 0, 2, 2.250368, 1e-6},
		{10, Normalized, Penta{0, 0, 0, 0, 5550}, 0, 5, 111.797555, 1e-6},
		{11, Logistic, Penta{223, 9863, 21279, 10037, 246}, 0.5, 2.5, -3.074126, 1e-6},
		{16, Normalized, Penta{39, 8843, 26675, 9240, 44}, 0.5, 2.5, 2.941675, 1e-6},
		{16, Logistic, Penta{39, 8843, 26675, 9240, 44}, 0.5, 2.5, 0.555517, 1e-6},
		{17, Bayesian, WDL{22976, 44137, 22569}, 0.5, 2.5, 0.975758, 1e-6},
		{18, Logistic, Penta{10789, 19328, 33806, 19402, 10543}, -3, 1, 2.131068, 1e-6},
		{20, Normalized, Penta{39, 2226, 31451, 2412, 40}, 0.764, 3.439, 2.162941, 1e-6},
		{21, Bayesian, WDL{5019, 15699, 5026}, 0, 5, -2.857668, 1e-6},
		{22, Bayesian, WDL{716, 2163, 591}, 0, 6, 2.986174, 1e-6},
		{31, Logistic, WDL{880, 1863, 759}, 0, 5, 2.947224, 1e-6},
		{31, Normalized, WDL{880, 1863, 759}, 0, 5, 2.182963, 1e-6},
		{31, Bayesian, WDL{880, 1863, 759}, 0, 5, 2.271379, 4e-3}, // the row is the plain sum; see TestBayesianPlainSum
		{35, Normalized, Penta{0, 0, 50, 0, 0}, 0, 5, -0.0176, 5e-5},
		{35, Logistic, Penta{0, 0, 50, 0, 0}, 0, 5, -0.7176, 5e-5},
		{36, Normalized, Penta{0, 0, 0, 0, 1}, 0, 5, 0.020153, 1e-6},
		{38, Normalized, Penta{}, 0, 5, 0, 0},
		{38, Logistic, WDL{}, 0, 5, 0, 0},
	}
	for _, tt := range tests {
		got := state(t, SPRT{tt.model, tt.elo0, tt.elo1, 0.05, 0.05}, tt.sample)
		if !(math.Abs(got.LLR-tt.want) <= tt.tol) {
			t.Errorf("row %d: LLR of %s %v = %.7f, want %.7f", tt.row, tt.model, tt.sample, got.LLR, tt.want)
		}
	}
}

func state(t interface{ Fatal(...any) }, s SPRT, sample any) SPRTState {
	var got SPRTState
	var err error
	switch v := sample.(type) {
	case WDL:
		got, err = s.WDL(v)
	case Penta:
		got, err = s.Penta(v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// OpenBench's BayesElo statistic is Σ n ln(P1/P0) without the projection: rows 17 and 31 have it. Here it is
// the plain reference for the order of size of ours.
func TestBayesianPlainSum(t *testing.T) {
	for _, tt := range []struct {
		row              int
		w                WDL
		elo0, elo1, want float64
	}{{17, WDL{22976, 44137, 22569}, 0.5, 2.5, 0.975772}, {31, WDL{880, 1863, 759}, 0, 5, 2.271379}} {
		n := float64(tt.w.Games())
		l, w := float64(tt.w.L)/n, float64(tt.w.W)/n
		drawElo := 200 * math.Log10((1-l)/l*(1-w)/w)
		logs := func(elo float64) float64 {
			win, loss := ScoreOfElo(elo-drawElo), ScoreOfElo(-elo-drawElo)
			return n * (w*math.Log(win) + l*math.Log(loss) + (1-w-l)*math.Log(1-win-loss))
		}
		if got := logs(tt.elo1) - logs(tt.elo0); math.Abs(got-tt.want) > 1e-5 {
			t.Errorf("row %d: plain sum %.6f, want %.6f", tt.row, got, tt.want)
		}
	}
}

func TestReferenceElo(t *testing.T) {
	nan := math.NaN() // not given by the row
	tests := []struct {
		row                                                                 int
		got                                                                 Elo
		elo, eloError, nelo, neloError, los, score, drawnPairs, pairs, draw float64
	}{
		{23, WDL{76, 123, 89}.Elo(), -15.6935, 30.4580, -20.76, 40.13, 0.1553, 0.477, 0, 0, 123. / 288},
		{24, WDL{136, 111, 96}.Elo(), 40.7025, 30.4272, 49.7684, 36.7685, 0.9960, nan, 0, 0, 111. / 343},
		{26, Penta{34, 54, 31 + 32, 64, 75}.Elo(), 55.58, 27.65, 57.94, 28.28, nan, 0.579, 0.21724, 1.5795, nan},
		{28, Penta{7895, 8757, 5485 + 200, 568, 9999}.Elo(), -21.04, 2.95, -19.01, 2.65, nan, nan, 0.17278, nan, nan},
		{29, Penta{43, 61, 144, 55, 37}.Elo(), -9.1990, 20.9272, -11.4981, 26.1137, 0.1941, 0.4868, 0.4235, 0.88, nan},
		{29, WDL{248, 166, 266}.Elo(), -9.1990, 22.74, nan, nan, 0.2135, 0.4868, 0, 0, 166. / 680},
		{39, WDL{0, 0, 10}.Elo(), -1199.826, 170.506, -MaxNElo, nan, 0, 0, 0, 0, 0},
	}
	for _, tt := range tests {
		g := tt.got
		for _, c := range []struct {
			name           string
			got, want, tol float64
		}{
			{"elo", g.Elo, tt.elo, 6e-3}, {"elo_error", g.EloError, tt.eloError, 6e-3},
			{"nelo", g.NElo, tt.nelo, 6e-3}, {"nelo_error", g.NEloError, tt.neloError, 6e-3},
			{"los", g.LOS, tt.los, 6e-5}, {"score", g.Score, tt.score, 6e-4},
			{"drawn_pairs", g.DrawnPairs, tt.drawnPairs, 5e-5}, {"pairs_ratio", g.PairsRatio, tt.pairs, 5e-3},
			{"draw_rate", g.DrawRate, tt.draw, 1e-12},
		} {
			if !math.IsNaN(c.want) && !(math.Abs(c.got-c.want) <= c.tol) {
				t.Errorf("row %d: %s = %.6f, want %.6f", tt.row, c.name, c.got, c.want)
			}
		}
	}
}

// Row 22's values are fishtest's two-image approximation of what is exact here, hence its tolerance.
func TestReferenceUnbiased(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		row        int
		model      Model
		sample     any
		elo0, elo1 float64
		want       Estimate
		tol        float64
	}{
		{18, Logistic, Penta{10789, 19328, 33806, 19402, 10543}, -3, 1, Estimate{-0.992537, -3.488492, 1.488586, 0.188035}, 1e-6},
		{20, Normalized, Penta{39, 2226, 31451, 2412, 40}, 0.764, 3.439, Estimate{0.865160, nan, nan, nan}, 1e-6},
		{21, Bayesian, WDL{5019, 15699, 5026}, 0, 5, Estimate{0.369220, -2.405368, 3.303768, 0.601487}, 1e-6},
		{22, Bayesian, WDL{716, 2163, 591}, 0, 6, Estimate{11.906224, 4.632354, 19.144321, nan}, 2e-3},
	}
	for _, tt := range tests {
		s := SPRT{tt.model, tt.elo0, tt.elo1, 0.05, 0.05}
		var got Estimate
		var err error
		switch v := tt.sample.(type) {
		case WDL:
			got, err = s.EstimateWDL(v, Continue)
		case Penta:
			got, err = s.EstimatePenta(v, Continue)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range [][2]float64{{got.Elo, tt.want.Elo}, {got.Low, tt.want.Low}, {got.High, tt.want.High}, {got.LOS, tt.want.LOS}} {
			if !math.IsNaN(c[1]) && !(math.Abs(c[0]-c[1]) <= tt.tol) {
				t.Errorf("row %d: %+v, want %+v", tt.row, got, tt.want)
				break
			}
		}
	}
}

func TestReferenceBounds(t *testing.T) { // row 32
	for _, tt := range []struct{ alpha, beta, lower, upper float64 }{
		{0.05, 0.05, -2.944439, 2.944439},
		{0.01, 0.01, -4.595120, 4.595120},
		{0.025, 0.025, -3.663562, 3.663562},
		{0.05, 0.10, -2.251292, 2.890372},
	} {
		lower, upper := SPRT{Alpha: tt.alpha, Beta: tt.beta}.Bounds()
		if math.Abs(lower-tt.lower) > 1e-6 || math.Abs(upper-tt.upper) > 1e-6 {
			t.Errorf("α %v β %v: %.6f, %.6f, want %.6f, %.6f", tt.alpha, tt.beta, lower, upper, tt.lower, tt.upper)
		}
	}
}
