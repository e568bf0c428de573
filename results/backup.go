package results

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Backup copies the database as it is at this instant to a new file, also while a run
// writes. The copy is complete and checked when the file appears under its name. It is
// nobody's: it holds no leases.
func (s *Store) Backup(ctx context.Context, dest string) error {
	dest, err := filepath.Abs(dest)
	if err != nil {
		return err
	}
	if exists(dest) {
		return fmt.Errorf("%s: %w; a backup does not overwrite", dest, ErrExists)
	}
	if _, err := checkPlace(dest); err != nil {
		return err
	}
	part := dest + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	err = s.copyTo(ctx, part)
	if err == nil {
		err = os.Rename(part, dest)
	}
	if err != nil {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			_ = os.Remove(part + suffix)
		}
		return (&Store{path: dest}).fail("backup of "+s.path, err)
	}
	return nil
}

// copyTo fills a new file.
func (s *Store) copyTo(ctx context.Context, path string) error {
	db, err := openDB(dsn(path, "mode=rwc"), "PRAGMA busy_timeout = 10000; PRAGMA synchronous = FULL")
	if err != nil {
		return err
	}
	defer db.Close()
	dst, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer dst.Close()
	src, err := s.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	if err := copyDatabase(ctx, dst, src); err != nil {
		return err
	}
	var found string
	if err := dst.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, strings.Join(faultsOf(found), "; "))
	}
	_, err = dst.ExecContext(ctx, `DELETE FROM leases; UPDATE requests SET done = at WHERE done = 0;
		UPDATE queue SET state = 'waiting', token = '', owner = '' WHERE state = 'running'; PRAGMA wal_checkpoint(TRUNCATE)`)
	return err
}
