package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"dlsim/nemesis"
	"dlsim/sim"

	"github.com/goccy/go-yaml"
)

// Brief writes the scenario as a file that reads back the same and names only what differs from
// Defaults: what a person would write, and less safe against a change of the defaults than YAML.
func (s *Scenario) Brief() ([]byte, error) {
	plain := Defaults()
	t := *s
	t.Faults = unnumbered(s.Faults)
	text, err := yaml.MarshalWithOptions(changes(reflect.ValueOf(&t).Elem(), reflect.ValueOf(&plain).Elem()),
		yaml.IndentSequence(true),
		yaml.CustomMarshaler(func(d time.Duration) ([]byte, error) { return []byte(nemesis.FormatDuration(d)), nil }),
		yaml.CustomMarshaler(func(f nemesis.Fault) ([]byte, error) { return []byte(f.String()), nil }),
		yaml.CustomMarshaler(func(p sim.Payout) ([]byte, error) {
			line := fmt.Sprintf("{id: %s, account: %s, amount: %d", p.ID, p.Account, p.Amount)
			if p.Due > 0 {
				line += ", due: " + nemesis.FormatDuration(p.Due)
			}
			return []byte(line + "}"), nil
		}),
	)
	if err != nil {
		return nil, fmt.Errorf("write scenario %s: %w", s.Name, err)
	}
	return text, nil
}

// changes lists the fields of v that differ from those of plain, in their order.
func changes(v, plain reflect.Value) yaml.MapSlice {
	var list yaml.MapSlice
	theirs := fieldsOf(plain)
	for i, f := range fieldsOf(v) {
		if reflect.DeepEqual(f.value.Interface(), theirs[i].value.Interface()) {
			continue
		}
		value := f.value.Interface()
		if f.value.Kind() == reflect.Struct {
			value = changes(f.value, theirs[i].value)
		}
		list = append(list, yaml.MapItem{Key: f.name, Value: value})
	}
	return list
}

// unnumbered takes the ids away where numbering would give them again.
func unnumbered(faults []nemesis.Fault) []nemesis.Fault {
	for i, f := range faults {
		if f.ID != i+1 {
			return faults
		}
	}
	faults = slices.Clone(faults)
	for i := range faults {
		faults[i].ID = 0
	}
	return faults
}
