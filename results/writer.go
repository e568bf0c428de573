package results

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"
)

// writer owns the one connection that writes. A single goroutine takes jobs; those that
// wait while a transaction is committed share the next one.
type writer struct {
	store *Store
	db    *sql.DB
	conn  *sql.Conn
	jobs  chan *job
	quit  chan struct{}
	done  chan struct{}

	next     *job // met by gather, but not to share a transaction
	stmts    map[string]*sql.Stmt
	openings map[string]int64 // ids met in this transaction
}

// job is what is done whole or not at all.
type job struct {
	ctx   context.Context
	full  bool // committed with full sync: survives power loss
	alone bool // do begins and ends its transactions itself
	do    func(*writer) error
	err   error      // what came of it
	done  chan error // gets err
}

// Bounds of a transaction.
const (
	batchJobs = 256
	busyLimit = time.Minute // how long a transaction waits for other processes
)

func newWriter(s *Store, db *sql.DB, conn *sql.Conn) *writer {
	w := &writer{store: s, db: db, conn: conn, jobs: make(chan *job), quit: make(chan struct{}),
		done: make(chan struct{}), stmts: map[string]*sql.Stmt{}, openings: map[string]int64{}}
	go w.loop()
	return w
}

// submit hands in a job and returns once it is committed or has failed. When ctx ends
// before the job has begun, or while it waits for another process, it is not done; once
// begun it is waited for, so that what it fills may be read.
func (s *Store) submit(ctx context.Context, full bool, do func(*writer) error) error {
	return s.hand(&job{ctx: ctx, full: full, do: do})
}

func (s *Store) hand(j *job) error {
	w := s.write
	if w == nil {
		return errors.New("the database is open for reading alone")
	}
	if j.ctx.Err() != nil {
		return context.Cause(j.ctx)
	}
	j.done = make(chan error, 1)
	select {
	case <-j.ctx.Done():
		return context.Cause(j.ctx)
	case <-w.quit:
		return ErrClosed
	case w.jobs <- j:
		return <-j.done
	}
}

func (w *writer) loop() {
	defer close(w.done)
	for {
		first := w.next
		if w.next = nil; first == nil {
			select {
			case <-w.quit:
				return
			case first = <-w.jobs:
			}
		}
		if first.alone {
			first.done <- first.do(w)
			continue
		}
		batch := w.gather(first)
		err := w.commit(batch)
		for _, j := range batch {
			if err != nil {
				j.err = err
			}
			j.done <- j.err
		}
	}
}

// gather returns first and the jobs that wait already.
func (w *writer) gather(first *job) []*job {
	batch := []*job{first}
	for len(batch) < batchJobs {
		select {
		case j := <-w.jobs:
			if j.alone {
				w.next = j
				return batch
			}
			batch = append(batch, j)
		default:
			return batch
		}
	}
	return batch
}

// commit does the jobs in one transaction. A job that fails by itself is taken back
// alone and told so; an error that is returned is everyone's.
func (w *writer) commit(batch []*job) error {
	full := false
	for _, j := range batch {
		full = full || j.full
	}
	if err := w.begin(full, batch...); err != nil {
		return err
	}
	if err := w.doAll(batch); err != nil {
		w.rollback()
		return err
	}
	if _, err := w.exec("COMMIT"); err != nil {
		w.rollback()
		return err
	}
	if full {
		return w.pragma("synchronous = NORMAL")
	}
	return nil
}

// doAll does the jobs. A single one needs no savepoint: its failure is the transaction's.
func (w *writer) doAll(batch []*job) error {
	if len(batch) == 1 {
		return batch[0].do(w)
	}
	for _, j := range batch {
		j.err = w.nested(j.do)
		switch classOf(j.err) {
		case classFull, classBusy, classDamaged, classBroken:
			return j.err
		}
	}
	return nil
}

// begin opens a transaction, waiting for other processes. SQLite waits a tenth of a
// second itself, densely at first; asking anew keeps it dense, so that a process that
// writes without a pause cannot keep this one out. Nobody waits when no job is wanted any
// more.
func (w *writer) begin(full bool, batch ...*job) error {
	clear(w.openings)
	if err := w.store.inPlace(); err != nil {
		return err
	}
	if full {
		if err := w.pragma("synchronous = FULL"); err != nil {
			return err
		}
	}
	for start := time.Now(); ; {
		_, err := w.exec("BEGIN IMMEDIATE")
		if classOf(err) != classBusy || time.Since(start) > busyLimit || w.unwanted(batch) {
			return err
		}
	}
}

// unwanted reports whether the database is being closed or every caller has gone.
func (w *writer) unwanted(batch []*job) bool {
	select {
	case <-w.quit:
		return true
	default:
		return !slices.ContainsFunc(batch, func(j *job) bool { return j.ctx.Err() == nil })
	}
}

// nested does what do does whole or not at all within the transaction.
func (w *writer) nested(do func(*writer) error) error {
	if _, err := w.exec("SAVEPOINT job"); err != nil {
		return err
	}
	err := do(w)
	if err != nil {
		clear(w.openings)
		if _, failed := w.exec("ROLLBACK TO job"); failed != nil {
			return err // SQLite took the transaction back itself
		}
	}
	_, failed := w.exec("RELEASE job")
	return cmp.Or(err, failed)
}

// rollback gives the transaction up; SQLite may have done so already.
func (w *writer) rollback() {
	_, _ = w.exec("ROLLBACK")
	_ = w.pragma("synchronous = NORMAL")
}

// pragma runs a pragma; prepared ones take effect when they are prepared, not each time.
func (w *writer) pragma(text string) error {
	_, err := w.conn.ExecContext(context.Background(), "PRAGMA "+text)
	return err
}

// stmt returns the prepared statement of a query.
func (w *writer) stmt(query string) (*sql.Stmt, error) {
	if st := w.stmts[query]; st != nil {
		return st, nil
	}
	st, err := w.conn.PrepareContext(context.Background(), query)
	if err == nil {
		w.stmts[query] = st
	}
	return st, err
}

func (w *writer) exec(query string, args ...any) (sql.Result, error) {
	st, err := w.stmt(query)
	if err != nil {
		return nil, err
	}
	return st.Exec(args...)
}

// scan reads the one row of a query into dest; sql.ErrNoRows when there is none.
func (w *writer) scan(dest []any, query string, args ...any) error {
	st, err := w.stmt(query)
	if err != nil {
		return err
	}
	return st.QueryRow(args...).Scan(dest...)
}

// changes runs a query and reports whether it changed a row.
func (w *writer) changes(query string, args ...any) (bool, error) {
	r, err := w.exec(query, args...)
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}

// close ends the loop after the transaction under way and folds the log into the file.
func (w *writer) close() error {
	close(w.quit)
	<-w.done
	for _, st := range w.stmts {
		st.Close()
	}
	_, err := w.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	if class := classOf(err); class == classBusy || class == classFull {
		err = nil // another process has the file open, or there is no room: the log stays, and holds everything
	}
	return cmp.Or(err, w.conn.Close(), w.db.Close())
}
