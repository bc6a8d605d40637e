package main

import (
	"fmt"

	"dlsim/results"
	"dlsim/scenarios"

	"github.com/spf13/cobra"
)

func (a *app) lintCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lint [scenario name or file]…",
		Short: "Check scenario files and print their problems, one a line",
		Long:  "Check scenario files and print their problems, one a line. Without arguments the scenarios in this program are checked.",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = scenarios.Names()
			}
			problems := 0
			for _, name := range args {
				found, err := lint(name)
				if err != nil {
					return err
				}
				for _, p := range found {
					problems++
					fmt.Fprintln(a.stdout, results.Plain(p))
				}
			}
			if problems > 0 {
				return &status{exitUsage, nil}
			}
			_, err := fmt.Fprintf(a.stdout, "%s, no problems\n", plural(len(args), "scenario"))
			return err
		},
	}
}
