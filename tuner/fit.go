package tuner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Solver is how the optimum is found.
type Solver string

// The solvers.
const (
	// GaussNewton solves the normal equations: three to five passes, and no rate to set.
	GaussNewton Solver = "gauss-newton"
	// LBFGS needs no matrix, for more weights than GaussNewton can hold.
	LBFGS Solver = "lbfgs"
)

// Options say how to fit; the zero value is the default of each.
type Options struct {
	Start    [][2]float64 // weights by feature, middlegame and endgame, to begin from and be held to
	Loss     Loss         // Squared
	Result   float64      // share of the result in the target, 0 < Result ≤ 1; the rest is the stored score's. 0: ResultShare where positions have scores, else 1
	K        float64      // scale per centipawn; 0: fitted to the start weights
	Prior    float64      // standard deviation of a weight around its start in centipawns; 0: chosen on the validation set
	Solver   Solver       // GaussNewton where its matrix fits, else LBFGS
	Freeze   []string     // patterns with * of names that stay, or of groups (what stands before "["); ":mg" or ":eg" behind one names a phase
	Threads  int          // all processors; the result does not depend on it
	Resume   []byte       // a checkpoint to go on from
	Save     func(Step, []byte) error
	Progress func(Progress) // called now and then, from one goroutine at a time
}

// ResultShare is the share of the result in the target of positions whose search left a
// score. A score says more of its own position than the end of a long game does: see the
// package's account of both.
const ResultShare = 0.2

// Step is one step of a fit.
type Step struct {
	Number     int       `json:"step"` // from 0, the start
	At         time.Time `json:"at"`
	Prior      float64   `json:"prior"` // standard deviation under trial
	Train      float64   `json:"loss_train"`
	Validation float64   `json:"loss_validation"`
	Gradient   float64   `json:"gradient"` // norm, prior included, in units of the prior
}

// Progress is how far a fit has come.
type Progress struct {
	Step Step          // the last
	Part float64       // of the step under way, 0 to 1
	Left time.Duration // at most, 0 when unknown
}

// checkpoint is all that a fit needs to go on as if nothing had happened.
type checkpoint struct {
	Format  int     `json:"format"`
	Data    string  `json:"data"` // key of the dataset
	K       float64 `json:"k"`
	D       float64 `json:"d"`
	Unit    float64 `json:"unit"`
	Trial   int     `json:"trial"` // index into priors
	Try     int     `json:"try"`   // steps within the trial
	Weights vector  `json:"weights"`
	Best    *trial  `json:"best"` // of the finished trials
	Worse   int     `json:"worse"`
	Steps   []Step  `json:"steps"`
	Done    bool    `json:"done"`
}

// trial is the optimum under one prior.
type trial struct {
	Prior      float64 `json:"prior"`
	Validation float64 `json:"validation"`
	Weights    vector  `json:"weights"`
}

// fitting is a fit under way.
type fitting struct {
	Options
	ctx    context.Context
	data   *Dataset
	model  model
	start  vector
	frozen []bool // by row of the matrix
	priors []float64
	unit   float64 // what a unit of log likelihood is in the loss
	cp     checkpoint
	done   atomic.Int64 // positions in the step under way
	known  struct {     // the gradient where the last step ended
		w vector
		s slope
	}
	began time.Time
	log   sync.Mutex
}

// trials are the standard deviations of the prior that are tried, from what hardly moves
// to what the data alone decide, in centipawns.
var trials = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256}

// patience is how many weaker priors in a row may be no better on the validation set.
const patience = 2

// stepsPerTrial bounds the steps under one prior.
const stepsPerTrial = 30

// Fit fits the weights to a dataset. The answer is the same bit for bit for any number of
// threads, and for a fit that was resumed from any checkpoint. Data that cannot be fitted
// to are an error before the first step.
func Fit(ctx context.Context, d *Dataset, o Options) (*Result, error) {
	f := &fitting{Options: o, ctx: ctx, data: d, began: time.Now()}
	if err := f.prepare(); err != nil {
		return nil, err
	}
	if err := d.Verify(ctx, f.Threads); err != nil {
		return nil, err
	}
	if err := f.begin(); err != nil {
		return nil, err
	}
	for !f.cp.Done {
		if err := f.step(); err != nil {
			return nil, err
		}
	}
	return f.result()
}

// Check says why a dataset cannot be fitted to with these options, as far as that can be
// told without a look at its positions.
func Check(d *Dataset, o Options) error {
	f := &fitting{Options: o, data: d}
	return f.prepare()
}

// CheckOptions says what is wrong with options for an evaluation with these features,
// before there are any data. Its errors begin with the option's name in lower case.
func CheckOptions(features []string, o Options) error {
	f := &fitting{Options: o, data: &Dataset{Info: Info{Features: features}}}
	return f.complete()
}

// prepare completes the options and checks them and the data.
func (f *fitting) prepare() error {
	if err := f.complete(); err != nil {
		return err
	}
	return f.data.fitToFit(f.Result < 1)
}

// complete completes the options and checks them.
func (f *fitting) complete() error {
	o := &f.Options
	if o.Loss == "" {
		o.Loss = Squared
	}
	if o.Result == 0 {
		if o.Result = 1; f.data.Sets[Train].Scored > 0 {
			o.Result = ResultShare
		}
	}
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if _, err := ParseLoss(string(o.Loss)); err != nil {
		return err
	}
	size := len(f.data.Features)
	n := 2 * size
	fits := matrixLanes(n) > 0
	if o.Solver == "" {
		if o.Solver = LBFGS; fits {
			o.Solver = GaussNewton
		}
	}
	switch {
	case o.Solver != GaussNewton && o.Solver != LBFGS:
		return fmt.Errorf("solver %q, want %s or %s", o.Solver, GaussNewton, LBFGS)
	case o.Solver == GaussNewton && !fits:
		return fmt.Errorf("solver %s: %d weights are too many for it; use %s", GaussNewton, n, LBFGS)
	case !(o.Result > 0 && o.Result <= 1):
		return fmt.Errorf("result %v, want a share more than 0 and at most 1", o.Result)
	case o.K != 0 && !(o.K >= minScale && o.K <= maxScale):
		return fmt.Errorf("k %v, want a scale per centipawn from %g to %g", o.K, minScale, maxScale)
	case o.K != 0 && o.Loss == Ordered:
		return errors.New("k: the ordered loss fits its scale and margin together; leave the scale out")
	case !(o.Prior >= 0) || math.IsInf(o.Prior, 0):
		return fmt.Errorf("prior %v, want centipawns above 0", o.Prior)
	case len(o.Start) != size:
		return fmt.Errorf("start: %d weights for %d features: they are not of this data's evaluation", len(o.Start), size)
	}
	for i, w := range o.Start {
		if s := w[0] + w[1]; math.IsNaN(s) || math.IsInf(s, 0) {
			return fmt.Errorf("start: weight of %s is %v, want finite numbers", f.data.Features[i], w)
		}
	}
	f.start = vector(o.Start).clone()
	f.model = model{loss: o.Loss, k: o.K, lambda: o.Result}
	if f.priors = trials; o.Prior > 0 {
		f.priors = []float64{o.Prior}
	}
	return f.freeze()
}

// Least pairs of a set: fewer cannot be told from chance.
const minPairs = 3

// fitToFit says why nothing can be learnt from the data, if so.
func (d *Dataset) fitToFit(scores bool) error {
	for s := range Sets {
		if c := &d.Sets[s]; c.Pairs < minPairs {
			return fmt.Errorf("%d positions of %d openings: %s has %d openings, want at least %d; play or choose more games",
				d.Positions(), d.Pairs(), s, c.Pairs, minPairs)
		}
	}
	c := &d.Sets[Train]
	if c.Results[0] == 0 || c.Results[2] == 0 {
		return fmt.Errorf("one-sided data: of %d training positions Red wins %d, draws %d and loses %d; both wins and losses are needed",
			c.Positions, c.Results[2], c.Results[1], c.Results[0])
	}
	never := d.Unseen()
	if 3*len(never) > 2*len(d.Features) {
		return fmt.Errorf("%d of %d features never occur (%s …): too few games, or names that are not these data's",
			len(never), len(d.Features), strings.Join(never[:3], ", "))
	}
	if scores && c.Scored == 0 {
		return errors.New("no position has a score to blend with its result; fit to results alone")
	}
	return nil
}

// Unseen returns the features that no training position has. Their weights stay.
func (d *Dataset) Unseen() []string {
	var never []string
	for i, n := range d.Sets[Train].With {
		if n == 0 {
			never = append(never, d.Features[i])
		}
	}
	return never
}

// freeze marks the weights that stay.
func (f *fitting) freeze() error {
	f.frozen = make([]bool, 2*len(f.start))
	for _, p := range f.Freeze {
		phases, found := []int{0, 1}, false
		name := p
		if rest, ok := strings.CutSuffix(p, ":mg"); ok {
			name, phases = rest, phases[:1]
		} else if rest, ok := strings.CutSuffix(p, ":eg"); ok {
			name, phases = rest, phases[1:]
		}
		for i, n := range f.data.Features {
			if match(name, n) || match(name, groupOf(n)) {
				found = true
				for _, p := range phases {
					f.frozen[2*i+p] = true
				}
			}
		}
		if !found {
			return fmt.Errorf("freeze: no weight is called %q", p)
		}
	}
	for _, frozen := range f.frozen {
		if !frozen {
			return nil
		}
	}
	return errors.New("freeze: all weights are frozen")
}

// match reports whether a name is as the pattern says, in which * stands for anything. (The
// brackets of a name are no more than that.)
func match(pattern, name string) bool {
	head, tail, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	if !strings.HasPrefix(name, head) {
		return false
	}
	for i := len(head); i <= len(name); i++ {
		if match(tail, name[i:]) {
			return true
		}
	}
	return false
}

// begin starts the fit or takes up the checkpoint.
func (f *fitting) begin() error {
	if len(f.Resume) > 0 {
		return f.resume()
	}
	if f.model.k == 0 {
		if err := f.fitScale(); err != nil {
			return err
		}
	}
	f.cp = checkpoint{Format: 1, Data: f.data.Key, K: f.model.k, D: f.model.d, Weights: f.start.clone()}
	s, err := f.gradient(Train, f.start)
	if err != nil {
		return err
	}
	f.unit = 1
	if f.model.loss == Squared {
		f.unit = 2 * s.loss // the squared error of a normal law with this variance
	}
	f.cp.Unit = f.unit
	v, err := f.meanLoss(Validation, f.start)
	if err != nil {
		return err
	}
	if math.IsNaN(s.loss + v) {
		return errors.New("the loss of the start weights is no number")
	}
	f.cp.Best = &trial{Validation: v, Weights: f.start.clone()}
	return f.note(Step{Prior: 0, Train: s.loss, Validation: v, Gradient: f.norm(s.grad, f.priors[0])})
}

// resume takes up a checkpoint, which must be of this fit.
func (f *fitting) resume() error {
	if err := json.Unmarshal(f.Resume, &f.cp); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	c := &f.cp
	switch {
	case c.Format != 1:
		return fmt.Errorf("checkpoint has format %d, this xqlab reads 1", c.Format)
	case c.Data != f.data.Key || len(c.Weights) != len(f.start) || c.Best == nil || len(c.Steps) == 0 || c.Trial > len(f.priors):
		return errors.New("the checkpoint is of another fit")
	}
	f.model.k, f.model.d, f.unit = c.K, c.D, c.Unit
	return nil
}

// note records a step and saves the checkpoint.
func (f *fitting) note(s Step) error {
	s.Number, s.At = len(f.cp.Steps), time.Now().Truncate(time.Microsecond)
	f.cp.Steps = append(f.cp.Steps, s)
	if f.Save != nil {
		text, err := json.Marshal(&f.cp)
		if err != nil {
			return err
		}
		if err := f.Save(s, text); err != nil {
			return err
		}
	}
	f.tell(0)
	return nil
}

// tell calls Progress.
func (f *fitting) tell(part float64) {
	if f.Progress == nil {
		return
	}
	f.log.Lock()
	defer f.log.Unlock()
	n := len(f.cp.Steps)
	p := Progress{Step: f.cp.Steps[n-1], Part: part}
	if spent := time.Since(f.began); n > 1 && !f.cp.Done {
		left := 3 * (len(f.priors) - f.cp.Trial)
		p.Left = time.Duration(float64(spent) / float64(n) * float64(left))
	}
	f.Progress(p)
}

// step takes one step of the solver, and ends a trial that has arrived.
func (f *fitting) step() error {
	c := &f.cp
	prior := f.priors[c.Trial]
	f.done.Store(0)
	stop := f.watch()
	advance := f.newton
	if f.Solver == LBFGS {
		advance = f.lbfgs
	}
	next, s, arrived, err := advance(c.Weights, prior)
	var v float64
	if err == nil {
		v, err = f.meanLoss(Validation, next)
	}
	stop()
	if err != nil {
		return err
	}
	c.Weights = next
	if c.Try++; arrived || c.Try == stepsPerTrial {
		f.endTrial(trial{prior, v, next.clone()})
	}
	return f.note(Step{Prior: prior, Train: s.loss, Validation: v, Gradient: f.norm(s.grad, prior)})
}

// endTrial compares the optimum under a prior with the best one and goes on to a weaker
// prior, unless the validation set has said enough. One prior that was given is taken.
func (f *fitting) endTrial(t trial) {
	c := &f.cp
	if len(f.priors) == 1 || t.Validation < c.Best.Validation {
		c.Best, c.Worse = &t, 0
	} else {
		c.Worse++
	}
	c.Trial, c.Try = c.Trial+1, 0
	c.Done = c.Trial == len(f.priors) || c.Worse == patience
}

// watch tells of progress within a step until it is stopped.
func (f *fitting) watch() (stop func()) {
	if f.Progress == nil {
		return func() {}
	}
	// A step is some two gradients; the matrix counts as one pass of its own.
	whole := float64(2*f.data.Sets[Train].Positions + f.data.Sets[Validation].Positions)
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				f.tell(min(float64(f.done.Load())/whole, 1))
			}
		}
	}()
	return func() { close(quit); <-gone }
}
