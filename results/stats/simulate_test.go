package stats

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"
)

// simulations is how many tests are played at each bound; `make sim` asks for 1,000.
var simulations = flag.Int("simulations", 100, "simulated SPRTs at each bound")

// matchWorld draws pairs of games as of a match: openings whose bias for Red is normally distributed, in log-odds, and draws as
// Davidson has them.
type matchWorld struct {
	name         string
	nu, biasMean float64
	biasSpread   float64
}

// cells returns the distribution of a pair's cells at difference delta, over all openings.
func (w matchWorld) cells(delta float64) (p [5]float64) {
	game := func(d float64) [3]float64 { // loss, draw, win
		win, loss := math.Exp(d/2), math.Exp(-d/2)
		z := win + loss + w.nu
		return [3]float64{loss / z, w.nu / z, win / z}
	}
	const steps = 400
	total := 0.0
	for i := range steps {
		z := (float64(i)+0.5)/steps*8 - 4
		density := math.Exp(-z * z / 2)
		bias := w.biasMean + w.biasSpread*z
		first, second := game(delta+bias), game(delta-bias)
		for a := range first {
			for b := range second {
				p[a+b] += density * first[a] * second[b]
			}
		}
		total += density
	}
	for k := range p {
		p[k] /= total
	}
	return p
}

// at returns the cells of a world in which the strength is elo in a test's model.
func (w matchWorld) at(s SPRT, elo float64) [5]float64 {
	excess := func(delta float64) float64 {
		p := w.cells(delta)
		c := cells{n: 1, a: pentaScores, perGame: 2, p: p[:]}
		lead, _ := c.moments()
		return s.lead(c, elo) - lead
	}
	return w.cells(decreasingRoot(excess, -3, 3))
}

// play runs one test to its verdict.
func play(s SPRT, p [5]float64, rng *rand.Rand) (State, int, error) {
	q, err := NewSequential(s)
	if err != nil {
		return "", 0, err
	}
	for pair := 0; q.State().State == Continue; pair++ {
		x, cell := rng.Float64(), 0
		for cell < 4 && x >= p[cell] {
			x -= p[cell]
			cell++
		}
		if err := q.Add(pair, cell); err != nil {
			return "", 0, err
		}
	}
	return q.State().State, q.Penta().Pairs(), nil
}

// Tests of a known strength at a bound end wrongly in no more than 6.5 % of 1,000 (α = β = 0.05, and two standard deviations
// of the count), and take as long as planned. Without the flag only short tests are played, fewer, with wider limits.
func TestSimulatedSPRTs(t *testing.T) {
	n, most := *simulations, 0.065
	tests := []SPRT{{Normalized, 0, 60, 0.05, 0.05}, {Normalized, 0, 10, 0.05, 0.05}, {Logistic, 0, 10, 0.05, 0.05}}
	if n < 1000 {
		most, tests = 0.05+3.5*math.Sqrt(0.05*0.95/float64(n)), tests[:1]
	}
	for _, w := range []matchWorld{
		{"half drawn, openings level", 2, 0, 0.3},
		{"mostly drawn, openings biased", 6, 1, 1},
		{"few draws, openings very biased", 0.7, 1.5, 1.5},
	} {
		for _, s := range tests {
			plan, err := s.Plan(Conditions{DrawRate: 0.5})
			if s.Model == Logistic {
				p := w.at(s, 0)
				plan, err = s.Plan(Conditions{Pairs: Penta{int(1e6 * p[0]), int(1e6 * p[1]), int(1e6 * p[2]), int(1e6 * p[3]), int(1e6 * p[4])}})
			}
			if err != nil {
				t.Fatal(err)
			}
			simulate(t, w, s, plan.AtElo0, AcceptH1, n, most)
			simulate(t, w, s, plan.AtElo1, AcceptH0, n, most)
		}
	}
}

// simulate plays n tests at one true strength.
func simulate(t *testing.T, w matchWorld, s SPRT, plan PlanPoint, wrong State, n int, most float64) {
	p := w.at(s, plan.Elo)
	var errors, pairs atomic.Int64
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error {
			state, length, err := play(s, p, rand.New(rand.NewPCG(uint64(i), math.Float64bits(plan.Elo))))
			pairs.Add(int64(length))
			if state == wrong {
				errors.Add(1)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	share, games := float64(errors.Load())/float64(n), 2*float64(pairs.Load())/float64(n)
	line := fmt.Sprintf("%-31s %-10s [%v, %v] at %-2v: %.1f %% of %d wrong, %.0f games on average (planned %.0f)",
		w.name, s.Model, s.Elo0, s.Elo1, plan.Elo, 100*share, n, games, plan.MeanGames)
	t.Log(line)
	if share > most {
		t.Errorf("more than %.1f %%: %s", 100*most, line)
	}
	if math.Abs(games/plan.MeanGames-1) > 0.05+4/math.Sqrt(float64(n)) {
		t.Errorf("not as long as planned: %s", line)
	}
}
