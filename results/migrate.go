package results

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"time"
)

// schema holds a file for each version of the schema, which brings the one before up to
// it: 0001.sql makes version 1. A file that has been released never changes.
//
//go:embed schema/*.sql
var schema embed.FS

// applicationID marks xqlab's databases in SQLite's header: "XQLB".
const applicationID = 0x58514c42

// pageSize is SQLite's page; larger than its default because plies are blobs of one to
// three kilobytes.
const pageSize = 8192

// newest returns the version of the schema that this program writes.
func newest() int {
	files, err := schema.ReadDir("schema")
	if err != nil {
		panic("results: no schema embedded: " + err.Error())
	}
	return len(files)
}

// errOldSchema is returned by checkSchema.
var errOldSchema = errors.New("the schema is older")

type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// version returns the schema's version, 0 in an empty file, and refuses what is not
// xqlab's or newer than this program.
func version(ctx context.Context, q queryer) (int, error) {
	var app, version, tables int
	err := q.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)`).Scan(&app, &version, &tables)
	switch {
	case err != nil:
		return 0, err
	case app == 0 && version == 0 && tables == 0:
		return 0, nil
	case app != applicationID:
		return 0, errors.New("it is a database of another program; name another file with --db")
	case version > newest():
		return 0, fmt.Errorf("it has schema %d, this xqlab knows up to %d; use the xqlab that wrote it or a newer one", version, newest())
	}
	return version, nil
}

// checkSchema refuses what cannot be read as it is.
func checkSchema(ctx context.Context, q queryer) error {
	v, err := version(ctx, q)
	switch {
	case err == nil && v == 0:
		err = fmt.Errorf("%w: there is nothing in it yet", ErrNotFound)
	case err == nil && v < newest():
		err = fmt.Errorf("%w: it has %d, this xqlab reads %d; any command that writes brings it up to date", errOldSchema, v, newest())
	}
	return err
}

// prepareLimit bounds how long other processes may keep a file from being prepared.
const prepareLimit = 10 * time.Second

// prepare makes an empty file a database and brings an older one up to date. Several
// processes may do it at once: one does, the others wait. SQLite itself does not wait for
// a file that another process is turning to WAL mode.
func prepare(ctx context.Context, conn *sql.Conn) error {
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		err := migrate(ctx, conn)
		if classOf(err) != classBusy || time.Since(start) > prepareLimit || ctx.Err() != nil {
			return err
		}
	}
}

// migrate does it in one transaction.
func migrate(ctx context.Context, conn *sql.Conn) (err error) {
	if _, err := version(ctx, conn); err != nil { // before anything touches a file that may be another program's
		return err
	}
	start := fmt.Sprintf(`PRAGMA busy_timeout = 10000; PRAGMA page_size = %d; PRAGMA journal_mode = WAL;
		PRAGMA synchronous = FULL; BEGIN IMMEDIATE`, pageSize)
	if _, err := conn.ExecContext(ctx, start); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}
	}()
	v, err := version(ctx, conn)
	if err != nil {
		return err
	}
	for v++; v <= newest(); v++ {
		text, err := schema.ReadFile(fmt.Sprintf("schema/%04d.sql", v))
		if err != nil {
			return err
		}
		mark := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, v)
		if _, err := conn.ExecContext(ctx, string(text)+mark); err != nil {
			return fmt.Errorf("bringing the schema to version %d: %w", v, err)
		}
	}
	_, err = conn.ExecContext(ctx, "COMMIT; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 100")
	return err
}
