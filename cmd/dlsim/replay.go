package main

import (
	"fmt"
	"path/filepath"

	"dlsim/results"
	"dlsim/runner"

	"github.com/spf13/cobra"
)

// repeatObject is the JSON object of a replay.
type repeatObject struct {
	results.Run
	Same       bool   `json:"same"`
	Step       int    `json:"first_step_that_differs,omitempty"`
	Event      int    `json:"first_event_that_differs,omitempty"`
	StoredHash string `json:"stored_hash"`
	StoredFrom string `json:"stored_trace_hash"`
}

func (a *app) replayCommand() *cobra.Command {
	var (
		asJSON bool
		world  string
		out    string
	)
	cmd := &cobra.Command{
		Use:   "replay <run folder>",
		Short: "Repeat a stored run, and name the first step that differs if one does",
		Long: "Repeat a stored run, and name the first step that differs if one does. In the live world a virtual\n" +
			"run is repeated by its anchors and its assignment of work, and what fell is compared.",
		Example: `  dlsim replay results/runs/fencing-off-7
  dlsim replay results/runs/fencing-off-7 --world live`,
		Args: exactly(1, "the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			stored, err := results.ReadRun(args[0])
			if err != nil {
				return err
			}
			if world != a.launch.World {
				return a.replayElsewhere(cmd.Context(), world, args[0], stored, out, asJSON)
			}
			if stored.Judgement.World != a.launch.World {
				return usage(fmt.Errorf("%s is a run of the %s world, which cannot be repeated step by step: dlsim run %s runs its plan again",
					args[0], stored.Judgement.World, filepath.Join(args[0], results.ScenarioFile)))
			}
			if d := results.ThisBuild().Differs(stored.Build); d != "" {
				fmt.Fprintf(a.stderr, "dlsim: warning: %s was %s: a difference may come from that\n", results.Plain(args[0]), results.Plain(d))
			}
			if stored.Edited {
				fmt.Fprintf(a.stderr, "dlsim: warning: %s is not as the run left it: a difference may come from that\n",
					results.Plain(filepath.Join(args[0], results.ScenarioFile)))
			}
			scenario, err := load(filepath.Join(args[0], results.ScenarioFile), nil)
			if err != nil {
				return err
			}
			repeat, err := runner.Replay(a.launch, scenario, stored)
			if err != nil {
				return err
			}
			if err := a.showRepeat(args[0], repeat, asJSON); err != nil {
				return err
			}
			if !repeat.Same() {
				return &status{exitNotMet, nil}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as one JSON object")
	cmd.Flags().StringVar(&world, "world", runner.Virtual.World, "where to repeat it: virtual, or live")
	cmd.Flags().StringVar(&out, "out", "", "the live run's `folder`, new or empty (default results/runs/<scenario>-<seed>-live)")
	return cmd
}

func (a *app) showRepeat(path string, r *runner.Repeat, asJSON bool) error {
	was, is := &r.Stored.Judgement.Run, &r.Done.Run
	if asJSON {
		o := repeatObject{Run: *is, Same: r.Same(), Event: r.Event, StoredHash: was.Hash, StoredFrom: was.TraceHash}
		o.Results = path
		if r.Step != nil {
			o.Step = r.Step.Step
		}
		return a.object(&o)
	}
	if r.Same() {
		_, err := fmt.Fprintf(a.stdout, "the same: %s, seed %d, history %s, trace %s\n", results.Plain(is.Scenario), is.Seed, is.Hash, is.TraceHash)
		return err
	}
	fmt.Fprintf(a.stdout, "NOT the same: history %s was %s, trace %s was %s\n", is.Hash, was.Hash, is.TraceHash, was.TraceHash)
	if r.Step != nil {
		fmt.Fprintln(a.stdout, r.Step)
	}
	if r.Event > 0 {
		fmt.Fprintf(a.stdout, "the first event that differs is %d\n", r.Event)
	}
	for _, id := range r.Verdicts {
		fmt.Fprintf(a.stdout, "%s is %s, stored as %q\n", id, is.Invariants[id], was.Invariants[id])
	}
	return nil
}
