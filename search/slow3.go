//go:build slow3

package search

import "time"

// slowShare is how much longer a build with the tag slow3 takes: it is there to see
// whether xqlab bench --against tells such a difference.
const slowShare = 0.03

// slower makes a thread slower. Times are nanoseconds since start.
type slower struct {
	start   time.Time
	at      int64 // when slow last returned
	typical int64 // time between two calls
}

// slow lets slowShare of the time since the last call go by. A long time is one in which
// the thread did not run, and counts as a typical one.
func (s *slower) slow() {
	if s.start.IsZero() {
		s.start = time.Now()
		return
	}
	now := int64(time.Since(s.start))
	since := now - s.at
	switch {
	case s.typical == 0:
		s.typical = since
	case since > 4*s.typical:
		since = s.typical
	default:
		s.typical += (since - s.typical) / 16
	}
	for until := now + int64(slowShare*float64(since)); now < until; {
		now = int64(time.Since(s.start))
	}
	s.at = now
}
