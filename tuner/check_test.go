package tuner

import (
	"math/rand/v2"
	"testing"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
)

// skewed is an evaluation that is not what is played: one coefficient more on the a file.
type skewed struct{ Evaluation }

func (s skewed) Extract(p *movegen.Position, x *Sample) {
	s.Evaluation.Extract(p, x)
	if pc := p.At(movegen.SquareAt(0, 0)); pc != movegen.NoPiece && len(x.Coefs) > 0 {
		x.Coefs[0].MG++
	}
}

func TestChecker(t *testing.T) {
	c := NewChecker(eval.Default())
	right := c.Evaluation()
	wrong := NewChecker(eval.Default())
	bad := wrong.Evaluation().(*checked)
	bad.own = skewed{bad.own}
	rng := rand.New(rand.NewPCG(3, 4))
	var s Sample
	for range 20 {
		p := movegen.StartPosition()
		for range 100 {
			right.Extract(p, &s)
			bad.Extract(p, &s)
			var l movegen.MoveList
			if p.Legal(&l); l.Len() == 0 {
				break
			}
			var u movegen.Undo
			p.Make(l.At(rng.IntN(l.Len())), &u)
		}
	}
	if c.Failed() != 0 || c.Positions.Load() == 0 || c.First.Load() != nil {
		t.Errorf("%d faults in %d positions: %v", c.Failed(), c.Positions.Load(), *c.First.Load())
	}
	if wrong.Rebuilt.Load() == 0 || wrong.Mirrored.Load() == 0 || wrong.Swapped.Load() == 0 || wrong.First.Load() == nil {
		t.Errorf("a wrong evaluation passes: %d %d %d", wrong.Rebuilt.Load(), wrong.Mirrored.Load(), wrong.Swapped.Load())
	}
}

func TestCheckGradient(t *testing.T) {
	truth := newTruth(11, 8, 60)
	d := truth.data(t, 200, 4)
	for _, loss := range Losses {
		worst, err := CheckGradient(t.Context(), d, Options{Start: truth.weights, Loss: loss}, truth.k, 10)
		if err != nil || worst > 1e-5 {
			t.Errorf("%s: %v %v", loss, worst, err)
		}
	}
}
