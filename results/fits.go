package results

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Fit is a fit of evaluation weights as it is stored, in a run of kind tune.
type Fit struct {
	Run        string // UUID
	Round      int    // of a loop, from 0
	Dataset    string // hash
	Base       string // SHA-256 of the weights file it began from, "" for none that is stored
	Config     []byte // JSON
	K          float64
	Train      float64 // losses
	Validation float64
	Test       float64
	Rounded    float64 // of the rounded weights on the validation set
	Condition  float64
	Steps      int
	Created    time.Time
	Finished   time.Time // zero before
	Checkpoint []byte    // to go on from, nil before the first and after the end
}

// FitStep is a step of a fit.
type FitStep struct {
	Step       int
	At         time.Time
	Train      float64
	Validation float64
	Gradient   float64 // norm
}

// FitWeight is what a fit found for one weight.
type FitWeight struct {
	Name  string // as in the weights file
	Phase int    // 0 middlegame, 1 endgame
	Start float64
	Value float64
	Error float64 // standard error, negative when unknown
	Count int     // positions with the feature
	Prior float64 // share of the prior in the value, 0 to 1
}

// WeightsFile is a file of evaluation weights.
type WeightsFile struct {
	SHA256  string // of Data, filled by PutWeights
	Name    string
	Parent  string // SHA-256 of the file it was tuned from, "" for none
	Data    []byte
	Created time.Time
}

// missing turns SQL's word for no row into ErrNotFound.
func missing(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// PutWeights stores a weights file, fully synchronised; one that is known stays as it is.
// It fills SHA256.
func (s *Store) PutWeights(ctx context.Context, f *WeightsFile) error {
	err := s.submit(ctx, true, func(w *writer) error { return w.putWeights(f, nil) })
	return s.fail("weights "+f.Name, err)
}

// putWeights inserts a file, of a fit when it is not nil.
func (w *writer) putWeights(f *WeightsFile, fit any) error {
	sum := sha256.Sum256(f.Data)
	f.SHA256 = hex.EncodeToString(sum[:])
	_, err := w.exec(`INSERT INTO weights (sha256, name, parent, fit, created, data)
		VALUES (?, ?, (SELECT id FROM weights WHERE sha256 = ?), ?, ?, ?) ON CONFLICT DO NOTHING`,
		f.SHA256, f.Name, f.Parent, fit, time.Now().UnixMicro(), f.Data)
	return err
}

// Weights returns a stored weights file.
func (s *Store) Weights(ctx context.Context, sum string) (*WeightsFile, error) {
	f := &WeightsFile{SHA256: sum}
	var parent sql.NullString
	err := s.read.QueryRowContext(ctx, "SELECT name, (SELECT sha256 FROM weights p WHERE p.id = w.parent), created, data FROM weights w WHERE sha256 = ?", sum).
		Scan(&f.Name, &parent, scanTime{&f.Created}, &f.Data)
	f.Parent = parent.String
	return f, s.fail("weights "+sum, missing(err))
}

// BeginFit stores a fit of a run that the caller owns, or finds the one of its round, whose
// dataset, base and configuration must be the same (ErrConflict). It returns it as stored,
// with the checkpoint to go on from.
func (s *Store) BeginFit(ctx context.Context, f Fit) (*Fit, error) {
	err := s.owned(ctx, f.Run, "fit", true, func(w *writer, run int64) error {
		var hash, config string
		var base sql.NullString
		err := w.scan([]any{&hash, &base, &config}, `SELECT d.hash, b.sha256, config FROM fits f JOIN datasets d ON d.id = f.dataset
			LEFT JOIN weights b ON b.id = f.base WHERE f.run = ? AND f.round = ?`, run, f.Round)
		switch {
		case err == nil && (hash != f.Dataset || base.String != f.Base || !sameJSON(config, f.Config)):
			return fmt.Errorf("round %d: %w: another dataset, start or configuration (dataset %.12s, now %.12s)", f.Round, ErrConflict, hash, f.Dataset)
		case err == nil || !errors.Is(err, sql.ErrNoRows):
			return err
		}
		made, err := w.changes(`INSERT INTO fits (run, round, dataset, base, config, created)
			SELECT ?, ?, id, (SELECT id FROM weights WHERE sha256 = ?), ?, ? FROM datasets WHERE hash = ?`,
			run, f.Round, f.Base, string(f.Config), time.Now().UnixMicro(), f.Dataset)
		if err == nil && !made {
			err = fmt.Errorf("dataset %s: %w", f.Dataset, ErrNotFound)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Fit(ctx, f.Run, f.Round)
}

func sameJSON(a string, b []byte) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal(b, &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

// PutFitStep stores a step and the checkpoint after it in one transaction. The caller owns
// the run.
func (s *Store) PutFitStep(ctx context.Context, run string, round int, step FitStep, checkpoint []byte) error {
	return s.ownedFit(ctx, run, round, func(w *writer, fit int64) error {
		_, err := w.exec("INSERT OR REPLACE INTO fit_steps (fit, step, at, loss_train, loss_validation, gradient) VALUES (?,?,?,?,?,?)",
			fit, step.Step, toMicro(step.At), step.Train, step.Validation, step.Gradient)
		if err == nil {
			_, err = w.exec("UPDATE fits SET steps = ?, checkpoint = ? WHERE id = ?", step.Step+1, checkpoint, fit)
		}
		return err
	})
}

// FinishFit stores the end of a fit: its figures, its weights and their file, fully
// synchronised. Finishing it again changes nothing. The caller owns the run.
func (s *Store) FinishFit(ctx context.Context, f Fit, weights []FitWeight, file *WeightsFile) error {
	return s.ownedFit(ctx, f.Run, f.Round, func(w *writer, fit int64) error {
		open, err := w.changes(`UPDATE fits SET k = ?, loss_train = ?, loss_validation = ?, loss_test = ?, loss_rounded = ?, condition = ?, steps = ?, finished = ?, checkpoint = NULL
			WHERE id = ? AND finished = 0`, f.K, f.Train, f.Validation, f.Test, f.Rounded, f.Condition, f.Steps, time.Now().UnixMicro(), fit)
		if err != nil || !open {
			return err
		}
		for i := range weights {
			x := &weights[i]
			var se any = x.Error
			if x.Error < 0 {
				se = nil
			}
			if _, err := w.exec("INSERT INTO fit_weights (fit, name, phase, start, value, error, count, prior) VALUES (?,?,?,?,?,?,?,?)",
				fit, x.Name, x.Phase, x.Start, x.Value, se, x.Count, x.Prior); err != nil {
				return err
			}
		}
		if file == nil {
			return nil
		}
		return w.putWeights(file, fit)
	})
}

// ownedFit does something to a fit of a run that this store owns.
func (s *Store) ownedFit(ctx context.Context, run string, round int, do func(*writer, int64) error) error {
	return s.owned(ctx, run, fmt.Sprintf("fit of round %d", round), true, func(w *writer, id int64) error {
		var fit int64
		if err := w.scan([]any{&fit}, "SELECT id FROM fits WHERE run = ? AND round = ?", id, round); err != nil {
			return missing(err)
		}
		return do(w, fit)
	})
}

const fitColumns = `SELECT r.uuid, f.round, d.hash, coalesce(b.sha256, ''), f.config, coalesce(k, 0), coalesce(loss_train, 0), coalesce(loss_validation, 0),
	coalesce(loss_test, 0), coalesce(loss_rounded, 0), coalesce(condition, 0), steps, f.created, f.finished, checkpoint
	FROM fits f JOIN runs r ON r.id = f.run JOIN datasets d ON d.id = f.dataset LEFT JOIN weights b ON b.id = f.base `

func (f *Fit) fields() []any {
	return []any{&f.Run, &f.Round, &f.Dataset, &f.Base, (*bytesText)(&f.Config), &f.K, &f.Train, &f.Validation, &f.Test, &f.Rounded, &f.Condition,
		&f.Steps, scanTime{&f.Created}, scanTime{&f.Finished}, &f.Checkpoint}
}

// Fit returns the fit of a round of a run.
func (s *Store) Fit(ctx context.Context, run string, round int) (*Fit, error) {
	f := &Fit{}
	err := s.read.QueryRowContext(ctx, fitColumns+"WHERE r.uuid = ? AND f.round = ?", run, round).Scan(f.fields()...)
	return f, s.fail(fmt.Sprintf("run %s: fit of round %d", run, round), missing(err))
}

// Fits returns the fits of a run by round.
func (s *Store) Fits(ctx context.Context, run string) ([]Fit, error) {
	rows, err := s.read.QueryContext(ctx, fitColumns+"WHERE r.uuid = ? ORDER BY f.round", run)
	all, err := collect(rows, err, (*Fit).fields)
	return all, s.fail("run "+run+": fits", err)
}

// fitID is the id of a fit in a query, given its run and round.
const fitID = "(SELECT f.id FROM fits f JOIN runs r ON r.id = f.run WHERE r.uuid = ? AND f.round = ?)"

// FitSteps returns the steps of a fit in order.
func (s *Store) FitSteps(ctx context.Context, run string, round int) ([]FitStep, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT step, at, loss_train, coalesce(loss_validation, 0), coalesce(gradient, 0) FROM fit_steps WHERE fit = "+fitID+" ORDER BY step", run, round)
	all, err := collect(rows, err, func(x *FitStep) []any { return []any{&x.Step, scanTime{&x.At}, &x.Train, &x.Validation, &x.Gradient} })
	return all, s.fail("run "+run+": steps of a fit", err)
}

// FitWeights returns the weights of a fit by name and phase.
func (s *Store) FitWeights(ctx context.Context, run string, round int) ([]FitWeight, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT name, phase, start, value, coalesce(error, -1), count, coalesce(prior, 1) FROM fit_weights WHERE fit = "+fitID+" ORDER BY name, phase", run, round)
	all, err := collect(rows, err, func(x *FitWeight) []any {
		return []any{&x.Name, &x.Phase, &x.Start, &x.Value, &x.Error, &x.Count, &x.Prior}
	})
	return all, s.fail("run "+run+": weights of a fit", err)
}

// Trial is a match of a candidate's weights against those it began from, and its verdict.
type Trial struct {
	Run       string // UUID of the match
	Candidate string // SHA-256 of stored weights
	Base      string
	Verdict   string // accepted, rejected, "" while open
	Decided   time.Time
}

// PutTrial stores a trial, or its verdict. One that is decided keeps its verdict. Match and
// both weights files must be stored (ErrNotFound).
func (s *Store) PutTrial(ctx context.Context, t Trial) error {
	err := s.submit(ctx, true, func(w *writer) error {
		made, err := w.changes(`INSERT INTO trials (run, candidate, base, verdict, decided)
			SELECT r.id, c.id, b.id, ?, ? FROM runs r, weights c, weights b WHERE r.uuid = ? AND c.sha256 = ? AND b.sha256 = ?
			ON CONFLICT (run) DO UPDATE SET verdict = excluded.verdict, decided = excluded.decided WHERE verdict = ''`,
			t.Verdict, toMicro(t.Decided), t.Run, t.Candidate, t.Base)
		if err != nil || made {
			return err
		}
		var n int
		if err := w.scan([]any{&n}, "SELECT count(*) FROM trials t JOIN runs r ON r.id = t.run WHERE r.uuid = ?", t.Run); err != nil || n > 0 {
			return err
		}
		return ErrNotFound
	})
	return s.fail("trial "+t.Run, err)
}

// Trials returns the trials of a candidate, oldest first.
func (s *Store) Trials(ctx context.Context, candidate string) ([]Trial, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT r.uuid, c.sha256, b.sha256, verdict, decided FROM trials t JOIN runs r ON r.id = t.run
		JOIN weights c ON c.id = t.candidate JOIN weights b ON b.id = t.base WHERE c.sha256 = ? ORDER BY t.id`, candidate)
	all, err := collect(rows, err, func(t *Trial) []any {
		return []any{&t.Run, &t.Candidate, &t.Base, &t.Verdict, scanTime{&t.Decided}}
	})
	return all, s.fail("trials", err)
}
