package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/results"
)

// listenEvery is how often a running arena hears commands and publishes its progress.
const listenEvery = time.Second

// progressLine is what a running arena publishes.
type progressLine struct {
	Line        string `json:"line"`
	Games       int    `json:"games"`
	Concurrency int    `json:"concurrency"`
	Paused      bool   `json:"paused"`
	SecondsLeft int    `json:"seconds_left"` // expected, −1 when unknown
}

// helm lets other processes steer what this one plays.
type helm struct {
	con   *console
	db    *results.Store
	run   string
	games int // at once
	of    interface {
		SetConcurrency(int)
		Drain()
	}
	progress func() (line string, games int, left forecast)
	obeyed   func(results.Command) // told of each command, nil for nobody

	drainOnce sync.Once
}

// listen does what other processes ask, until ctx ends.
func (h *helm) listen(ctx context.Context) {
	tick := time.NewTicker(listenEvery)
	defer tick.Stop()
	paused := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		commands, err := h.db.Commands(ctx, h.run)
		if err != nil {
			continue // a busy database: the next second will do
		}
		for _, c := range commands {
			paused = h.obey(c, paused)
		}
		line, games, left := h.progress()
		secondsLeft := -1
		if left.left >= 0 {
			secondsLeft = int(left.left.Seconds())
		}
		text, err := json.Marshal(progressLine{line, games, h.games, paused, secondsLeft})
		if err == nil {
			err = h.db.SetProgress(ctx, h.run, text)
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, results.ErrBusy) {
			return // the lease is lost or the disk full: the run itself will say so
		}
	}
}

// obey carries out a command and returns whether the run is paused.
func (h *helm) obey(c results.Command, paused bool) bool {
	h.con.notef("asked by another process: %s%s", c.Verb, countWord(c))
	if h.obeyed != nil {
		h.obeyed(c)
	}
	switch c.Verb {
	case results.Pause:
		h.of.SetConcurrency(0)
		return true
	case results.Continue:
		h.of.SetConcurrency(h.games)
		return false
	case results.Stop:
		h.drainOnce.Do(h.of.Drain)
	case results.SetConcurrency:
		if h.games = c.Value; !paused {
			h.of.SetConcurrency(h.games)
		}
	}
	return paused
}

func countWord(c results.Command) string {
	if c.Verb == results.SetConcurrency {
		return fmt.Sprintf(" %d", c.Value)
	}
	return ""
}

// steerCommands are the commands that look at and steer a running arena.
func steerCommands(con *console, db *string) []*cobra.Command {
	list := []*cobra.Command{statusCommand(con, db, "status", "How a run stands, and whether it is being played", false),
		statusCommand(con, db, "watch", "How a run stands, every few seconds until it ends", true), setCommand(con, db)}
	for _, v := range []struct {
		verb results.Verb
		help string
	}{
		{results.Pause, "Let games in progress end and begin no more until continue"},
		{results.Continue, "Go on after pause"},
		{results.Stop, "Let games in progress end and stop; --resume goes on"},
	} {
		list = append(list, &cobra.Command{
			Use: string(v.verb) + " [RUN]", Short: v.help, Args: rangeArgs(0, 1),
			Example: "  xqlab arena " + string(v.verb) + " night --db night.db",
			RunE: func(cmd *cobra.Command, args []string) error {
				return tell(cmd.Context(), con, *db, args, results.Command{Verb: v.verb})
			},
		})
	}
	return list
}

// playedBy are the commands that go on with a run, by its kind.
var playedBy = map[string]string{"match": "arena", "selfplay": "selfplay", "tune": "tune", "loop": "tune loop", "spsa": "tune spsa"}

// pickPlayed returns the run that a word names, or the newest of those being played, or, where
// none is, the newest that could be.
func pickPlayed(ctx context.Context, s *results.Store, args []string) (*results.Run, error) {
	if len(args) > 0 {
		return s.Run(ctx, args[0])
	}
	runs, err := s.Runs(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		if r.StopReason != "" {
			continue
		}
		switch o, err := s.Owner(ctx, r.ID); {
		case err == nil && o.Alive:
			return r, nil
		case err != nil && !errors.Is(err, results.ErrNoOwner):
			return nil, err
		}
	}
	for _, r := range runs {
		if playedBy[r.Kind] != "" {
			return r, nil
		}
	}
	return nil, fmt.Errorf("%s: no run is stored that could be played", s.Path())
}

func setCommand(con *console, db *string) *cobra.Command {
	var text string
	cmd := &cobra.Command{
		Use: "set [RUN] --concurrency N", Short: "Change how many games are played at once", Args: rangeArgs(0, 1),
		Example: "  xqlab arena set night --concurrency 4 --db night.db",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("concurrency") {
				return usagef("%s: --concurrency N is missing", cmd.CommandPath())
			}
			n, err := gamesAtOnce(text)
			if err != nil {
				return usagef("--concurrency %v", err)
			}
			return tell(cmd.Context(), con, *db, args, results.Command{Verb: results.SetConcurrency, Value: n})
		},
	}
	cmd.Flags().StringVar(&text, "concurrency", "", "games at once until the run stops: N, auto (all cores), or -N to leave N cores free")
	return cmd
}

// tell gives a command to the process that plays the run, and waits until it has it.
func tell(ctx context.Context, con *console, db string, args []string, c results.Command) error {
	return writing(ctx, db, func(s *results.Store) error {
		run, err := pickPlayed(ctx, s, args)
		if err != nil {
			return err
		}
		if run.StopReason != "" {
			return fmt.Errorf("%s: run %s%s is finished (%s); %s is for a run that is being played", s.Path(), run.ID, prefixed(" ", run.Name), run.StopReason, c.Verb)
		}
		id, err := s.Tell(ctx, run.ID, c)
		if err != nil {
			return err
		}
		const patience = 10
		for range patience {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(listenEvery):
			}
			at, err := s.Taken(ctx, id)
			if err != nil {
				return err
			}
			if !at.IsZero() {
				con.notef("run %s: %s%s, taken", run.ID, c.Verb, countWord(c))
				return nil
			}
		}
		return fmt.Errorf("run %s: its process has not taken %s within %d s", run.ID, c.Verb, patience)
	})
}

func statusCommand(con *console, db *string, name, help string, watch bool) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: name + " [RUN]", Short: help, Args: rangeArgs(0, 1),
		Example: "  xqlab arena " + name + " night --db night.db",
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return reading(ctx, *db, func(s *results.Store) error {
				run, err := pickPlayed(ctx, s, args)
				for err == nil {
					var going bool
					if going, err = printStatus(ctx, con, s, run.ID, asJSON); err != nil || !watch || !going {
						break
					}
					select {
					case <-ctx.Done():
						return stoppedError{context.Cause(ctx)}
					case <-time.After(speakEvery):
					}
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// printStatus prints how a run stands and reports whether it is being played.
func printStatus(ctx context.Context, con *console, s *results.Store, id string, asJSON bool) (bool, error) {
	run, err := s.Run(ctx, id)
	if err != nil {
		return false, err
	}
	o, err := s.Owner(ctx, id)
	if err != nil && !errors.Is(err, results.ErrNoOwner) {
		return false, err
	}
	going := err == nil && o.Alive && run.StopReason == ""
	if asJSON {
		progress := json.RawMessage(o.Progress)
		if len(progress) == 0 {
			progress = json.RawMessage("null")
		}
		return going, printJSON(con, map[string]any{"run": run.ID, "name": run.Name, "running": going, "stopped_by": run.StopReason, "pid": o.PID, "progress": progress})
	}
	state := "unfinished, not being played"
	if c, ok := playedBy[run.Kind]; ok {
		state += "; " + goOn(c, run.ID, s.Path())
	}
	switch {
	case run.StopReason != "":
		state = stateText(run.StopReason)
	case going:
		var p progressLine
		if json.Unmarshal(o.Progress, &p) != nil || p.Line == "" {
			p.Line = "begun"
		}
		state = fmt.Sprintf("process %d: %s, %d at once", o.PID, p.Line, p.Concurrency)
		if p.Paused {
			state += ", paused"
		}
	}
	_, err = fmt.Fprintf(con.out, "%s%s: %s\n", run.ID, prefixed(" ", run.Name), state)
	return going, err
}
