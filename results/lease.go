package results

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
)

// A lease says which process writes a run. Whether a process on this machine lives is
// asked of the system; whether one lives that cannot be seen from here (another
// machine, another container) is told by its heartbeat. Every transaction that writes
// to a run looks whether the lease is still its own, so that an owner who was taken for
// dead and wakes up cannot write.
const (
	beatEvery = 5 * time.Second
	beatLimit = time.Minute // silence after which an owner that cannot be seen is dead
)

// owner is a process, as the lease describes it.
type owner struct {
	Machine string `json:"machine"` // as in Host
	Boot    string `json:"boot"`
	Space   string `json:"space"`
	PID     int    `json:"pid"`
	Start   string `json:"start"`
}

var thisProcess = sync.OnceValue(func() owner {
	pid := os.Getpid()
	return owner{Machine: HostFacts().Machine, Boot: bootID(), Space: pidSpace(), PID: pid, Start: processStart(pid)}
})

// lives reports whether the owner lives, as far as this process can know; sure is false
// when it cannot.
func (o owner) lives(me owner) (alive, sure bool) {
	switch {
	case o.Machine != me.Machine || o.Machine == "":
		return false, false
	case o.Boot != me.Boot: // the machine was started anew: one database in WAL mode cannot be open on two
		return false, true
	case o.Space != me.Space || o.Start == "":
		return false, false
	}
	return processStart(o.PID) == o.Start, true
}

// Lease is the right to write a run. It is kept up in the background until Release.
type Lease struct {
	store *Store
	run   string // UUID
	id    int64  // its row
	token string
	lost  chan struct{}
	stop  context.CancelFunc
	done  chan struct{}
	once  sync.Once
	err   error
}

// Run returns the run's UUID.
func (l *Lease) Run() string { return l.run }

// Lost is closed when another process has taken the run over. Nothing more can be
// written then.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// Release gives the run up; the run stays unfinished unless Finish was called. Calling it
// again does nothing.
func (l *Lease) Release() error {
	l.once.Do(func() {
		l.stop()
		<-l.done
		l.store.mu.Lock()
		delete(l.store.leases, l.run)
		l.store.mu.Unlock()
		err := l.store.submit(context.Background(), false, func(w *writer) error {
			_, err := w.exec("DELETE FROM leases WHERE run = ? AND token = ?", l.id, l.token)
			return err
		})
		if errors.Is(err, ErrFull) || classOf(err) == classFull {
			err = nil // the process ends or the next owner sees that it has let go
		}
		l.err = l.store.fail("releasing run "+l.run, err)
	})
	return l.err
}

// keep renews the lease until it is released or lost.
func (l *Lease) keep(ctx context.Context) {
	defer close(l.done)
	tick := time.NewTicker(l.store.beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		held := true
		err := l.store.submit(ctx, false, func(w *writer) (err error) {
			held, err = w.changes("UPDATE leases SET beat = ? WHERE run = ? AND token = ?", time.Now().UnixMicro(), l.id, l.token)
			return err
		})
		if err == nil && !held {
			close(l.lost)
			return
		}
	}
}

// Acquire takes a run over to go on with it. ErrOwned is returned while another living
// process holds it, ErrFinished when there is nothing to go on with.
func (s *Store) Acquire(ctx context.Context, runID string) (*Lease, error) {
	l := s.newLease(runID)
	err := s.submit(ctx, true, func(w *writer) error {
		var stop string
		err := w.scan([]any{&l.id, &stop}, "SELECT id, stop_reason FROM runs WHERE uuid = ?", runID)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return ErrNotFound
		case err != nil:
			return err
		case stop != "":
			return fmt.Errorf("%w (%s)", ErrFinished, stop)
		}
		if err := w.checkFree(l.id); err != nil {
			return err
		}
		return l.write(w)
	})
	if err != nil {
		return nil, s.fail("run "+runID, err)
	}
	return s.hold(l), nil
}

func (s *Store) newLease(run string) *Lease {
	return &Lease{store: s, run: run, token: uuid.NewString(), lost: make(chan struct{}), done: make(chan struct{})}
}

// hold begins to keep a lease that is written.
func (s *Store) hold(l *Lease) *Lease {
	s.mu.Lock()
	s.leases[l.run] = l
	s.mu.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	go l.keep(ctx)
	return l
}

// write makes l the run's lease.
func (l *Lease) write(w *writer) error {
	text, err := json.Marshal(thisProcess())
	if err != nil {
		return err
	}
	now := time.Now().UnixMicro()
	_, err = w.exec("INSERT OR REPLACE INTO leases (run, token, owner, since, beat) VALUES (?, ?, ?, ?, ?)", l.id, l.token, string(text), now, now)
	return err
}

// checkFree refuses a run whose owner lives.
func (w *writer) checkFree(run int64) error {
	var text string
	var since, beat int64
	err := w.scan([]any{&text, &since, &beat}, "SELECT owner, since, beat FROM leases WHERE run = ?", run)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	} else if err != nil {
		return err
	}
	var o owner
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		o = owner{} // not known, so that its heartbeat decides
	}
	silent := time.Since(fromMicro(beat))
	alive, sure := o.lives(thisProcess())
	if sure && !alive || !sure && silent > w.store.beatLimit {
		return nil
	}
	where := "on this machine"
	if o.Machine != thisProcess().Machine {
		where = "on machine " + o.Machine
	}
	return fmt.Errorf("%w: process %d %s, since %s, last heard of %s ago", ErrOwned, o.PID, where,
		fromMicro(since).Local().Format(time.DateTime), silent.Round(time.Second))
}

// lease returns the lease of a run that this store holds.
func (s *Store) lease(run string) (*Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.leases[run]; l != nil {
		return l, nil
	}
	return nil, s.fail("run "+run, ErrNotHeld)
}

// check refuses a lease that another process has taken.
func (l *Lease) check(w *writer) error {
	var token string
	err := w.scan([]any{&token}, "SELECT token FROM leases WHERE run = ?", l.id)
	if errors.Is(err, sql.ErrNoRows) || err == nil && token != l.token {
		return fmt.Errorf("%w: another process has taken it over", ErrOwned)
	}
	return err
}
