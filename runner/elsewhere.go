package runner

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"dlsim/nemesis"
	"dlsim/results"
	"dlsim/sim"

	"github.com/goccy/go-yaml"
)

// Claim is one line of a stored plan's assignment: which executor claimed which payout, in order.
type Claim struct {
	Payout   string `yaml:"payout"`
	Account  string `yaml:"account"`
	Executor string `yaml:"executor"`
	Token    int64  `yaml:"token"`
}

// storedPlan is a run's plan.yaml: the faults as they struck, each at an anchor.
type storedPlan struct {
	Seed   uint64          `yaml:"seed"`
	HealBy string          `yaml:"heal_by"`
	Faults []nemesis.Fault `yaml:"faults"`
	Claims []Claim         `yaml:"claims"`
}

// Elsewhere is what became of a stored run in another world.
type Elsewhere struct {
	Done   *Done
	Stored *results.Stored
	// Missing names the invariants that fell in the stored run and not in this one; More those that
	// fell in this one only.
	Missing, More []string
}

// Again says whether what fell before fell again.
func (e *Elsewhere) Again() bool { return len(e.Missing) == 0 }

// RepeatElsewhere takes a stored run to another world: its system, its workload, and its plan with
// every fault at its anchor and with room to be met, since times differ there. Executors are asked to take up the payouts
// that they claimed in the stored run, in that order. Nothing compares step by step; what is
// compared is what fell.
func RepeatElsewhere(launch Launch, s *Scenario, stored *results.Stored, newFolder func() (*results.Folder, error)) (*Elsewhere, error) {
	p, err := readPlan(filepath.Join(stored.Path, results.PlanFile))
	if err != nil {
		return nil, err
	}
	there := *s.Scenario
	several := func(role string) bool { return role == sim.RoleProxy && s.Topology.Proxies > 1 }
	there.Faults = nil
	for _, f := range p.Faults {
		until := untilOf(stored.Events, f)
		f = roomier(byPayout(stored.Events, f), several)
		f.Until = until
		there.Faults = append(there.Faults, f)
	}
	prepared, err := Prepare(&there)
	if err != nil {
		return nil, err
	}
	prepared.claims, prepared.course = p.Claims, stored.Events
	w := NewWorker(launch)
	defer w.Close()
	done, err := w.Once(prepared, stored.Judgement.Seed, newFolder)
	if err != nil {
		return nil, err
	}
	e := &Elsewhere{Done: done, Stored: stored}
	before, now := stored.Judgement.Violations(), done.Violations()
	for _, id := range before {
		if !slices.Contains(now, id) {
			e.Missing = append(e.Missing, id)
		}
	}
	for _, id := range now {
		if !slices.Contains(before, id) {
			e.More = append(e.More, id)
		}
	}
	return e, nil
}

func readPlan(path string) (*storedPlan, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", results.ErrFolder, err)
	}
	var p storedPlan
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&p); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", results.ErrFolder, path, err)
	}
	return &p, nil
}
