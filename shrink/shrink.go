package shrink

import (
	"context"
	"errors"
	"fmt"

	"dlsim/nemesis"
	"dlsim/scenarios"
	"dlsim/sim"
)

// Case is a run to be: a scenario with nothing left to draw, and the seed of its luck.
type Case struct {
	Scenario *scenarios.Scenario
	Seed     uint64
}

// Seen is what one run showed.
type Seen struct {
	Shows  bool
	Faults []nemesis.Result
}

// Probe runs a case and looks for what is sought. It must be a function of the case.
type Probe func(Case) (Seen, error)

// Options say how hard to look.
type Options struct {
	// Seeds is how many other seeds, from 1, are tried where the case's own seed loses the violation.
	Seeds uint64
	// Runs bounds the runs of the whole search. It is counted and not timed, so that the result is
	// the same on every machine.
	Runs int
	// Work tells the payouts that a seed draws; nil leaves a drawn workload as it is.
	Work func(seed uint64, w sim.Workload) []sim.Payout
	// Step is told the number of runs so far; nil tells nobody.
	Step func(runs int)
}

// Default is enough for plans as random scenarios draw them, within seconds.
var Default = Options{Seeds: 16, Runs: 4000}

// Counts are the sizes of a case that people compare.
type Counts struct {
	Faults    int `json:"faults"`
	Processes int `json:"processes"` // nodes of the stores included
	Payouts   int `json:"payouts"`
	Accounts  int `json:"accounts"`
}

// Count counts a case.
func Count(s *scenarios.Scenario) Counts {
	t := scenarios.Topology(s.Config)
	return Counts{
		Faults: len(s.Faults), Processes: len(t.Processes) + len(t.Stores),
		Payouts: s.Workload.Count(), Accounts: len(s.Workload.AccountNames()),
	}
}

// Result is a smaller case.
type Result struct {
	Case
	Before, After Counts
	Runs          int
	// Minimal says that every single fault was taken away, with the case's seed and with each of
	// the other seeds, and that the violation was lost each time.
	Minimal bool
	// Bites says that every fault that is left met something.
	Bites bool
}

// Errors of Shrink.
var (
	// ErrNotShown marks a case that does not show what it is to be shrunk to.
	ErrNotShown = errors.New("the run does not show it")
	// ErrRuns marks a search that was ended by Options.Runs; its result is the best so far.
	ErrRuns = errors.New("the search used up its runs")
)

// Shrink makes c smaller. With ErrRuns and with ctx's error it returns the best so far besides.
func Shrink(ctx context.Context, probe Probe, c Case, o Options) (*Result, error) {
	s := &search{ctx: ctx, probe: probe, options: o, best: c, lost: map[string]bool{}}
	if s.seen = s.run(c); s.err != nil {
		return nil, s.err
	}
	if !s.seen.Shows {
		return nil, ErrNotShown
	}
	before := Count(c.Scenario)
	s.listWork()
	for s.round() {
	}
	r := &Result{
		Case: s.best, Before: before, After: Count(s.best.Scenario),
		Runs: s.runs, Minimal: s.err == nil, Bites: true,
	}
	for i := range s.seen.Faults {
		r.Bites = r.Bites && s.seen.Faults[i].Bit
	}
	if s.err != nil && !errors.Is(s.err, ErrRuns) && ctx.Err() == nil {
		return nil, s.err
	}
	return r, s.err
}

// search is one shrinking under way.
type search struct {
	ctx     context.Context
	probe   Probe
	options Options
	best    Case
	seen    Seen // of best
	runs    int
	lost    map[string]bool // cases that were run and did not show it: no pass runs one again
	err     error           // ends the search
}

// round makes every pass once and says whether anything became smaller. The passes are in the order
// of what matters; no pass undoes what an earlier one gained, so the rounds come to an end.
func (s *search) round() bool {
	smaller := false
	for _, pass := range []func() bool{
		s.fewerFaults, s.fewerProcesses, s.fewerPayouts, s.fewerAccounts,
		s.plainerTriggers, s.earlierPayouts, s.calmer, s.smallerSeed, s.shorterFaults, s.plainNumbers,
	} {
		if s.err != nil {
			return false
		}
		smaller = pass() || smaller
	}
	return smaller && s.err == nil
}

// listWork names the drawn payouts one by one, which changes nothing else about the run.
func (s *search) listWork() {
	w := s.best.Scenario.Workload
	if len(w.List) > 0 || s.options.Work == nil {
		return
	}
	w.List = s.options.Work(s.best.Seed, w)
	s.try(s.with(func(t *scenarios.Scenario) { t.Workload = w }))
}

// run carries out one case. After an error, or when the runs are used up, it shows nothing.
func (s *search) run(c Case) Seen {
	switch {
	case s.err != nil:
		return Seen{}
	case s.ctx.Err() != nil:
		s.err = s.ctx.Err()
		return Seen{}
	case s.options.Runs > 0 && s.runs >= s.options.Runs:
		s.err = fmt.Errorf("%w (%d)", ErrRuns, s.options.Runs)
		return Seen{}
	}
	s.runs++
	if s.options.Step != nil {
		s.options.Step(s.runs)
	}
	seen, err := s.probe(c)
	if err != nil {
		s.err = err
	}
	return seen
}

// with is the best scenario so far, changed.
func (s *search) with(change func(*scenarios.Scenario)) *scenarios.Scenario {
	t := *s.best.Scenario
	t.Faults = append([]nemesis.Fault(nil), t.Faults...)
	t.Workload.List = append([]sim.Payout(nil), t.Workload.List...)
	change(&t)
	return &t
}

// try takes the candidate over if it can be run and shows the violation with the same seed.
func (s *search) try(t *scenarios.Scenario) bool {
	return t.Check() == nil && s.attempt(Case{t, s.best.Seed})
}

// trySeeds tries the other seeds besides.
func (s *search) trySeeds(t *scenarios.Scenario) bool { return s.tryUpTo(s.options.Seeds, t) }

// tryFew tries half of them, but four at least, for what is tried often and is worth less than a fault.
func (s *search) tryFew(t *scenarios.Scenario) bool {
	return s.tryUpTo(min(s.options.Seeds, max(s.options.Seeds/2, 4)), t)
}

func (s *search) tryUpTo(seeds uint64, t *scenarios.Scenario) bool {
	if t.Check() != nil {
		return false
	}
	if s.attempt(Case{t, s.best.Seed}) {
		return true
	}
	for seed := uint64(1); seed <= seeds && s.err == nil; seed++ {
		if seed != s.best.Seed && s.attempt(Case{t, seed}) {
			return true
		}
	}
	return false
}

func (s *search) attempt(c Case) bool {
	name := c.name()
	if s.lost[name] {
		return false
	}
	seen := s.run(c)
	if !seen.Shows {
		s.lost[name] = s.err == nil
		return false
	}
	s.best, s.seen = c, seen
	return true
}

// name tells a case from all others of one search: by what a pass may change.
func (c Case) name() string {
	t := c.Scenario
	return fmt.Sprint(c.Seed, t.Faults, t.Topology, t.Workload, t.Network, t.Unpreempted)
}

// smallerSeed looks for the smallest seed with which the case shows the violation: a number that
// people can remember, and the same one whatever seed the search began with.
func (s *search) smallerSeed() bool {
	for seed := uint64(1); seed <= s.options.Seeds && seed < s.best.Seed && s.err == nil; seed++ {
		if s.attempt(Case{s.best.Scenario, seed}) {
			return true
		}
	}
	return false
}
