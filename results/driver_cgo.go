//go:build cgo

package results

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/mattn/go-sqlite3"
)

// connector opens connections that have run the given pragmas: database/sql may open
// one at any time, so that a pragma of its own statement would reach only some.
type connector struct {
	dsn     string
	pragmas string
}

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) { return c.Driver().Open(c.dsn) }

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver {
	return &sqlite3.SQLiteDriver{ConnectHook: func(conn *sqlite3.SQLiteConn) error {
		_, err := conn.Exec(c.pragmas, nil)
		return err
	}}
}

func openDB(dsn, pragmas string) (*sql.DB, error) {
	return sql.OpenDB(connector{dsn, pragmas}), nil
}

// sqliteVersion returns the version of the library.
func sqliteVersion() string {
	v, _, _ := sqlite3.Version()
	return v
}

// classOf says what kind of failure SQLite reports.
func classOf(err error) class {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return classOther
	}
	switch e.Code {
	case sqlite3.ErrFull:
		return classFull
	case sqlite3.ErrIoErr:
		switch e.ExtendedCode {
		case sqlite3.ErrIoErrWrite, sqlite3.ErrIoErrFsync, sqlite3.ErrIoErrDirFsync, sqlite3.ErrIoErrTruncate, sqlite3.ErrIoErrSHMSize:
			return classFull
		}
		return classBroken
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return classBusy
	case sqlite3.ErrNotADB:
		return classNoDatabase
	case sqlite3.ErrCantOpen, sqlite3.ErrReadonly, sqlite3.ErrPerm:
		return classCantOpen
	case sqlite3.ErrConstraint:
		return classConstraint
	case sqlite3.ErrCorrupt:
		return classDamaged
	case sqlite3.ErrNomem, sqlite3.ErrInterrupt:
		return classBroken
	}
	return classOther
}

// backupStep is how many pages are copied between two looks at the context.
const backupStep = 1024

// copyDatabase copies what src sees into dst. One read transaction on src spans the
// copy, so that writers of the source do not make it begin again.
func copyDatabase(ctx context.Context, dst, src *sql.Conn) error {
	if _, err := src.ExecContext(ctx, "BEGIN"); err != nil {
		return err
	}
	defer src.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	var n int
	if err := src.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n); err != nil {
		return err
	}
	return dst.Raw(func(d any) error {
		return src.Raw(func(s any) error {
			return copyPages(ctx, d.(*sqlite3.SQLiteConn), s.(*sqlite3.SQLiteConn))
		})
	})
}

func copyPages(ctx context.Context, dst, src *sqlite3.SQLiteConn) error {
	b, err := dst.Backup("main", src, "main")
	if err != nil {
		return err
	}
	for stuck := 0; ; {
		left := b.Remaining()
		done, err := b.Step(backupStep)
		if done || err != nil {
			return cmp.Or(err, b.Finish())
		}
		// Step says nothing when the file is locked; a copy that stands still is.
		if stuck++; left != b.Remaining() {
			stuck = 0
		} else if stuck > 2 {
			time.Sleep(10 * time.Millisecond)
		}
		if stuck > 3000 {
			return cmp.Or(fmt.Errorf("%w: the copy makes no progress", ErrBusy), b.Finish())
		}
		if ctx.Err() != nil {
			return cmp.Or(context.Cause(ctx), b.Finish())
		}
	}
}
