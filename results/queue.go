package results

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// QueueState is how far a queued run has come.
type QueueState string

// The states of a queued run.
const (
	Waiting QueueState = "waiting"
	Running QueueState = "running" // claimed by a living process
	Done    QueueState = "done"
	Failed  QueueState = "failed"
	Removed QueueState = "removed" // by Dequeue
)

// Queued is a run that waits its turn, or has had it.
type Queued struct {
	ID       string        // UUIDv7, made by Enqueue when empty
	Name     string        // "" or unique among those that wait or run
	Kind     string        // of the run: match, selfplay, tune …
	Priority int           // the highest first; equal ones in the order they were added
	Config   []byte        // verbatim TOML
	Budget   time.Duration // of wall time, 0 for none
	Games    int           // budget in games, 0 for none
	Used     time.Duration // how long it has been claimed, over all sittings; to one heartbeat (5 s)
	Rules    []byte        // JSON: when to stop
	State    QueueState
	Reason   string // why it ended
	Run      string // UUID of the run that was made for it, "" before
	Added    time.Time
	Started  time.Time // first claimed, zero before
	Ended    time.Time
}

// Left returns what is left of the budget of wall time, and whether there is one.
func (q *Queued) Left() (time.Duration, bool) { return max(q.Budget-q.Used, 0), q.Budget > 0 }

// queueColumns are what scan reads; a claim whose owner cannot live any more is told apart
// by token, owner and beat.
const queueColumns = `q.id, q.uuid, q.name, q.kind, q.priority, q.config, q.budget, q.games, q.used, q.rules, q.state, q.reason,
	coalesce(r.uuid, ''), q.added, q.started, q.ended, q.owner, q.beat FROM queue q LEFT JOIN runs r ON r.id = q.run `

// queueRow is a queued run as the database holds it.
type queueRow struct {
	Queued
	id    int64
	owner string
	beat  time.Time
}

func (q *queueRow) fields() []any {
	return []any{&q.id, &q.ID, &q.Name, &q.Kind, &q.Priority, (*bytesText)(&q.Config), scanMicros{&q.Budget}, &q.Games, scanMicros{&q.Used}, (*bytesText)(&q.Rules),
		(*string)(&q.State), &q.Reason, &q.Run, scanTime{&q.Added}, scanTime{&q.Started}, scanTime{&q.Ended}, &q.owner, scanTime{&q.beat}}
}

// settle turns the state of one whose owner has died back to waiting.
func (q *queueRow) settle(limit time.Duration) {
	if q.State == Running && !parseOwner(q.owner).living(q.beat, limit) {
		q.State = Waiting
	}
}

// scanMicros reads a column of microseconds.
type scanMicros struct{ d *time.Duration }

// Scan implements sql.Scanner.
func (s scanMicros) Scan(v any) error {
	us, ok := v.(int64)
	if !ok {
		return fmt.Errorf("%v is no duration in microseconds", v)
	}
	*s.d = time.Duration(us) * time.Microsecond
	return nil
}

// queueLess is the order in which queued runs have their turn.
const queueLess = " ORDER BY q.priority DESC, q.id"

// Enqueue adds a run to the queue, fully synchronised. It fills ID, State and Added.
// ErrExists is returned when the ID is taken or one of the same name waits or runs.
func (s *Store) Enqueue(ctx context.Context, q *Queued) error {
	err := q.complete()
	if err == nil {
		err = s.submit(ctx, true, func(w *writer) error {
			var id string
			err := w.scan([]any{&id}, "SELECT uuid FROM queue WHERE uuid = ?1 OR name = ?2 AND ?2 <> '' AND state IN ('waiting', 'running')", q.ID, q.Name)
			if err == nil {
				return fmt.Errorf("%w, as %s", ErrExists, id)
			} else if !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			_, err = w.exec("INSERT INTO queue (uuid, name, kind, priority, config, budget, games, rules, state, added) VALUES (?,?,?,?,?,?,?,?,?,?)",
				q.ID, q.Name, q.Kind, q.Priority, string(q.Config), q.Budget.Microseconds(), q.Games, string(q.Rules), string(q.State), toMicro(q.Added))
			return err
		})
	}
	return s.fail("queueing "+orText(q.Name, q.ID), err)
}

func (q *Queued) complete() error {
	switch {
	case q.ID == "":
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		q.ID = id.String()
	case uuid.Validate(q.ID) != nil:
		return fmt.Errorf("%q is no UUID", q.ID)
	}
	switch {
	case q.Budget < 0 || q.Games < 0:
		return errors.New("a budget is not negative; 0 is none")
	case len(q.Rules) > 0 && !json.Valid(q.Rules):
		return fmt.Errorf("stop rules %.40q are no JSON", q.Rules)
	}
	q.State, q.Added = Waiting, micro(time.Now())
	q.Reason, q.Run, q.Used, q.Started, q.Ended = "", "", 0, time.Time{}, time.Time{}
	return nil
}

// Queue returns the queue in the order of turns, what has ended included. One whose owner
// has died is waiting again.
func (s *Store) Queue(ctx context.Context) ([]Queued, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT "+queueColumns+queueLess)
	lines, err := collect(rows, err, (*queueRow).fields)
	var all []Queued
	for i := range lines {
		lines[i].settle(s.beatLimit)
		all = append(all, lines[i].Queued)
	}
	return all, s.fail("queue", err)
}

// openQueue returns what waits or runs, in the order of turns.
func (w *writer) openQueue() ([]queueRow, error) {
	st, err := w.stmt("SELECT " + queueColumns + "WHERE q.state IN ('waiting', 'running')" + queueLess)
	if err != nil {
		return nil, err
	}
	rows, err := st.Query()
	lines, err := collect(rows, err, (*queueRow).fields)
	for i := range lines {
		lines[i].settle(w.store.beatLimit)
	}
	return lines, err
}

// Claim is the right to run a queued run. It is kept up in the background until End or
// Release.
type Claim struct {
	pulse
	Queued // as it was when claimed; Run names the run to go on with, if there is one
}

// NextQueued claims the next run whose turn it is, for this process: nobody else gets it
// while this process lives. One whose owner died before its end has its turn again, with
// the run it had made and what it had used of its budget. ErrNotFound is returned when none
// waits.
func (s *Store) NextQueued(ctx context.Context) (*Claim, error) {
	c := &Claim{pulse: s.newPulse()}
	owner, err := thisProcess().text()
	if err == nil {
		err = s.submit(ctx, true, func(w *writer) error {
			q, err := w.nextWaiting()
			if err != nil {
				return err
			}
			now := time.Now().UnixMicro()
			c.id, c.Queued = q.id, q.Queued
			c.State = Running
			if c.Started.IsZero() {
				c.Started = fromMicro(now)
			}
			_, err = w.exec("UPDATE queue SET state = ?, token = ?, owner = ?, beat = ?, started = ? WHERE id = ?",
				string(Running), c.token, owner, now, toMicro(c.Started), c.id)
			return err
		})
	}
	if err != nil {
		return nil, s.fail("next of the queue", err)
	}
	s.mu.Lock()
	s.claims[c] = struct{}{}
	s.mu.Unlock()
	c.start(claimBeat)
	return c, nil
}

func (w *writer) nextWaiting() (queueRow, error) {
	all, err := w.openQueue()
	if err != nil {
		return queueRow{}, err
	}
	for _, q := range all {
		if q.State == Waiting {
			return q, nil
		}
	}
	return queueRow{}, ErrNotFound
}

// claimBeat counts the time since the last beat as used; a clock that was set back counts
// nothing.
const claimBeat = "UPDATE queue SET used = used + max(?1 - beat, 0), beat = ?1 WHERE id = ?2 AND token = ?3"

// SetRun notes the run that was made for the queued one, so that whoever claims it after
// this process goes on with it.
func (c *Claim) SetRun(ctx context.Context, runID string) error {
	err := c.store.submit(ctx, true, func(w *writer) error {
		var run int64
		err := w.scan([]any{&run}, "SELECT id FROM runs WHERE uuid = ?", runID)
		if errors.Is(err, sql.ErrNoRows) {
			err = fmt.Errorf("run %s: %w", runID, ErrNotFound)
		}
		if err != nil {
			return err
		}
		return c.change(w, "UPDATE queue SET run = ? WHERE id = ? AND token = ?", run, c.id, c.token)
	})
	if err == nil {
		c.Run = runID
	}
	return c.store.fail("queued run "+c.ID, err)
}

// change runs an update of the claimed row, which another may have taken over.
func (c *Claim) change(w *writer, query string, args ...any) error {
	held, err := w.changes(query, args...)
	if err == nil && !held {
		err = fmt.Errorf("%w: another process has claimed it", ErrOwned)
	}
	return err
}

// End ends a queued run for good, as Done or Failed with a reason, and gives the claim up.
func (c *Claim) End(ctx context.Context, state QueueState, reason string) error {
	if state != Done && state != Failed {
		return c.store.fail("queued run "+c.ID, fmt.Errorf("%q ends nothing, want done or failed", state))
	}
	err := c.store.submit(ctx, true, func(w *writer) error {
		now := time.Now().UnixMicro()
		if err := c.change(w, claimBeat, now, c.id, c.token); err != nil {
			return err
		}
		return c.change(w, "UPDATE queue SET state = ?, reason = ?, ended = ?, token = '', owner = '' WHERE id = ? AND token = ?",
			string(state), reason, now, c.id, c.token)
	})
	if err != nil {
		return c.store.fail("queued run "+c.ID, err)
	}
	return c.Release()
}

// Release gives the claim up; the run waits again unless End was called. Calling it again
// does nothing.
func (c *Claim) Release() error {
	return c.letGo("releasing queued run "+c.ID, func() { delete(c.store.claims, c) }, func(w *writer) error {
		if _, err := w.exec(claimBeat, time.Now().UnixMicro(), c.id, c.token); err != nil {
			return err
		}
		_, err := w.exec("UPDATE queue SET state = ?, token = '', owner = '' WHERE id = ? AND token = ?", string(Waiting), c.id, c.token)
		return err
	})
}

// Dequeue removes a run that waits, named by its ID, the beginning of it (four characters
// or more) or its name. One that a living process has claimed is not removed (ErrOwned):
// its run is to be stopped first.
func (s *Store) Dequeue(ctx context.Context, ref string) error {
	err := s.submit(ctx, true, func(w *writer) error {
		all, err := w.openQueue()
		if err != nil {
			return err
		}
		q, err := pick(all, ref)
		if err != nil {
			return err
		}
		if q.State == Running {
			return fmt.Errorf("%w: %s; stop the run first", ErrOwned, parseOwner(q.owner))
		}
		_, err = w.exec("UPDATE queue SET state = ?, ended = ?, token = '', owner = '' WHERE id = ?", string(Removed), time.Now().UnixMicro(), q.id)
		return err
	})
	return s.fail("queued run "+ref, err)
}

// pick returns the one that ref names.
func pick(all []queueRow, ref string) (found *queueRow, err error) {
	for i := range all {
		q := &all[i]
		switch {
		case q.ID == ref || q.Name == ref && ref != "":
			return q, nil
		case len(ref) < 4 || !strings.HasPrefix(q.ID, strings.ToLower(ref)):
		case found != nil:
			return nil, fmt.Errorf("two are called so, give one of %s, %s", found.ID, q.ID)
		default:
			found = q
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%w among those that wait or run", ErrNotFound)
	}
	return found, nil
}
