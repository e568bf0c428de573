package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/shlex"

	"github.com/xqlab/xqlab/arena"
	"github.com/xqlab/xqlab/arena/engine"
	"github.com/xqlab/xqlab/arena/spec"
	"github.com/xqlab/xqlab/results"
)

// external prepares an external engine: its program and the files that its options name
// are known by their hash (and kept, so that they cannot change under the test), and it is
// started once to learn who it is.
func (c *casting) external(ctx context.Context, e *spec.Engine) (*entrant, error) {
	cfg, err := c.config(e)
	if err != nil {
		return nil, err
	}
	x := &entrant{record: results.Engine{Cmd: e.Cmd}}
	if !c.queued(e.Cmd) { // whose copy is run, whatever has become of the file
		if err := engine.Runnable(e.Cmd); err != nil {
			return nil, err
		}
	}
	if cfg.Kept, x.record.SHA256, err = c.keep(ctx, e.Cmd); err != nil {
		return nil, err
	}
	if x.record.NetSHA256, err = c.keepFiles(ctx, &cfg); err != nil {
		return nil, err
	}
	if cfg.Log, err = c.logFile(e.Name); err != nil {
		return nil, err
	}
	var failure *arena.Failure
	id, err := engine.Probe(ctx, cfg)
	switch {
	case err != nil && (ctx.Err() != nil || len(c.match.Engines) < 3):
		return nil, err
	case errors.As(err, &failure): // the others have a night to play
		x.notes = []string{fmt.Sprintf("%s: %s; it loses its games until it is set aside", failure.Reason, failure.Detail)}
	case err != nil:
		return nil, err
	default:
		x.notes, x.ranks = id.Warnings, id.Ranks
		cfg.Found = &id
	}
	x.record.IDName, x.record.Proto = id.ID, string(id.Proto)
	if c.restarted != nil {
		cfg.Restarted = func() { c.restarted(e.Name) }
	}
	x.config = &cfg
	x.open = func() (arena.Player, error) { return engine.New(cfg), nil }
	return x, nil
}

// config turns an engine's specification into the client's configuration.
func (c *casting) config(e *spec.Engine) (engine.Config, error) {
	args, err := shlex.Split(e.Args)
	if err != nil {
		return engine.Config{}, fmt.Errorf("args %q: %w", e.Args, err)
	}
	cfg := engine.Config{
		Name: e.Name, Cmd: e.Cmd, Dir: e.Dir, Args: args, Proto: e.Proto, Ranks: e.Ranks,
		Threads: e.Threads, HashMB: e.Hash, Rules: c.match.Rules, MoveLimit: c.match.MoveLimit, Strict: c.match.Strict, Restart: e.Restart,
		Deadlines: c.deadlines,
	}
	for _, o := range e.Options {
		cfg.Options = append(cfg.Options, engine.Option{Name: o.Name, Value: o.Value})
	}
	return cfg, nil
}

// queued reports whether a file is one of those that were kept when the run was queued.
func (c *casting) queued(path string) bool { return c.files[absolute(engine.Path(path))] != "" }

// keep returns the path to run or read and the file's SHA-256. What was queued is run and
// read as it was then.
func (c *casting) keep(ctx context.Context, path string) (kept, sum string, err error) {
	from := absolute(engine.Path(path))
	then := c.files[from]
	if then != "" {
		if kept, ok := engine.Kept(ctx, c.keepDir, then, from); ok {
			return kept, then, nil
		}
	}
	if kept = path; c.keepDir == "" {
		sum, err = engine.Sum(ctx, engine.Path(path))
	} else {
		kept, sum, err = engine.Keep(ctx, c.keepDir, path)
	}
	switch {
	case err != nil:
	case then != "" && then != sum:
		err = fmt.Errorf("%s has changed since the run was queued and its copy in %s is gone: SHA-256 %s then, %s now", from, c.keepDir, then, sum)
	case c.files != nil:
		c.files[from] = sum
	}
	return kept, sum, err
}

// keepFiles keeps the files that options name, such as a network, and returns one hash for
// them: the file's own, or that of the list for several.
func (c *casting) keepFiles(ctx context.Context, cfg *engine.Config) (string, error) {
	var sums []string
	for i, o := range cfg.Options {
		path := o.Value
		if !filepath.IsAbs(path) && cfg.Dir != "" {
			path = filepath.Join(cfg.Dir, path)
		}
		if info, err := os.Stat(path); o.Value == "" || !c.queued(path) && (err != nil || !info.Mode().IsRegular()) {
			continue
		}
		kept, sum, err := c.keep(ctx, path)
		if err != nil {
			return "", fmt.Errorf("option.%s: %w", o.Name, err)
		}
		cfg.Options[i].Value = kept
		sums = append(sums, sum)
	}
	if len(sums) < 2 {
		return strings.Join(sums, ""), nil
	}
	all := sha256.Sum256([]byte(strings.Join(sums, "\n")))
	return hex.EncodeToString(all[:]), nil
}

// logFile opens the log of an engine, to which all its processes append.
func (c *casting) logFile(name string) (io.Writer, error) {
	if c.logDir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(c.logDir, 0o755); err != nil {
		return nil, fmt.Errorf("--log: %w", err)
	}
	clean := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}
		return r
	}, name)
	f, err := os.OpenFile(filepath.Join(c.logDir, clean+".log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("--log: %w", err)
	}
	return f, nil // open until the program ends, as its engines may speak until then
}
