package results

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// CreateRun stores a run, fully synchronised, and makes this process its owner. It fills
// ID, Created and Host when they are zero and the engines' indexes. ErrExists is
// returned when the ID or the name is taken.
func (s *Store) CreateRun(ctx context.Context, r *Run) (*Lease, error) {
	if err := r.complete(); err != nil {
		return nil, s.fail("run "+r.ID, err)
	}
	l := s.newLease(r.ID)
	err := s.submit(ctx, true, func(w *writer) error {
		if err := w.checkNew(r); err != nil {
			return err
		}
		var err error
		if l.id, err = w.insertRun(r); err != nil {
			return err
		}
		return l.write(w)
	})
	if err != nil {
		return nil, s.fail("creating run "+r.ID, err)
	}
	return s.hold(l), nil
}

// complete fills what the caller may leave out.
func (r *Run) complete() error {
	if r.ID == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		r.ID = id.String()
	} else if _, err := uuid.Parse(r.ID); err != nil {
		return fmt.Errorf("%q is no UUID", r.ID)
	}
	if r.Created.IsZero() {
		r.Created = time.Now()
	}
	r.Created, r.Finished = micro(r.Created), micro(r.Finished)
	if r.Host == (Host{}) {
		r.Host = HostFacts()
	}
	for i := range r.Engines {
		r.Engines[i].Index = i
	}
	return nil
}

func (w *writer) checkNew(r *Run) error {
	var id string
	err := w.scan([]any{&id}, "SELECT uuid FROM runs WHERE uuid = ? OR name = ? AND name <> ''", r.ID, r.Name)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err == nil && id == r.ID:
		return ErrExists
	case err == nil:
		return fmt.Errorf("the name %q %w, as run %s", r.Name, ErrExists, id)
	}
	return err
}

func (w *writer) insertRun(r *Run) (int64, error) {
	host, err := w.hostID(r.Host)
	if err != nil {
		return 0, err
	}
	res, err := w.exec(`INSERT INTO runs (uuid, kind, name, config, seed, rules, move_limit, book, book_hash, pairs, created, finished, version, host, stop_reason, summary)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, r.ID, r.Kind, r.Name, string(r.Config), int64(r.Seed), r.Rules, r.MoveLimit, r.Book, r.BookHash,
		r.Pairs, toMicro(r.Created), toMicro(r.Finished), r.Version, host, r.StopReason, string(r.Summary))
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	for i := 0; i < len(r.Engines) && err == nil; i++ {
		e := &r.Engines[i]
		_, err = w.exec("INSERT INTO engines (run, idx, name, id_name, cmd, proto, config, sha256, net_sha256) VALUES (?,?,?,?,?,?,?,?,?)",
			id, i, e.Name, e.IDName, e.Cmd, e.Proto, string(e.Config), e.SHA256, e.NetSHA256)
	}
	return id, err
}

// hostID returns the row of a machine as it is now, which is made if there is none.
func (w *writer) hostID(h Host) (id int64, err error) {
	facts, err := json.Marshal(h)
	if err != nil {
		return 0, err
	}
	sum := sha256.Sum256(facts)
	hash := hex.EncodeToString(sum[:])
	err = w.scan([]any{&id}, "SELECT id FROM hosts WHERE hash = ?", hash)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	res, err := w.exec("INSERT INTO hosts (hash, machine, facts, created) VALUES (?,?,?,?)", hash, h.Machine, string(facts), time.Now().UnixMicro())
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// SetEngine replaces what is known of an engine once it has been started: its own name
// and hashes. The caller owns the run.
func (s *Store) SetEngine(ctx context.Context, runID string, e Engine) error {
	return s.owned(ctx, runID, "engine "+e.Name, false, func(w *writer, run int64) error {
		changed, err := w.changes("UPDATE engines SET name = ?, id_name = ?, cmd = ?, proto = ?, config = ?, sha256 = ?, net_sha256 = ? WHERE run = ? AND idx = ?",
			e.Name, e.IDName, e.Cmd, e.Proto, string(e.Config), e.SHA256, e.NetSHA256, run, e.Index)
		if err == nil && !changed {
			err = ErrNotFound
		}
		return err
	})
}

// owned does something to a run that this store owns.
func (s *Store) owned(ctx context.Context, runID, doing string, full bool, do func(*writer, int64) error) error {
	l, err := s.lease(runID)
	if err != nil {
		return err
	}
	err = s.submit(ctx, full, func(w *writer) error {
		if err := l.check(w); err != nil {
			return err
		}
		return do(w, l.id)
	})
	return s.fail("run "+runID+": "+doing, err)
}

// SaveSummary stores how the run stands, fully synchronised. The caller owns the run.
func (s *Store) SaveSummary(ctx context.Context, runID string, summary []byte) error {
	return s.owned(ctx, runID, "summary", true, func(w *writer, run int64) error {
		changed, err := w.changes("UPDATE runs SET summary = ? WHERE id = ? AND stop_reason = ''", string(summary), run)
		if err == nil && !changed {
			err = ErrFinished
		}
		return err
	})
}

// Finish ends a run for good, fully synchronised. The caller owns the run. Finishing it
// again with the same reason and summary does nothing, with others is ErrFinished.
func (s *Store) Finish(ctx context.Context, runID, stopReason string, summary []byte) error {
	if stopReason == "" {
		return s.fail("run "+runID, errors.New("a run that ends needs a reason"))
	}
	return s.owned(ctx, runID, "end", true, func(w *writer, run int64) error {
		var reason, text string
		if err := w.scan([]any{&reason, &text}, "SELECT stop_reason, summary FROM runs WHERE id = ?", run); err != nil {
			return err
		}
		switch {
		case reason == stopReason && text == string(summary):
			return nil
		case reason != "":
			return fmt.Errorf("%w (%s)", ErrFinished, reason)
		}
		_, err := w.exec("UPDATE runs SET stop_reason = ?, summary = ?, finished = ? WHERE id = ?", stopReason, string(summary), time.Now().UnixMicro(), run)
		return err
	})
}

// Event notes something that happened to a run. Any process may.
func (s *Store) Event(ctx context.Context, runID, kind, text string) error {
	err := s.submit(ctx, false, func(w *writer) error {
		ok, err := w.changes("INSERT INTO events (run, at, kind, text) SELECT id, ?, ?, ? FROM runs WHERE uuid = ?", time.Now().UnixMicro(), kind, text, runID)
		if err == nil && !ok {
			err = ErrNotFound
		}
		return err
	})
	return s.fail("run "+runID+": event "+kind, err)
}

// Event is something that happened to a run.
type Event struct {
	At         time.Time
	Kind, Text string
}

// Events returns what happened to a run, oldest first.
func (s *Store) Events(ctx context.Context, runID string) ([]Event, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT at, kind, text FROM events WHERE run = (SELECT id FROM runs WHERE uuid = ?) ORDER BY id", runID)
	all, err := collect(rows, err, func(e *Event) []any { return []any{scanTime{&e.At}, &e.Kind, &e.Text} })
	return all, s.fail("run "+runID+": events", err)
}

// scanTime reads a column of microseconds.
type scanTime struct{ t *time.Time }

// Scan implements sql.Scanner.
func (s scanTime) Scan(v any) error {
	us, ok := v.(int64)
	if !ok {
		return fmt.Errorf("%v is no time in microseconds", v)
	}
	*s.t = fromMicro(us)
	return nil
}

// collect reads all rows of a query; fields returns where the columns of one go.
func collect[T any](rows *sql.Rows, err error, fields func(*T) []any) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		var t T
		if err := rows.Scan(fields(&t)...); err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, rows.Err()
}

// Run returns the run named by its UUID, its name, or the beginning of a UUID that no
// other run has. ErrNotFound is wrapped when there is none, or more than one, in a line
// that names those it may mean.
func (s *Store) Run(ctx context.Context, ref string) (*Run, error) {
	for _, where := range []string{"uuid = ?1", "name = ?1 AND name <> ''", "length(?1) > 3 AND substr(uuid, 1, length(?1)) = lower(?1)"} {
		runs, err := s.runs(ctx, where, ref)
		switch {
		case err != nil:
			return nil, s.fail("run "+ref, err)
		case len(runs) == 1:
			return runs[0], nil
		case len(runs) > 1:
			return nil, s.fail("run "+ref, fmt.Errorf("%w: %d runs are called so, give one of %s", ErrNotFound, len(runs), runNames(runs)))
		}
	}
	begin, err := s.runs(ctx, "?1 <> '' AND (substr(uuid, 1, length(?1)) = lower(?1) OR substr(name, 1, length(?1)) = ?1)", ref)
	switch {
	case err != nil:
		return nil, s.fail("run "+ref, err)
	case len(begin) > 0:
		return nil, s.fail("run "+ref, fmt.Errorf("%w: give a whole name, or four characters or more of an id; so begin %s", ErrNotFound, runNames(begin)))
	}
	switch all, err := s.runs(ctx, "1"); {
	case err != nil:
		return nil, s.fail("run "+ref, err)
	case len(all) > 0:
		return nil, s.fail("run "+ref, fmt.Errorf("%w; the newest are %s", ErrNotFound, runNames(all)))
	}
	return nil, s.fail("run "+ref, fmt.Errorf("%w: no run is stored", ErrNotFound))
}

// runNames lists runs in an error line.
func runNames(runs []*Run) string {
	const most = 10
	var names []string
	for i, r := range runs {
		switch {
		case i == most:
			return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), len(runs)-most)
		case r.Name != "":
			names = append(names, fmt.Sprintf("%s (%s)", r.ID, r.Name))
		default:
			names = append(names, r.ID)
		}
	}
	return strings.Join(names, ", ")
}

// Runs returns all runs, newest first.
func (s *Store) Runs(ctx context.Context) ([]*Run, error) {
	runs, err := s.runs(ctx, "1")
	return runs, s.fail("runs", err)
}

// runs returns the runs that meet a condition, newest first.
func (s *Store) runs(ctx context.Context, where string, args ...any) ([]*Run, error) {
	type line struct {
		Run
		id, seed int64
		facts    string
	}
	rows, err := s.read.QueryContext(ctx, `SELECT r.id, uuid, kind, name, config, seed, rules, move_limit, book, book_hash, pairs, r.created, finished,
		version, facts, stop_reason, summary FROM runs r JOIN hosts h ON h.id = r.host WHERE `+where+" ORDER BY r.created DESC, uuid DESC", args...)
	lines, err := collect(rows, err, func(r *line) []any {
		return []any{&r.id, &r.ID, &r.Kind, &r.Name, (*bytesText)(&r.Config), &r.seed, &r.Rules, &r.MoveLimit, &r.Book, &r.BookHash, &r.Pairs,
			scanTime{&r.Created}, scanTime{&r.Finished}, &r.Version, &r.facts, &r.StopReason, (*bytesText)(&r.Summary)}
	})
	if err != nil {
		return nil, err
	}
	var runs []*Run
	for i := range lines {
		r := &lines[i]
		r.Seed = uint64(r.seed)
		if err := json.Unmarshal([]byte(r.facts), &r.Host); err != nil {
			return nil, fmt.Errorf("run %s: the machine's facts are no JSON: %w", r.ID, err)
		}
		if r.Engines, err = s.engines(ctx, r.id); err != nil {
			return nil, err
		}
		runs = append(runs, &r.Run)
	}
	return runs, nil
}

func (s *Store) engines(ctx context.Context, run int64) ([]Engine, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT idx, name, id_name, cmd, proto, config, sha256, net_sha256 FROM engines WHERE run = ? ORDER BY idx", run)
	return collect(rows, err, func(e *Engine) []any {
		return []any{&e.Index, &e.Name, &e.IDName, &e.Cmd, &e.Proto, (*bytesText)(&e.Config), &e.SHA256, &e.NetSHA256}
	})
}

// bytesText reads a column of text into bytes, an empty one as nil.
type bytesText []byte

// Scan implements sql.Scanner.
func (b *bytesText) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*b = nil
	case string:
		*b = bytesText(v)
	case []byte:
		*b = append(bytesText(nil), v...)
	default:
		return fmt.Errorf("%v is no text", v)
	}
	if len(*b) == 0 {
		*b = nil
	}
	return nil
}

// Counts returns the number of stored games of each run that has any, those not played
// included.
func (s *Store) Counts(ctx context.Context) (map[string]int, error) {
	type line struct {
		run   string
		games int
	}
	rows, err := s.read.QueryContext(ctx, "SELECT uuid, n FROM (SELECT run, count(*) AS n FROM games GROUP BY run) g JOIN runs r ON r.id = g.run")
	lines, err := collect(rows, err, func(l *line) []any { return []any{&l.run, &l.games} })
	counts := map[string]int{}
	for _, l := range lines {
		counts[l.run] = l.games
	}
	return counts, s.fail("counting games", err)
}
