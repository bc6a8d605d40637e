package matrix

import (
	"context"
	"fmt"
	"slices"

	"dlsim/checker"
	"dlsim/runner"
)

// apart is the distance between the first seeds of two searches.
const apart = 1_000_000

// searcher runs one scenario with seed after seed and remembers what was seen.
type searcher struct {
	worker   *runner.Worker
	scenario *runner.Scenario
	claims   []string
	holds    []string // that must hold in every seed
	never    []string // that no seed may show

	seeds    int
	violated []string
	observed []string
	broken   string // the first of holds that fell
}

// found is what one search came to.
type found struct {
	after []int    // by claim: how many seeds it took; 0 when not found
	seed  []uint64 // by claim: the first that shows it
}

// all is how many seeds it took to see every claim; 0 when some was not seen.
func (f *found) all() int {
	if slices.Contains(f.after, 0) || len(f.after) == 0 {
		return 0
	}
	return slices.Max(f.after)
}

// search takes seeds from first on until every claim was shown and at least so many ran, or most.
func (s *searcher) search(ctx context.Context, first uint64, least, most int) (*found, error) {
	f := &found{after: make([]int, len(s.claims)), seed: make([]uint64, len(s.claims))}
	for n := 1; n <= most && (n <= least || slices.Contains(f.after, 0)); n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		seed := first + uint64(n) - 1
		report, err := s.run(seed)
		if err != nil {
			return nil, fmt.Errorf("%s, seed %d: %w", s.scenario.Name, seed, err)
		}
		s.seeds++
		s.see(report, seed)
		for i, claim := range s.claims {
			if f.after[i] == 0 && report.Shows(claim) {
				f.after[i], f.seed[i] = n, seed
			}
		}
	}
	return f, nil
}

func (s *searcher) run(seed uint64) (*checker.Report, error) {
	job, err := s.scenario.Job(seed)
	if err != nil {
		return nil, err
	}
	job.Params.Second = checker.Never
	r, err := s.worker.Run(job, nil)
	if err != nil {
		return nil, err
	}
	return &r.Report, nil
}

func (s *searcher) see(r *checker.Report, seed uint64) {
	for _, id := range r.Violated() {
		s.violated = insert(s.violated, id)
		if s.broken == "" && slices.Contains(s.holds, id) {
			s.broken = fmt.Sprintf("%s must hold and fell with seed %d: %s", id, seed, r.Invariant(id).Sentence())
		}
	}
	for _, name := range s.never {
		if s.broken == "" && r.Shows(name) {
			s.broken = fmt.Sprintf("%s must never be seen and was with seed %d", name, seed)
		}
	}
	for i := range r.Observations {
		if o := &r.Observations[i]; o.Count > 0 {
			s.observed = insert(s.observed, o.Name)
		}
	}
}

// insert keeps a sorted set.
func insert(set []string, name string) []string {
	i, there := slices.BinarySearch(set, name)
	if there {
		return set
	}
	return slices.Insert(set, i, name)
}

// median and p90 of counts, the upper one where two are in the middle.
func median(counts []int) int { return quantile(counts, 50) }
func p90(counts []int) int    { return quantile(counts, 90) }

func quantile(counts []int, percent int) int {
	if len(counts) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(counts))
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)]
}
