package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/results/stats"
	"github.com/xqlab/xqlab/search"
)

// maxScale bounds how much more or less time than a reference a machine can deserve: what
// lies beyond is a slip of the hand.
const maxScale = 50

// scaleTC returns what the times of a match are to be multiplied by on this machine: the
// speed of the reference by the speed here, which is that of the suite bench-1 on as many
// cores as there are games at once. It is 1 for a match that asks for none.
func scaleTC(ctx context.Context, m *spec.Match, games int) (float64, error) {
	if m.ScaleTC == 0 {
		return 1, nil
	}
	if !timed(m) {
		return 0, usagef("scale-tc: no engine has a clock; nodes and depth are the same on every machine")
	}
	speeds := make([]float64, games)
	g, ctx := errgroup.WithContext(ctx)
	for i := range speeds {
		g.Go(func() error {
			r, err := search.Bench(ctx, eval.Default(), search.DefaultParams(), search.Options{})
			speeds[i] = float64(r.Nodes) / max(r.Elapsed.Seconds(), 1e-9)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return 0, fmt.Errorf("scale-tc: %w", err)
	}
	f := float64(m.ScaleTC) / stats.Median(speeds)
	if !(1.0/maxScale <= f && f <= maxScale) {
		return 0, usagef("scale-tc %d: this machine makes %.0f nodes/s, which would multiply times by %.3g; want the nodes/s that xqlab bench gives on the reference machine", m.ScaleTC, stats.Median(speeds), f)
	}
	return f, nil
}

// scaleText tells the factor.
func scaleText(m *spec.Match, f float64) string {
	return fmt.Sprintf("scale-tc: %.0f nodes/s here, %d on the reference machine: times are multiplied by %.3f", float64(m.ScaleTC)/f, m.ScaleTC, f)
}
