package main

import "github.com/spf13/cobra"

func tuneCommand(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tune",
		Short: "Fit evaluation weights to stored games; search for parameters by games",
		Args:  subcommandOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(spsaCommand(con))
	return cmd
}
