package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/stats"
)

// scoreboard follows a match while it is played: the test that may end it, the PGN file
// and the progress line. Its methods but published
// are called one at a time.
type scoreboard struct {
	mu      sync.Mutex // for published, which others call
	s       *sitting
	test    *stats.Sequential      // nil without an SPRT
	legs    map[int][2]results.Row // of pairs that do not count yet
	penta   stats.Penta            // of the first two engines
	done    int                    // games with a result, by all sittings
	fresh   int                    // by this one
	started time.Time
	bar     *progressbar.ProgressBar // nil when standard error is no terminal
	spoke   time.Time
	stopped bool
}

// speakEvery is how often a line is written where there is no terminal.
const speakEvery = 5 * time.Second

func newScoreboard(s *sitting) *scoreboard {
	b := &scoreboard{s: s, legs: map[int][2]results.Row{}, started: time.Now(), spoke: time.Now()}
	if s.sprt != nil {
		b.test, _ = stats.NewSequential(*s.sprt) // ParseSPRT gives valid tests only
	}
	for _, r := range s.done {
		b.count(r)
	}
	b.fresh = 0
	if f, ok := s.con.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		total := 2 * s.m.Pairs * len(s.pairings)
		if total == 0 {
			total = -1
		}
		b.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(s.con.err), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString("games"), progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionFullWidth())
		b.bar.Set(b.done)
	}
	return b
}

// stored takes a game that has just been stored.
func (b *scoreboard) stored(g *results.Game) error {
	row, err := results.RowOf(g)
	if err != nil {
		return err
	}
	b.mu.Lock()
	pair, whole := b.count(row)
	b.mu.Unlock()
	b.s.sayGame(g, &row)
	if whole {
		b.s.sayPair(pair, b)
	}
	if b.s.pgn != nil {
		if err := b.s.pgn.write(g, b.s.run); err != nil {
			return err
		}
	}
	b.show()
	return b.decided()
}

// count counts a game and returns the pair that counts by it, if one does.
func (b *scoreboard) count(r results.Row) (pair [2]results.Row, whole bool) {
	if r.Result == results.NotPlayed {
		if b.test != nil && r.Reason != results.HostVoid {
			b.test.Skip(r.Pair)
		}
		return pair, false
	}
	legs := b.legs[r.Pair]
	if legs[r.Leg&1].Result == results.Unfinished { // not a game played again
		b.done++
		b.fresh++
	}
	legs[r.Leg&1] = r
	b.legs[r.Pair] = legs
	if legs[0].Result == results.Unfinished || legs[1].Result == results.Unfinished || !arena.Final(b.s.m.ReplayLate, legs) {
		return pair, false
	}
	delete(b.legs, r.Pair)
	if len(b.s.pairings) > 1 {
		return legs, true
	}
	cell := halves(legs[0].Result, 0) + halves(legs[1].Result, 1)
	b.penta[cell]++
	if b.test != nil {
		b.test.Add(r.Pair, cell)
	}
	return legs, true
}

// published returns the progress line and the number of games.
func (b *scoreboard) published() (string, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.line(), b.done
}

// halves returns the half points of the engine that has Red in leg 0.
func halves(r results.Result, leg int) int {
	switch {
	case r == results.Drawn:
		return 1
	case (r == results.RedWins) == (leg == 0):
		return 2
	}
	return 0
}

// decided returns ErrDecided once the test has a verdict.
func (b *scoreboard) decided() error {
	if b.test != nil && b.test.State().State != stats.Continue {
		return arena.ErrDecided
	}
	return nil
}

// show updates the progress.
func (b *scoreboard) show() {
	if b.bar != nil {
		b.bar.Describe(b.standing())
		b.bar.Set(b.done)
		return
	}
	if time.Since(b.spoke) < speakEvery {
		return
	}
	b.spoke = time.Now()
	b.s.con.notef("%s", b.line())
}

// line is the progress where there is no terminal.
func (b *scoreboard) line() string {
	rate := float64(b.fresh) / time.Since(b.started).Seconds()
	text := fmt.Sprintf("%d games", b.done)
	switch total := 2 * b.s.m.Pairs * len(b.s.pairings); {
	case total > 0 && b.fresh == 0:
		text = fmt.Sprintf("%d/%d games", b.done, total)
	case total > 0:
		left := time.Duration(float64(total-b.done) / rate * float64(time.Second))
		text = fmt.Sprintf("%d/%d games  %s left", b.done, total, left.Round(time.Second))
	}
	return fmt.Sprintf("%s  %.2f games/s  %s", text, rate, b.standing())
}

// standing is the score so far of two engines.
func (b *scoreboard) standing() string {
	if len(b.s.pairings) > 1 {
		return ""
	}
	e := b.penta.Elo()
	text := fmt.Sprintf("%s %+.0f ± %.0f Elo", b.s.cast[0].spec.Name, e.Elo, e.EloError)
	if b.test != nil {
		text += "  LLR " + b.test.State().Text()
	}
	return text
}

// stop ends the progress display.
func (b *scoreboard) stop() {
	if b.bar != nil && !b.stopped {
		b.bar.Exit()
		fmt.Fprintln(b.s.con.err)
	}
	b.stopped = true
}
