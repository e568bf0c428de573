package tuner

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
)

// Checker counts what does not hold of the built-in evaluation while its positions are
// extracted. It may be shared by goroutines.
type Checker struct {
	weights   *eval.Weights
	Positions atomic.Int64
	Rebuilt   atomic.Int64           // scores that coefficients × weights do not give exactly
	Mirrored  atomic.Int64           // positions whose mirror image has other coefficients
	Swapped   atomic.Int64           // positions that with colours swapped have not the opposite ones
	First     atomic.Pointer[string] // the first fault
}

// NewChecker returns a checker of the evaluation with the weights.
func NewChecker(w *eval.Weights) *Checker { return &Checker{weights: w} }

// Evaluation returns the built-in evaluation for one goroutine, which checks every position
// it extracts.
func (c *Checker) Evaluation() Evaluation {
	return &checked{Checker: c, own: Own(c.weights), e: eval.New(c.weights)}
}

// Failed returns how many faults were found.
func (c *Checker) Failed() int64 {
	return c.Rebuilt.Load() + c.Mirrored.Load() + c.Swapped.Load()
}

func (c *Checker) fault(n *atomic.Int64, format string, args ...any) {
	n.Add(1)
	text := fmt.Sprintf(format, args...)
	c.First.CompareAndSwap(nil, &text)
}

type checked struct {
	*Checker
	own   Evaluation
	e     *eval.Evaluator
	other Sample
}

// Names implements Evaluation.
func (c *checked) Names() []string { return c.own.Names() }

// Extract implements Evaluation.
func (c *checked) Extract(p *movegen.Position, s *Sample) {
	c.own.Extract(p, s)
	c.Positions.Add(1)
	want := c.e.Evaluate(p, nil)
	if p.Side() == movegen.Black {
		want = -want
	}
	sum := s.Offset
	for _, x := range s.Coefs {
		w := c.weights.Values[x.Index]
		// In the file's precision, whose rounding would show.
		sum += float64(float32(s.MG))*x.MG*float64(w.MG) + float64(float32(s.EG))*x.EG*float64(w.EG)
	}
	if int(sum) != want {
		c.fault(&c.Rebuilt, "%s: the evaluation says %d, coefficients × weights %v", p.FEN(), want, sum)
	}
	mirror := p.Mirror()
	c.own.Extract(&mirror, &c.other)
	if c.other.MG != s.MG || c.other.EG != s.EG || !slices.Equal(c.other.Coefs, s.Coefs) {
		c.fault(&c.Mirrored, "%s: its mirror image has other coefficients", p.FEN())
	}
	swap := p.Flip()
	c.own.Extract(&swap, &c.other)
	for i := range c.other.Coefs {
		c.other.Coefs[i].MG, c.other.Coefs[i].EG = -c.other.Coefs[i].MG, -c.other.Coefs[i].EG
	}
	// A score of 0 favours nobody, and its scale is that of Red's attackers.
	if sum != 0 && (c.other.MG != s.MG || c.other.EG != s.EG) || !slices.Equal(c.other.Coefs, s.Coefs) {
		c.fault(&c.Swapped, "%s: with colours swapped its coefficients are not the opposite", p.FEN())
	}
}

// Same reports whether two datasets hold the same samples in the same order.
func (d *Dataset) Same(o *Dataset) bool {
	for s := range Sets {
		if !slices.EqualFunc(d.blocks[s], o.blocks[s], func(a, b block) bool { return a.Len == b.Len && a.CRC == b.CRC }) {
			return false
		}
	}
	return slices.Equal(d.Features, o.Features)
}

// CheckGradient compares derivatives of the training loss at the weights with finite
// differences, for single weights and for random directions, tries of each, and returns
// the largest difference in units of the gradient's length.
func CheckGradient(ctx context.Context, d *Dataset, o Options, k float64, tries int) (float64, error) {
	f := &fitting{Options: o, ctx: ctx, data: d, model: model{loss: o.Loss, k: k, d: 1 / k, lambda: 1}}
	if f.Threads <= 0 {
		f.Threads = runtime.GOMAXPROCS(0)
	}
	w := vector(o.Start)
	s, err := f.gradient(Train, w)
	if err != nil {
		return 0, err
	}
	length := 0.0
	for _, g := range s.grad {
		length += g[0]*g[0] + g[1]*g[1]
	}
	length = max(math.Sqrt(length), 1e-12)
	rng := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for i := range 2 * tries {
		along := make(vector, len(w))
		if i < tries {
			along[rng.IntN(len(w))][i&1] = 1
		} else {
			for j := range along {
				along[j] = [2]float64{rng.NormFloat64(), rng.NormFloat64()}
			}
			along.scale(1 / along.norm())
		}
		diff, err := f.difference(w, along)
		if err != nil {
			return 0, err
		}
		for j, g := range s.grad {
			diff -= g[0]*along[j][0] + g[1]*along[j][1]
		}
		worst = max(worst, math.Abs(diff)/length)
	}
	return worst, nil
}

// difference returns the central difference of the training loss along a direction of
// length 1, a tenth of a centipawn to either side.
func (f *fitting) difference(w, along vector) (float64, error) {
	const h = 0.1
	var at [2]float64
	for side := range at {
		moved := w.clone()
		for j, a := range along {
			moved[j][0] += h * float64(1-2*side) * a[0]
			moved[j][1] += h * float64(1-2*side) * a[1]
		}
		var err error
		if at[side], err = f.meanLoss(Train, moved); err != nil {
			return 0, err
		}
	}
	return (at[0] - at[1]) / (2 * h), nil
}

func (v vector) norm() float64 {
	sum := 0.0
	for _, x := range v {
		sum += x[0]*x[0] + x[1]*x[1]
	}
	return math.Sqrt(sum)
}

func (v vector) scale(x float64) {
	for i := range v {
		v[i][0] *= x
		v[i][1] *= x
	}
}
