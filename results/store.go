package results

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Store is an open database. Its methods may be called from any goroutine.
type Store struct {
	path  string
	made  bool
	file  os.FileInfo // the file, when it was opened for writing
	read  *sql.DB
	write *writer // nil when opened for reading alone

	mu     sync.Mutex
	leases map[string]*Lease // by run
	claims map[*Claim]struct{}

	beat, beatLimit time.Duration // of leases
	closing         sync.Once
	closed          error
}

// Pragmas that hold for a connection. Those that change the file come in prepare.
const (
	writePragmas = `PRAGMA busy_timeout = 100; PRAGMA foreign_keys = 1; PRAGMA synchronous = NORMAL;
		PRAGMA cache_size = -65536; PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY`
	readPragmas = `PRAGMA busy_timeout = 10000; PRAGMA query_only = 1; PRAGMA cache_size = -16384`
)

// readers is how many connections read at once.
const readers = 4

// Open opens the database at path for writing and makes it when there is none. An older
// schema is brought up to date. It refuses, in one line that names the path, a newer
// schema, a file that is no database of xqlab's, and a folder that cannot be written.
func Open(ctx context.Context, path string) (*Store, error) {
	s, err := newStore(path)
	if err != nil {
		return nil, err
	}
	if s.made, err = checkPlace(s.path); err != nil {
		return nil, err
	}
	db, err := openDB(dsn(s.path, "mode=rwc"), writePragmas)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err == nil {
		err = prepare(ctx, conn)
	}
	if err == nil {
		s.read, err = openDB(dsn(s.path, "mode=ro"), readPragmas)
	}
	if err != nil {
		db.Close()
		return nil, s.openError(err)
	}
	if s.file, err = os.Stat(s.path); err != nil {
		err = errors.Join(err, s.read.Close(), db.Close())
		return nil, fmt.Errorf("database: %w", err)
	}
	s.read.SetMaxOpenConns(readers)
	s.write = newWriter(s, db, conn)
	return s, nil
}

// OpenReadOnly opens an existing database for reading alone. A run may be writing to it.
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	s, err := newStore(path)
	if err != nil {
		return nil, err
	}
	if made, err := checkPlace(s.path); err != nil {
		return nil, err
	} else if made {
		return nil, fmt.Errorf("%s: %w: there is no database yet", s.path, ErrNotFound)
	}
	for _, mode := range []string{"mode=ro", "mode=ro&immutable=1"} {
		if s.read, err = openDB(dsn(s.path, mode), readPragmas); err != nil {
			return nil, err
		}
		s.read.SetMaxOpenConns(readers)
		if err = checkSchema(ctx, s.read); err == nil {
			return s, nil
		}
		s.read.Close()
		// A folder that cannot be written holds no file of a writer, and none can make
		// one: then the database can be read as it stands.
		if classOf(err) != classCantOpen || exists(s.path+"-wal") {
			break
		}
	}
	return nil, s.openError(err)
}

// inPlace returns an error when the file that is written to is no longer the one at the
// path: what goes into a file that was removed is lost when it is closed.
func (s *Store) inPlace() error {
	now, err := os.Stat(s.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w (removed or renamed)", ErrGone)
	case err == nil && !os.SameFile(s.file, now):
		return fmt.Errorf("%w (another file has its name now)", ErrGone)
	}
	return nil // what else fails here, as on a network, says nothing of the file
}

func newStore(path string) (*Store, error) {
	abs, err := filepath.Abs(path)
	if path == "" {
		return nil, errors.New(`database "": no path`)
	}
	if err != nil {
		return nil, fmt.Errorf("database %q: the working folder is gone (%w); want an absolute path, or another folder", path, err)
	}
	return &Store{path: abs, leases: map[string]*Lease{}, claims: map[*Claim]struct{}{}, beat: beatEvery, beatLimit: beatLimit}, nil
}

// checkPlace reports whether the database is to be made, and what cannot be one.
func checkPlace(path string) (made bool, err error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return false, fmt.Errorf("%s is a folder; the database is a file, such as %s", path, filepath.Join(path, "xqlab.db"))
	case err == nil && !info.Mode().IsRegular():
		return false, fmt.Errorf("%s is no ordinary file (%s); name another with --db", path, info.Mode().Type())
	case err == nil:
		return info.Size() == 0, nil
	case !errors.Is(err, os.ErrNotExist):
		return false, fmt.Errorf("database: %w", err)
	case !exists(filepath.Dir(path)):
		return false, fmt.Errorf("%s: the folder %s does not exist", path, filepath.Dir(path))
	}
	return true, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// dsn returns the URI of a file, in which some characters mean something.
func dsn(path, options string) string {
	path = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(path))
	if runtime.GOOS == "windows" {
		path = "/" + path
	}
	return "file:" + path + "?" + options + "&_txlock=immediate"
}

// Path returns the absolute path.
func (s *Store) Path() string { return s.path }

// Made reports whether Open made the database.
func (s *Store) Made() bool { return s.made }

// SQLiteVersion returns the version of the SQLite library, "" in a build without it.
func SQLiteVersion() string { return sqliteVersion() }

// Close releases what this store holds, folds the write-ahead log into the file and
// closes it. Calls under way end with ErrClosed.
func (s *Store) Close() error {
	s.closing.Do(func() {
		for _, h := range s.held() {
			s.closed = cmp.Or(s.closed, h.Release())
		}
		s.closed = cmp.Or(s.closed, s.fail("closing", s.read.Close()))
		if s.write != nil {
			if err := s.write.close(); classOf(err) != classCantOpen { // a file that may not be written has nothing to lose
				s.closed = cmp.Or(s.closed, s.fail("closing", err))
			}
		}
	})
	return s.closed
}

func (s *Store) held() (all []interface{ Release() error }) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.leases {
		all = append(all, l)
	}
	for c := range s.claims {
		all = append(all, c)
	}
	return all
}

// class is a kind of failure that SQLite reports.
type class uint8

const (
	classOther      class = iota
	classFull             // no room, or the system will not write
	classBusy             // locked by another process for too long
	classNoDatabase       // the file is something else
	classCantOpen         // no file, no permission
	classConstraint       // a constraint of the schema
	classDamaged          // the file is not as SQLite wrote it
	classBroken           // the transaction is lost: memory, interruption
)

// fail returns the one line for an error of the database while doing something. Errors
// of this package pass with the path before them.
func (s *Store) fail(doing string, err error) error {
	if err == nil {
		return nil
	}
	switch classOf(err) {
	case classFull:
		return fmt.Errorf("%s: %s: %w, make room and try again (%v)", s.path, doing, ErrFull, err)
	case classBusy:
		return fmt.Errorf("%s: %s: %w", s.path, doing, ErrBusy)
	case classDamaged:
		return fmt.Errorf("%s: %s: %w, xqlab results verify says where (%v)", s.path, doing, ErrDamaged, err)
	case classCantOpen:
		return fmt.Errorf("%s: %s: may this user write the file and its folder? (%v)", s.path, doing, err)
	}
	if errors.Is(err, sql.ErrConnDone) || err.Error() == "sql: database is closed" {
		err = ErrClosed
	}
	return fmt.Errorf("%s: %s: %w", s.path, doing, err)
}

// openError returns the one line for an error while opening.
func (s *Store) openError(err error) error {
	switch classOf(err) {
	case classNoDatabase:
		return fmt.Errorf("%s is no SQLite database; name another file with --db", s.path)
	case classDamaged:
		return fmt.Errorf("%s: %w too much to be opened, go back to a backup (%v)", s.path, ErrDamaged, err)
	}
	return s.fail("opening", err)
}
