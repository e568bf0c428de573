package results

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// deleted is the stop reason of a run whose deletion has begun.
const deleted = "deleted"

// deletePairs is how many pairs are deleted in one transaction.
const deletePairs = 500

// Delete removes a run with all that belongs to it, in steps that let others write
// between them. A run whose owner lives is not deleted (ErrOwned). One whose deletion was
// interrupted is finished with the reason "deleted"; deleting it again goes on.
func (s *Store) Delete(ctx context.Context, runID string) error {
	var run int64
	err := s.submit(ctx, true, func(w *writer) error {
		err := w.scan([]any{&run}, "SELECT id FROM runs WHERE uuid = ?", runID)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		} else if err != nil {
			return err
		}
		if err := w.checkFree(run); err != nil {
			return err
		}
		_, err = w.exec("UPDATE runs SET stop_reason = ? WHERE id = ?", deleted, run)
		return err
	})
	for left := true; left && err == nil; time.Sleep(breath) {
		err = s.submit(ctx, false, func(w *writer) (err error) {
			left, err = w.deleteSome(run)
			return err
		})
	}
	if err == nil {
		err = s.submit(ctx, true, func(w *writer) error {
			_, err := w.exec("DELETE FROM runs WHERE id = ?", run)
			return err
		})
	}
	return s.fail("deleting run "+runID, err)
}

// deleteSome deletes pairs of a run, their games and openings that nobody else has, and
// reports whether there may be more.
func (w *writer) deleteSome(run int64) (bool, error) {
	type line struct{ pair, opening int64 }
	st, err := w.stmt("SELECT pair, opening FROM pairs WHERE run = ? LIMIT ?")
	if err != nil {
		return false, err
	}
	rows, err := st.Query(run, deletePairs)
	lines, err := collect(rows, err, func(l *line) []any { return []any{&l.pair, &l.opening} })
	for i := 0; i < len(lines) && err == nil; i++ {
		if _, err = w.exec("DELETE FROM pairs WHERE run = ? AND pair = ?", run, lines[i].pair); err == nil {
			_, err = w.exec("DELETE FROM openings WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM pairs WHERE opening = ?1)", lines[i].opening)
		}
	}
	return len(lines) == deletePairs, err
}
