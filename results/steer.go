package results

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Verb is what another process may ask of the owner of a run.
type Verb string

// The verbs.
const (
	Pause          Verb = "pause"       // begin no game until Continue
	Continue       Verb = "continue"    // go on
	Stop           Verb = "stop"        // finish what is being played and end; the run can be resumed
	SetConcurrency Verb = "concurrency" // play Value games at once
)

// maxConcurrency bounds SetConcurrency: more is a slip of the hand.
const maxConcurrency = 1 << 16

// Command is what another process asks of the owner of a run.
type Command struct {
	ID    int64 // rising, set when stored
	At    time.Time
	Verb  Verb
	Value int // of SetConcurrency: games at once, from 1
}

func (c *Command) check() error {
	switch c.Verb {
	case Pause, Continue, Stop:
		return nil
	case SetConcurrency:
		if c.Value < 1 || c.Value > maxConcurrency {
			return fmt.Errorf("concurrency %d, want 1 to %d", c.Value, maxConcurrency)
		}
		return nil
	}
	return fmt.Errorf("command %q, want pause, continue, stop or concurrency", c.Verb)
}

// Tell leaves a command for the owner of a run and returns its ID, by which Taken knows it.
// Any process may. ErrNoOwner is returned when no living process has the run: nobody
// would hear it.
func (s *Store) Tell(ctx context.Context, runID string, c Command) (id int64, err error) {
	if err := c.check(); err != nil {
		return 0, s.fail("run "+runID, err)
	}
	value := ""
	if c.Verb == SetConcurrency {
		value = strconv.Itoa(c.Value)
	}
	err = s.submit(ctx, false, func(w *writer) error {
		var run int64
		err := w.scan([]any{&run}, "SELECT id FROM runs WHERE uuid = ?", runID)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		} else if err != nil {
			return err
		}
		if err := w.checkFree(run); err == nil {
			return ErrNoOwner
		} else if !errors.Is(err, ErrOwned) {
			return err
		}
		res, err := w.exec("INSERT INTO requests (run, at, verb, value) VALUES (?,?,?,?)", run, time.Now().UnixMicro(), string(c.Verb), value)
		if err == nil {
			id, err = res.LastInsertId()
		}
		return err
	})
	return id, s.fail("run "+runID+": "+string(c.Verb), err)
}

// Taken reports when the owner took a command; zero while it has not. A command whose
// owner died before it counts as taken once the next owner begins, who does not hear it.
func (s *Store) Taken(ctx context.Context, id int64) (time.Time, error) {
	var at time.Time
	err := s.read.QueryRowContext(ctx, "SELECT done FROM requests WHERE id = ?", id).Scan(scanTime{&at})
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return at, s.fail(fmt.Sprintf("command %d", id), err)
}

// Commands takes the commands that wait for the owner of a run, which the caller is,
// oldest first; each is taken once. It is meant to be called about once a second and
// writes only when there is something to take.
func (s *Store) Commands(ctx context.Context, runID string) ([]Command, error) {
	l, err := s.lease(runID)
	if err != nil {
		return nil, err
	}
	var waiting bool
	err = s.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM requests WHERE run = ? AND done = 0)", l.id).Scan(&waiting)
	if err != nil || !waiting {
		return nil, s.fail("run "+runID+": commands", err)
	}
	var all []Command
	err = s.owned(ctx, runID, "commands", false, func(w *writer, run int64) (err error) {
		all, err = w.takeCommands(run)
		return err
	})
	return all, err
}

func (w *writer) takeCommands(run int64) ([]Command, error) {
	st, err := w.stmt("SELECT id, at, verb, value FROM requests WHERE run = ? AND done = 0 ORDER BY id")
	if err != nil {
		return nil, err
	}
	type line struct {
		Command
		value string
	}
	rows, err := st.Query(run)
	lines, err := collect(rows, err, func(l *line) []any { return []any{&l.ID, scanTime{&l.At}, (*string)(&l.Verb), &l.value} })
	if err != nil {
		return nil, err
	}
	var all []Command
	for _, l := range lines {
		l.Value, _ = strconv.Atoi(l.value)
		if l.Command.check() == nil { // what a newer program may ask is not for this one
			all = append(all, l.Command)
		}
	}
	return all, w.dropCommands(run)
}

// dropCommands marks the commands that wait as taken.
func (w *writer) dropCommands(run int64) error {
	_, err := w.exec("UPDATE requests SET done = ? WHERE run = ? AND done = 0", time.Now().UnixMicro(), run)
	return err
}

// SetProgress publishes how a run goes for those who watch: JSON of the caller's making,
// which replaces what stood there and goes with the lease. The caller owns the run.
func (s *Store) SetProgress(ctx context.Context, runID string, progress []byte) error {
	if !json.Valid(progress) {
		return s.fail("run "+runID+": progress", fmt.Errorf("%.40q is no JSON", progress))
	}
	return s.owned(ctx, runID, "progress", false, func(w *writer, run int64) error {
		_, err := w.exec("UPDATE leases SET progress = ?, progress_at = ? WHERE run = ?", string(progress), time.Now().UnixMicro(), run)
		return err
	})
}

// Owner is the process that has a run.
type Owner struct {
	PID         int
	Machine     string // as in Host
	Here        bool   // on this machine
	Alive       bool   // as far as can be known: a process elsewhere is told by its heartbeat
	Since, Beat time.Time
	Progress    []byte    // what SetProgress published, nil for nothing yet
	ProgressAt  time.Time // when
}

// Owner returns the process that has a run, or had it when it died, with the progress it
// published. ErrNoOwner is returned when the run was given up or has ended, ErrNotFound
// when there is no such run.
func (s *Store) Owner(ctx context.Context, runID string) (Owner, error) {
	var o Owner
	var text sql.NullString
	var since, beat, at sql.NullInt64
	err := s.read.QueryRowContext(ctx, `SELECT owner, since, beat, progress, progress_at FROM runs LEFT JOIN leases ON run = id WHERE uuid = ?`, runID).
		Scan(&text, &since, &beat, (*bytesText)(&o.Progress), &at)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = ErrNotFound
	case err == nil && !text.Valid:
		err = ErrNoOwner
	}
	if err != nil {
		return Owner{}, s.fail("run "+runID, err)
	}
	p := parseOwner(text.String)
	o.PID, o.Machine, o.Here = p.PID, p.Machine, p.Machine != "" && p.Machine == thisProcess().Machine
	o.Since, o.Beat, o.ProgressAt = fromMicro(since.Int64), fromMicro(beat.Int64), fromMicro(at.Int64)
	o.Alive = p.living(o.Beat, s.beatLimit)
	return o, nil
}
