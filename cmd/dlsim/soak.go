package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"dlsim/results"
	"dlsim/runner"
)

// soak runs a scenario again and again until its time is over.
func (a *app) soak(ctx context.Context, launch runner.Launch, s *runner.Scenario, seed uint64, d time.Duration, out string, asJSON bool) error {
	folder := a.folder(out, results.RunsRoot, s.Name, strconv.FormatUint(seed, 10)+"-soak")
	soak, err := runner.RunFor(ctx, launch, s, seed, d, folder, func(done *runner.Done) {
		fmt.Fprintf(a.stderr, "seed %d: %s, %s\n", done.Seed, soakVerdict(done), done.Expectation)
	})
	if soak == nil {
		return err
	}
	shown := a.showSoak
	if asJSON {
		shown = func(k *runner.Soak) error { return a.object(k) }
	}
	if problem := shown(soak); err == nil {
		err = problem
	}
	switch {
	case err != nil:
		return err
	case interrupted(ctx):
		return &status{exitInterrupted, nil}
	}
	return expectation(soak.Expectation)
}

func soakVerdict(d *runner.Done) string {
	if v := d.Violations(); len(v) > 0 {
		return "VIOLATED " + strings.Join(v, ", ")
	}
	bit := 0
	for _, f := range d.Faults {
		if f.Bit {
			bit++
		}
	}
	return fmt.Sprintf("%d of %d faults bit, nothing violated", bit, len(d.Faults))
}

func (a *app) showSoak(k *runner.Soak) error {
	rate := 0.0
	if k.Submissions > 0 {
		rate = 100 * float64(k.Ambiguous) / float64(k.Submissions)
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(k.BitOf)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, k.BitOf[kind]))
	}
	_, err := fmt.Fprintf(a.stdout, `%s, %s world, seeds %s: %d runs in %.0f s
payouts      %d posted, %d payments in the books
submissions  %d, of them %d ambiguous (%.1f in 100), %d fenced out
faults       %d planned, %d bit: %s
violated     %s
unknown      %s
expectation  %s %s
results      %s
`, k.Scenario, k.World, k.Seeds, k.Runs, k.Seconds, k.Payouts, k.Payments, k.Submissions, k.Ambiguous, rate, k.FencedOut,
		k.Faults, k.Bit, strings.Join(kinds, ", "), counted(k.Violated), counted(k.Unknown), k.Expectation, k.Why, k.Results)
	return err
}

func counted(by map[string]int) string {
	if len(by) == 0 {
		return "none"
	}
	var all []string
	for _, id := range slices.Sorted(maps.Keys(by)) {
		all = append(all, fmt.Sprintf("%s in %d runs", id, by[id]))
	}
	return strings.Join(all, ", ")
}
