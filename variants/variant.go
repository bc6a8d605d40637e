// Package variants is the table of DESIGN 8 as data: the system with one decision switched to an
// alternative that an ADR rejects or that a field report shows to have failed, what must be found
// then, and under which faults. Beside each stands its control: the same plans on the full design.
package variants

import (
	"fmt"
	"strings"

	"dlsim/scenarios"
)

// Variant is one row.
type Variant struct {
	// Name is what the row is called everywhere.
	Name string
	// Title is the rejected idea in a few words.
	Title string
	// Rule is the decision that it breaks: "ADR-007 D3". Report is the field report that it
	// plants, "F12"; Breaks are that report's letters (MX, DS, LI, LP, SA, SW, TM).
	Rule, Report, Breaks string

	// Switch lists the settings that turn the design into the variant, as --set takes them.
	Switch []string
	// Plan is what variant and control have in common, as a scenario file has it: topology, workload,
	// and the faults, at random or placed.
	Plan string
	// Needs says in words which faults the hypothesis takes: "pause", "none".
	Needs string

	// Found must each be found in some seed: invariants, their kinds, or observations. Holds must
	// hold in every seed of the variant all the same.
	Found, Holds []string
	// Waived have no meaning in the variant. Never must not be seen in any of its seeds.
	Waived, Never []string
	// Against are settings of the control, where the full design does something else altogether.
	Against []string

	// Seeds is within how many seeds the search must have found everything.
	Seeds int

	// Uncontrolled says why there is no control: what is wrong is a fault, and no switch.
	Uncontrolled string
	// Refuted says what the runs show instead, where the hypothesis did not come true.
	Refuted string
	// Design is what the full design does differently at the step that goes wrong.
	Design string
}

// Scenario is the variant, ready for a sweep.
func (v *Variant) Scenario() (*scenarios.Scenario, error) {
	return v.scenario(v.Name, v.Title, v.Switch, func(s *scenarios.Scenario) {
		s.Expect = scenarios.Expect{Violated: v.Found, Holds: v.Holds, Never: v.Never, Waived: v.Waived}
		s.Tells = v.Tells()
	})
}

// Control is the same on the full design: whatever the variant is expected to show must not be
// seen. It is nil where the row has none.
func (v *Variant) Control() (*scenarios.Scenario, error) {
	if v.Uncontrolled != "" {
		return nil, nil
	}
	return v.scenario(v.Name+"-control", "the control of "+v.Name+": the same plans on the full design", v.Against, func(s *scenarios.Scenario) {
		s.Expect = scenarios.Expect{Never: v.Found}
	})
}

func (v *Variant) scenario(name, description string, settings []string, expect func(*scenarios.Scenario)) (*scenarios.Scenario, error) {
	text := fmt.Sprintf("name: %s\ndescription: %q\n%s", name, description, v.Plan)
	s, err := scenarios.Parse("variants/"+v.Name+".yaml", []byte(text), settings...)
	if err != nil {
		return nil, fmt.Errorf("variant %s: %w", v.Name, err)
	}
	expect(s)
	return s, nil
}

// Tells is what a run of the variant shows, in a sentence or two.
func (v *Variant) Tells() string {
	var b strings.Builder
	b.WriteString("Falls: " + strings.Join(v.Found, ", "))
	if len(v.Found) == 0 {
		b.WriteString("nothing")
	}
	if len(v.Holds) > 0 {
		b.WriteString(". Still holds: " + strings.Join(v.Holds, ", "))
	}
	b.WriteString(".")
	if v.Design != "" {
		b.WriteString(" The design: " + v.Design)
	}
	return b.String()
}

// Confirmed says whether the row's hypothesis came true.
func (v *Variant) Confirmed() bool { return v.Refuted == "" }

// All lists every row, those of DESIGN 8 first and in its order.
func All() []*Variant {
	var all []*Variant
	for _, group := range [][]Variant{guard, mark, writing, locks, shape, reports} {
		for i := range group {
			all = append(all, &group[i])
		}
	}
	return all
}

// Named finds a row, nil where there is none.
func Named(name string) *Variant {
	for _, v := range All() {
		if v.Name == name {
			return v
		}
	}
	return nil
}
