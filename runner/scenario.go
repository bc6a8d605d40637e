package runner

import (
	"bytes"
	"fmt"

	"dlsim/checker"
	"dlsim/history"
	"dlsim/nemesis"
	"dlsim/scenarios"
)

// Scenario is a scenario prepared for many seeds. Workers may share it.
type Scenario struct {
	*scenarios.Scenario
	resolver *scenarios.Resolver
	expect   checker.Expect
	claims   []Claim         // of the stored run that it repeats in another world
	course   []history.Event // the history of that run
}

// Prepare makes a scenario ready to run.
func Prepare(s *scenarios.Scenario) (*Scenario, error) {
	resolver, err := scenarios.NewResolver(s)
	if err != nil {
		return nil, err
	}
	return &Scenario{Scenario: s, resolver: resolver, expect: s.Expectation()}, nil
}

// Load reads a scenario by name or from a file, with settings such as "lock.ttl=5s", and prepares
// it.
func Load(nameOrPath string, settings ...string) (*Scenario, error) {
	s, err := scenarios.Load(nameOrPath, settings...)
	if err != nil {
		return nil, err
	}
	return Prepare(s)
}

// Job is one run made explicit: what a scenario and a seed come to.
type Job struct {
	Resolved *scenarios.Resolved
	Setup    Setup
	Plan     nemesis.Plan
	Params   checker.Params
}

// Job settles the scenario for a seed.
func (s *Scenario) Job(seed uint64) (*Job, error) {
	r, err := s.resolver.Resolve(seed)
	if err != nil {
		return nil, err
	}
	return &Job{
		Resolved: r,
		Setup:    Setup{Seed: seed, System: r.Config, Workload: r.Workload, Network: r.Network, Bound: r.Bound, Plan: r.Plan, Claims: s.claims, Course: s.course, Unpreempted: r.Unpreempted},
		Plan:     r.Plan,
		Params:   r.Params(),
	}, nil
}

// yaml writes the job as a scenario file that comes to the same run with the same seed.
func (j *Job) yaml() ([]byte, error) { return j.Resolved.As(j.Plan).YAML() }

// planYAML writes what struck, with names for symbols and an event for each time, so that it can
// be repeated where times differ; and who claimed which payout, in order.
func (j *Job) planYAML(faults []nemesis.Result, events []history.Event) []byte {
	var b bytes.Buffer
	explicit := j.Plan.Explicit(faults)
	fmt.Fprintf(&b, "seed: %d\nheal_by: %s\nfaults:", j.Setup.Seed, nemesis.FormatDuration(explicit.HealBy))
	if len(explicit.Faults) == 0 {
		b.WriteString(" []")
	}
	for _, f := range explicit.Faults {
		fmt.Fprintf(&b, "\n  - %s", f)
	}
	b.WriteString("\nclaims:")
	claims := 0
	for i := range events {
		if e := &events[i]; e.Op == history.PayoutClaim && e.Kind == history.OK {
			fmt.Fprintf(&b, "\n  - {payout: %q, account: %q, executor: %q, token: %d}", e.Payout, e.Account, e.Process, e.Token)
			claims++
		}
	}
	if claims == 0 {
		b.WriteString(" []")
	}
	b.WriteByte('\n')
	return b.Bytes()
}
