//go:build !linux

package arena

import "time"

var began = time.Now()

// asleep returns how much further the wall clock has gone since the program began than the
// clock that stands still while the machine is suspended. A wall clock set forward looks
// the same, which costs no more than a game played again.
func asleep() time.Duration {
	now := time.Now()
	return now.Round(0).Sub(began.Round(0)) - now.Sub(began)
}
