package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/tuner"
)

// tuneChecked is the JSON of tune check.
type tuneChecked struct {
	Positions int64    `json:"positions"`
	Games     int      `json:"games"`
	Rebuilt   int64    `json:"rebuilt_wrong"`
	Mirrored  int64    `json:"mirror_wrong"`
	Swapped   int64    `json:"swap_wrong"`
	Dataset   string   `json:"dataset"`  // same, differs, or none when no fit has made one
	Gradient  *float64 `json:"gradient"` // largest relative difference, null when there are too few positions
	First     string   `json:"first,omitempty"`
	OK        bool     `json:"ok"`
}

func tuneCheckCommand(con *console) *cobra.Command {
	c := &tuneConfig{Result: 1}
	db, asJSON := "", false
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Is what is fitted what is played? Every position's evaluation rebuilt, gradients, symmetry",
		Long: `Extracts the positions that a fit would take and checks, for every one, that coefficients
times weights are the evaluation exactly, that the mirror image has the same coefficients
and the position with colours swapped the opposite ones; then that the stored dataset, if
there is one, holds just these, and that derivatives of the loss agree with finite
differences. Exit status 1 when something does not hold.`,
		Example: "  xqlab tune check --db tune.db",
		Args:    exactArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Loss = string(tuner.Squared)
			if err := c.complete(); err != nil {
				return usageError{err}
			}
			return reading(cmd.Context(), db, func(s *results.Store) error {
				return checkTune(cmd.Context(), con, s, c, asJSON)
			})
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&db, "db", "", "database `FILE` (default $XQLAB_DB, else xqlab.db)")
	c.bindPositions(fl)
	fl.BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func checkTune(ctx context.Context, con *console, db *results.Store, c *tuneConfig, asJSON bool) error {
	t := &tuning{job: &job{con: con, db: db}, tuneConfig: c}
	if err := t.readStart(); err != nil {
		return err
	}
	x, err := c.extraction(ctx, db, t.own)
	if err != nil {
		return err
	}
	checker := tuner.NewChecker(t.own)
	x.Evaluation, x.Progress = checker.Evaluation, t.extracted()
	dir, err := os.MkdirTemp("", "xqlab-check-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	d, made, err := x.Dataset(ctx, db, dir)
	if err != nil {
		return err
	}
	defer d.Close()
	t.sayDamaged(made)
	r := &tuneChecked{Positions: checker.Positions.Load(), Games: d.Games(), Rebuilt: checker.Rebuilt.Load(), Mirrored: checker.Mirrored.Load(),
		Swapped: checker.Swapped.Load(), Dataset: compareStored(ctx, d, db)}
	if first := checker.First.Load(); first != nil {
		r.First = *first
	}
	if d.Sets[tuner.Train].Positions > 0 {
		g, err := tuner.CheckGradient(ctx, d, tuner.Options{Start: t.start, Loss: tuner.Squared}, 0.003, 20)
		if err != nil {
			return err
		}
		r.Gradient = &g
	}
	r.OK = checker.Failed() == 0 && r.Dataset != "differs" && (r.Gradient == nil || *r.Gradient < gradientTolerance) && r.Positions > 0
	return showChecked(con, r, asJSON)
}

// gradientTolerance is what a right derivative and finite differences may differ by, of the
// length of the gradient.
const gradientTolerance = 1e-4

// compareStored compares with the dataset that a fit has used.
func compareStored(ctx context.Context, d *tuner.Dataset, db *results.Store) string {
	stored, err := tuner.Open(filepath.Join(tuner.DatasetDir(db.Path()), filepath.Base(d.Path())))
	if err != nil {
		return "none"
	}
	defer stored.Close()
	if stored.Verify(ctx, runtime.GOMAXPROCS(0)) != nil || !stored.Same(d) {
		return "differs"
	}
	return "same"
}

func showChecked(con *console, r *tuneChecked, asJSON bool) error {
	if asJSON {
		if err := printJSON(con, r); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(con.out, "%d positions of %d games\n", r.Positions, r.Games)
		for _, l := range []struct {
			what  string
			wrong int64
		}{{"coefficients × weights are the evaluation", r.Rebuilt}, {"the mirror image has the same coefficients", r.Mirrored},
			{"with colours swapped they are the opposite", r.Swapped}} {
			fmt.Fprintf(con.out, "%-48s %s\n", l.what, holds(l.wrong == 0, fmt.Sprintf("%d times not", l.wrong)))
		}
		fmt.Fprintf(con.out, "%-48s %s\n", "the stored dataset holds just these", map[string]string{"same": "yes", "differs": "NO", "none": "there is none"}[r.Dataset])
		if r.Gradient != nil {
			fmt.Fprintf(con.out, "%-48s %s, largest difference %.1e\n", "derivatives agree with finite differences", holds(*r.Gradient < gradientTolerance, "no"), *r.Gradient)
		}
	}
	switch {
	case r.OK:
		return nil
	case r.First != "":
		return errors.New(r.First)
	case r.Positions == 0:
		return errors.New("no positions are chosen: play games with xqlab selfplay, or choose otherwise")
	}
	return errors.New("tune check: something does not hold")
}

func holds(ok bool, not string) string {
	if ok {
		return "yes"
	}
	return "NO: " + not
}
