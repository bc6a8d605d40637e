package results

// Rule is an invariant in words, with the decision it comes from.
type Rule struct {
	ID, Name, Source string
}

// Rules lists the invariants in order. Source names the rule of the decision records that the
// invariant makes executable.
var Rules = []Rule{
	{"INV-01", "exclusive grants", "ADR-004 A4.2, claim"},
	{"INV-02", "one payment a payout", "ADR-007 D3, check 2"},
	{"INV-03", "true ledger", "ADR-004 A4.2, post"},
	{"INV-04", "nothing lost or stuck", "ADR-004 A4.3, ambiguous is a state"},
	{"INV-05", "no stale write", "ADR-007 D2 and D3, check 1"},
	{"INV-06", "intent before money", "ADR-007 D3, check 3"},
	{"INV-07", "a guard of its own", "ADR-007 D1 and D6"},
}

// RuleOf returns the rule of an invariant; an id that is not in Rules names itself.
func RuleOf(id string) Rule {
	for _, r := range Rules {
		if r.ID == id {
			return r
		}
	}
	return Rule{ID: id, Name: id}
}
