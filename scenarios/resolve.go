package scenarios

import (
	"fmt"
	"sort"
	"sync"

	"dlsim/nemesis"
)

// Resolved is a scenario with nothing left to the seed but the luck of the run itself.
type Resolved struct {
	*Scenario
	Seed uint64
	Plan nemesis.Plan
}

// Resolver settles one scenario for many seeds. It may be used by several goroutines.
type Resolver struct {
	scenario *Scenario
	paths    []string // that are drawn, in order
	variants []*Scenario
	pools    []sync.Pool // generators, by variant
}

// maxVariants bounds what draws can come to, since each is judged by itself.
const maxVariants = 1024

// drawnPaths lists the paths of the scenario's draws in a fixed order.
func (s *Scenario) drawnPaths() []string {
	paths := make([]string, 0, len(s.Draw))
	for path := range s.Draw {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	return paths
}

// variants lists every scenario that the draws can come to; the last path turns fastest.
func (s *Scenario) variants() ([]*Scenario, error) {
	plain := *s
	plain.Draw = nil
	variants := []*Scenario{&plain}
	for _, path := range s.drawnPaths() {
		choices := s.Draw[path]
		if len(choices) == 0 || len(variants)*len(choices) > maxVariants {
			return nil, fmt.Errorf("%s: %d values to draw from (1 to %d, all draws together)", path, len(choices), maxVariants)
		}
		var next []*Scenario
		for _, v := range variants {
			for _, c := range choices {
				w := *v
				if err := w.set(path, string(c)); err != nil {
					return nil, err
				}
				next = append(next, &w)
			}
		}
		variants = next
	}
	return variants, nil
}

// NewResolver prepares a scenario.
func NewResolver(s *Scenario) (*Resolver, error) {
	variants, err := s.variants()
	if err != nil {
		return nil, fmt.Errorf("%s: draw: %w", s.file, err)
	}
	return &Resolver{scenario: s, paths: s.drawnPaths(), variants: variants, pools: make([]sync.Pool, len(variants))}, nil
}

// Resolve settles the scenario for a seed.
func (r *Resolver) Resolve(seed uint64) (*Resolved, error) {
	n := 0
	for _, path := range r.paths {
		choices := uint64(len(r.scenario.Draw[path]))
		n = n*int(choices) + int(draw(seed, path)%choices)
	}
	s := *r.variants[n]
	if len(s.Random) > 0 {
		g, _ := r.pools[n].Get().(*nemesis.Generator)
		if g == nil {
			var err error
			if g, err = nemesis.NewGenerator(Topology(s.Config), s.limits(), s.Random.Rates(), s.Faults); err != nil {
				return nil, fmt.Errorf("%s: random: %w", s.file, err)
			}
		}
		s.Faults = g.Plan(seed).Faults // numbered, as all of a plan's are
		r.pools[n].Put(g)
		s.Random = nil
		s.DrawnFrom = &seed
	} else {
		s.Faults = s.Plan().Faults
	}
	return &Resolved{Scenario: &s, Seed: seed, Plan: nemesis.Plan{Faults: s.Faults, HealBy: s.HealBy}}, nil
}

// Resolve settles the scenario for one seed; for many use a Resolver.
func (s *Scenario) Resolve(seed uint64) (*Resolved, error) {
	r, err := NewResolver(s)
	if err != nil {
		return nil, err
	}
	return r.Resolve(seed)
}

// draw is a hash of seed and path (FNV-1a over the path, mixed as SplitMix64 does), so that one
// draw does not move when another is added.
func draw(seed uint64, path string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(path) {
		h = (h ^ uint64(path[i])) * 1099511628211
	}
	h ^= seed
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
