package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
)

// Client plays one external engine. It is an arena.Player: one goroutine at a time calls
// its methods; Identity may be called by any.
type Client struct {
	cfg   Config
	think func([]byte, time.Time) bool // c.onThinking, bound once

	mu sync.Mutex // guards id
	id Identity

	proto  Proto // as found out; Auto before
	base   int   // −1 before it is known
	millis bool  // UCCI: times in milliseconds
	hurry  bool  // its last game was given up: the run is likely to end
	ran    bool  // it was ready once

	p     *process
	meter meter
	setup []string // the lines sent before the first game, to replay
	track track
	out   []byte // what is sent for a move

	// The answer to go.
	thought thought
	best    [256]byte // the bestmove line
	bestLen int
	bestAt  time.Time
	reader  int // the thread that read it
}

var (
	_ arena.Pinned   = (*Client)(nil)
	_ arena.Hastener = (*Client)(nil)
)

// New returns a client. The engine is started by the first NewGame.
func New(cfg Config) *Client {
	cfg.Deadlines = cfg.Deadlines.withDefaults()
	c := &Client{cfg: cfg, proto: Auto, base: -1}
	if f := cfg.Found; f != nil {
		c.proto, c.base = f.Proto, f.Ranks
	}
	c.think = c.onThinking
	return c
}

// Name returns the configured name.
func (c *Client) Name() string { return c.cfg.name() }

// Pin binds the engine to processors from its next start on.
func (c *Client) Pin(cpus []int) { c.cfg.CPUs = cpus }

// Keep binds the running engine to one processor until it takes keepMost for something, or
// is told −1.
func (c *Client) Keep(cpu int) bool {
	switch {
	case c.p == nil:
		return cpu < 0
	case c.p.held != nil && c.p.held.cpu == cpu: // threads made since inherit it
		return true
	}
	c.p.free()
	return cpu < 0 || c.p.keep(cpu)
}

// Identity returns what the engine said at its last start; it is empty before the first.
func (c *Client) Identity() Identity {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.id
	id.Warnings = slices.Clone(id.Warnings)
	return id
}

func (c *Client) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.mu.Lock()
	defer c.mu.Unlock()
	const most = 50
	if len(c.id.Warnings) < most && !slices.Contains(c.id.Warnings, text) {
		c.id.Warnings = append(c.id.Warnings, text)
	}
}

// Probe starts an engine once, sets its options and ends it.
func Probe(ctx context.Context, cfg Config) (Identity, error) {
	c := New(cfg)
	err := c.NewGame(ctx)
	id := c.Identity()
	return id, errors.Join(err, c.Close())
}

// NewGame starts the engine where it does not run and prepares it for a game. It takes one
// round trip with an engine that runs.
func (c *Client) NewGame(ctx context.Context) error {
	if c.p != nil && (c.cfg.Restart || c.p.ended()) {
		c.Close()
	}
	c.track.begun, c.hurry = false, false
	if c.p != nil {
		err := c.tryReady(ctx, c.newGameLine())
		if !errors.Is(err, errGone) || ctx.Err() != nil {
			return c.readyFailure(ctx, err)
		}
		c.p.end(exitGrace) // it ended after its last move: start it again
		c.drop()
	}
	if err := c.start(ctx); err != nil {
		return err
	}
	if c.ran && !c.cfg.Restart && c.cfg.Restarted != nil {
		c.cfg.Restarted()
	}
	c.ran = true
	return c.ready(ctx, c.newGameLine())
}

func (c *Client) newGameLine() string {
	switch {
	case c.proto != UCCI:
		return "ucinewgame"
	case c.id.declared("newgame") != nil:
		return "setoption newgame"
	}
	return "uccinewgame"
}

// ready sends lines and isready, and waits for readyok; without that the process is ended.
func (c *Client) ready(ctx context.Context, lines ...string) error {
	return c.readyFailure(ctx, c.tryReady(ctx, lines...))
}

func (c *Client) readyFailure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return c.startFailure(ctx, err, "no readyok", c.cfg.Deadlines.Ready)
}

func (c *Client) tryReady(ctx context.Context, lines ...string) error {
	c.p.expect(func(line []byte, _ time.Time) bool {
		if complaint(line) {
			c.warn("it says %q", clip(clean(line), 120))
		}
		return isWord(line, "readyok") && c.p.owed == 0
	})
	return c.say(ctx, c.cfg.Deadlines.Ready, append(lines, "isready")...)
}

// say sends lines and waits for what was told to expect.
func (c *Client) say(ctx context.Context, limit time.Duration, lines ...string) error {
	deadline := time.Now().Add(limit)
	if _, err := c.p.send([]byte(strings.Join(lines, "\n")+"\n"), deadline); err != nil {
		return err
	}
	return c.p.wait(ctx, deadline)
}

// complaint reports whether an engine says that it does not know an option.
func complaint(line []byte) bool {
	l := bytes.ToLower(line[:min(len(line), 80)])
	return bytes.Contains(l, []byte("no such option")) || bytes.Contains(l, []byte("unknown option"))
}

// isWord reports whether a line consists of the word.
func isWord(line []byte, word string) bool { return string(bytes.TrimSpace(line)) == word }

// startFailure ends the process and returns ctx's cause or the failure.
func (c *Client) startFailure(ctx context.Context, err error, what string, limit time.Duration) error {
	if ctx.Err() != nil {
		c.hurry = true
		c.Close()
		return context.Cause(ctx)
	}
	f := &arena.Failure{Engine: c.Name(), Reason: results.StartFailed, Killed: true}
	if errors.Is(err, errGone) {
		c.p.end(exitGrace)
		text, _, _ := c.p.status()
		f.Detail = fmt.Sprintf("%s: it %s%s", what, text, c.quoteLast())
	} else {
		c.p.end(0)
		f.Detail = fmt.Sprintf("%s within %v%s", what, limit, c.quoteLast())
	}
	f.Evidence = c.evidence("starting", f, nil)
	c.drop()
	return f
}

// exitGrace is the time a process that closed its pipes has to end by itself, so that its
// own exit status is seen.
const exitGrace = 300 * time.Millisecond

// quoteLast returns "; its last line: …" for an error, with standard error where the
// engine printed nothing else.
func (c *Client) quoteLast() string {
	if l := c.p.rec.lastLine(); l != "" {
		return fmt.Sprintf("; its last line: %q", clip(l, 160))
	}
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	if l := strings.TrimSpace(strings.TrimRight(c.p.rec.lastErr(), "·")); l != "" {
		return fmt.Sprintf("; its standard error ends: %q", clip(l[max(0, len(l)-160):], 160))
	}
	return "; it printed nothing"
}

// drop forgets a process that has ended.
func (c *Client) drop() {
	c.meter.use.close()
	c.p, c.meter = nil, meter{}
}

// hurried bounds the time to stop and that to quit after a game was given up: whoever pressed
// Ctrl-C waits.
const hurried = 500 * time.Millisecond

// Hasten bounds what Close may take to half a second.
func (c *Client) Hasten() { c.hurry = true }

// Close ends the engine: quit, then force.
func (c *Client) Close() error {
	if c.p == nil {
		return nil
	}
	limit := c.cfg.Deadlines.Quit
	if c.hurry {
		limit = min(limit, hurried)
	}
	if !c.p.ended() {
		c.p.forget()
		c.p.send([]byte("quit\n"), time.Now().Add(limit))
		c.p.pipe.closeIn()
	}
	c.p.end(limit)
	c.drop()
	return nil
}

// limit returns the absolute limit of a move.
func (c *Client) limit(clock *arena.Clock, side movegen.Color) time.Duration {
	limit := c.cfg.Deadlines.Hang
	const grace = time.Second
	if clock.Time > 0 || clock.Inc > 0 {
		limit = max(0, clock.Left[side]) + clock.Margin + grace
	}
	if clock.MoveTime > 0 && (clock.Time == 0 && clock.Inc == 0 || clock.MoveTime+clock.Margin+grace < limit) {
		limit = clock.MoveTime + clock.Margin + grace
	}
	return limit
}

const pingLine = "isready\n"

// Move sends isready, the position and go in one write and waits for bestmove under one
// deadline. What the engine prints before its readyok still belongs to the go before, so that
// a second bestmove is never taken for the next move; and nobody waits for that readyok.
func (c *Client) Move(ctx context.Context, g *referee.Game, clock arena.Clock) (arena.Reply, error) {
	side := g.Position().Side()
	if c.p == nil {
		return arena.Reply{}, &arena.Failure{Engine: c.Name(), Reason: results.Crash, Killed: true, Detail: "it does not run: no game was begun since it ended"}
	}
	c.track.sync(g, c.proto, c.base)
	c.out = append(append(append(c.out[:0], pingLine...), c.track.line...), '\n')
	if c.proto == UCCI {
		const word = "banmoves"
		n := len(c.out)
		if c.out = c.track.appendBanned(append(c.out, word...), g); len(c.out) == n+len(word) {
			c.out = c.out[:n]
		} else {
			c.out = append(c.out, '\n')
		}
	}
	c.out = c.proto.appendGo(c.out, side, &clock, c.millis)
	c.thought.clear()
	c.bestLen = 0
	now := time.Now()
	deadline := now.Add(c.limit(&clock, side))
	c.meter.begin(now)
	c.p.expect(c.think)
	w, err := c.p.send(c.out, deadline)
	if err == nil {
		err = c.p.wait(ctx, deadline)
	}
	if err == nil {
		return c.answer(g, c.meter.end(w, c.bestAt, c.reader))
	}
	if ctx.Err() != nil {
		c.abandon()
		return arena.Reply{}, context.Cause(ctx)
	}
	return arena.Reply{}, c.failMove(g, err, &clock, w)
}

// onThinking looks at a line while the engine thinks.
func (c *Client) onThinking(line []byte, at time.Time) bool {
	if c.p.owed > 0 {
		return false
	}
	w, rest := cutWord(line)
	switch string(w) {
	case "info":
		c.thought.line(rest, c.proto == UCCI)
	case "bestmove", "nobestmove":
		c.bestLen, c.bestAt, c.reader = copy(c.best[:], line), at, threadID()
		return true
	}
	return false
}

// answer turns the bestmove line into a reply.
func (c *Client) answer(g *referee.Game, t spent) (arena.Reply, error) {
	r := arena.Reply{
		Score: c.thought.score, Depth: c.thought.depth, SelDepth: c.thought.selDepth,
		Nodes: c.thought.nodes, Hashfull: c.thought.hashfull,
		Wall: t.wall, CPU: t.cpu, Delay: t.delay, Slept: t.slept,
	}
	word, rest := cutWord(c.best[:c.bestLen])
	move, rest := cutWord(rest)
	if string(word) == "nobestmove" || string(move) == "resign" {
		r.Resign = true
		return r, nil
	}
	for len(rest) > 0 {
		word, rest = cutWord(rest)
		r.Resign = r.Resign || string(word) == "resign"
		r.Draw = r.Draw || string(word) == "draw"
	}
	m, err := c.resolve(g, string(move))
	if err != nil {
		f := c.failure(results.IllegalMove, fmt.Sprintf("%v; its line: %q", err, clip(clean(c.best[:c.bestLen]), 160)), t)
		f.Text = clip(clean(move), 40)
		f.Evidence = c.evidence("thinking", f, g)
		return r, f
	}
	r.Move = m
	return r, nil
}

// resolve reads a move of the game's position in the engine's ranks.
func (c *Client) resolve(g *referee.Game, text string) (movegen.Move, error) {
	pos := g.Position()
	switch text {
	case "", "(none)", "0000", "null", "none":
		return movegen.NoMove, fmt.Errorf("no move at ply %d, where %s has one", g.Len()+1, pos.Side())
	}
	m, shown, err := parseMove(text, c.base)
	if err != nil {
		return movegen.NoMove, fmt.Errorf("ply %d: %w", g.Len()+1, err)
	}
	if shown >= 0 && shown != c.base {
		if c.cfg.Ranks == "0" || c.cfg.Ranks == "1" {
			return movegen.NoMove, fmt.Errorf("ply %d: %q counts ranks from %d, told was ranks=%s", g.Len()+1, text, shown, c.cfg.Ranks)
		}
		c.warn("its moves count ranks from %d, not %d as assumed", shown, c.base)
		c.base = shown
	}
	if !pos.IsLegal(m) {
		return movegen.NoMove, fmt.Errorf("ply %d: %q is illegal in %q: %s", g.Len()+1, clip(text, 20), pos.FEN(), pos.Explain(m))
	}
	return m, nil
}

func (c *Client) failure(reason results.Reason, detail string, t spent) *arena.Failure {
	return &arena.Failure{
		Engine: c.Name(), Reason: reason, Detail: detail,
		Wall: t.wall, CPU: t.cpu, Delay: t.delay, Slept: t.slept,
	}
}

// failMove deals with an engine that ended or did not answer in time.
func (c *Client) failMove(g *referee.Game, err error, clock *arena.Clock, w writing) error {
	t := c.meter.end(w, time.Now(), threadID())
	var f *arena.Failure
	if errors.Is(err, errGone) {
		c.p.end(exitGrace)
		text, _, _ := c.p.status()
		if c.thought == noThought {
			text += " before it said anything of its search (did it refuse the position?)"
		}
		f = c.failure(results.Crash, fmt.Sprintf("it %s at ply %d%s", text, g.Len()+1, c.quoteLast()), t)
		f.Killed = true
	} else {
		f = c.overrun(g, clock, t, w)
	}
	f.Evidence = c.evidence("thinking", f, g)
	if f.Killed {
		c.drop()
	}
	return f
}

// overrun asks an engine past its absolute deadline to stop, and kills it when it does not.
func (c *Client) overrun(g *referee.Game, clock *arena.Clock, t spent, w writing) *arena.Failure {
	f := c.failure(results.Hang, "", t)
	limit := fmt.Sprintf("no bestmove at ply %d within %v", g.Len()+1, t.wall.Round(time.Millisecond))
	if clock.Timed() {
		f.Reason = results.TimeLoss
	}
	if c.stop() == nil {
		if c.bestLen > 0 {
			f.Wall = max(0, c.bestAt.Sub(w.end))
		}
		f.Detail = limit + ", only after stop" + c.quoteLast()
		return f
	}
	c.p.end(0)
	f.Killed = true
	f.Detail = limit + " nor after stop; killed" + c.quoteLast()
	return f
}

// stop asks for bestmove and waits for it.
func (c *Client) stop() error {
	limit := c.cfg.Deadlines.Stop
	if c.hurry {
		limit = min(limit, hurried)
	}
	deadline := time.Now().Add(limit)
	if _, err := c.p.send([]byte("stop\n"), deadline); err != nil {
		return err
	}
	return c.p.wait(context.Background(), deadline)
}

// abandon ends a search whose game was given up.
func (c *Client) abandon() {
	c.hurry = true
	if c.stop() != nil {
		c.p.end(0)
		c.drop()
	}
}
