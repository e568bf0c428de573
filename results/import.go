package results

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Imported is what came of an import.
type Imported struct {
	Games      int // stored
	Plies      int // of those
	Duplicates int // left out: a game with the same start and moves is stored
}

// Bounds of a transaction that stores many games, and the pause after it in which other
// processes get their turn.
const (
	bulkGames = 1000
	bulkPlies = 100_000
	breath    = 10 * time.Millisecond
)

// Import stores games of people or other engines in a run that the caller owns, each as a
// pair of its own, in order. Engines and keys of the games are set; those whose start and
// moves are stored already, in whatever run, are left out, so that an import that was
// interrupted is simply begun again. The report counts what is committed, also on errors.
func (s *Store) Import(ctx context.Context, runID string, games iter.Seq[*Game]) (Imported, error) {
	var all Imported
	l, err := s.lease(runID)
	if err != nil {
		return all, err
	}
	var batch []*record
	plies := 0
	flush := func() error {
		part, err := s.importBatch(ctx, l, batch)
		if err == nil {
			all.Games, all.Plies, all.Duplicates = all.Games+part.Games, all.Plies+part.Plies, all.Duplicates+part.Duplicates
		}
		batch, plies = batch[:0], 0
		return s.fail("importing into run "+runID, err)
	}
	n := 0
	for g := range games {
		n++
		g.GameKey, g.Red, g.Black = GameKey{Run: runID}, -1, -1
		r, err := newRecord(g)
		if err != nil {
			return all, cmp.Or(flush(), fmt.Errorf("game %d of the import: %w", n, err))
		}
		batch = append(batch, r)
		if plies += len(g.Plies); len(batch) >= bulkGames || plies >= bulkPlies {
			if err := flush(); err != nil {
				return all, err
			}
			time.Sleep(breath)
		}
	}
	return all, flush()
}

func (s *Store) importBatch(ctx context.Context, l *Lease, batch []*record) (part Imported, err error) {
	if len(batch) == 0 {
		return part, nil
	}
	err = s.submit(ctx, false, func(w *writer) error {
		part = Imported{}
		if err := l.check(w); err != nil {
			return err
		}
		var next int
		if err := w.scan([]any{&next}, "SELECT coalesce(max(pair), -1) + 1 FROM pairs WHERE run = ?", l.id); err != nil {
			return err
		}
		for _, r := range batch {
			if known, err := w.knows(r.hash); err != nil {
				return err
			} else if known {
				part.Duplicates++
				continue
			}
			r.pair = next
			if err := w.put(l.id, r); err != nil {
				return err
			}
			next++
			part.Games++
			part.Plies += r.plies
		}
		return nil
	})
	return part, err
}

// knows reports whether a game with that hash is stored.
func (w *writer) knows(hash int64) (bool, error) {
	var one int
	err := w.scan([]any{&one}, "SELECT 1 FROM games WHERE hash = ? LIMIT 1", hash)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}
