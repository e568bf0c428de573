package engine

import "time"

// meter measures what a process spends on moves. Where moves are short and many, the
// costlier readings are taken only now and then.
type meter struct {
	use       *usage
	cpu       time.Duration // at the beginning of the move
	delay     time.Duration // as last read
	own       []threadWait  // of this process's threads, read at the same time
	delayAt   time.Time     // when that was
	suspended time.Duration // of this machine, as last read
}

// spent is what a move has cost. The delay is the time that the engine's threads were
// ready to run and had no processor, and the same of the thread of this process that read
// bestmove, which may have waited in that time for other games' sake too.
type spent struct{ wall, cpu, delay, slept time.Duration }

const (
	// A reading of the delay is good for so long; in that time the engine, which was
	// idle or made moves of no account, cannot have waited longer.
	delayFresh = 10 * time.Millisecond
	// For shorter moves the delay is not asked.
	delayLeast = 500 * time.Microsecond
	// The shortest suspension that is one: clocks are stepped by less.
	sleptLeast = 500 * time.Millisecond
)

func newMeter(pid int) meter { return meter{use: newUsage(pid), suspended: suspended()} }

// begin is called before go is written.
func (m *meter) begin(now time.Time) {
	m.cpu = m.use.cpu()
	if now.Sub(m.delayAt) > delayFresh {
		m.delay, m.own, m.delayAt = m.use.delay(), own().waits(m.own[:0]), now
	}
}

// end measures what has been spent since go was written. The time counts from the end of
// that write; where this thread was held up in it while the engine already thought, the
// engine's processor time shows it. reader is the thread that read bestmove.
func (m *meter) end(w writing, end time.Time, reader int) spent {
	t := spent{cpu: max(0, m.use.cpu()-m.cpu)}
	t.wall = max(0, end.Sub(w.end), min(t.cpu, end.Sub(w.begin)))
	if t.wall >= delayLeast {
		d := m.use.delay()
		t.delay = max(0, d-m.delay) + own().since(m.own, reader)
		m.delayAt = time.Time{} // the next move begins with a reading of its own
	}
	if ahead := wallAhead(w.begin, end); ahead > sleptLeast {
		s := suspended()
		t.slept = max(0, min(ahead, s-m.suspended))
		m.suspended = s
	}
	return t
}

// wallAhead returns by how much the wall clock has gone on more than the monotonic one:
// the time of a suspension, or a step of the wall clock.
func wallAhead(from, to time.Time) time.Duration {
	return to.Round(0).Sub(from.Round(0)) - to.Sub(from)
}
