package results

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	_ "embed" // merge.sql
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// Merged is what a merge has brought.
type Merged struct {
	Runs      int       // that were not here
	Games     int       // that were not here
	Known     int       // games that were here
	Conflicts []GameKey // games that are here with other content, which stays
}

// Merge brings everything of another database into this one: runs, games, benchmarks,
// fits and weights. It is idempotent, and one that was interrupted is begun again. Runs
// are the same when their UUIDs are; the other's end of a run is taken over when the run
// is not finished here. A run that is being written here is refused (ErrOwned), and so is
// one of the same UUID and another configuration. Queued runs stay where they are.
func (s *Store) Merge(ctx context.Context, path string) (Merged, error) {
	var m Merged
	other, err := OpenReadOnly(ctx, path)
	if err != nil {
		return m, err
	}
	defer other.Close()
	if same, err := sameFile(s.path, other.path); err != nil {
		return m, err
	} else if same {
		return m, fmt.Errorf("%s is this database itself; name another", path)
	}
	runs, err := other.Runs(ctx)
	if err != nil {
		return m, err
	}
	for _, r := range slices.Backward(runs) { // the oldest first
		if err := s.mergeRun(ctx, other, r, &m); err != nil {
			return m, s.fail("merging run "+r.ID+" of "+other.path, err)
		}
	}
	return m, s.fail("merging "+other.path, s.mergeTables(ctx, other.path))
}

func sameFile(a, b string) (bool, error) {
	x, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y), err
}

// mergeRun brings a run, then its games, then its end.
func (s *Store) mergeRun(ctx context.Context, other *Store, r *Run, m *Merged) error {
	var id int64
	var made bool
	err := s.submit(ctx, true, func(w *writer) (err error) {
		id, made, err = w.mergeHead(r)
		return err
	})
	if err != nil {
		return err
	}
	if made {
		m.Runs++
	}
	var batch []*record
	plies := 0
	flush := func() error {
		var part Merged
		err := s.submit(ctx, false, func(w *writer) (err error) {
			part, err = w.mergeGames(id, r.ID, batch)
			return err
		})
		batch, plies = nil, 0
		if err == nil {
			m.Games, m.Known, m.Conflicts = m.Games+part.Games, m.Known+part.Known, append(m.Conflicts, part.Conflicts...)
		}
		return err
	}
	for g, err := range other.records(ctx, Filter{Runs: []string{r.ID}}, "SELECT "+wholeColumns+wholeRest+wholeFrom, (*record).whole, (*record).weight) {
		if err != nil {
			return err
		}
		if _, _, n, err := openBlob(g.data); err != nil || n != g.plies || g.opening == "" {
			return fmt.Errorf("%s: %w; find what is wrong with results verify", GameKey{r.ID, g.pair, g.leg, g.attempt}, cmp.Or(err, ErrBlob))
		}
		batch = append(batch, &g.record)
		if plies += g.plies; len(batch) >= bulkGames || plies >= bulkPlies {
			if err := flush(); err != nil {
				return err
			}
			time.Sleep(breath)
		}
	}
	if err := flush(); err != nil || r.StopReason == "" {
		return err
	}
	return s.submit(ctx, true, func(w *writer) error {
		_, err := w.exec("UPDATE runs SET stop_reason = ?, summary = ?, finished = ? WHERE id = ? AND stop_reason = ''", r.StopReason, string(r.Summary), toMicro(r.Finished), id)
		return err
	})
}

// mergeHead finds or makes the run, unfinished as yet, and returns its row.
func (w *writer) mergeHead(r *Run) (id int64, made bool, err error) {
	var config, rules string
	var seed int64
	err = w.scan([]any{&id, &config, &seed, &rules}, "SELECT id, config, seed, rules FROM runs WHERE uuid = ?", r.ID)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		open := *r
		open.StopReason, open.Finished = "", time.Time{}
		id, err = w.insertRun(&open)
		return id, true, err
	case err != nil:
		return 0, false, err
	case !bytes.Equal([]byte(config), r.Config) || uint64(seed) != r.Seed || rules != r.Rules:
		return 0, false, fmt.Errorf("%w: another configuration, seed or rule set", ErrConflict)
	}
	return id, false, w.checkFree(id)
}

// mergeGames puts a batch of games of a run nobody here is writing.
func (w *writer) mergeGames(run int64, uuid string, batch []*record) (m Merged, err error) {
	if err := w.checkFree(run); err != nil {
		return m, err
	}
	before, err := w.count(run)
	if err != nil {
		return m, err
	}
	for _, r := range batch {
		err := w.put(run, r)
		if errors.Is(err, ErrConflict) {
			m.Conflicts = append(m.Conflicts, GameKey{uuid, r.pair, r.leg, r.attempt})
		} else if err != nil {
			return m, err
		}
	}
	after, err := w.count(run)
	m.Games = after - before
	m.Known = len(batch) - m.Games - len(m.Conflicts)
	return m, err
}

func (w *writer) count(run int64) (n int, err error) {
	err = w.scan([]any{&n}, "SELECT count(*) FROM games WHERE run = ?", run)
	return n, err
}

//go:embed merge.sql
var mergeSQL string

// mergeTables brings the tables that are small. A database can only be attached outside
// a transaction.
func (s *Store) mergeTables(ctx context.Context, path string) error {
	j := &job{ctx: ctx, alone: true}
	j.do = func(w *writer) (err error) {
		ctx := context.Background()
		if _, err := w.conn.ExecContext(ctx, "ATTACH ? AS other", dsn(path, "mode=ro")); err != nil {
			return err
		}
		defer func() {
			_, failed := w.conn.ExecContext(ctx, "DETACH other")
			err = cmp.Or(err, failed)
		}()
		if err := w.begin(true, j); err != nil {
			return err
		}
		if _, err := w.conn.ExecContext(ctx, mergeSQL); err != nil {
			w.rollback()
			return err
		}
		if _, err := w.exec("COMMIT"); err != nil {
			w.rollback()
			return err
		}
		return w.pragma("synchronous = NORMAL")
	}
	return s.hand(j)
}
