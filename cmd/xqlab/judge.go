package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
)

func judgeCommand(con *console) *cobra.Command {
	var fen, moves, rules, batch string
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "judge",
		Short: "Who has won and why, for a position and moves; explains an illegal move",
		Long: `Plays the moves under a rule set (computer, axf, ucci-league or check-only) and says how the
game stands: mate, stalemate, perpetual check or chase with the moves of the cycle and what
each is, the move limit, dead material; or why a move is not legal.`,
		Example: `  xqlab judge --moves "h2e2 h9g7"
  xqlab judge --rules axf --fen "3k4n/9/9/9/9/9/9/9/9/4K2R1 w" --moves "h0i0 i9h7 i0h0 h7i9 h0i0 i9h7 i0h0 h7i9"
  xqlab judge --batch cases.jsonl > verdicts.jsonl`,
		Args: exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if limit < 0 {
				return usagef("--move-limit %d, want plies, or 0 for that of the rules", limit)
			}
			if batch != "" {
				return judgeBatch(con, batch, rules, limit)
			}
			r, err := referee.JudgeCase(fen, strings.Fields(moves), rules, limit)
			if err != nil {
				return usageError{err}
			}
			if asJSON {
				return encodeLine(con, r)
			}
			fmt.Fprintf(con.out, "%s%s at ply %d\n%s\n%s\n", r.Status, prefixed(" ", r.Reason), r.Ply, r.Text, r.FEN)
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&fen, "fen", movegen.StartFEN, "position")
	fl.StringVar(&moves, "moves", "", "moves from it, such as \"h2e2 h9g7\"")
	fl.StringVar(&rules, "rules", referee.DefaultRules, strings.Join(referee.Names(), ", "))
	fl.IntVar(&limit, "move-limit", 0, "plies without a capture that draw (default that of the rules)")
	fl.StringVar(&batch, "batch", "", "judge the lines of `FILE.jsonl` ({\"fen\",\"moves\":[…],\"rules\"}; - for standard input), a result a line")
	fl.BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func judgeBatch(con *console, path, rules string, limit int) error {
	var in io.Reader = con.in
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	if err := referee.Batch(in, con.out, rules, limit); err != nil {
		if errors.Is(err, referee.ErrBadLines) {
			return fmt.Errorf("%s: %w", path, err)
		}
		return err
	}
	return nil
}
