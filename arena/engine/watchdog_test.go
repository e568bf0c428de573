package engine

import (
	"testing"
	"testing/synctest"
	"time"
)

// The watchdog fires once, when the last deadline set has passed, however deadlines move.
func TestWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fired []time.Duration
		begin := time.Now()
		w := newWatchdog(func() { fired = append(fired, time.Since(begin)) })
		at := func(d time.Duration) { w.set(begin.Add(d), nil) }
		at(10 * time.Second)
		time.Sleep(5 * time.Second)
		at(20 * time.Second) // later: the timer runs at 10 s and goes on
		time.Sleep(6 * time.Second)
		at(12 * time.Second) // earlier
		time.Sleep(30 * time.Second)
		at(100 * time.Second)
		w.clear()
		time.Sleep(time.Hour)
		at(2 * time.Hour)
		time.Sleep(2 * time.Hour)
		w.stop() // takes the lock under which it fired
		if len(fired) != 2 || fired[0] != 12*time.Second || fired[1] != 2*time.Hour {
			t.Errorf("fired at %v, want 12s and 2h", fired)
		}
	})
}
