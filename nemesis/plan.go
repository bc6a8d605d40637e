package nemesis

import (
	"fmt"
	"time"

	"dlsim/sim"
)

// Plan is the explicit list of faults of one run.
type Plan struct {
	Faults []Fault `yaml:"faults,omitempty" json:"faults,omitempty"`
	// HealBy is the true time at which whatever still stands is healed and whatever has not struck
	// is given up, so that the demand for progress has a beginning. 0 sets no such time.
	HealBy time.Duration `yaml:"heal_by,omitempty" json:"heal_by,omitempty"`
}

// Numbered returns the plan with an ID on every fault. IDs that are there stay, since a fault
// keeps its draws by its ID when others are taken out of the plan.
func (p Plan) Numbered() Plan {
	p.Faults = append([]Fault(nil), p.Faults...)
	number(p.Faults)
	return p
}

func number(faults []Fault) {
	highest := 0
	for i := range faults {
		highest = max(highest, faults[i].ID)
	}
	for i := range faults {
		if faults[i].ID == 0 {
			highest++
			faults[i].ID = highest
		}
	}
}

// Validate reports the first fault that cannot be carried out in topology t.
func (p Plan) Validate(t sim.Topology) error {
	if p.HealBy < 0 {
		return fmt.Errorf("heal_by is negative: %s", FormatDuration(p.HealBy))
	}
	for i := range p.Faults {
		f := &p.Faults[i]
		if err := f.Validate(t); err != nil {
			return fmt.Errorf("fault %d: %w", i+1, err)
		}
		for j := range i {
			if f.ID != 0 && p.Faults[j].ID == f.ID {
				return fmt.Errorf("fault %d: id %d is taken by an earlier fault", i+1, f.ID)
			}
		}
	}
	return nil
}
