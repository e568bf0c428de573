package results

import (
	"context"
	"time"
)

// SPSAStep is a step of a search for parameters by SPSA, whose games are the run's.
type SPSAStep struct {
	Step   int       // from 0
	At     time.Time // set when stored
	Params []byte    // JSON: values by name, after the step
	Score  float64   // wins less losses of the side of the upper perturbation, over the games of the step
}

// PutSPSAStep stores a step. The caller owns the run. One that is stored already stays.
func (s *Store) PutSPSAStep(ctx context.Context, runID string, p SPSAStep) error {
	return s.owned(ctx, runID, "step", false, func(w *writer, run int64) error {
		_, err := w.exec("INSERT INTO spsa_steps (run, step, at, params, score) VALUES (?,?,?,?,?) ON CONFLICT DO NOTHING",
			run, p.Step, time.Now().UnixMicro(), string(p.Params), p.Score)
		return err
	})
}

// SPSASteps returns the steps of a run in their order.
func (s *Store) SPSASteps(ctx context.Context, runID string) ([]SPSAStep, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT step, at, params, score FROM spsa_steps WHERE run = (SELECT id FROM runs WHERE uuid = ?) ORDER BY step", runID)
	all, err := collect(rows, err, func(p *SPSAStep) []any {
		return []any{&p.Step, scanTime{&p.At}, (*bytesText)(&p.Params), &p.Score}
	})
	return all, s.fail("run "+runID+": steps", err)
}
