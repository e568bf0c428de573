package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/results"
)

// start runs the engine, greets it and sets its options.
func (c *Client) start(ctx context.Context) error {
	if err := c.cfg.check(); err != nil {
		return c.cannotStart(err)
	}
	if err := c.greet(ctx); err != nil {
		return err
	}
	plan, err := planOptions(&c.id, &c.cfg)
	if err != nil {
		c.Close()
		return c.cannotStart(err)
	}
	for _, w := range plan.warnings {
		c.warn("%s", w)
	}
	c.millis = c.id.fairyUCCI() || c.id.declared("usemillisec") != nil
	hello, _ := c.proto.hello()
	c.setup = []string{hello}
	for _, o := range plan.set {
		c.setup = append(c.setup, c.proto.setOption(o.Name, o.Value))
	}
	c.mu.Lock()
	c.id.Set = plan.set
	c.mu.Unlock()
	if err := c.ready(ctx, c.setup[1:]...); err != nil {
		return err
	}
	if err := c.findRanks(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	c.id.Ranks, c.id.Proto = c.base, c.proto
	c.mu.Unlock()
	c.meter = newMeter(c.p.cmd.Process.Pid)
	return nil
}

func (c *Client) cannotStart(err error) error {
	return &arena.Failure{Engine: c.Name(), Reason: results.StartFailed, Detail: err.Error(), Killed: true}
}

// run starts the process. Where this machine has run out of descriptors, processes or
// memory, which is no failure of the engine, it waits and tries again until the limit of a
// start has passed; the error is then no *arena.Failure.
func (c *Client) run(ctx context.Context) error {
	path, err := c.cfg.path()
	if err != nil {
		return c.cannotStart(startError(c.cfg.Cmd, path, err))
	}
	until := time.Now().Add(c.cfg.Deadlines.Start)
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		c.p, err = start(path, &c.cfg)
		lacks := shortage(err)
		// A program that was just written can be open for writing in a process that is
		// being started at this instant.
		again := lacks != "" || errors.Is(err, syscall.ETXTBSY)
		switch {
		case err == nil:
			return nil
		case c.cfg.dirFault() != nil:
			return c.cannotStart(c.cfg.dirFault())
		case !again, lacks == "" && pause >= time.Second:
			return c.cannotStart(startError(c.cfg.Cmd, path, err))
		case time.Now().After(until):
			return fmt.Errorf("cmd %q cannot be started: this machine has no more %s: %w; play fewer games at once", c.cfg.Cmd, lacks, bare(err))
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// secondTry is how long an engine of unknown protocol may take to answer uci before ucci is
// tried too.
const secondTry = time.Second

// greet starts the process and exchanges greetings. An unknown protocol is found out: uci
// is said first, ucci too when no answer comes; the engine that then answers uci late is
// started again, because it may have taken ucci for a change of protocol.
func (c *Client) greet(ctx context.Context) error {
	proto := c.proto
	if proto == Auto {
		proto, _ = parseProto(c.cfg.Proto)
	}
	if proto != Auto {
		return c.greetAs(ctx, proto)
	}
	g := &greeting{}
	if err := c.run(ctx); err != nil {
		return err
	}
	limit, begin := c.cfg.Deadlines.Start, time.Now()
	c.p.expect(g.line)
	err := c.say(ctx, min(secondTry, limit), "uci")
	late := errors.Is(err, errLate)
	if late {
		err = c.say(ctx, limit-time.Since(begin), "ucci")
	} else if errors.Is(err, errGone) && ctx.Err() == nil { // some end at a word they do not know
		if c.p.end(exitGrace); !g.any {
			c.drop()
			return c.greetAs(ctx, UCCI)
		}
	}
	switch {
	case err != nil || g.xboard != "":
		return c.notGreeted(ctx, g, err, "neither uciok nor ucciok")
	case late && g.proto == UCI:
		c.Close()
		return c.greetAs(ctx, UCI)
	}
	return c.greeted(g, g.proto)
}

// greetAs starts the process and greets it in a known protocol.
func (c *Client) greetAs(ctx context.Context, proto Proto) error {
	if err := c.run(ctx); err != nil {
		return err
	}
	hello, ok := proto.hello()
	g := &greeting{proto: proto}
	c.p.expect(g.line)
	if err := c.say(ctx, c.cfg.Deadlines.Start, hello); err != nil {
		return c.notGreeted(ctx, g, err, "no "+ok)
	}
	return c.greeted(g, proto)
}

// notGreeted ends the process; err is nil when a line of the greeting decided.
func (c *Client) notGreeted(ctx context.Context, g *greeting, err error, what string) error {
	if err == nil {
		c.p.end(0)
		c.drop()
		return c.cannotStart(fmt.Errorf("it speaks neither UCI nor UCCI but XBoard's protocol; its line: %q", clip(g.xboard, 120)))
	}
	return c.startFailure(ctx, err, what, c.cfg.Deadlines.Start)
}

func (c *Client) greeted(g *greeting, proto Proto) error {
	c.proto = proto
	g.id.Proto = proto
	c.mu.Lock()
	g.id.Warnings = c.id.Warnings
	c.id = g.id
	c.mu.Unlock()
	return nil
}

// greeting collects what an engine says between uci or ucci and its ok.
type greeting struct {
	id     Identity
	proto  Proto  // told, or found out at the end
	any    bool   // something was said that belongs to a greeting
	xboard string // a line by which XBoard engines refuse what they do not know
}

// line takes in a line and reports whether the greeting is over.
func (g *greeting) line(line []byte, _ time.Time) bool {
	text := strings.TrimSpace(string(line))
	word, rest, _ := strings.Cut(text, " ")
	const most = 2000 // options kept
	switch word {
	case "uciok":
		if g.proto == "" {
			g.proto = UCI
		}
		return g.proto != UCCI
	case "ucciok":
		if g.proto == "" {
			g.proto = UCCI
		}
		return g.proto == UCCI
	case "id":
		g.any = true
		g.identify(rest)
	case "option":
		g.any = true
		if d, ok := parseOption(text, g.proto == UCCI); ok && len(g.id.Options) < most {
			g.id.Options = append(g.id.Options, d)
		}
	}
	if g.proto == "" && (strings.HasPrefix(text, "Error (unknown command)") || strings.HasPrefix(text, "Illegal move: uci")) {
		g.xboard = clean(line)
	}
	return g.xboard != ""
}

func (g *greeting) identify(rest string) {
	key, value, _ := strings.Cut(rest, " ")
	switch key {
	case "name":
		g.id.ID = clip(clean([]byte(value)), 200)
	case "author":
		g.id.Author = clip(clean([]byte(value)), 200)
	}
}

// The position with a single legal move by which ranks and the word position are found
// out; in no base is that move legal in the start position.
const (
	onlyMoveFEN = "3k5/9/9/9/9/4r4/9/9/9/5K3 w - - 0 1"
	onlyMove0   = "f0f1"
	onlyMove1   = "f1f2"
)

// findRanks settles the number of the first rank: told; by the protocol; 1 for an engine
// that declares UCI_Variant; else by a position with a single legal move.
func (c *Client) findRanks(ctx context.Context) error {
	switch {
	case c.cfg.Ranks == "0" || c.cfg.Ranks == "1":
		c.base = int(c.cfg.Ranks[0] - '0')
	case c.base >= 0: // from an earlier start
	case c.proto != UCI:
		c.base = 0
	case c.id.declared("UCI_Variant") != nil:
		c.base = 1
	default:
		return c.askRanks(ctx)
	}
	return nil
}

// askRanks has the engine play the only legal move of a position, once in a client's life.
func (c *Client) askRanks(ctx context.Context) error {
	c.base = 0
	protos := []Proto{UCI}
	if told, _ := parseProto(c.cfg.Proto); told == Auto {
		protos = append(protos, Cyclone)
	}
	for _, proto := range protos {
		text, err := c.askMove(ctx, proto)
		switch {
		case ctx.Err() != nil:
			c.abandon()
			return context.Cause(ctx)
		case err != nil:
			c.warn("its ranks could not be found out (it does not play %q); assumed 0–9, else say ranks=1", onlyMoveFEN)
			c.p.end(0)
			c.drop()
			return c.start(ctx) // base is known now, so that it is not asked again
		case text == onlyMove0, text == onlyMove1:
			c.proto, c.base = proto, int(text[1]-'0')
			return nil
		}
	}
	c.warn("its ranks could not be found out (it does not play the only move of %q); assumed 0–9, else say ranks=1", onlyMoveFEN)
	return nil
}

// askMove has the engine play that position and returns its move.
func (c *Client) askMove(ctx context.Context, proto Proto) (string, error) {
	line := string(proto.appendPosition(nil, onlyMoveFEN))
	c.bestLen = 0
	c.p.expect(c.think)
	if err := c.say(ctx, c.cfg.Deadlines.Ready, line, "go depth 1"); err != nil {
		return "", err
	}
	_, rest := cutWord(c.best[:c.bestLen])
	move, _ := cutWord(rest)
	return string(move), nil
}
