package tuner

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/results"
)

// ScaleFit is what FitScales found.
type ScaleFit struct {
	Ending     [eval.Endings]int `json:"-"`       // the scales
	Prior      float64           `json:"prior"`   // standard deviation of a scale's logarithm that was chosen; 0 when to stay was best
	Changed    int               `json:"changed"` // scales that are others than at the start
	Positions  int               `json:"positions"`
	Validation Change            `json:"validation"` // loss of the results that the new scales save, of all positions of the set
	Test       Change            `json:"test"`
}

// String says what came of the fit.
func (s *ScaleFit) String() string {
	if s.Prior == 0 {
		return "none was better on the validation set"
	}
	return fmt.Sprintf("%d changed, prior %g, loss of results less by %.6f ± %.6f (validation), %.6f ± %.6f (test)", s.Changed, s.Prior,
		s.Validation.Mean, s.Validation.Error, s.Test.Mean, s.Test.Error)
}

// scaleTrials are the standard deviations of a scale's logarithm around its start that are tried.
var scaleTrials = []float64{0.03, 0.06, 0.12, 0.25, 0.5, 1}

// ended is a position in an ending.
type ended struct {
	score  float64 // under a scale of 1
	game   int     // within the set
	result uint8
}

// endings are the positions of a set by class.
type endings struct {
	of     [eval.Endings][]ended
	n      int // positions of the whole set
	games  int // that are here
	stride int // how many each of those here stands for
}

// FitScales fits the scales of endings, which the score is not linear in, to the data of a
// fit: with its weights held, each class alone, for its positions have no other scale. The
// results alone are the target, even where the weights were fitted to searches' scores too: a
// score holds the scales that it was made with. A scale is held to its start by a prior that is
// chosen on the validation set, as the weights are; so those of rare classes stay, and all of
// them if none is better. Data and start are those of the fit, of the built-in evaluation.
func FitScales(ctx context.Context, d *Dataset, start *eval.Weights, r *Result, threads int) (*ScaleFit, error) {
	if len(r.Weights) != 2*eval.Features || len(d.Features) != eval.Features {
		return nil, fmt.Errorf("scales of endings: %d weights, the built-in evaluation has %d", len(r.Weights), 2*eval.Features)
	}
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	f := &fitting{Options: r.Options, ctx: ctx, data: d, model: r.model()}
	f.Threads = threads
	w := make(vector, eval.Features)
	for i := range r.Weights {
		w[i/2][i&1] = float64(r.Weights[i].Rounded())
	}
	var sets [Sets]*endings
	for s := range Sets {
		var err error
		if sets[s], err = f.endings(s, w, start); err != nil {
			return nil, err
		}
	}
	best := &ScaleFit{Ending: start.Ending}
	unit := f.endingUnit(sets[Train], start)
	for _, prior := range scaleTrials {
		t := &ScaleFit{Prior: prior, Ending: f.endingScales(sets[Train], start, unit/2/(prior*prior))}
		if t.Validation = f.saved(sets[Validation], &start.Ending, &t.Ending); t.Validation.Mean > best.Validation.Mean {
			best = t
		}
	}
	best.Test = f.saved(sets[Test], &start.Ending, &best.Ending)
	for i, list := range sets[Train].of {
		best.Positions += len(list) * sets[Train].stride
		if best.Ending[i] != start.Ending[i] {
			best.Changed++
		}
	}
	return best, nil
}

// model returns the model that the weights were fitted with, but for results alone.
func (r *Result) model() model {
	return model{loss: r.Options.Loss, k: r.K, d: r.Margin, lambda: 1}
}

// endingUnit returns what a unit of log likelihood is in the loss of endings: of the squared
// error, twice the variance that it has.
func (f *fitting) endingUnit(e *endings, start *eval.Weights) float64 {
	if f.model.loss != Squared {
		return 1
	}
	sum, n := 0.0, 0
	for i, list := range e.of {
		for j := range list {
			sum += f.lossAt(&list[j], float64(start.Ending[i]))
		}
		n += len(list)
	}
	return 2 * max(sum, 1e-9) / float64(max(n, 1))
}

// endings collects the positions in endings, of a large set every stride-th block's.
func (f *fitting) endings(set Set, w vector, start *eval.Weights) (*endings, error) {
	e := &endings{n: f.data.Sets[set].Positions, stride: 1 + f.data.Sets[set].Positions/scalePositions}
	type found struct {
		ended
		class int
	}
	parts := make([][]found, len(f.data.blocks[set]))
	games := make([]int, len(parts))
	err := f.data.pass(f.ctx, set, f.Threads, lanes, nil, func(_ int, b *block) {
		if b.index%e.stride != 0 {
			return
		}
		var r record
		b.inOrder(&r, func() bool {
			if r.first {
				games[b.index]++
			}
			if r.class > 0 && r.class <= eval.Endings {
				scale := float64(start.Ending[r.class-1])
				one := found{ended{r.dot(w) / scale, games[b.index], uint8(r.result)}, r.class - 1}
				parts[b.index] = append(parts[b.index], one)
			}
			return true
		})
	})
	for i, p := range parts {
		for _, x := range p {
			x.game += e.games
			e.of[x.class] = append(e.of[x.class], x.ended)
		}
		e.games += games[i]
	}
	return e, err
}

// endingScales returns the best scale of each class, held to the start by tie: the penalty of a
// logarithm that is 1 away from it.
func (f *fitting) endingScales(e *endings, start *eval.Weights, tie float64) [eval.Endings]int {
	out := start.Ending
	for i, list := range e.of {
		if len(list) == 0 {
			continue
		}
		from := math.Log(float64(out[i]))
		best := golden(0, math.Log(eval.MaxEnding), func(x float64) float64 {
			loss := tie * (x - from) * (x - from)
			x = math.Exp(x)
			for j := range list {
				loss += float64(e.stride) * f.lossAt(&list[j], x)
			}
			return loss
		})
		out[i] = int(math.Round(best))
	}
	return out
}

// lossAt returns the loss of a position under a scale.
func (f *fitting) lossAt(x *ended, scale float64) float64 {
	v, _, _ := f.model.at(x.score*scale, int(x.result), results.NoScore)
	return v
}

// saved returns by how much the loss of a set is less under the new scales.
func (f *fitting) saved(e *endings, old, now *[eval.Endings]int) Change {
	games := make([]float64, e.games+1)
	sum := 0.0
	for i, list := range e.of {
		if old[i] == now[i] {
			continue
		}
		for j := range list {
			v := f.lossAt(&list[j], float64(old[i])) - f.lossAt(&list[j], float64(now[i]))
			sum += v
			games[list[j].game] += v
		}
	}
	squares := 0.0
	for _, v := range games {
		squares += v * v
	}
	each := float64(e.stride) / float64(e.n)
	return Change{sum * each, math.Sqrt(squares) * each}
}
