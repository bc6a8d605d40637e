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

// observed names the decision that an observation speaks to.
var observed = map[string]string{
	"superseded-claim":        "ADR-004 A4.2, submit",
	"duplicate-attempted":     "ADR-007 7.3 and 7.5",
	"lease-overrun":           "ADR-004 A4.2: nothing trusts a lease",
	"token-regress":           "ADR-007 D3, check 1",
	"refused-while-paydb-up":  "ADR-007 D6",
	"illegal-change":          "ADR-004 A4.3: states, and who may change them",
	"failed-without-cause":    "ADR-004 A4.3, ambiguous is a state",
	"posted-before-paid":      "ADR-004 A4.2, post",
	"false-answer":            "ADR-004 A4.3, ambiguous is a state",
	"waits-for-cycle":         "ADR-004 A4.4, transfer",
	"released-by-another":     "DESIGN 2.1",
	"stale-called-duplicate":  "ADR-007 D3, the order",
	"holder-fenced-out":       "ADR-007 7.5, a second rail",
	"unclaimed-submission":    "DESIGN 2.3, claim before submission",
	"forward-cut-short":       "ADR-007 D4, one call and its outcome",
	"left-open":               "DESIGN 3, two records",
	"payment-voided":          "ADR-004 A4.5, the rail gains a void",
	"double-payment-standing": "ADR-004 A4.5, the rail gains a void",
	"payment-vanished":        "ADR-004 A4.4, a sent table in the database",
}

// RuleOf returns the rule of an invariant; an id that is not in Rules names itself.
func RuleOf(id string) Rule {
	for _, r := range Rules {
		if r.ID == id {
			return r
		}
	}
	return Rule{ID: id, Name: id, Source: observed[id]}
}
