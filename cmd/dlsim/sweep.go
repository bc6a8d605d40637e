package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"dlsim/results"
	"dlsim/runner"

	"github.com/spf13/cobra"
)

func (a *app) sweepCommand() *cobra.Command {
	var (
		seeds, shard string
		sets         []string
		out          string
		asJSON       bool
	)
	cmd := &cobra.Command{
		Use:   "sweep <scenario name or file>",
		Short: "Run a scenario with many seeds on every core and count what is found",
		Example: `  dlsim sweep fencing-off --seeds 1..1000
  dlsim sweep everything --seeds 1..100000 --shard 2/8 --json`,
		Args: exactly(1, "a scenario's name or file (dlsim list shows the names)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			scenario, err := loadToRun(args[0], sets)
			if err != nil {
				return err
			}
			all, err := runner.ParseSeeds(seeds)
			if err != nil {
				return usage(err)
			}
			if all, err = all.Take(shard); err != nil {
				return usage(err)
			}
			if err := room(out, results.SweepsRoot); err != nil { // better now than when all is done
				return err
			}
			relaxGC()
			defer a.sayWhenInterrupted(cmd.Context())()
			p := a.progress(scenario.Name, all.Len())
			sweep, err := runner.Sweep(cmd.Context(), a.launch, scenario, runner.SweepOptions{
				Seeds: all, Workers: runtime.GOMAXPROCS(0), Step: p.step,
				Folder: a.folder(out, results.SweepsRoot, scenario.Name, sweepName(all)),
			})
			p.end()
			if sweep.Seeds > 0 || err == nil {
				if err := a.showSweep(scenario, sweep, asJSON); err != nil {
					return err
				}
			}
			switch {
			case err != nil:
				return err
			case sweep.Interrupted:
				return &status{exitInterrupted, nil}
			}
			return expectation(sweep.Expectation)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&seeds, "seeds", "1..100", "the `range` of seeds, both ends included")
	flags.StringVar(&shard, "shard", "", "take only part `i/n` of the seeds; dlsim report adds the parts up")
	flags.StringArrayVar(&sets, "set", nil, "override a setting of the scenario: `a.b=c` (may be repeated)")
	flags.StringVar(&out, "out", "", "the sweep's `folder`, new or empty (default results/sweeps/<scenario>-<seeds>)")
	flags.BoolVar(&asJSON, "json", false, "print the result as one JSON object")
	return cmd
}

// room says why a folder cannot be made at out, or beneath root when out is not named.
func room(out, root string) error {
	if out == "" {
		return results.Writable(root)
	}
	return results.Vacant(out)
}

// sayWhenInterrupted says at once that Ctrl-C was heard, since what is done takes a while to write.
// Call what it returns at the end.
func (a *app) sayWhenInterrupted(ctx context.Context) func() {
	said := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(said)
		fmt.Fprintln(a.stderr, "dlsim: interrupted: writing what is done; once more ends it at once")
	})
	return func() {
		if !stop() {
			<-said
		}
	}
}

func (a *app) showSweep(s *runner.Scenario, sweep *results.Sweep, asJSON bool) error {
	if asJSON {
		return a.object(sweep.Brief())
	}
	return results.WriteSweep(a.stdout, a.style(), about(s), sweep)
}

// relaxGC trades memory for speed. A person's own GOGC stays.
func relaxGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(runner.SweepGCPercent)
	}
}

func sweepName(s runner.Seeds) string {
	name := strings.Replace(s.String(), "..", "-", 1)
	if s.Of > 0 {
		name += "-shard-" + strings.Replace(s.ShardString(), "/", "-", 1)
	}
	return name
}
