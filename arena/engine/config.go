package engine

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Config describes an external engine and how to treat it.
type Config struct {
	Name      string    // as configured; the file's name when empty
	Cmd       string    // path of the program, or its name for $PATH
	Kept      string    // path of the copy of it to run (see Keep), empty for Cmd itself
	Args      []string  // its arguments
	Dir       string    // folder to run in, empty for the current one
	Proto     string    // auto (or empty), uci, ucci or cyclone
	Ranks     string    // auto (or empty), 0 or 1: the number of Red's first rank in the engine's moves
	Options   []Option  // set in this order, after UCI_Variant, Threads and Hash
	Threads   int       // sent before Hash, 0 for the engine's default
	HashMB    int       // 0 for the engine's default
	Rules     string    // the referee's rule set; a declared rule option is set to match
	MoveLimit int       // the referee's move limit in plies, 0 for the rule set's own
	Strict    bool      // an option that the engine has not declared is an error
	Restart   bool      // a new process for each game
	Found     *Identity // by Probe: its protocol and ranks are not found out again; may be nil
	CPUs      []int     // processors its processes are bound to where the system offers it, nil for all
	Deadlines Deadlines
	Restarted func()    // told when a process that had ended is started again, nil for nobody; any goroutine
	Log       io.Writer // everything said both ways, nil for nothing; it must bear concurrent writers
}

// Option is an engine option to set. A button has no value.
type Option struct{ Name, Value string }

// Deadlines are the absolute limits of each state. Zero fields take the defaults.
type Deadlines struct {
	Start time.Duration // from the start of the process to uciok, 15 s
	Ready time.Duration // from isready to readyok, 15 s
	Stop  time.Duration // from stop to bestmove, 1 s
	Quit  time.Duration // from quit to the end of the process, 2 s
	Hang  time.Duration // a move without a clock, 5 minutes
}

func (d Deadlines) withDefaults() Deadlines {
	set := func(t *time.Duration, v time.Duration) {
		if *t <= 0 {
			*t = v
		}
	}
	set(&d.Start, 15*time.Second)
	set(&d.Ready, 15*time.Second)
	set(&d.Stop, time.Second)
	set(&d.Quit, 2*time.Second)
	set(&d.Hang, 5*time.Minute)
	return d
}

// name returns the configured name or the file's.
func (c *Config) name() string {
	if c.Name != "" {
		return c.Name
	}
	return strings.TrimSuffix(filepath.Base(c.Cmd), ".exe")
}

// check refuses values that mean nothing.
func (c *Config) check() error {
	if c.Cmd == "" {
		return errors.New("no cmd given")
	}
	if _, err := parseProto(c.Proto); err != nil {
		return err
	}
	switch c.Ranks {
	case "", "auto", "0", "1":
	default:
		return fmt.Errorf("ranks %q, want auto, 0 or 1", c.Ranks)
	}
	return nil
}

// path returns the program to run, independent of Dir.
func (c *Config) path() (string, error) {
	if c.Kept != "" {
		return filepath.Abs(c.Kept)
	}
	if !strings.ContainsAny(c.Cmd, `/\`) {
		return exec.LookPath(c.Cmd)
	}
	return filepath.Abs(c.Cmd)
}

// Identity is what an engine said of itself at its start, and what was set.
type Identity struct {
	ID       string     `json:"id"` // id name
	Author   string     `json:"author,omitempty"`
	Proto    Proto      `json:"proto"`
	Ranks    int        `json:"ranks"` // the number of Red's first rank in its moves, 0 or 1
	Options  []Declared `json:"options,omitempty"`
	Set      []Option   `json:"set,omitempty"`      // what was sent, in order
	Warnings []string   `json:"warnings,omitempty"` // a line each
}

// Declared is an option that an engine has declared.
type Declared struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"` // button, check, spin, combo, string (UCCI also label)
	Default string   `json:"default,omitempty"`
	Min     int64    `json:"min,omitempty"`
	Max     int64    `json:"max,omitempty"`
	Vars    []string `json:"vars,omitempty"`
}
