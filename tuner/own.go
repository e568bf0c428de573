package tuner

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
)

// Own returns the built-in evaluation, for one goroutine. The weights are used for one
// thing alone: the scale of an ending, which depends on the side that they favour.
func Own(w *eval.Weights) Evaluation { return own{eval.New(w), new(eval.Trace)} }

// own is the built-in evaluation.
type own struct {
	e *eval.Evaluator
	t *eval.Trace
}

// Names implements Evaluation.
func (own) Names() []string { return ownNames() }

func ownNames() []string {
	names := make([]string, eval.Features)
	for i := range names {
		names[i] = eval.FeatureName(i)
	}
	return names
}

// Extract implements Evaluation.
func (o own) Extract(p *movegen.Position, s *Sample) {
	o.e.Evaluate(p, o.t)
	s.SetTrace(o.t)
}

// OwnBy is what an Extraction by the built-in evaluation has in By: the weights, and what the
// evaluation counts in positions of some random games, so that a program that counts something
// else makes data of its own.
func OwnBy(w *eval.Weights) string {
	e, h := eval.New(w), sha256.New()
	rng := rand.New(rand.NewPCG(1, 2))
	var t eval.Trace
	for range 16 {
		p := movegen.StartPosition()
		for range 120 {
			e.Evaluate(p, &t)
			// Writing numbers of a fixed size to a hash cannot fail.
			_ = binary.Write(h, binary.LittleEndian, t.Coef[:])
			_ = binary.Write(h, binary.LittleEndian, []int32{int32(t.Phase), int32(t.Scale), int32(t.Ending)})
			var l movegen.MoveList
			if p.Legal(&l); l.Len() == 0 {
				break
			}
			var u movegen.Undo
			p.Make(l.At(rng.IntN(l.Len())), &u)
		}
	}
	return fmt.Sprintf("built-in, weights %s, counts %x", w.Hash(), h.Sum(nil))
}

// SetTrace takes factors and coefficients from a trace of the built-in evaluation.
func (s *Sample) SetTrace(t *eval.Trace) {
	s.setFactors(t)
	s.Coefs = s.Coefs[:0]
	for i, n := range t.Coef {
		if n != 0 {
			s.Coefs = append(s.Coefs, Coef{i, float64(n), float64(n)})
		}
	}
}

// setFactors takes the factors from a trace of the built-in evaluation.
func (s *Sample) setFactors(t *eval.Trace) {
	const all = eval.PhaseMax * eval.ScaleMax
	s.MG = float64(t.Phase*t.Scale) / all
	s.EG = float64((eval.PhaseMax-t.Phase)*t.Scale) / all
	s.Offset = 0
	s.Class = t.Ending - eval.NoEnding
}

// OwnStart returns weights of the built-in evaluation as a fit takes them.
func OwnStart(w *eval.Weights) [][2]float64 {
	v := make([][2]float64, len(w.Values))
	for i, p := range w.Values {
		v[i] = [2]float64{float64(p.MG), float64(p.EG)}
	}
	return v
}

// OwnWeights returns the rounded weights of a fit of the built-in evaluation with their
// confidence, and start's where the data say nothing. A value that the evaluation cannot
// hold is an error.
func OwnWeights(start *eval.Weights, r *Result) (*eval.Weights, error) {
	if len(r.Weights) != 2*eval.Features {
		return nil, fmt.Errorf("%d weights, the built-in evaluation has %d", len(r.Weights), 2*eval.Features)
	}
	w := &eval.Weights{Values: start.Values, Ending: start.Ending, Confidence: make([]eval.Confidence, eval.Features), Provenance: map[string]string{}}
	for i := range eval.Features {
		mg, eg := &r.Weights[2*i], &r.Weights[2*i+1]
		for _, x := range [...]*Weight{mg, eg} {
			if math.Abs(x.Value) > eval.MaxWeight {
				return nil, fmt.Errorf("%s has become %.0f, at most %d can be held; hold the weights closer to their start", x.Name, x.Value, eval.MaxWeight)
			}
		}
		w.Values[i] = eval.Pair{MG: mg.Rounded(), EG: eg.Rounded()}
		w.Confidence[i] = eval.Confidence{MG: max(mg.Error, 0), EG: max(eg.Error, 0), Count: mg.Count}
	}
	return w, nil
}
