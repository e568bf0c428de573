package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/xqlab/xqlab/results"
)

// playMatch plays a match that another command needs, as if its line were typed: named, so
// that it goes on where it was when that command is given again. It returns the match's
// JSON, and shows the result too unless quiet.
func playMatch(ctx context.Context, con *console, quiet bool, db string, args []string) (json.RawMessage, error) {
	var out bytes.Buffer
	inner := &console{in: con.in, out: &out, err: con.err}
	cmd := arenaCommand(inner)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append(args, "--db", db, "--json"))
	if err := cmd.ExecuteContext(ctx); err != nil {
		return nil, err
	}
	summary := json.RawMessage(bytes.TrimSpace(out.Bytes()))
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
