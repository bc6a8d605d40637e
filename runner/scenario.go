package runner

import (
	"dlsim/checker"
	"dlsim/nemesis"
)

// Scenario is what the runner asks of a scenario.
type Scenario struct {
	Name        string
	Description string
	Expect      checker.Expect
	// Resolve makes the seed's job, with an explicit plan.
	Resolve func(seed uint64) (*Job, error)
	// YAML writes the job as a scenario file that comes to the same run.
	YAML func(*Job) ([]byte, error)
	// PlanYAML writes the plan as it really struck, fit for another world.
	PlanYAML func(*Job, []nemesis.Result) ([]byte, error)
}
