package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/results"
	"github.com/xqlab/xqlab/results/report"
	"github.com/xqlab/xqlab/results/stats"
)

// eventsHelp documents what --events writes.
const eventsHelp = `--events writes one JSON object a line, appended to the file (of a resumed run too), each
with "event", "time", "run" and "name". A game is called PAIR.LEG from 1, as in
"xqlab results games RUN/12.2" (12.2.2 when it was played again); engines go by their names. What is stored counts: an event
can be missing after a kill -9, a stored game cannot.
  run_start         db version engines rules openings seed pairings games (planned, 0: no
                    end) stored (games of earlier sittings) concurrency sprt
  game_start        game red black opening book
  game_end          game red black result reason detail plies seconds
  late              game engine moves (over the clock, forgiven by the margin)
  pair              pair first second points (of first, 0 to 2); of two engines also penta
                    elo elo_error
  sprt              llr lower upper state stop_lower stop_upper (the bounds that decide)
                    pairs_read
  engine_failed     engine game reason detail failures (of the engine in this sitting) text
  engine_restarted  engine
  engine_aside      engine detail text (its games are not played)
  steered           verb value (pause, continue, stop or concurrency, from elsewhere)
  lost              events (so many were not written: the reader was too slow)
  run_end           stopped_by error result (the object of --json) text
--notify runs a command, split into words as a shell does, at run_end, at engine_aside and
at the first engine_failed of each engine: the event is its standard input, the text also
in $XQLAB_TEXT. It is given 10 seconds; the arena does not wait for it, and that it fails
is one warning.`

// herald tells others what happens in a sitting. A nil one says nothing.
type herald struct {
	con      *console
	log      *eventLog // nil without --events
	notify   *notifier // nil without --notify
	run      string    // UUID, "" before it is known
	name     string
	failures map[string]int // by engine, in this sitting
}

// newHerald opens the file of --events and prepares the command of --notify.
func newHerald(con *console, events, notify string) (*herald, error) {
	h := &herald{con: con, failures: map[string]int{}}
	var err error
	if h.notify, err = newNotifier(con, notify); err != nil {
		return nil, usageError{err}
	}
	if h.log, err = newEventLog(con, events); err != nil {
		return nil, usageError{err}
	}
	return h, nil
}

// eventHead begins every event.
type eventHead struct {
	Event string    `json:"event"`
	Time  time.Time `json:"time"`
	Run   string    `json:"run"`
	Name  string    `json:"name"`
}

// say tells of an event; fields are its own, a struct with one or more. Calls of any
// goroutine are written whole.
func (h *herald) say(kind string, fields any) {
	if h == nil || h.log == nil {
		return
	}
	if line := h.line(kind, fields); line != nil {
		h.log.put(line)
	}
}

// cry tells of an event that --notify is for too.
func (h *herald) cry(kind, text string, fields any) {
	h.say(kind, fields)
	if h != nil && h.notify != nil {
		if line := h.line(kind, fields); line != nil {
			h.notify.put(notice{text, line})
		}
	}
}

func (h *herald) line(kind string, fields any) []byte {
	head, err := json.Marshal(eventHead{kind, time.Now().Round(time.Millisecond), h.run, h.name})
	body, bad := json.Marshal(fields)
	if err = errors.Join(err, bad); err != nil {
		h.con.notef("xqlab: event %s: %v", kind, err)
		return nil
	}
	return append(append(append(head[:len(head)-1], ','), body[1:]...), '\n')
}

// How long the end of a sitting waits for what is still to be written.
const (
	lastWords        = 3 * time.Second
	lastWordsHurried = 500 * time.Millisecond // after a signal
)

// errUnsaid is for events that could not be written.
var errUnsaid = errors.New("events are missing there")

// close waits, for a bounded time, until everything is told; a shorter one once ctx ends.
// It returns errUnsaid with its cause if events could not be written.
func (h *herald) close(ctx context.Context) (err error) {
	if h.log != nil {
		err = h.log.close(ctx)
	}
	if h.notify != nil {
		h.notify.close(ctx)
	}
	return err
}

// within waits until done is closed and reports whether that came in time: at most the
// limit, and no more than the short one once ctx has ended.
func within(ctx context.Context, done <-chan struct{}, limit, short time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	case <-ctx.Done():
	}
	select {
	case <-done:
		return true
	case <-time.After(short):
		return false
	}
}

// eventLog writes lines to a file in the background, so that a reader that stands still
// does not make the arena stand.
type eventLog struct {
	con  *console
	name string
	open func() (io.Writer, error)
	done chan struct{}
	err  error // the first of writing, to be read when done

	mu     sync.Mutex
	lines  chan []byte // closed by close
	closed bool
	lost   int // lines that did not fit
}

// eventBacklog is how many lines may wait.
const eventBacklog = 1 << 13

func newEventLog(con *console, name string) (*eventLog, error) {
	if name == "" {
		return nil, nil
	}
	l := &eventLog{con: con, name: name, lines: make(chan []byte, eventBacklog), done: make(chan struct{})}
	info, err := os.Stat(name)
	switch {
	case name == "-":
		l.open = func() (io.Writer, error) { return con.out, nil }
	case err == nil && info.Mode()&os.ModeNamedPipe != 0:
		l.open = func() (io.Writer, error) { return os.OpenFile(name, os.O_WRONLY, 0) } // waits for a reader
	case err == nil && isDatabase(name):
		return nil, fmt.Errorf("--events %s: it is a database; name another file", name)
	default:
		f, err := appendTo(name)
		if err != nil {
			return nil, fmt.Errorf("--events: %w", err)
		}
		l.open = func() (io.Writer, error) { return f, nil }
	}
	go l.write()
	return l, nil
}

// appendTo opens a file to append lines, the first of which begins a line even if a
// process was killed in the middle of its last one.
func appendTo(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	last := []byte{'\n'}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		_, err = f.ReadAt(last, info.Size()-1)
		if err == nil && last[0] != '\n' {
			_, err = f.Write([]byte{'\n'})
		}
		if err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

func (l *eventLog) put(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	select {
	case l.lines <- line:
	default:
		l.lost++
	}
}

// takeLost returns the number of lines that did not fit since it was asked last.
func (l *eventLog) takeLost() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.lost
	l.lost = 0
	return n
}

// write writes until the lines end. After an error it only takes them.
func (l *eventLog) write() {
	var err error
	defer func() {
		l.err = err
		close(l.done)
	}()
	var w io.Writer
	w, err = l.open()
	if f, ok := w.(*os.File); ok && f != l.con.out {
		defer f.Close()
	}
	warned := false
	for line := range l.lines {
		if err == nil {
			_, err = w.Write(line)
		}
		if n := l.takeLost(); err == nil && n > 0 {
			_, err = fmt.Fprintf(w, `{"event":"lost","time":%q,"events":%d}`+"\n", time.Now().Format(time.RFC3339Nano), n)
		}
		if err != nil && !warned {
			warned = true
			l.con.notef("xqlab: --events %s: %v; no more events are written, the games go on", l.name, err)
		}
	}
}

// close returns errUnsaid with its cause if an event could not be written. A reader that has
// left is none.
func (l *eventLog) close(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	close(l.lines)
	l.mu.Unlock()
	if !within(ctx, l.done, lastWords, lastWordsHurried) {
		l.con.notef("xqlab: --events %s: its reader is too slow; the last %d events are left out", l.name, len(l.lines)+1)
		return nil
	}
	if l.err == nil || unread(l.err) {
		return nil
	}
	return fmt.Errorf("--events %s: %w: %w", l.name, errUnsaid, l.err)
}

// runStart is the event of a sitting that begins.
type runStart struct {
	DB          string        `json:"db"`
	Version     string        `json:"version"`
	Engines     []engineEvent `json:"engines"`
	Rules       string        `json:"rules"`
	Openings    string        `json:"openings"`
	Seed        uint64        `json:"seed"`
	Pairings    int           `json:"pairings"`
	Games       int           `json:"games"`
	Stored      int           `json:"stored"`
	Concurrency int           `json:"concurrency"`
	SPRT        *stats.SPRT   `json:"sprt"`
}

// engineEvent is an engine in runStart.
type engineEvent struct {
	Name   string   `json:"name"`
	ID     string   `json:"id"`
	Limits string   `json:"limits"`
	Proto  string   `json:"proto"`
	SHA256 string   `json:"sha256"`
	Net    string   `json:"net_sha256"`
	Anchor *float64 `json:"anchor"`
}

// sayStart tells what is about to be played.
func (s *sitting) sayStart() {
	s.tell.run, s.tell.name = s.run.ID, s.run.Name
	e := runStart{
		DB: s.db.Path(), Version: version, Rules: s.m.Rules, Openings: s.m.Openings, Seed: s.m.Seed, Pairings: len(s.pairings),
		Games: 2 * s.pairs(), Stored: len(s.done), Concurrency: s.games, SPRT: s.sprt,
	}
	for _, c := range s.cast {
		e.Engines = append(e.Engines, engineEvent{c.spec.Name, c.record.IDName, c.spec.LimitText(), c.record.Proto, c.record.SHA256, c.record.NetSHA256, c.spec.Anchor})
	}
	s.tell.say("run_start", e)
}

// gameEvent names a game in its events.
type gameEvent struct {
	Game  string `json:"game"`
	Red   string `json:"red"`
	Black string `json:"black"`
}

func (s *sitting) gameEvent(g *results.Game) gameEvent {
	return gameEvent{gameRef(g.GameKey), s.cast[g.Red].spec.Name, s.cast[g.Black].spec.Name}
}

// gameRef is a game's name within its run.
func gameRef(k results.GameKey) string { return strings.TrimPrefix(k.String(), k.Run+"/") }

// begun tells of a game that begins.
func (s *sitting) begun(g *results.Game, book []movegen.Move) {
	moves := []string{}
	for _, m := range book {
		moves = append(moves, m.String())
	}
	s.tell.say("game_start", struct {
		gameEvent
		Opening string   `json:"opening"`
		Book    []string `json:"book"`
	}{s.gameEvent(g), g.Opening, moves})
}

// sayGame tells of a game that is stored, and of what went wrong in it.
func (s *sitting) sayGame(g *results.Game, row *results.Row) {
	e := s.gameEvent(g)
	s.tell.say("game_end", struct {
		gameEvent
		Result  string         `json:"result"`
		Reason  results.Reason `json:"reason"`
		Detail  string         `json:"detail"`
		Plies   int            `json:"plies"`
		Seconds float64        `json:"seconds"`
	}{e, g.Result.String(), g.Reason, g.Detail, len(g.Plies), g.Ended.Sub(g.Started).Seconds()})
	for c, name := range [2]string{e.Red, e.Black} {
		if n := row.Sides[c].Late; n > 0 {
			s.tell.say("late", struct {
				Game   string `json:"game"`
				Engine string `json:"engine"`
				Moves  int    `json:"moves"`
			}{e.Game, name, n})
		}
		if g.Result == results.Won(movegen.Color(1-c)) && failing(g.Reason) {
			s.sayFailure(e.Game, name, g)
		}
	}
}

// failing reports whether a game was lost by an engine's failure, not by its moves.
func failing(r results.Reason) bool {
	switch r {
	case results.Crash, results.Hang, results.StartFailed, results.IllegalMove, results.TimeLoss:
		return true
	}
	return false
}

func (s *sitting) sayFailure(game, engine string, g *results.Game) {
	s.tell.failures[engine]++
	n := s.tell.failures[engine]
	text := fmt.Sprintf("xqlab %s: engine %s fails in game %s: %s: %s", s.title(), engine, game, g.Reason, g.Detail)
	tell := s.tell.say
	if n == 1 {
		tell = func(kind string, fields any) { s.tell.cry(kind, text, fields) }
	}
	tell("engine_failed", struct {
		Engine   string         `json:"engine"`
		Game     string         `json:"game"`
		Reason   results.Reason `json:"reason"`
		Detail   string         `json:"detail"`
		Failures int            `json:"failures"`
		Text     string         `json:"text"`
	}{engine, game, g.Reason, g.Detail, n, text})
}

// title names the run in a text.
func (s *sitting) title() string {
	switch {
	case s.m != nil && s.m.Name != "":
		return s.m.Name
	case s.run != nil:
		return s.run.ID
	}
	return "run"
}

// sayAside tells of an engine whose games are not played any more.
func (s *sitting) sayAside(engine int, why string) {
	text := fmt.Sprintf("xqlab %s: set aside: %s", s.title(), why)
	s.con.notef("set aside, its other games are not played: %s", why)
	s.tell.cry("engine_aside", text, struct {
		Engine string `json:"engine"`
		Detail string `json:"detail"`
		Text   string `json:"text"`
	}{s.cast[engine].spec.Name, why, text})
}

// sayRestarted tells of an engine that was started again after it had ended.
func (s *sitting) sayRestarted(engine string) {
	s.tell.say("engine_restarted", struct {
		Engine string `json:"engine"`
	}{engine})
}

// sayPair tells of a pair that is whole, and of the test that has read it.
func (s *sitting) sayPair(legs [2]results.Row, b *scoreboard) {
	e := struct {
		Pair     int          `json:"pair"`
		First    string       `json:"first"`
		Second   string       `json:"second"`
		Points   float64      `json:"points"`
		Penta    *stats.Penta `json:"penta,omitempty"`
		Elo      *float64     `json:"elo,omitempty"`
		EloError *float64     `json:"elo_error,omitempty"`
	}{
		Pair: legs[0].Pair + 1, First: s.cast[legs[0].Red].spec.Name, Second: s.cast[legs[0].Black].spec.Name,
		Points: float64(halves(legs[0].Result, 0)+halves(legs[1].Result, 1)) / 2,
	}
	if len(s.pairings) == 1 {
		elo := b.penta.Elo()
		e.Penta, e.Elo, e.EloError = &b.penta, &elo.Elo, &elo.EloError
	}
	s.tell.say("pair", e)
	if b.test != nil {
		s.tell.say("sprt", struct {
			stats.SPRTState
			Pairs int `json:"pairs_read"`
		}{b.test.State(), b.test.Penta().Pairs()})
	}
}

// saySteered tells of a command from another process.
func (s *sitting) saySteered(c results.Command) {
	s.tell.say("steered", struct {
		Verb  results.Verb `json:"verb"`
		Value int          `json:"value"`
	}{c.Verb, c.Value})
}

// sayEnd tells how the sitting ended.
func (s *sitting) sayEnd(err error) {
	e := struct {
		StoppedBy string          `json:"stopped_by"`
		Error     string          `json:"error"`
		Result    *report.Summary `json:"result"`
		Text      string          `json:"text"`
	}{StoppedBy: orElse(s.stopped, "error"), Result: s.sum}
	if err != nil {
		e.Error = err.Error()
	}
	e.Text = fmt.Sprintf("xqlab %s: ended (%s)", s.title(), e.StoppedBy)
	switch {
	case s.sum != nil:
		e.Text += ", " + s.sum.Line()
	case err != nil:
		e.Text += ": " + e.Error
	}
	s.tell.cry("run_end", e.Text, e)
}
