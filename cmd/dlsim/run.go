package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"dlsim/results"
	"dlsim/runner"

	"github.com/spf13/cobra"
)

func (a *app) runCommand() *cobra.Command {
	var (
		seed   uint64
		sets   []string
		out    string
		asJSON bool
		world  string
		long   time.Duration
		paydb  string

		servers dsns
	)
	cmd := &cobra.Command{
		Use:   "run <scenario name or file>",
		Short: "Run a scenario once and judge it",
		Example: `  dlsim run fencing-off
  dlsim run fencing-off --seed 7 --set rail.proxy.fencing.enabled=true
  dlsim run gc-pause --world live
  dlsim run everything-sql --paydb real
  dlsim run everything --world live --duration 10m
  dlsim run my.yaml --json | jq .invariants`,
		Args: exactly(1, "a scenario's name or file (dlsim list shows the names)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if interrupted(cmd.Context()) {
				return &status{exitInterrupted, nil}
			}
			scenario, err := loadToRun(args[0], sets)
			if err != nil {
				return err
			}
			launch, err := a.launchIn(cmd.Context(), world, servers)
			if err != nil {
				return err
			}
			launch, takeAway, err := overPaydb(cmd.Context(), launch, paydb)
			if err != nil {
				return err
			}
			defer takeAway()
			if long > 0 {
				return a.soak(cmd.Context(), launch, scenario, seed, long, out, asJSON)
			}
			w := runner.NewWorker(launch)
			defer w.Close()
			done, err := w.Once(scenario, seed, a.folder(out, results.RunsRoot, scenario.Name, strconv.FormatUint(seed, 10)))
			if err != nil {
				if interrupted(cmd.Context()) {
					return &status{exitInterrupted, nil}
				}
				return err
			}
			if err := a.showRun(scenario, done, asJSON); err != nil {
				return err
			}
			if interrupted(cmd.Context()) {
				return &status{exitInterrupted, nil}
			}
			return expectation(done.Expectation)
		},
	}
	flags := cmd.Flags()
	flags.Uint64Var(&seed, "seed", 1, "what every draw of the run comes from")
	flags.StringArrayVar(&sets, "set", nil, "override a setting of the scenario: `a.b=c` (may be repeated)")
	flags.StringVar(&out, "out", "", "the run's `folder`, new or empty (default results/runs/<scenario>-<seed>)")
	flags.BoolVar(&asJSON, "json", false, "print the result as one JSON object; the story goes to stderr")
	flags.StringVar(&paydb, "paydb", paydbModel, "in the virtual world, where paydb's statements are executed: model, or real (a private PostgreSQL)")
	flags.StringVar(&world, "world", runner.Virtual.World, "where to run it: virtual, or live (real processes, etcd and PostgreSQL)")
	flags.StringVar(&servers.paydb, "paydb-dsn", "", "the PostgreSQL server for paydb, in place of a private one (live world)")
	flags.StringVar(&servers.lockdb, "lockdb-dsn", "", "the same for lockdb")
	flags.DurationVar(&long, "duration", 0, "run again with the next seed until this `time` has passed, and judge all runs together")
	return cmd
}

func (a *app) showRun(s *runner.Scenario, done *runner.Done, asJSON bool) error {
	if !asJSON {
		return results.WriteRun(a.stdout, a.style(), about(s), done.Judgement, done.Story)
	}
	for _, l := range done.Story {
		fmt.Fprintln(a.stderr, l)
	}
	return a.object(&done.Run)
}

// about is what a scenario says of itself.
func about(s *runner.Scenario) []string { return []string{s.Description, s.Tells} }

// folder makes the folder named by --out, or the next free one below root.
func (a *app) folder(out, root, scenario, which string) func() (*results.Folder, error) {
	return func() (*results.Folder, error) {
		if out != "" {
			return results.UseFolder(a.files, out)
		}
		return results.NewFolder(a.files, filepath.Join(root, results.Name(scenario, which)))
	}
}
