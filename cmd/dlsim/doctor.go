package main

import (
	"fmt"
	"runtime"

	"dlsim/results"
	"dlsim/sim/live"

	"github.com/spf13/cobra"
)

// machine is what this machine can do in each world.
type machine struct {
	Go      string         `json:"go"`
	Cores   int            `json:"cores"`
	Virtual bool           `json:"virtual"` // it needs nothing
	Live    bool           `json:"live"`
	Found   []live.Finding `json:"found"`
}

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine can do in each world, and what it lacks",
		Args:  exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			m := machine{Go: runtime.Version(), Cores: runtime.GOMAXPROCS(0), Virtual: true, Live: true, Found: live.Examine()}
			for _, f := range m.Found {
				m.Live = m.Live && (f.OK || !f.Needed)
			}
			if asJSON {
				if err := a.object(&m); err != nil {
					return err
				}
			} else {
				a.showMachine(&m)
			}
			if !m.Live {
				return &status{exitNoWorld, nil}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was found as one JSON object")
	return cmd
}

func (a *app) showMachine(m *machine) {
	fmt.Fprintf(a.stdout, "virtual world: yes (%s, %d cores: a sweep runs that many worlds side by side)\n", m.Go, m.Cores)
	word := "yes"
	if !m.Live {
		word = "no"
	}
	fmt.Fprintf(a.stdout, "live world:    %s\n", word)
	for _, f := range m.Found {
		mark := "ok     "
		switch {
		case !f.OK && f.Needed:
			mark = "MISSING"
		case !f.OK:
			mark = "without"
		}
		fmt.Fprintf(a.stdout, "  %s  %-12s %s\n", mark, f.Name, results.Plain(f.Says))
	}
}
