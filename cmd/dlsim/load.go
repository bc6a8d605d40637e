package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"dlsim/results"
	"dlsim/runner"
	"dlsim/scenarios"
)

// load reads a scenario by name or from a file, with the --set overrides.
func load(nameOrPath string, sets []string) (*runner.Scenario, error) {
	if info, err := os.Stat(nameOrPath); err == nil && info.IsDir() {
		return nil, usage(fmt.Errorf("%s is a folder: name a scenario file, such as %s/%s",
			nameOrPath, strings.TrimSuffix(nameOrPath, "/"), results.ScenarioFile))
	}
	s, err := runner.Load(nameOrPath, sets...)
	var path *os.PathError
	if errors.As(err, &path) {
		return nil, broken(err)
	}
	if err != nil {
		return nil, usage(err)
	}
	return s, nil
}

// loadToRun reads a scenario that a person wants run. One whose horizon is too short without saying
// so is refused: its verdicts would be about nothing that the design claims.
func loadToRun(nameOrPath string, sets []string) (*runner.Scenario, error) {
	s, err := load(nameOrPath, sets)
	if err != nil {
		return nil, err
	}
	if p, short := s.ShortHorizon(); short {
		return nil, usage(errors.New(p.String()))
	}
	return s, nil
}

// lint lists a scenario's problems, one a line. The error is of a file that cannot be read.
func lint(nameOrPath string) ([]string, error) {
	s, err := scenarios.Load(nameOrPath)
	var path *os.PathError
	if errors.As(err, &path) {
		return nil, broken(err)
	}
	if err != nil {
		return []string{strings.ReplaceAll(err.Error(), "\n", "; ")}, nil
	}
	var lines []string
	for _, p := range scenarios.Lint(s) {
		lines = append(lines, p.String())
	}
	return lines, nil
}
