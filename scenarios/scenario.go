package scenarios

import (
	"time"

	"dlsim/checker"
	"dlsim/nemesis"
	"dlsim/sim"
	"dlsim/system/config"
)

// Scenario is a scenario file.
type Scenario struct {
	// Name is what the scenario is called; the name of its file where that is left out.
	Name string `yaml:"name,omitempty" json:"name,omitempty"`
	// Description is what happens, in one line.
	Description string `yaml:"description,omitempty" json:"description,omitempty"`
	// Tells says what the outcome means: for a scenario that breaks something, what falls and what
	// still holds.
	Tells string `yaml:"tells,omitempty" json:"tells,omitempty"`
	// Design is what the full design does differently at the step that goes wrong: the last line of
	// the scenario's stories. Where it is empty they take the answer to the kind of violation.
	Design string `yaml:"design,omitempty" json:"design,omitempty"`

	config.Config `yaml:",inline"`

	Workload sim.Workload `yaml:"workload" json:"workload"`
	Network  sim.Network  `yaml:"network" json:"network"`

	// Unpreempted lets every task run on at its decision points, for runs that need no luck there
	// (virtual world only).
	Unpreempted bool `yaml:"unpreempted,omitempty" json:"unpreempted,omitempty"`

	// Bound ends a run, in true time. HealBy ends all faults, and Progress is how long after the
	// last heal and the horizon every payout may take to become final: the two phases of a run.
	Bound    time.Duration `yaml:"bound" json:"bound"`
	HealBy   time.Duration `yaml:"heal_by" json:"heal_by"`
	Progress time.Duration `yaml:"progress" json:"progress"`

	// Draw lists, for settings by their path, the values that each seed draws from.
	Draw map[string][]Choice `yaml:"draw,omitempty" json:"draw,omitempty"`
	// Faults are the listed ones, in every seed the same.
	Faults []nemesis.Fault `yaml:"faults,omitempty" json:"faults,omitempty"`
	// Random asks for random faults, by kind: the expected number in a run.
	Random Random `yaml:"random,omitempty" json:"random,omitempty"`
	// Breaks names the assumptions of DESIGN 2.5 that the scenario breaks on purpose: a, b, c.
	Breaks []string `yaml:"breaks,omitempty" json:"breaks,omitempty" jsonschema:"enum=a,enum=b,enum=c"`

	Expect Expect `yaml:"expect,omitempty" json:"expect,omitempty"`
	// MustExercise names what a run, or a sweep of random ones, must have exercised to prove anything.
	MustExercise []string `yaml:"must_exercise,omitempty" json:"must_exercise,omitempty"`

	// DrawnFrom is the seed that settled a scenario with something to draw: its faults are listed,
	// but chance listed them, and a run is not judged by whether each one bit.
	DrawnFrom *uint64 `yaml:"drawn_from,omitempty" json:"drawn_from,omitempty"`

	file  string
	lines map[string]int
}

// Choice is one value to draw, as it is written.
type Choice string

// UnmarshalYAML takes any scalar.
func (c *Choice) UnmarshalYAML(text []byte) error {
	*c = Choice(text)
	return nil
}

// Random holds rates by kind of fault, and two settings among them.
type Random map[string]nemesis.Share

// The settings among the rates of Random.
const (
	Intensity = "intensity" // multiplies every rate
	OnEvents  = "on_events" // share of the faults that are placed on events rather than at times
)

// Rates are the rates without the settings among them.
func (r Random) Rates() nemesis.Rates {
	rates := nemesis.Rates{Intensity: nemesis.Whole, OnEvents: nemesis.Whole * 2 / 5, Kinds: map[string]nemesis.Share{}}
	for name, share := range r {
		switch name {
		case Intensity:
			rates.Intensity = share.Rate
		case OnEvents:
			rates.OnEvents = share.Rate
		default:
			rates.Kinds[name] = share
		}
	}
	return rates
}

// Expect is what a scenario expects of its runs. Names are invariants (INV-02), their kinds of
// violation (INV-04/written-off-then-paid) or observations (lease-overrun). What is not listed must
// hold where Violated is empty, and is free otherwise.
type Expect struct {
	Violated []string `yaml:"violated,omitempty" json:"violated,omitempty"`
	Holds    []string `yaml:"holds,omitempty" json:"holds,omitempty"`
	Never    []string `yaml:"never,omitempty" json:"never,omitempty"`
	In       string   `yaml:"in,omitempty" json:"in,omitempty" jsonschema:"enum=any,enum=every"`
	// Waived names invariants that mean nothing in this variant of the system.
	Waived []string `yaml:"waived,omitempty" json:"waived,omitempty"`
}

// Defaults is the full design with timings short enough for a run to show everything in a minute:
// a rail that is late by seconds, and a horizon that just covers it. Files are read over it.
func Defaults() Scenario {
	c := config.Defaults()
	c.Rail.MaxDelay = 2 * time.Second
	c.Rail.StatementDelay = time.Second
	c.Reconciler.Stale = 3 * time.Second
	c.Reconciler.Horizon = 20 * time.Second
	return Scenario{
		Config: c,
		Workload: sim.Workload{
			Accounts: 4, Payouts: 12, Opening: 1_000_000, AmountMin: 100, AmountMax: 500, Spread: 5 * time.Second,
		},
		Network:  sim.Network{Latency: time.Millisecond, MessageLifetime: 5 * time.Second},
		Bound:    60 * time.Second,
		HealBy:   20 * time.Second,
		Progress: 15 * time.Second,
	}
}

// Expectation is the scenario's expectation in the checker's terms.
func (s *Scenario) Expectation() checker.Expect {
	return checker.Expect{
		Violated: s.Expect.Violated, Holds: s.Expect.Holds, Never: s.Expect.Never, In: s.Expect.In,
		MustExercise: s.MustExercise,
		FaultsListed: len(s.Random) == 0 && s.DrawnFrom == nil,
	}
}

// Params are what the checker judges a run of the scenario by.
func (s *Scenario) Params() checker.Params {
	return checker.Params{
		TTL: s.Lock.TTL, Horizon: s.Reconciler.Horizon, Progress: s.Progress,
		InFlight: s.Network.MessageLifetime + s.Rail.MaxDelay,
		Waived:   s.Expect.Waived,
	}
}

// Plan is the plan of the listed faults.
func (s *Scenario) Plan() nemesis.Plan {
	return nemesis.Plan{Faults: s.Faults, HealBy: s.HealBy}.Numbered()
}
