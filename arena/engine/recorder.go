package engine

import (
	"strings"
	"time"
	"unicode/utf8"
)

// The sizes that bound what is kept of an engine's talk.
const (
	keptReceived = 64       // lines from the engine
	keptSent     = 24       // lines to it
	keptText     = 240      // bytes of each
	keptStderr   = 4 << 10  // last bytes of its standard error
	lineBuffer   = 64 << 10 // longest line that is looked at; the rest of it is dropped
)

// entry is a line as kept for evidence.
type entry struct {
	at   time.Duration // since the start of the process
	size int           // bytes of the whole line
	sent bool
	n    uint8 // bytes kept
	text [keptText]byte
}

// recorder keeps the last lines in both directions, separately, so that a flood from the
// engine does not push out what was sent to it.
type recorder struct {
	received [keptReceived]entry
	sent     [keptSent]entry
	nr, ns   int
	stderr   [keptStderr]byte
	nerr     int // bytes ever seen
}

func (r *recorder) add(at time.Duration, line []byte, sent bool) {
	e := &r.received[r.nr%keptReceived]
	if sent {
		e = &r.sent[r.ns%keptSent]
		r.ns++
	} else {
		r.nr++
	}
	e.at, e.size, e.sent = at, len(line), sent
	e.n = uint8(copy(e.text[:], line))
}

func (r *recorder) addStderr(p []byte) {
	if len(p) > keptStderr {
		r.nerr += len(p) - keptStderr
		p = p[len(p)-keptStderr:]
	}
	k := copy(r.stderr[r.nerr%keptStderr:], p)
	copy(r.stderr[:], p[k:])
	r.nerr += len(p)
}

// lastErr returns the end of what came on standard error.
func (r *recorder) lastErr() string {
	if r.nerr <= keptStderr {
		return clean(r.stderr[:r.nerr])
	}
	i := r.nerr % keptStderr
	return clean(append(append([]byte(nil), r.stderr[i:]...), r.stderr[:i]...))
}

// lastLine returns the last line the engine printed that is not empty.
func (r *recorder) lastLine() string {
	for i := r.nr - 1; i >= 0 && i >= r.nr-keptReceived; i-- {
		if e := &r.received[i%keptReceived]; e.n > 0 {
			return clean(e.text[:e.n])
		}
	}
	return ""
}

// lines returns all kept lines by time.
func (r *recorder) lines() []Line {
	var all []Line
	i, j := max(0, r.nr-keptReceived), max(0, r.ns-keptSent)
	for i < r.nr || j < r.ns {
		var e *entry
		if j >= r.ns || i < r.nr && r.received[i%keptReceived].at < r.sent[j%keptSent].at {
			e = &r.received[i%keptReceived]
			i++
		} else {
			e = &r.sent[j%keptSent]
			j++
		}
		all = append(all, e.line())
	}
	return all
}

func (e *entry) line() Line {
	l := Line{Micros: e.at.Microseconds(), From: "engine", Text: clean(e.text[:e.n])}
	if e.sent {
		l.From = "xqlab"
	}
	if e.size > int(e.n) {
		l.Bytes = e.size
	}
	return l
}

// clean makes text from outside printable on one line: control characters and bytes that
// are not UTF-8 become '·'.
func clean(p []byte) string {
	var b strings.Builder
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\t' || r == 127 {
			r = '·'
		}
		b.WriteRune(r)
		p = p[n:]
	}
	return b.String()
}

// clip shortens a cleaned line for an error.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
