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

// pulse keeps a claim of this process up in the background.
type pulse struct {
	store *Store
	id    int64 // the row that is claimed
	token string
	lost  chan struct{}
	stop  context.CancelFunc
	done  chan struct{}
	once  sync.Once
	err   error
}

func (s *Store) newPulse() pulse {
	return pulse{store: s, token: uuid.NewString(), lost: make(chan struct{}), done: make(chan struct{})}
}

// start begins to beat: query sets the time of its first argument in the row (second) with
// the token (third).
func (p *pulse) start(query string) {
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	go p.keep(ctx, query)
}

// keep beats until it is stopped or the row is another's.
func (p *pulse) keep(ctx context.Context, query string) {
	defer close(p.done)
	tick := time.NewTicker(p.store.beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		held := true
		err := p.store.submit(ctx, false, func(w *writer) (err error) {
			held, err = w.changes(query, time.Now().UnixMicro(), p.id, p.token)
			return err
		})
		if err == nil && !held {
			close(p.lost)
			return
		}
	}
}

// letGo stops beating, forgets what is held (under the store's lock) and gives the row
// back, once.
func (p *pulse) letGo(doing string, forget func(), give func(*writer) error) error {
	p.once.Do(func() {
		p.stop()
		<-p.done
		p.store.mu.Lock()
		forget()
		p.store.mu.Unlock()
		err := p.store.submit(context.Background(), false, give)
		if errors.Is(err, ErrFull) || classOf(err) == classFull {
			err = nil // the process ends or the next owner sees that it has let go
		}
		p.err = p.store.fail(doing, err)
	})
	return p.err
}

// Lost is closed when another process has taken over what is held. Nothing more can be
// written then.
func (p *pulse) Lost() <-chan struct{} { return p.lost }

// Lease is the right to write a run. It is kept up in the background until Release.
type Lease struct {
	pulse
	run string // UUID
}

// Run returns the run's UUID.
func (l *Lease) Run() string { return l.run }

// Release gives the run up; the run stays unfinished unless Finish was called. Calling it
// again does nothing.
func (l *Lease) Release() error {
	return l.letGo("releasing run "+l.run, func() { delete(l.store.leases, l.run) }, func(w *writer) error {
		_, err := w.exec("DELETE FROM leases WHERE run = ? AND token = ?", l.id, l.token)
		return err
	})
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
	return &Lease{pulse: s.newPulse(), run: run}
}

// hold begins to keep a lease that is written.
func (s *Store) hold(l *Lease) *Lease {
	s.mu.Lock()
	s.leases[l.run] = l
	s.mu.Unlock()
	l.start("UPDATE leases SET beat = ? WHERE run = ? AND token = ?")
	return l
}

// write makes l the run's lease. What was asked of an owner before is not for this one.
func (l *Lease) write(w *writer) error {
	text, err := thisProcess().text()
	if err == nil {
		err = w.dropCommands(l.id)
	}
	if err != nil {
		return err
	}
	now := time.Now().UnixMicro()
	_, err = w.exec("INSERT OR REPLACE INTO leases (run, token, owner, since, beat) VALUES (?, ?, ?, ?, ?)", l.id, l.token, text, now, now)
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
	o := parseOwner(text)
	if !o.living(fromMicro(beat), w.store.beatLimit) {
		return nil
	}
	return fmt.Errorf("%w: %s, since %s, last heard of %s ago", ErrOwned, o,
		fromMicro(since).Local().Format(time.DateTime), time.Since(fromMicro(beat)).Round(time.Second))
}

// parseOwner reads a stored owner; of one that cannot be read nothing is known, so that
// its heartbeat decides.
func parseOwner(text string) (o owner) {
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return owner{}
	}
	return o
}

// living reports whether an owner that was heard of last at beat is to be taken for alive.
func (o owner) living(beat time.Time, limit time.Duration) bool {
	alive, sure := o.lives(thisProcess())
	return alive || !sure && time.Since(beat) <= limit
}

// String says which process it is.
func (o owner) String() string {
	if o.Machine != thisProcess().Machine {
		return fmt.Sprintf("process %d on machine %s", o.PID, o.Machine)
	}
	return fmt.Sprintf("process %d on this machine", o.PID)
}

// text returns the owner as it is stored.
func (o owner) text() (string, error) {
	data, err := json.Marshal(o)
	return string(data), err
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

// check refuses a lease that another process has taken, or that was given up between the
// call and its turn to write.
func (l *Lease) check(w *writer) error {
	var token string
	err := w.scan([]any{&token}, "SELECT token FROM leases WHERE run = ?", l.id)
	if !errors.Is(err, sql.ErrNoRows) && (err != nil || token == l.token) {
		return err
	}
	if l.givenUp() {
		return ErrNotHeld
	}
	return fmt.Errorf("%w: another process has taken it over", ErrOwned)
}

func (l *Lease) givenUp() bool {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	return l.store.leases[l.run] != l
}
