//go:build !cgo

package results

import (
	"context"
	"database/sql"
	"errors"
)

// errNoSQLite is what every use of a database answers in a build without cgo.
var errNoSQLite = errors.New("this build has no SQLite; build with cgo, i.e. a C compiler and CGO_ENABLED=1")

func openDB(string, string) (*sql.DB, error) { return nil, errNoSQLite }

func sqliteVersion() string { return "" }

func classOf(error) class { return classOther }

func copyDatabase(context.Context, *sql.Conn, *sql.Conn) error { return errNoSQLite }
