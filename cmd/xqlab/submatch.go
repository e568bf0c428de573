package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/shlex"
	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/results"
)

// inner runs another command as if its line were typed, with --json, and returns what it
// says. Its progress is shown. A command with a name goes on where it was when it is run
// again, so that what is made of such commands does too.
func inner(ctx context.Context, con *console, command func(*console) *cobra.Command, args []string) ([]byte, error) {
	var out bytes.Buffer
	cmd := command(&console{in: con.in, out: &out, err: con.err})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append(args, "--json"))
	err := cmd.ExecuteContext(ctx)
	return bytes.TrimSpace(out.Bytes()), err
}

// playMatch plays a match that another command needs. It returns the match's JSON, and
// shows the result too unless quiet.
func playMatch(ctx context.Context, con *console, quiet bool, db string, args []string) (json.RawMessage, error) {
	summary, err := inner(ctx, con, arenaCommand, append(args, "--db", db))
	if err != nil {
		return nil, err
	}
	var match struct{ Run string }
	if err := json.Unmarshal(summary, &match); err != nil {
		return nil, fmt.Errorf("the match ended without a result: %w", err)
	}
	if quiet {
		return summary, nil
	}
	return summary, reading(ctx, db, func(s *results.Store) error {
		run, err := s.Run(ctx, match.Run)
		if err != nil {
			return err
		}
		sum, err := summarize(ctx, s, run, run.StopReason, nil)
		if err != nil {
			return err
		}
		return showSummary(con, sum, "text")
	})
}

// checkFlags makes sure that text, split into words as a shell does, is flags of a command
// that will be given them later.
func checkFlags(text string, command func(*console) *cobra.Command) error {
	words, err := shlex.Split(text)
	if err != nil {
		return fmt.Errorf("%q: %w", text, err)
	}
	cmd := command(&console{})
	if err := cmd.ParseFlags(words); err != nil {
		return fmt.Errorf("%q: %w; xqlab %s --help lists all", text, err, cmd.Name())
	}
	if cmd.Flags().NArg() > 0 {
		return fmt.Errorf("%q: %q is no flag", text, cmd.Flags().Arg(0))
	}
	for _, name := range []string{"name", "db", "resume", "dry-run", "json", "out", "report"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("%q: --%s is not for these flags; the command that they are given to decides it", text, name)
		}
	}
	return nil
}
