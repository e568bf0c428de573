package engine

import (
	"sync"
	"time"
)

// watchdog calls a function once an absolute deadline has passed. Deadlines are set for
// every move and nearly always met: the timer stays where it is while they only move on,
// because setting a runtime timer wakes threads.
type watchdog struct {
	mu    sync.Mutex
	due   time.Time // zero: none
	armed time.Time // when the timer runs next, zero: not at all
	timer *time.Timer
	fire  func() // called with mu held
}

func newWatchdog(fire func()) *watchdog {
	w := &watchdog{fire: fire}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(time.Hour, w.run)
	w.timer.Stop()
	return w
}

// set replaces the deadline, after reset was called under the lock.
func (w *watchdog) set(due time.Time, reset func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if reset != nil {
		reset()
	}
	w.due = due
	if w.armed.IsZero() || due.Before(w.armed) {
		w.arm()
	}
}

func (w *watchdog) arm() {
	w.armed = w.due
	w.timer.Reset(time.Until(w.due))
}

// clear takes the deadline away.
func (w *watchdog) clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due = time.Time{}
}

func (w *watchdog) run() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = time.Time{}
	switch {
	case w.due.IsZero():
	case time.Now().Before(w.due):
		w.arm()
	default:
		w.due = time.Time{}
		w.fire()
	}
}

// stop ends it.
func (w *watchdog) stop() { w.clear(); w.timer.Stop() }
