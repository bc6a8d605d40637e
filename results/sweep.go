package results

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Sweep is the JSON object of a sweep: counts over its finished seeds. All but the speeds is the
// same whatever the machine and its number of cores.
type Sweep struct {
	Scenario string `json:"scenario"`
	World    string `json:"world"`
	Range    string `json:"range"`           // the seeds asked for, e.g. 1..1000
	Shard    string `json:"shard,omitempty"` // i/n

	Seeds        int               `json:"seeds"`        // finished
	Violated     map[string]int    `json:"violated"`     // INV-..: in how many seeds
	Unknown      int               `json:"unknown"`      // seeds in which some verdict is unknown
	Inconclusive int               `json:"inconclusive"` // seeds whose listed faults never bit
	FirstSeed    map[string]uint64 `json:"first_seed"`   // INV-..: the lowest seed that violates it
	UnknownOf    map[string]int    `json:"unknown_of"`   // INV-..: in how many seeds it is unknown
	Observed     map[string]int    `json:"observed"`     // observation: in how many seeds
	Coverage     map[string]int    `json:"coverage"`     // what was exercised: in how many seeds

	SeedsPerS      float64 `json:"seeds_per_s"`
	VirtualPerWall Rate    `json:"virtual_per_wall"`
	EventsPerS     float64 `json:"events_per_s"`
	Events         int64   `json:"events"`
	WallMS         float64 `json:"wall_ms"`
	Ratios         Ratios  `json:"ratios,omitempty"` // what VirtualPerWall is made from

	Expectation string `json:"expectation"`
	Why         string `json:"why"`
	Breached    bool   `json:"breached"` // some seed shows what must not be
	Every       bool   `json:"every"`    // each seed by itself must show what is expected
	Interrupted bool   `json:"interrupted,omitempty"`
	Results     string `json:"results"`
	Kept        []Kept `json:"kept,omitempty"` // the violating runs that have a folder
}

// Kept is one violating run of a sweep.
type Kept struct {
	Seed     uint64   `json:"seed"`
	Violated []string `json:"violated"`
	Folder   string   `json:"folder"`          // within the sweep's folder
	Story    []string `json:"story,omitempty"` // as in the run's folder
}

// Rate is how much faster than the wall the world's clock ran, over the seeds of a sweep.
type Rate struct {
	Median float64 `json:"median"`
	P10    float64 `json:"p10"` // a tenth of the seeds were slower
}

// NewSweep returns a sweep without seeds.
func NewSweep(scenario, world, seeds, shard string) *Sweep {
	return &Sweep{
		Scenario: scenario, World: world, Range: seeds, Shard: shard,
		Violated: map[string]int{}, FirstSeed: map[string]uint64{}, UnknownOf: map[string]int{},
		Observed: map[string]int{}, Coverage: map[string]int{}, Ratios: Ratios{},
	}
}

// Brief is the sweep without what only its folder needs: the buckets and the stories.
func (s *Sweep) Brief() *Sweep {
	b := *s
	b.Ratios = nil
	b.Kept = slices.Clone(s.Kept)
	for i := range b.Kept {
		b.Kept[i].Story = nil
	}
	return &b
}

// Finish works out the speeds. wallMS is the whole sweep's.
func (s *Sweep) Finish(wallMS float64) {
	s.WallMS = wallMS
	if wallMS > 0 {
		s.SeedsPerS = float64(s.Seeds) / wallMS * 1000
		s.EventsPerS = float64(s.Events) / wallMS * 1000
	}
	s.VirtualPerWall = Rate{Median: s.Ratios.Quantile(50), P10: s.Ratios.Quantile(10)}
}

// Merge adds the shards of one sweep together. They are taken to have run side by side: speeds
// add up.
func Merge(shards []*Sweep) (*Sweep, error) {
	if len(shards) == 0 {
		return nil, fmt.Errorf("no sweeps to merge")
	}
	first := shards[0]
	sum := NewSweep(first.Scenario, first.World, first.Range, "")
	seen := map[string]string{}
	for _, s := range shards {
		if s.Scenario != first.Scenario || s.World != first.World || s.Range != first.Range {
			return nil, fmt.Errorf("%s is a sweep of %s over seeds %s in the %s world, %s one of %s over %s in the %s world: only shards of one sweep merge",
				s.Results, s.Scenario, s.Range, s.World, first.Results, first.Scenario, first.Range, first.World)
		}
		if other, twice := seen[s.Shard]; twice {
			return nil, fmt.Errorf("%s and %s are the same shard %q: it would be counted twice", other, s.Results, s.Shard)
		}
		seen[s.Shard] = s.Results
		sum.add(s)
	}
	slices.SortFunc(sum.Kept, func(a, b Kept) int {
		if a.Seed < b.Seed {
			return -1
		}
		return 1
	})
	sum.VirtualPerWall = Rate{Median: sum.Ratios.Quantile(50), P10: sum.Ratios.Quantile(10)}
	sum.judge(shards)
	return sum, nil
}

func (s *Sweep) add(o *Sweep) {
	s.Seeds += o.Seeds
	s.Unknown += o.Unknown
	s.Inconclusive += o.Inconclusive
	s.Events += o.Events
	s.WallMS = max(s.WallMS, o.WallMS)
	s.SeedsPerS += o.SeedsPerS
	s.EventsPerS += o.EventsPerS
	s.Interrupted = s.Interrupted || o.Interrupted
	s.Breached = s.Breached || o.Breached
	s.Every = s.Every || o.Every
	addCounts(s.Violated, o.Violated)
	addCounts(s.UnknownOf, o.UnknownOf)
	addCounts(s.Observed, o.Observed)
	addCounts(s.Coverage, o.Coverage)
	addCounts(s.Ratios, o.Ratios)
	for id, seed := range o.FirstSeed {
		if have, ok := s.FirstSeed[id]; !ok || seed < have {
			s.FirstSeed[id] = seed
		}
	}
	s.Kept = append(s.Kept, o.Kept...)
}

// judge weighs the shards' expectations as the whole sweep would: a breach anywhere stands, then a
// verdict that is unknown. Otherwise the best shard decides, where any seed will do, or the worst,
// where every seed must show what is expected.
func (s *Sweep) judge(shards []*Sweep) {
	first := func(is func(*Sweep) bool) bool {
		i := slices.IndexFunc(shards, is)
		if i >= 0 {
			s.Expectation, s.Why = shards[i].Expectation, shards[i].Why
		}
		return i >= 0
	}
	if first(func(o *Sweep) bool { return o.Breached }) ||
		first(func(o *Sweep) bool { return o.Expectation == Inconclusive && o.Unknown > 0 }) {
		return
	}
	order := []string{Met, Inconclusive, NotMet}
	if s.Every {
		slices.Reverse(order)
	}
	for _, value := range order {
		if first(func(o *Sweep) bool { return o.Expectation == value }) {
			return
		}
	}
}

func addCounts[K comparable](sum, more map[K]int) {
	for k, n := range more {
		sum[k] += n
	}
}

// Ratios counts ratios of virtual to wall time in buckets a thirty-second of an octave wide, so
// that quantiles are good to 2 % and shards can be added.
type Ratios map[int]int

const perOctave = 32

// Add counts one run's ratio.
func (r Ratios) Add(virtualMS, wallMS float64) {
	if virtualMS > 0 && wallMS > 0 {
		r[int(math.Round(math.Log2(virtualMS/wallMS)*perOctave))]++
	}
}

// Quantile returns the ratio that percent of the runs do not exceed; 0 when there are none.
func (r Ratios) Quantile(percent int) float64 {
	total := 0
	for _, n := range r {
		total += n
	}
	rank := (total*percent + 99) / 100
	for _, bucket := range slices.Sorted(maps.Keys(r)) {
		if rank -= r[bucket]; rank <= 0 {
			return math.Round(math.Exp2(float64(bucket)/perOctave)*10) / 10
		}
	}
	return 0
}
