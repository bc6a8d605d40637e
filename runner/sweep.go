package runner

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"dlsim/checker"
	"dlsim/results"
)

// secondEvery is how often a sweep asks for the second opinion where nothing is violated: at seeds
// that it divides, so that shards and cores change nothing.
const secondEvery = 20

// SweepOptions say how a sweep goes about it.
type SweepOptions struct {
	Seeds   Seeds
	Workers int // 0 asks for none; the caller knows its cores
	// Folder makes the sweep's folder once there is something to write; nil writes nothing.
	Folder func() (*results.Folder, error)
	// Step is told of every finished seed, in order; nil tells nobody.
	Step func(violated bool)
}

// seedCount is what a sweep keeps of one seed: little, and nothing that belongs to the worker.
type seedCount struct {
	report    checker.Report
	idle      string
	events    int
	virtualMS float64
	wallMS    float64
	hash      string
}

// Sweep runs a scenario with many seeds and counts. When ctx is done it finishes what is running
// and returns what was counted, marked as interrupted; the same with an error, which names the
// seed.
func Sweep(ctx context.Context, launch Launch, s *Scenario, o SweepOptions) (*results.Sweep, error) {
	begun := time.Now()
	c := newCounting(s, o)
	c.sweep.World = launch.World

	err := inOrder(ctx, o.Seeds.Len(), max(o.Workers, 1), func() (func(uint64) (seedCount, error), func()) {
		w := NewWorker(launch)
		return func(k uint64) (seedCount, error) { return w.count(s, o.Seeds.At(k)) }, w.Close
	}, func(k uint64, n seedCount) {
		violated := c.add(o.Seeds.At(k), &n)
		if o.Step != nil {
			o.Step(violated)
		}
	})

	c.sweep.Interrupted = ctx.Err() != nil
	c.sweep.Finish(float64(time.Since(begun)) / 1e6)
	value, why := c.tally.result()
	if err != nil {
		value, why = checker.Inconclusive, err.Error()
	}
	c.sweep.Expectation, c.sweep.Why = value.String(), why
	if o.Folder == nil || c.sweep.Seeds == 0 && err != nil {
		return c.sweep, err
	}
	return c.sweep, firstOf(err, c.keep(launch, s, o.Folder))
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// SweepGCPercent is the collector's setting that suits a sweep: its live heap is a few megabytes,
// and nearly all it allocates is garbage at the end of a run.
const SweepGCPercent = 2000

// count carries out one seed.
func (w *Worker) count(s *Scenario, seed uint64) (seedCount, error) {
	job, err := s.Job(seed)
	if err != nil {
		return seedCount{}, fmt.Errorf("seed %d: %w", seed, err)
	}
	job.Params.Second = checker.OnViolation
	if seed%secondEvery == 0 {
		job.Params.Second = checker.Always
	}
	r, err := w.Run(job, nil)
	if err != nil {
		return seedCount{}, fmt.Errorf("seed %d: %w", seed, err)
	}
	return seedCount{
		report: r.Report, idle: idleFault(&s.expect, r.Faults), events: len(r.Outcome.Events),
		virtualMS: float64(r.Outcome.Elapsed) / 1e6, wallMS: float64(r.Wall) / 1e6, hash: r.Outcome.Hash,
	}, nil
}

// counting adds seeds up, in their order.
type counting struct {
	sweep     *results.Sweep
	tally     *sweepTally
	expect    *checker.Expect
	violating []found // the first of them, to be kept
}

// found is a violating seed and the hash of its history.
type found struct {
	seed uint64
	hash string
}

func newCounting(s *Scenario, o SweepOptions) *counting {
	sweep := results.NewSweep(s.Name, "", o.Seeds.String(), o.Seeds.ShardString())
	sweep.Every = s.expect.In == checker.InEvery
	return &counting{
		sweep: sweep,
		tally: newSweepTally(s.expect), expect: &s.expect,
	}
}

// add counts one seed and says whether it violates anything.
func (c *counting) add(seed uint64, n *seedCount) (violated bool) {
	s := c.sweep
	s.Seeds++
	s.Events += int64(n.events)
	s.Ratios.Add(n.virtualMS, n.wallMS)
	if n.idle != "" {
		s.Inconclusive++
	}
	unknown := false
	for i := range n.report.Invariants {
		switch v := &n.report.Invariants[i]; v.Verdict {
		case checker.Violated:
			violated = true
			s.Violated[v.ID]++
			if _, ok := s.FirstSeed[v.ID]; !ok {
				s.FirstSeed[v.ID] = seed
			}
		case checker.Unknown:
			unknown = true
			s.UnknownOf[v.ID]++
		}
	}
	for i := range n.report.Observations {
		if o := &n.report.Observations[i]; o.Count > 0 {
			s.Observed[o.Name]++
		}
	}
	n.report.Coverage.Each(func(name string, count int64) {
		if count > 0 {
			s.Coverage[name]++
		}
	})
	if unknown {
		s.Unknown++
	}
	if violated && len(c.violating) < results.KeptRuns {
		c.violating = append(c.violating, found{seed, n.hash})
	}
	s.Breached = s.Breached || breaches(c.expect, &n.report)
	c.tally.add(&n.report, n.idle)
	return violated
}

// keep runs the first violating seeds again, traced this time, and writes the sweep's folder. What
// is written before an error stays.
func (c *counting) keep(launch Launch, s *Scenario, newFolder func() (*results.Folder, error)) error {
	folder, err := newFolder()
	if err != nil {
		return err
	}
	c.sweep.Results = folder.Path
	w := NewWorker(launch)
	defer w.Close()
	for _, f := range c.violating {
		name := strconv.FormatUint(f.seed, 10)
		done, err := w.Once(s, f.seed, func() (*results.Folder, error) { return folder.Sub(name) })
		if err == nil && done.Hash != f.hash {
			err = fmt.Errorf("%w: seed %d gave history %s in the sweep and %s when repeated: a defect of dlsim", ErrWorld, f.seed, f.hash, done.Hash)
		}
		if err != nil {
			return firstOf(err, folder.WriteSweep(c.sweep))
		}
		c.sweep.Kept = append(c.sweep.Kept, results.Kept{Seed: f.seed, Violated: done.Violations(), Folder: name, Story: done.Story})
	}
	return folder.WriteSweep(c.sweep)
}
