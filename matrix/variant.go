package matrix

import (
	"context"
	"fmt"
	"strings"
	"time"

	"dlsim/runner"
	"dlsim/scenarios"
	"dlsim/shrink"
	"dlsim/variants"
)

// Options say how much is run.
type Options struct {
	Launch   runner.Launch
	Workers  int
	Searches int // of each row
	// Least is how many seeds a row is run with in all its searches together, whatever it found, so
	// that what must hold was tried; the control has as many.
	Least int
	// Shrink says how hard to look for the smallest run.
	Shrink shrink.Options
	// Step is told of every row when it is done, in the order in which they are; nil tells nobody.
	Step func(done, of int, r *Row)
}

// Quick and Full are what dlsim matrix does without and with --full.
func Quick(launch runner.Launch, workers int) Options {
	return Options{Launch: launch, Workers: workers, Searches: 5, Least: 200, Shrink: shrink.Default}
}

// Full searches longer.
func Full(launch runner.Launch, workers int) Options {
	return Options{Launch: launch, Workers: workers, Searches: 20, Least: 2000, Shrink: shrink.Default}
}

// most is within how many seeds a search must have found everything where a row does not say.
const most = 1000

// one carries out one row.
func (o *Options) one(ctx context.Context, w *runner.Worker, v *variants.Variant) (*Row, error) {
	begun := time.Now()
	r := newRow(v)
	scenario, err := v.Scenario()
	if err != nil {
		return nil, err
	}
	scenario.Design = v.Design
	searches, err := o.hypothesis(ctx, w, scenario, r)
	if err != nil {
		return nil, err
	}
	if err := o.control(ctx, w, r, searches); err != nil {
		return nil, err
	}
	if err := o.smallest(ctx, w, scenario, r, searches); err != nil {
		return nil, err
	}
	r.WallMS = float64(time.Since(begun)) / 1e6
	return r, nil
}

// hypothesis searches for the row's claims.
func (o *Options) hypothesis(ctx context.Context, w *runner.Worker, scenario *scenarios.Scenario, r *Row) ([]*found, error) {
	prepared, err := runner.Prepare(scenario)
	if err != nil {
		return nil, err
	}
	v := r.variant
	s := &searcher{worker: w, scenario: prepared, claims: v.Found, holds: v.Holds, never: v.Never}
	if len(v.Found) == 0 && len(v.Waived) == 0 {
		s.holds = invariants()
	}
	cap := v.Seeds
	if cap == 0 {
		cap = most
	}
	least := (o.Least + o.Searches - 1) / o.Searches
	if len(v.Found) > 0 {
		least = min(least, cap)
	} else {
		cap = least
	}
	var searches []*found
	var counts []int
	for k := range o.Searches {
		f, err := s.search(ctx, 1+uint64(k)*apart, least, cap)
		if err != nil {
			return nil, err
		}
		searches = append(searches, f)
		if n := f.all(); n > 0 {
			counts = append(counts, n)
		}
	}
	r.Seeds = s.seeds
	if s.violated != nil {
		r.Violated = s.violated
	}
	if s.observed != nil {
		r.Observed = s.observed
	}
	r.judge(searches, counts, s.broken, cap)
	return searches, nil
}

// judge says whether the hypothesis came true: every search found every claim, and what must hold
// held.
func (r *Row) judge(searches []*found, counts []int, broken string, cap int) {
	r.SeedsMedian, r.SeedsP90 = median(counts), p90(counts)
	var missing []string
	for i := range r.Claims {
		c := &r.Claims[i]
		var each []int
		for _, f := range searches {
			if f.after[i] > 0 {
				each = append(each, f.after[i])
				if c.Seed == 0 {
					c.Seed = f.seed[i]
				}
			}
		}
		if len(each) == len(searches) {
			c.SeedsMedian = median(each)
		} else {
			missing = append(missing, fmt.Sprintf("%s found in %d of %d searches of %d seeds", c.Name, len(each), len(searches), cap))
		}
	}
	switch {
	case len(missing) > 0:
		r.SeedsMedian, r.SeedsP90 = 0, 0
		r.Why = strings.Join(missing, "; ")
	case broken != "":
		r.Why = broken
	}
	r.Confirmed = r.Why == "" && r.Refuted == ""
}

// control runs the same plans on the full design: the seeds of the searches, as far as they went.
func (o *Options) control(ctx context.Context, w *runner.Worker, r *Row, searches []*found) error {
	scenario, err := r.variant.Control()
	if err != nil || scenario == nil {
		return err
	}
	prepared, err := runner.Prepare(scenario)
	if err != nil {
		return err
	}
	s := &searcher{worker: w, scenario: prepared, claims: scenario.Expect.Never}
	least := (o.Least + o.Searches - 1) / o.Searches
	var seen []string
	for k, f := range searches {
		n := max(least, f.all())
		shown, err := s.search(ctx, 1+uint64(k)*apart, n, n)
		if err != nil {
			return err
		}
		for i, seed := range shown.seed {
			if shown.after[i] > 0 && len(seen) < 3 {
				seen = append(seen, fmt.Sprintf("%s with seed %d", scenario.Expect.Never[i], seed))
			}
		}
	}
	r.ControlSeeds = s.seeds
	r.Control = Clean
	if len(seen) > 0 {
		r.Control = strings.Join(seen, ", ")
	}
	return nil
}
