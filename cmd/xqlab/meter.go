package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// meter shows how far counted work is: a bar on a terminal, elsewhere a line every few
// seconds. It may be called from many goroutines.
type meter struct {
	con   *console
	unit  string // "games"
	total int
	mu    sync.Mutex
	done  int // by all sittings
	fresh int // by this one
	begun time.Time
	spoke time.Time
	bar   *progressbar.ProgressBar // nil when standard error is no terminal
}

func newMeter(con *console, unit string, done, total int) *meter {
	m := &meter{con: con, unit: unit, done: done, total: total, begun: time.Now(), spoke: time.Now()}
	if f, ok := con.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		m.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(con.err), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit), progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionFullWidth())
		m.bar.Set(done)
	}
	return m
}

// add counts work done, with a few words on how it stands.
func (m *meter) add(n int, standing string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += n
	m.fresh += n
	if m.bar != nil {
		m.bar.Describe(standing)
		m.bar.Set(m.done)
		return
	}
	if time.Since(m.spoke) >= speakEvery {
		m.spoke = time.Now()
		m.con.notef("%s%s", m.line(), prefixed("  ", standing))
	}
}

// published returns the progress line, the work done and how long the rest takes.
func (m *meter) published() (string, int, forecast) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := outlook{rate: float64(m.fresh) / time.Since(m.begun).Seconds(), games: m.total - m.done}
	return m.line(), m.done, o.forecast(time.Now())
}

// line is the progress so far, with the rate and the time left once they can be told.
func (m *meter) line() string {
	text := fmt.Sprintf("%d/%d %s", m.done, m.total, m.unit)
	if m.fresh == 0 {
		return text
	}
	rate := float64(m.fresh) / time.Since(m.begun).Seconds()
	left := time.Duration(float64(m.total-m.done) / rate * float64(time.Second))
	return fmt.Sprintf("%s  %.0f %s/h  %s left", text, rate*3600, m.unit, left.Round(time.Second))
}

// stop ends the display.
func (m *meter) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bar != nil {
		m.bar.Exit()
		fmt.Fprintln(m.con.err)
		m.bar = nil
	}
}
