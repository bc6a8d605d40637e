package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"dlsim/results"
	"dlsim/runner"
	"dlsim/shrink"

	"github.com/spf13/cobra"
)

// shrunkObject is the JSON object of a shrinking.
type shrunkObject struct {
	Scenario  string        `json:"scenario"`
	Violation string        `json:"violation"` // what was kept
	Seed      uint64        `json:"seed"`      // of the smaller run
	Before    shrink.Counts `json:"before"`
	After     shrink.Counts `json:"after"`
	Minimal   bool          `json:"minimal"` // without any one fault the violation is lost
	Runs      int           `json:"runs"`
	WallMS    float64       `json:"wall_ms"`
	Results   string        `json:"results"`
	Again     string        `json:"again"` // the command that repeats it
}

func (a *app) shrinkCommand() *cobra.Command {
	var (
		out, keep string
		asJSON    bool
	)
	options := shrink.Default
	cmd := &cobra.Command{
		Use:   "shrink <run folder>",
		Short: "Make a violating run as small as it can be and still show the same violation",
		Long: `Make a violating run as small as it can be and still show the same kind of violation: the fewest faults,
then processes, payouts and accounts, the plainest triggers, the calmest network and the shortest durations.
The run is repeated first, and refused where it does not come out as it is stored.`,
		Example: `  dlsim shrink results/runs/fencing-off-7
  dlsim shrink results/sweeps/everything-1-1000/42 --keep INV-05 --out small`,
		Args: exactly(1, "the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			stored, err := results.ReadRun(args[0])
			if err != nil {
				return err
			}
			if stored.Judgement.World != a.launch.World {
				return usage(fmt.Errorf("%s is a run of the %s world and cannot be repeated step by step: run its plan.yaml in the %s world first",
					args[0], stored.Judgement.World, a.launch.World))
			}
			scenario, err := load(filepath.Join(args[0], results.ScenarioFile), nil)
			if err != nil {
				return err
			}
			if d := results.ThisBuild().Differs(stored.Build); d != "" {
				fmt.Fprintf(a.stderr, "dlsim: warning: %s was %s\n", results.Plain(args[0]), results.Plain(d))
			}
			begun := time.Now()
			c, err := shrink.FromStored(a.launch, scenario, stored)
			if errors.Is(err, shrink.ErrDiffers) {
				return &status{exitNotMet, fmt.Errorf("%s: %w", args[0], err)}
			}
			if err != nil {
				return err
			}
			show, err := shrink.Choose(&stored.Judgement, scenario.Scenario, keep)
			if err != nil {
				return usage(fmt.Errorf("%s: %w", args[0], err))
			}

			w := runner.NewWorker(a.launch)
			defer w.Close()
			options.Work = a.launch.Work
			small, err := shrink.Shrink(cmd.Context(), shrink.Probing(w, show), c, options)
			stopped := interrupted(cmd.Context()) && small != nil
			if err != nil && !stopped && !errors.Is(err, shrink.ErrRuns) {
				return err
			}
			from := fmt.Sprintf("%s, seed %d", scenario.Name, c.Seed)
			done, err := small.Write(a.launch, show, options.Seeds, from, a.folder(out, shrunkRoot, scenario.Name, strconv.FormatUint(c.Seed, 10)))
			if err != nil {
				return err
			}
			wall := float64(time.Since(begun)) / 1e6
			if err := a.showShrunk(small, show, options.Seeds, done, wall, asJSON); err != nil {
				return err
			}
			if stopped {
				return &status{exitInterrupted, nil}
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&out, "out", "", "the `folder` of the smaller run, new or empty (default results/shrunk/<scenario>-<seed>)")
	flags.StringVar(&keep, "keep", "", "the `violation` to keep: an invariant, also with its kind, or an observation (default: what matters most to money)")
	flags.Uint64Var(&options.Seeds, "seeds", options.Seeds, "how many other seeds to try where the run's own loses the violation")
	flags.IntVar(&options.Runs, "runs", options.Runs, "at most so many runs")
	flags.BoolVar(&asJSON, "json", false, "print the result as one JSON object; the story goes to stderr")
	return cmd
}

// shrunkRoot is where smaller runs go when nobody names another place.
var shrunkRoot = filepath.Join("results", "shrunk")

func (a *app) showShrunk(r *shrink.Result, show string, seeds uint64, done *runner.Done, wallMS float64, asJSON bool) error {
	file := filepath.Join(done.Results, results.ScenarioFile)
	again := fmt.Sprintf("dlsim run %s --seed %d", file, r.Seed)
	if asJSON {
		for _, l := range done.Story {
			fmt.Fprintln(a.stderr, l)
		}
		return a.object(&shrunkObject{
			Scenario: done.Scenario, Violation: show, Seed: r.Seed, Before: r.Before, After: r.After,
			Minimal: r.Minimal, Runs: r.Runs, WallMS: wallMS, Results: done.Results, Again: again,
		})
	}
	fmt.Fprintf(a.stdout, "%s still shows %s\n\nbefore   %s\nafter    %s\n", results.Plain(done.Scenario), show, r.Before, r.After)
	for _, f := range r.Scenario.Faults {
		fmt.Fprintf(a.stdout, "         %s\n", results.Plain(f.String()))
	}
	fmt.Fprintf(a.stdout, "minimal  %s\n", r.Proof(show, seeds))
	if len(done.Story) > 0 {
		fmt.Fprintln(a.stdout)
	}
	for _, l := range done.Story {
		fmt.Fprintln(a.stdout, l)
	}
	_, err := fmt.Fprintf(a.stdout, "\nsearch   %d runs in %.1f s\nagain    %s\n", r.Runs, wallMS/1000, results.Plain(again))
	return err
}
