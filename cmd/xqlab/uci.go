package main

import (
	"github.com/spf13/cobra"

	"github.com/xqlab/xqlab/search/uci"
)

func uciCommand(con *console) *cobra.Command {
	return &cobra.Command{
		Use:     "uci",
		Aliases: []string{"ucci", "engine"},
		Short:   "The built-in engine for interfaces and other runners: answers both uci and ucci",
		Example: "  xqlab uci",
		Args:    exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			return uci.Run(con.in, con.out, version, func(mb int) error { return roomFor("hash", mb) })
		},
	}
}
