package results

import "dlsim/checker"

// Rule is an invariant in words, with the decision it comes from.
type Rule struct {
	ID, Name, Source string
}

// sources names, in the order of checker.Invariants, the rule of the decision records that each
// invariant makes executable.
var sources = [len(checker.Invariants)]string{
	"ADR-004 A4.2, claim",
	"ADR-007 D3, check 2",
	"ADR-004 A4.2, post",
	"ADR-004 A4.3, ambiguous is a state",
	"ADR-007 D2 and D3, check 1",
	"ADR-007 D3, check 3",
	"ADR-007 D1 and D6",
}

// Rules lists the invariants in order.
var Rules = func() (rules [len(checker.Invariants)]Rule) {
	for i, id := range checker.Invariants {
		rules[i] = Rule{id, checker.InvariantNames[i], sources[i]}
	}
	return rules
}()

// RuleOf returns the rule of an invariant; an id that is not in Rules names itself.
func RuleOf(id string) Rule {
	for _, r := range Rules {
		if r.ID == id {
			return r
		}
	}
	return Rule{ID: id, Name: id}
}
