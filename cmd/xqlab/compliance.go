package main

import (
	"io"
	"strings"

	"github.com/google/shlex"
	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/arena/engine"
)

func complianceCommand(con *console) *cobra.Command {
	var args, proto, ranks string
	var options []string
	var checks engine.Checks
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "compliance CMD",
		Aliases: []string{"check"},
		Short:   "Does this external engine keep to its protocol and to the rules?",
		Long: `Goes through the protocol and a set of positions, a step a line. Protocol and legal moves
decide; what the engine knows of the repetition rules is reported, not judged.`,
		Example: `  xqlab compliance ./my-engine
  xqlab compliance /usr/games/fairy-stockfish --proto ucci --perft`,
		Args: exactArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error {
			cfg := engine.Config{Cmd: words[0], Proto: proto, Ranks: ranks, Rules: "computer"}
			var err error
			if cfg.Args, err = shlex.Split(args); err != nil {
				return usagef("--args %q: %v", args, err)
			}
			for _, o := range options {
				name, value, ok := strings.Cut(o, "=")
				if !ok {
					return usagef("--option %q, want NAME=VALUE", o)
				}
				cfg.Options = append(cfg.Options, engine.Option{Name: name, Value: value})
			}
			out := con.out
			if asJSON {
				out = io.Discard
			}
			rep := engine.Compliance(cmd.Context(), cfg, checks, out)
			if asJSON {
				if err := printJSON(con, rep); err != nil {
					return err
				}
			}
			if !rep.Passed {
				return errReported
			}
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&args, "args", "", "the engine's arguments, in quotes")
	fl.StringVar(&proto, "proto", "auto", "auto, uci, ucci or cyclone")
	fl.StringVar(&ranks, "ranks", "auto", "the number of Red's first rank in its moves: auto, 0 or 1")
	fl.StringArrayVar(&options, "option", nil, "an option of the engine, NAME=VALUE (repeat)")
	fl.BoolVar(&checks.Perft, "perft", false, "compare its perft with ours, down to the first wrong move")
	fl.BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}
