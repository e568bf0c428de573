package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/shirou/gopsutil/v4/disk"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/report"
)

// pilotPairs is the least a pilot plays: twenty games. With more than ten pairings it is a
// pair of each.
const pilotPairs = 10

// watcher adds up what engines answer while a pilot is played.
type watcher struct {
	mu      sync.Mutex
	engines []watched
}

// watched is what an engine's answers add up to.
type watched struct {
	moves, timed     int
	hashSum, hashed  int // per mille, over the moves that told
	wall, delay      time.Duration
	overMax, delayed time.Duration // the largest overrun (negative: the least left), the largest delay
}

func newWatcher(engines int) *watcher {
	w := &watcher{engines: make([]watched, engines)}
	for i := range w.engines {
		w.engines[i].overMax = math.MinInt64
	}
	return w
}

// answered takes an answer.
func (w *watcher) answered(a arena.Answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := &w.engines[a.Engine]
	e.moves++
	e.wall += a.Wall
	e.delay += a.Delay
	e.delayed = max(e.delayed, a.Delay)
	if a.Hashfull >= 0 {
		e.hashSum, e.hashed = e.hashSum+a.Hashfull, e.hashed+1
	}
	if a.Timed {
		e.timed++
		e.overMax = max(e.overMax, a.Over)
	}
}

// pilotReport is what a pilot found: the JSON object of arena --pilot.
type pilotReport struct {
	Run          string        `json:"run"`
	Name         string        `json:"name"`
	Finished     bool          `json:"finished"` // the pilot's games were all there are, or decided the test
	Games        int           `json:"games"`    // of the run, with a result
	Concurrency  int           `json:"concurrency"`
	GamesPerHour float64       `json:"games_per_hour"`
	Left         pilotLeft     `json:"left"`
	Disk         pilotDisk     `json:"disk"`
	Memory       pilotMemory   `json:"memory"`
	Engines      []pilotEngine `json:"engines"`
	Advice       []string      `json:"advice"`
}

// pilotLeft is how long the run will still take.
type pilotLeft struct {
	Games        float64 `json:"games"`         // expected; −1 when unknown
	Seconds      float64 `json:"seconds"`       // expected; −1 when unknown
	WorstSeconds float64 `json:"worst_seconds"` // 95 % of tests are not longer; −1 when unknown
	EndedBy      string  `json:"ended_by"`      // games, sprt or until: what is expected first
}

// pilotDisk is in bytes.
type pilotDisk struct {
	PerGame float64 `json:"per_game"` // in the database, the PGN file and the log
	Needed  float64 `json:"needed"`   // by what is left, at worst
	Free    uint64  `json:"free"`     // 0 when unknown
}

// pilotMemory is in MB.
type pilotMemory struct {
	Hash  int `json:"hash"`  // of all engines that may run at once
	Total int `json:"total"` // 0 when unknown
}

// pilotEngine is how an engine did.
type pilotEngine struct {
	Name       string  `json:"name"`
	Games      int     `json:"games"`
	TimeLosses int     `json:"time_losses"`
	Late       int     `json:"late"` // moves that only the margin forgave
	Crashes    int     `json:"crashes"`
	Illegal    int     `json:"illegal"`
	HashMB     int     `json:"hash"`
	Hashfull   float64 `json:"hashfull_mean"`  // per cent at the end of a move; −1 when not told
	OverrunMS  float64 `json:"overrun_ms"`     // the largest beyond its clock or move time; negative: the least it had left; 0 without a clock
	DelayMS    float64 `json:"delay_ms"`       // the longest this machine kept it waiting in a move
	DelayShare float64 `json:"delay_share"`    // of its thinking time, from 0 to 1
	MarginMS   float64 `json:"time_margin_ms"` // as configured
	Timed      bool    `json:"timed"`
}

// pilot plays the first games of the run, tells how they went, and ends the sitting; the
// run goes on with --resume, or the same line without --pilot, and these games are part
// of it.
func (s *sitting) pilot(ctx context.Context) error {
	w := newWatcher(len(s.cast))
	all := s.pairs()
	s.first = max(pilotPairs, len(s.pairings))
	s.conduct.Answered = w.answered
	cause := s.play(ctx)
	s.board.stop()
	over := errors.Is(cause, arena.ErrDecided) || cause == nil && s.pairs() == all
	s.first = 0
	if cause != nil && !over {
		return s.conclude(ctx, cause)
	}
	r, err := s.pilotReport(ctx, w, over)
	if err != nil {
		return err
	}
	if err := s.showPilot(r); err != nil && !unread(err) {
		return err
	}
	if over {
		s.quiet = s.flags.asJSON // one object is printed already
		return errors.Join(s.conclude(ctx, cause), r.failure())
	}
	s.stopped = "pilot"
	next := goOn("arena", s.run.ID, s.db.Path())
	if s.playable() == 0 {
		next = "none of the others will be played, as engines are set aside: mend them and begin another run"
	}
	s.con.notef("the run is stored with these games; %s", next)
	return r.failure()
}

func (s *sitting) showPilot(r *pilotReport) error {
	if s.flags.asJSON {
		return printJSON(s.con, r)
	}
	_, err := io.WriteString(s.con.out, r.text())
	return err
}

// failure is an error if an engine did what would have it set aside in the long run.
func (r *pilotReport) failure() error {
	var bad []string
	for _, e := range r.Engines {
		if n := e.TimeLosses + e.Crashes + e.Illegal; n > 0 {
			bad = append(bad, fmt.Sprintf("engine %s lost %d of %d games by time, crash or illegal move", e.Name, n, e.Games))
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("pilot: %s; see its advice", strings.Join(bad, "; "))
}

// pilotReport puts together what the pilot has shown.
func (s *sitting) pilotReport(ctx context.Context, w *watcher, over bool) (*pilotReport, error) {
	sum, err := summarize(ctx, s.db, s.run, "", s.board.test)
	if err != nil {
		return nil, err
	}
	r := &pilotReport{Run: s.run.ID, Name: s.run.Name, Finished: over, Games: sum.Games, Concurrency: s.games, GamesPerHour: 3600 * sum.GamesPerSecond, Advice: []string{}}
	for i, e := range sum.Engines {
		r.Engines = append(r.Engines, w.engines[i].report(s.cast[i].spec, e))
	}
	r.Left = s.pilotLeft(sum, over)
	if r.Disk, err = s.pilotDisk(ctx, r); err != nil {
		return nil, err
	}
	r.Memory = pilotMemory{hashOf(s.m, s.games), int(memoryNow().total >> 20)}
	auto := *s.m
	auto.Concurrency = "auto"
	best, err := concurrency(&auto)
	if err != nil {
		return nil, err
	}
	r.Advice = append(r.Advice, r.advise(best)...)
	return r, nil
}

// report tells how an engine did.
func (w *watched) report(e *spec.Engine, sum report.Engine) pilotEngine {
	p := pilotEngine{Name: e.Name, Games: sum.Games, TimeLosses: sum.TimeLosses, Late: sum.Late, Crashes: sum.Crashes, Illegal: sum.Illegal,
		HashMB: e.Hash, Hashfull: -1, DelayMS: milliseconds(w.delayed), MarginMS: milliseconds(e.Limits.Margin), Timed: e.Limits.Timed()}
	if w.hashed > 0 {
		p.Hashfull = float64(w.hashSum) / float64(w.hashed) / 10
	}
	if w.timed > 0 {
		p.OverrunMS = milliseconds(w.overMax)
	}
	if w.wall > 0 {
		p.DelayShare = min(w.delay.Seconds()/w.wall.Seconds(), 1) // all its threads together may have waited longer
	}
	return p
}

func milliseconds(d time.Duration) float64 { return math.Round(float64(d.Microseconds())) / 1000 }

// pilotLeft looks ahead at the pilot's rate.
func (s *sitting) pilotLeft(sum *report.Summary, over bool) pilotLeft {
	if over {
		return pilotLeft{}
	}
	o := outlook{rate: sum.GamesPerSecond, games: -1, test: s.board.test}
	o.end, o.ends = s.ends()
	if all := len(s.pairings); s.pairs() > 0 {
		o.games = max(2*s.pairs()-sum.Games, 0) * s.playable() / all
	}
	f := o.forecast(time.Now())
	l := pilotLeft{-1, -1, -1, f.why}
	if f.left >= 0 {
		l.Games, l.Seconds, l.WorstSeconds = math.Ceil(o.rate*f.left.Seconds()), f.left.Seconds(), f.worst.Seconds()
	}
	if f.why == "games" { // known, not reckoned from the time
		l.Games = float64(o.games)
	}
	return l
}

// playable returns how many pairings are without an engine that is set aside.
func (s *sitting) playable() (n int) {
	for _, p := range s.pairings {
		if s.match.SetAside(p.First) == "" && s.match.SetAside(p.Second) == "" {
			n++
		}
	}
	return n
}

// pilotDisk measures what the games take.
func (s *sitting) pilotDisk(ctx context.Context, r *pilotReport) (d pilotDisk, err error) {
	const row = 1000 // bytes of a game's row, indexes and half-empty pages
	total, games := 0.0, 0
	var buf []byte
	for g, err := range s.db.Games(ctx, results.Filter{Runs: []string{s.run.ID}}) {
		if err != nil {
			return d, err
		}
		if buf, err = results.AppendPlies(buf[:0], g.Plies); err != nil {
			return d, err
		}
		total += 1.1*float64(len(buf)) + float64(len(g.Evidence)) + row
		games++
	}
	if s.pgn != nil {
		if info, err := s.pgn.file.Stat(); err == nil {
			total += float64(info.Size())
		}
	}
	if s.flags.log != "" {
		total += float64(folderSize(s.flags.log))
	}
	d.PerGame = total / float64(max(games, 1))
	if r.Left.WorstSeconds >= 0 {
		d.Needed = d.PerGame * r.Left.WorstSeconds / 3600 * r.GamesPerHour
	}
	if u, err := disk.Usage(filepath.Dir(s.db.Path())); err == nil {
		d.Free = u.Free
	}
	return d, nil
}

// folderSize returns the bytes of the files in a folder.
func folderSize(dir string) (n int64) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode()&fs.ModeType == 0 {
			n += info.Size()
		}
	}
	return n
}

// hashOf returns the MB of hash of all engines that may be alive at once.
func hashOf(m *spec.Match, games int) int {
	total, most := 0, 0
	for _, e := range m.Engines {
		total += games * e.Hash
		most = max(most, e.Hash)
	}
	if len(m.Engines) == 2 {
		return total
	}
	return min(total, (2*games+arena.IdlePlayers(games))*most)
}

// Bounds of the advice.
const (
	hashfullMost = 30   // per cent on the mean, above which a larger hash pays
	delayMost    = 0.02 // of the thinking time
)

// advise says what should be changed before the long run, a line each. best is the
// concurrency that auto gives.
func (r *pilotReport) advise(best int) (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	share, timed, late := 0.0, false, false
	for _, e := range r.Engines {
		for _, l := range []string{e.timeAdvice(r.Concurrency), e.failureAdvice(), e.hashAdvice()} {
			if l != "" {
				say("%s: %s", e.Name, l)
			}
		}
		share, timed, late = max(share, e.DelayShare), timed || e.Timed, late || e.timeAdvice(r.Concurrency) != ""
	}
	if m := r.Memory; m.Total > 0 && 2*m.Hash > m.Total {
		say("memory: the hash tables of the engines that run at once may take %d of %d MB; lower hash or --concurrency", m.Hash, m.Total)
	}
	switch {
	case timed && share > delayMost && r.Concurrency > 1:
		say("concurrency: engines waited for a core for %.1f %% of their time; --concurrency %d instead of %d", 100*share, max(min(best, r.Concurrency-1), 1), r.Concurrency)
	case timed && share > delayMost:
		say("concurrency: engines waited for a core for %.1f %% of their time though one game is played at once: something else keeps this machine busy", 100*share)
	case r.Concurrency > best:
		say("concurrency: %d games at once are more than this machine has cores for; auto is %d", r.Concurrency, best)
	case r.Concurrency < best && !late:
		say("concurrency: this machine could play %d games at once, not %d", best, r.Concurrency)
	}
	if d := r.Disk; d.Free > 0 && d.Needed > 0.9*float64(d.Free) {
		say("disk: the run may need %s, %s are free", bytesText(d.Needed), bytesText(float64(d.Free)))
	}
	return lines
}

// timeAdvice is about lateness with so many games at once: whose fault it is, and the margin.
func (e *pilotEngine) timeAdvice(games int) string {
	margin := math.Ceil(max(2*e.DelayMS, e.OverrunMS, 0)/10) * 10
	host := e.DelayMS >= e.OverrunMS/2
	fewer := ""
	if games > 1 {
		fewer = "lower --concurrency, or "
	}
	switch {
	case e.TimeLosses > 0 && host:
		return fmt.Sprintf("%d of %d games lost on time, and this machine kept it waiting for up to %.0f ms in a move: %stimemargin=%.0f", e.TimeLosses, e.Games, e.DelayMS, fewer, margin)
	case e.TimeLosses > 0:
		return fmt.Sprintf("%d of %d games lost on time, by up to %.0f ms, of which this machine explains %.0f: it needs a larger reserve of its own (an option such as Move Overhead), or timemargin=%.0f", e.TimeLosses, e.Games, e.OverrunMS, e.DelayMS, margin)
	case e.Late > 0:
		return fmt.Sprintf("%d moves needed the margin, up to %.0f of its %.0f ms: give it a larger reserve, or timemargin=%.0f", e.Late, e.OverrunMS, e.MarginMS, max(margin, e.MarginMS))
	case e.Timed && 2*e.DelayMS > e.MarginMS:
		return fmt.Sprintf("this machine kept it waiting for up to %.0f ms in a move, its margin is %.0f ms: timemargin=%.0f", e.DelayMS, e.MarginMS, margin)
	}
	return ""
}

func (e *pilotEngine) failureAdvice() string {
	if e.Crashes+e.Illegal == 0 {
		return ""
	}
	return fmt.Sprintf("%d crashes, hangs or failed starts and %d illegal moves: xqlab compliance tells more, xqlab results games --evidence shows what was said", e.Crashes, e.Illegal)
}

// hashAdvice doubles the hash until it would be filled as little as it should.
func (e *pilotEngine) hashAdvice() string {
	if e.Hashfull <= hashfullMost {
		return ""
	}
	mb := e.HashMB
	for f := e.Hashfull; f > hashfullMost; f /= 2 {
		mb *= 2
	}
	return fmt.Sprintf("its hash of %d MB is %.0f %% full after a move on the mean: hash=%d", e.HashMB, e.Hashfull, mb)
}

// bytesText writes bytes in the largest fitting unit.
func bytesText(n float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	i := 0
	for ; n >= 1000 && i+1 < len(units); i++ {
		n /= 1000
	}
	return fmt.Sprintf("%.3g %s", n, units[i])
}

// text is the report for a terminal.
func (r *pilotReport) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pilot: %d games, %.0f games/h with %d at once", r.Games, r.GamesPerHour, r.Concurrency)
	if l := r.Left; l.Seconds > 0 {
		fmt.Fprintf(&b, "; about %.0f games and %s to go", l.Games, short(seconds(l.Seconds)))
		if l.EndedBy == "sprt" {
			fmt.Fprintf(&b, " (95 %% within %s)", short(seconds(l.WorstSeconds)))
		}
	}
	fmt.Fprintf(&b, "\ndisk %s a game", bytesText(r.Disk.PerGame))
	if r.Disk.Needed > 0 {
		fmt.Fprintf(&b, ", %s for what is left at most", bytesText(r.Disk.Needed))
	}
	if r.Disk.Free > 0 {
		fmt.Fprintf(&b, ", %s free", bytesText(float64(r.Disk.Free)))
	}
	fmt.Fprintf(&b, "; hash %d MB", r.Memory.Hash)
	if r.Memory.Total > 0 {
		fmt.Fprintf(&b, " of %d MB of memory", r.Memory.Total)
	}
	b.WriteString("\n")
	for _, e := range r.Engines {
		fmt.Fprintf(&b, "%s\n", e.text())
	}
	for _, a := range r.Advice {
		fmt.Fprintf(&b, "advice: %s\n", a)
	}
	if len(r.Advice) == 0 {
		b.WriteString("nothing to change\n")
	}
	return b.String()
}

func (e *pilotEngine) text() string {
	text := fmt.Sprintf("%s: %d games, %d lost on time, %d late moves, %d failures, %d illegal moves", e.Name, e.Games, e.TimeLosses, e.Late, e.Crashes, e.Illegal)
	if e.Timed && e.OverrunMS > 0 {
		text += fmt.Sprintf(", at most %.0f ms beyond its time", e.OverrunMS)
	} else if e.Timed && e.OverrunMS < 0 {
		text += fmt.Sprintf(", at least %.0f ms left", -e.OverrunMS)
	}
	if e.DelayMS > 0 {
		text += fmt.Sprintf(", kept waiting by this machine for %.1f ms at most", e.DelayMS)
	}
	if e.Hashfull >= 0 {
		text += fmt.Sprintf(", hash %.0f %% full", e.Hashfull)
	}
	return text
}
