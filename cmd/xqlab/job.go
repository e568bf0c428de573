package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/results"
)

// job is a run that is no match: self-play, tuning. Its configuration is a struct with
// TOML tags that flags are bound to.
type job struct {
	con     *console
	db      *results.Store
	run     *results.Run
	lease   *results.Lease
	sitting context.Context
	cancel  context.CancelCauseFunc // ends the sitting, with why
}

// jobFlags are the flags that every such command has.
type jobFlags struct {
	db, name, resume string
	forText          string
	asJSON           bool
}

func (f *jobFlags) bind(fl *pflag.FlagSet) {
	fl.StringVar(&f.db, "db", "", "database `FILE` (default $XQLAB_DB, else xqlab.db)")
	fl.StringVar(&f.name, "name", "", "name of the run; makes the command idempotent")
	fl.StringVar(&f.resume, "resume", "", "go on with the unfinished run, or with this `RUN`")
	fl.Lookup("resume").NoOptDefVal = " "
	fl.StringVar(&f.forText, "for", "", "stop after this time, as 8h; --resume goes on")
	fl.BoolVar(&f.asJSON, "json", false, "one JSON object at the end")
}

// settings is a configuration that flags are bound to. Complete fills in what depends on
// other fields, checks all, and is called again on what was stored.
type settings interface{ complete() error }

// adopter is a configuration of which some may differ from sitting to sitting: adopt takes
// that over from what is given now.
type adopter interface{ adopt(given settings) }

// findJob returns the stored run that a command means, nil for a new one, with the
// database opened if there is one. Cfg, of the flags' values, becomes the run's
// configuration; a flag that says otherwise than what is stored is an error. Seed is its
// field for the seed.
func findJob(ctx context.Context, cmd *cobra.Command, con *console, f *jobFlags, kind string, cfg, stored settings, seed *uint64) (*job, error) {
	j := &job{con: con}
	path := dbPath(f.db)
	_, absent := os.Stat(path)
	resuming := cmd.Flags().Changed("resume")
	switch {
	case absent != nil && resuming:
		return nil, fmt.Errorf("%s: no run to resume: there is no database yet", absolute(path))
	case absent == nil && (resuming || f.name != ""):
		if err := j.open(ctx, path); err != nil {
			return nil, err
		}
		if err := j.find(ctx, f, kind, resuming); err != nil {
			return nil, errors.Join(err, j.close())
		}
	}
	err := j.configure(cmd, cfg, stored, seed, resuming)
	if err != nil {
		return nil, errors.Join(err, j.close())
	}
	return j, nil
}

func (j *job) open(ctx context.Context, path string) (err error) {
	if j.db, err = results.Open(ctx, path); err == nil && j.db.Made() {
		j.con.notef("database made: %s", j.db.Path())
	}
	return err
}

// find sets j.run to the run to resume or of the name given, if there is one.
func (j *job) find(ctx context.Context, f *jobFlags, kind string, resuming bool) error {
	ref := orElse(strings.TrimSpace(f.resume), f.name)
	if ref == "" {
		return j.onlyUnfinished(ctx, kind)
	}
	run, err := j.db.Run(ctx, ref)
	switch {
	case err != nil && (resuming || !errors.Is(err, results.ErrNotFound)):
		return err
	case err != nil || !resuming && run.Name != ref:
		return nil
	case run.Kind != kind:
		return wrongKind(ref, run.Kind, kind)
	}
	j.run = run
	return nil
}

// wrongKind is the error of going on with a run that another command began.
func wrongKind(ref, is, want string) error {
	command := playedBy[is]
	if command == "" {
		return usagef("run %s is of kind %s, want %s", ref, is, want)
	}
	return usagef("run %s is of kind %s, want %s; xqlab %s --resume goes on with it", ref, is, want, command)
}

func (j *job) onlyUnfinished(ctx context.Context, kind string) error {
	runs, err := j.db.Runs(ctx)
	if err != nil {
		return err
	}
	runs = slices.DeleteFunc(runs, func(r *results.Run) bool { return r.Kind != kind })
	open := slices.DeleteFunc(slices.Clone(runs), func(r *results.Run) bool { return r.StopReason != "" })
	switch {
	case len(runs) == 0:
		return fmt.Errorf("%s: no %s run to resume", j.db.Path(), kind)
	case len(open) > 1:
		for _, r := range open {
			j.con.notef("  %s  %s  %s", r.ID, r.Created.Local().Format(time.DateTime), r.Name)
		}
		return usagef("%d unfinished %s runs in %s: name one with --resume RUN", len(open), kind, j.db.Path())
	}
	j.run = append(open, runs[0])[0] // with all finished, the newest: its result is shown
	return nil
}

// configure makes cfg the configuration of the run.
func (j *job) configure(cmd *cobra.Command, cfg, stored settings, seed *uint64, resuming bool) error {
	given := cmd.Flags().Changed("seed")
	if err := checkSeed(*seed); err != nil {
		return err
	}
	if j.run == nil {
		if !given {
			*seed = freshSeed()
		}
		if err := cfg.complete(); err != nil {
			return usageError{err}
		}
		return nil
	}
	if err := decodeSettings(j.run.Config, stored); err != nil {
		return fmt.Errorf("run %s: its configuration: %w", j.run.ID, err)
	}
	if resuming {
		if err := overlay(cmd.Flags(), j.run.Config, cfg); err != nil {
			return err
		}
	} else if !given {
		*seed = j.run.Seed
	}
	for _, s := range []settings{cfg, stored} {
		if err := s.complete(); err != nil {
			return usageError{err}
		}
	}
	if a, ok := stored.(adopter); ok {
		a.adopt(cfg)
	}
	if err := sameSettings(stored, cfg); err != nil {
		return usagef("run %s: %v; say the same, leave out a flag that was given, or start another run", orElse(j.run.Name, j.run.ID), err)
	}
	return nil
}

// overlay reads a stored configuration into cfg and puts the flags that were given over
// it.
func overlay(flags *pflag.FlagSet, config []byte, cfg settings) error {
	texts, lists := map[string]string{}, map[string][]string{}
	flags.Visit(func(f *pflag.Flag) {
		if l, ok := f.Value.(pflag.SliceValue); ok {
			lists[f.Name] = l.GetSlice()
			return
		}
		texts[f.Name] = f.Value.String()
	})
	err := decodeSettings(config, cfg)
	for name, text := range texts {
		err = errors.Join(err, flags.Lookup(name).Value.Set(text))
	}
	for name, list := range lists {
		err = errors.Join(err, flags.Lookup(name).Value.(pflag.SliceValue).Replace(list))
	}
	return err
}

func decodeSettings(text []byte, into settings) error {
	return toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(into)
}

// sameSettings names the first difference between two configurations, both values included.
func sameSettings(stored, given settings) error {
	a, err := toml.Marshal(stored)
	if err != nil {
		return err
	}
	b, err := toml.Marshal(given)
	if err != nil {
		return err
	}
	return firstDifference(a, b)
}

// firstDifference names the first line in which two texts differ, and the engine whose line it is.
func firstDifference(stored, given []byte) error {
	a, b := strings.Split(string(bytes.TrimSpace(stored)), "\n"), strings.Split(string(bytes.TrimSpace(given)), "\n")
	for i := 0; i < len(a) || i < len(b); i++ {
		if x, y := lineOr(a, i), lineOr(b, i); x != y {
			x, y = differing(a[min(i, len(a)):], b[min(i, len(b)):])
			return fmt.Errorf("%sstored is %s, given is %s", engineOf(a[:min(i, len(a))]), x, y)
		}
	}
	return nil
}

// engineOf names the engine in whose table lines of a match end, of which its name is the first;
// empty outside of them.
func engineOf(lines []string) string {
	for i, l := range slices.Backward(lines) {
		if !strings.HasPrefix(l, "[") {
			continue
		}
		if name, ok := strings.CutPrefix(lineOr(lines, i+1), "name = "); ok && l == "[[engine]]" {
			return "engine " + strings.Trim(name, "'\"") + ": "
		}
		break
	}
	return ""
}

// begin stores the run, or takes an unfinished one over, and has the sitting end when
// another process takes the run or the time given is over. Ctx is the sitting's.
func (j *job) begin(ctx context.Context, f *jobFlags, fresh func() (*results.Run, error)) (sitting context.Context, err error) {
	var end time.Duration
	if f.forText != "" {
		if end, err = spec.ParseDuration(f.forText); err != nil {
			return nil, usagef("--for %v", err)
		}
	}
	if j.db == nil {
		if err := j.open(ctx, dbPath(f.db)); err != nil {
			return nil, err
		}
	}
	if j.run != nil {
		j.lease, err = j.db.Acquire(ctx, j.run.ID)
	} else {
		if j.run, err = fresh(); err != nil {
			return nil, err
		}
		j.lease, err = j.db.CreateRun(ctx, j.run)
	}
	if err != nil {
		return nil, err
	}
	sitting, j.cancel = context.WithCancelCause(ctx)
	j.sitting = sitting
	if end > 0 {
		timer := time.AfterFunc(end, func() { j.cancel(errTimeUp) })
		context.AfterFunc(sitting, func() { timer.Stop() })
	}
	go func() {
		select {
		case <-j.lease.Lost():
			j.cancel(errLost)
		case <-sitting.Done():
		}
	}()
	return sitting, nil
}

// close gives up what the job holds; the run stays as it is stored.
func (j *job) close() error {
	if j.cancel != nil {
		j.cancel(nil)
	}
	if j.lease != nil {
		j.lease.Release()
	}
	if j.db == nil {
		return nil
	}
	return j.db.Close()
}

// stopped returns why a sitting ended and its error: nil when the work is done, and one
// that tells how to go on after a stop.
func (j *job) stopped(cause error, command string) (why string, err error) {
	var signal errSignal
	if j.sitting != nil {
		cause = causeOf(j.sitting, cause)
	}
	on := func() error {
		return stoppedError{fmt.Errorf("stopped: %w; %s", cause, goOn(command, j.run.ID, j.db.Path()))}
	}
	switch {
	case cause == nil:
		return "games", nil
	case errors.Is(cause, errTimeUp):
		return "until", on()
	case errors.As(cause, &signal), errors.Is(cause, arena.ErrDrained):
		return "signal", on()
	}
	return "error", cause
}
