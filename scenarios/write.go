package scenarios

import (
	"fmt"
	"time"

	"dlsim/nemesis"

	"github.com/goccy/go-yaml"
)

// YAML writes the scenario as a file that reads back the same.
func (s *Scenario) YAML() ([]byte, error) {
	text, err := yaml.MarshalWithOptions(s,
		yaml.IndentSequence(true),
		yaml.CustomMarshaler(func(d time.Duration) ([]byte, error) { return []byte(nemesis.FormatDuration(d)), nil }),
		yaml.CustomMarshaler(func(f nemesis.Fault) ([]byte, error) { return []byte(f.String()), nil }),
	)
	if err != nil {
		return nil, fmt.Errorf("write scenario %s: %w", s.Name, err)
	}
	return text, nil
}

// As is the scenario with another list of faults, such as a plan made explicit.
func (s *Scenario) As(p nemesis.Plan) *Scenario {
	t := *s
	t.Faults = p.Faults
	return &t
}
