package main

import (
	"dlsim/results"
	"dlsim/scenarios"

	"github.com/spf13/cobra"
)

// listed is one scenario in the list's JSON.
type listed struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the scenarios in this program and what each shows",
		Args:  exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			all := []listed{}
			rows := [][2]string{}
			shipped, err := scenarios.All()
			if err != nil {
				return usage(err)
			}
			for _, s := range shipped {
				all = append(all, listed{s.Name, s.Description})
				rows = append(rows, [2]string{s.Name, s.Description})
			}
			if asJSON {
				return a.object(all)
			}
			return results.WriteList(a.stdout, a.style(), rows)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as one JSON array")
	return cmd
}
