package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"dlsim/results"
	"dlsim/runner"
)

// elsewhereObject is the JSON object of a run repeated in another world.
type elsewhereObject struct {
	results.Run
	Again   bool     `json:"again"` // whatever fell before fell again
	Missing []string `json:"missing,omitempty"`
	More    []string `json:"more,omitempty"`
}

// replayElsewhere repeats a stored run in another world than the one it was made in.
func (a *app) replayElsewhere(ctx context.Context, world, path string, stored *results.Stored, out string, asJSON bool) error {
	launch, err := a.launchIn(ctx, world, dsns{})
	if err != nil {
		return err
	}
	scenario, err := load(filepath.Join(path, results.ScenarioFile), nil)
	if err != nil {
		return err
	}
	which := strconv.FormatUint(stored.Judgement.Seed, 10) + "-" + world
	e, err := runner.RepeatElsewhere(launch, scenario, stored, a.folder(out, results.RunsRoot, scenario.Name, which))
	if err != nil {
		return err
	}
	if asJSON {
		err = a.object(&elsewhereObject{Run: e.Done.Run, Again: e.Again(), Missing: e.Missing, More: e.More})
	} else {
		err = a.showElsewhere(scenario, e)
	}
	switch {
	case err != nil:
		return err
	case interrupted(ctx):
		return &status{exitInterrupted, nil}
	case !e.Again():
		return &status{exitNotMet, nil}
	}
	return nil
}

func (a *app) showElsewhere(s *runner.Scenario, e *runner.Elsewhere) error {
	if err := results.WriteRun(a.stdout, a.style(), about(s), e.Done.Judgement, e.Done.Story); err != nil {
		return err
	}
	fell := strings.Join(e.Stored.Judgement.Violations(), ", ")
	switch {
	case fell == "":
		fell = "nothing fell in the stored run"
	case e.Again():
		fell = "fell in the stored run and again here: " + fell
	default:
		fell = "fell in the stored run and NOT here: " + strings.Join(e.Missing, ", ")
	}
	if len(e.More) > 0 {
		fell += "; fell here only: " + strings.Join(e.More, ", ")
	}
	_, err := fmt.Fprintln(a.stdout, fell)
	return err
}
