//go:build cgo

package results

import (
	"errors"
	"testing"
)

func TestFits(t *testing.T) {
	s := openTest(t)
	ctx := t.Context()
	run := &Run{Kind: "tune"}
	if _, err := s.CreateRun(ctx, run); err != nil {
		t.Fatal(err)
	}
	base := &WeightsFile{Name: "base", Data: []byte("base")}
	if err := s.PutWeights(ctx, base); err != nil {
		t.Fatal(err)
	}
	if err := s.PutDataset(ctx, Dataset{Hash: "h", Inputs: []byte("{}"), Games: 3, Pairs: 2, Positions: 30, Bytes: 400}); err != nil {
		t.Fatal(err)
	}
	f := Fit{Run: run.ID, Round: 1, Dataset: "h", Base: base.SHA256, Config: []byte(`{"a":1,"b":[2]}`)}
	if _, err := s.BeginFit(ctx, Fit{Run: run.ID, Dataset: "none", Config: []byte("{}")}); !errors.Is(err, ErrNotFound) {
		t.Errorf("a fit to nothing: %v", err)
	}
	for range 2 { // beginning again finds it
		got, err := s.BeginFit(ctx, f)
		if err != nil || got.Checkpoint != nil || got.Base != base.SHA256 || got.Dataset != "h" {
			t.Fatalf("%+v %v", got, err)
		}
	}
	other := f
	other.Config = []byte(`{"a":2}`)
	if _, err := s.BeginFit(ctx, other); !errors.Is(err, ErrConflict) {
		t.Errorf("another configuration: %v", err)
	}
	for i := range 3 {
		if err := s.PutFitStep(ctx, run.ID, 1, FitStep{Step: i, Train: 0.1, Validation: 0.2, Gradient: 3}, []byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Fit(ctx, run.ID, 1); err != nil || string(got.Checkpoint) != "\x02" || got.Steps != 3 {
		t.Errorf("%+v %v", got, err)
	}
	f.K, f.Test, f.Steps = 0.003, 0.09, 3
	file := &WeightsFile{Name: "tuned", Parent: base.SHA256, Data: []byte("tuned")}
	for range 2 {
		if err := s.FinishFit(ctx, f, []FitWeight{{Name: "a", Phase: 1, Value: 2, Error: 0.5, Count: 7, Prior: 0.1}, {Name: "a", Error: -1}}, file); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.Fits(ctx, run.ID)
	if err != nil || len(all) != 1 || all[0].Finished.IsZero() || all[0].Checkpoint != nil || all[0].K != 0.003 {
		t.Errorf("%+v %v", all, err)
	}
	if steps, err := s.FitSteps(ctx, run.ID, 1); err != nil || len(steps) != 3 || steps[2].Step != 2 {
		t.Errorf("%+v %v", steps, err)
	}
	if w, err := s.FitWeights(ctx, run.ID, 1); err != nil || len(w) != 2 || w[0].Error != -1 || w[1] != (FitWeight{"a", 1, 0, 2, 0.5, 7, 0.1}) {
		t.Errorf("%+v %v", w, err)
	}
	if w, err := s.Weights(ctx, file.SHA256); err != nil || w.Parent != base.SHA256 || string(w.Data) != "tuned" {
		t.Errorf("%+v %v", w, err)
	}
	if _, err := s.Weights(ctx, "none"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	match := &Run{Kind: "match"}
	if _, err := s.CreateRun(ctx, match); err != nil {
		t.Fatal(err)
	}
	trial := Trial{Run: match.ID, Candidate: file.SHA256, Base: base.SHA256}
	for _, verdict := range []string{"", "accepted", "rejected"} {
		if trial.Verdict = verdict; s.PutTrial(ctx, trial) != nil {
			t.Fatal(verdict)
		}
	}
	if all, err := s.Trials(ctx, file.SHA256); err != nil || len(all) != 1 || all[0].Verdict != "accepted" || all[0].Base != base.SHA256 {
		t.Errorf("%+v %v", all, err)
	}
	if err := s.PutTrial(ctx, Trial{Run: "none", Candidate: file.SHA256, Base: base.SHA256}); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}
