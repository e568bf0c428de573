package engine

import (
	"encoding/json"
	"strings"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/results"
)

// Evidence is what is kept of a failure; Failure.Evidence is its JSON.
type Evidence struct {
	Engine      string         `json:"engine"`
	ID          string         `json:"id,omitempty"`
	Cmd         string         `json:"cmd"`
	Args        []string       `json:"args,omitempty"`
	Dir         string         `json:"dir,omitempty"`
	Proto       Proto          `json:"proto"`
	PID         int            `json:"pid"`
	State       string         `json:"state"` // starting, thinking, answered or between moves
	Reason      results.Reason `json:"reason"`
	Detail      string         `json:"detail"`
	FEN         string         `json:"fen,omitempty"`      // of the position to move in
	Commands    []string       `json:"commands,omitempty"` // position and go, whole
	Replay      string         `json:"replay,omitempty"`   // for a shell
	Lines       []Line         `json:"lines,omitempty"`    // the last ones in both directions
	Stderr      string         `json:"stderr,omitempty"`   // its end
	StderrBytes int            `json:"stderr_bytes,omitempty"`
	Exit        string         `json:"exit,omitempty"` // how it ended, if it did
	ExitCode    int            `json:"exit_code,omitempty"`
	Signal      string         `json:"signal,omitempty"`
	WallMicros  int64          `json:"wall_us,omitempty"`
	CPUMicros   int64          `json:"cpu_us,omitempty"`
	DelayMicros int64          `json:"delay_us,omitempty"`
	SleptMicros int64          `json:"slept_us,omitempty"` // this machine was suspended
}

// Line is a protocol line with the microseconds since the start of the process.
type Line struct {
	Micros int64  `json:"us"`
	From   string `json:"from"` // engine or xqlab
	Text   string `json:"text"`
	Bytes  int    `json:"bytes,omitempty"` // of the whole line where Text is cut
}

var _ arena.Witness = (*Client)(nil)

// Evidence describes, as JSON, a game that the arena ended after a move was answered: the
// same proof as that of a failure.
func (c *Client) Evidence(g *referee.Game, reason results.Reason, detail string, r arena.Reply) []byte {
	if c.p == nil {
		return nil
	}
	f := c.failure(reason, detail, spent{wall: r.Wall, cpu: r.CPU, delay: r.Delay, slept: r.Slept})
	return c.evidence("answered", f, g)
}

// evidence describes a failure as JSON. g is nil outside a game.
func (c *Client) evidence(state string, f *arena.Failure, g *referee.Game) []byte {
	e := Evidence{
		Engine: f.Engine, ID: c.id.ID, Cmd: c.cfg.Cmd, Args: c.cfg.Args, Dir: c.cfg.Dir, Proto: c.proto,
		PID: c.p.cmd.Process.Pid, State: state, Reason: f.Reason, Detail: f.Detail,
		WallMicros: f.Wall.Microseconds(), CPUMicros: f.CPU.Microseconds(), DelayMicros: f.Delay.Microseconds(),
		SleptMicros: f.Slept.Microseconds(),
	}
	if g != nil {
		e.FEN = g.Position().FEN()
		e.Commands = strings.Split(strings.TrimSpace(strings.TrimPrefix(string(c.out), pingLine)), "\n")
		e.Replay = c.replay(e.Commands)
	}
	if f.Killed {
		e.Exit, e.ExitCode, e.Signal = c.p.status()
	}
	e.Lines = c.p.rec.lines()
	c.p.mu.Lock()
	e.Stderr, e.StderrBytes = c.p.rec.lastErr(), c.p.rec.nerr
	c.p.mu.Unlock()
	text, err := json.Marshal(e)
	if err != nil { // cannot be: all text was made UTF-8
		return nil
	}
	return text
}

// replay returns a shell command that puts the engine before the same position.
func (c *Client) replay(commands []string) string {
	var b strings.Builder
	b.WriteString("(printf '%s\\n'")
	for _, l := range append(append(append([]string(nil), c.setup...), "isready"), commands...) {
		b.WriteString(" " + quote(l))
	}
	b.WriteString("; sleep 10) | ")
	if c.cfg.Dir != "" {
		b.WriteString("(cd " + quote(c.cfg.Dir) + " && ")
	}
	program := c.cfg.Cmd
	if c.cfg.Kept != "" {
		program = c.cfg.Kept
	}
	b.WriteString(quote(program))
	for _, a := range c.cfg.Args {
		b.WriteString(" " + quote(a))
	}
	if c.cfg.Dir != "" {
		b.WriteString(")")
	}
	return b.String()
}

// quote quotes a word for a POSIX shell.
func quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+=,:@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
