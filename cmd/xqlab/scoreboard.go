package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/report"
	"github.com/xqlab/xqlab/results/stats"
)

// scoreboard follows a match while it is played: the test that may end it, the PGN file
// and the progress line. Its methods but published
// are called one at a time.
type scoreboard struct {
	mu      sync.Mutex // for published, which others call
	s       *sitting
	test    *stats.Sequential        // nil without an SPRT
	legs    map[int][2]results.Row   // of pairs that do not count yet
	penta   stats.Penta              // of the first two engines
	scores  []score                  // by engine, of whole pairs
	done    int                      // games with a result, by all sittings
	pace    pace                     // of this one
	bar     *progressbar.ProgressBar // nil when standard error is no terminal
	spoke   time.Time
	stopped bool
}

const (
	speakEvery    = 5 * time.Second // how often a line is written where there is no terminal
	describeEvery = 250 * time.Millisecond
)

// score is what an engine has of its games: half points.
type score struct{ halves, games int }

func (s score) share() float64 { return float64(s.halves) / float64(max(2*s.games, 1)) }

func newScoreboard(s *sitting) *scoreboard {
	b := &scoreboard{s: s, legs: map[int][2]results.Row{}, scores: make([]score, len(s.cast)), spoke: time.Now()}
	if s.sprt != nil {
		b.test, _ = stats.NewSequential(*s.sprt) // ParseSPRT gives valid tests only
	}
	for _, r := range s.done {
		b.count(r)
	}
	b.pace = pace{begun: time.Now()}
	if f, ok := s.con.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		total := 2 * s.pairs()
		if total == 0 {
			total = -1
		}
		b.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(s.con.err), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString("games"), progressbar.OptionSetPredictTime(false),
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
		b.pace.end(time.Now())
	}
	legs[r.Leg&1] = r
	b.legs[r.Pair] = legs
	if legs[0].Result == results.Unfinished || legs[1].Result == results.Unfinished || !arena.Final(b.s.m.ReplayLate, legs) {
		return pair, false
	}
	delete(b.legs, r.Pair)
	cell := halves(legs[0].Result, 0) + halves(legs[1].Result, 1)
	for engine, got := range map[int]int{legs[0].Red: cell, legs[0].Black: 4 - cell} {
		b.scores[engine].halves += got
		b.scores[engine].games += 2
	}
	if len(b.s.pairings) > 1 {
		return legs, true
	}
	b.penta[cell]++
	if b.test != nil {
		b.test.Add(r.Pair, cell)
	}
	return legs, true
}

// published returns the progress line, the number of games and how long it still takes.
func (b *scoreboard) published() (line string, games int, left forecast) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.line(), b.done, b.forecast()
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
		if time.Since(b.spoke) > describeEvery {
			b.spoke = time.Now()
			b.bar.Describe(b.standing() + prefixed("  ", b.forecast().text(b.s.end)))
		}
		b.bar.Set(b.done)
		return
	}
	if time.Since(b.spoke) < speakEvery {
		return
	}
	b.spoke = time.Now()
	b.s.con.notef("%s", b.line())
}

// forecast is how long it still takes.
func (b *scoreboard) forecast() forecast {
	now := time.Now()
	o := outlook{rate: b.pace.perSecond(now), games: -1, test: b.test}
	o.end, o.ends = b.s.ends()
	if b.s.pairs() > 0 {
		o.games = max(2*b.s.pairs()-b.done, 0)
	}
	return o.forecast(now)
}

// line is the progress where there is no terminal.
func (b *scoreboard) line() string {
	text := fmt.Sprintf("%d games", b.done)
	if b.s.pairs() > 0 {
		text = fmt.Sprintf("%d/%d games", b.done, 2*b.s.pairs())
	}
	text += prefixed("  ", b.forecast().text(b.s.end))
	return fmt.Sprintf("%s  %.2f games/s%s", text, b.pace.perSecond(time.Now()), prefixed("  ", b.standing()))
}

// standing is the score so far of two engines, or the leaders of more.
func (b *scoreboard) standing() string {
	if len(b.s.pairings) > 1 {
		return b.leaders()
	}
	if b.penta.Pairs() == 0 {
		return "no whole pair yet"
	}
	e, name := b.penta.Elo(), b.s.cast[0].spec.Name
	text := fmt.Sprintf("%s %s ± %.0f Elo", name, signedText(e.Elo, 0), e.EloError)
	if n := b.penta.Pairs(); n < report.FewPairs { // the spread of so few says nothing
		text = fmt.Sprintf("%s %.0f %% of %d games", name, 100*e.Score, 2*n)
	}
	if b.test != nil {
		text += "  LLR " + b.test.State().Text()
	}
	return text
}

// signedText writes a number with its sign and so many decimals, and no sign on what rounds to zero.
func signedText(x float64, decimals int) string {
	if text := strconv.FormatFloat(math.Abs(x), 'f', decimals, 64); strings.Trim(text, "0.") == "" {
		return text
	}
	return fmt.Sprintf("%+.*f", decimals, x)
}

// leaders are the three engines with the highest shares of their points.
func (b *scoreboard) leaders() string {
	order := make([]int, len(b.scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(b.scores[j].share(), b.scores[i].share()) })
	var parts []string
	for _, i := range order[:min(3, len(order))] {
		if s := b.scores[i]; s.games > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f %% of %d", b.s.cast[i].spec.Name, 100*s.share(), s.games))
		}
	}
	return strings.Join(parts, ", ")
}

// stop ends the progress display.
func (b *scoreboard) stop() {
	if b.bar != nil && !b.stopped {
		b.bar.Exit()
		fmt.Fprintln(b.s.con.err)
	}
	b.stopped = true
}
