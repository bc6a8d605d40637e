package main

import (
	"fmt"

	"dlsim/results"

	"github.com/spf13/cobra"
)

func (a *app) reportCommand() *cobra.Command {
	var asJSON, markdown bool
	cmd := &cobra.Command{
		Use:     "report <sweep folder>…",
		Short:   "Show stored sweeps again; the shards of one sweep are added up",
		Example: `  dlsim report results/sweeps/everything-1-1000-shard-*`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(fmt.Errorf("dlsim report wants the folders of a sweep's shards"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var shards []*results.Sweep
			for _, path := range args {
				s, err := results.ReadSweep(path)
				if err != nil {
					return err
				}
				shards = append(shards, s)
			}
			sum, err := results.Merge(shards)
			if err != nil {
				return usage(err)
			}
			switch {
			case asJSON:
				err = a.object(sum.Brief())
			case markdown:
				err = results.WriteMarkdown(a.stdout, sum)
			default:
				err = results.WriteSweep(a.stdout, a.style(), nil, sum)
			}
			if err != nil {
				return err
			}
			return expectation(sum.Expectation)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the sum as one JSON object")
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the sum as Markdown")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown")
	return cmd
}
