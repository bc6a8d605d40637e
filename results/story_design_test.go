package results

import (
	"testing"

	"dlsim/checker"
)

func TestEveryViolationHasItsRuleAndItsAnswer(t *testing.T) {
	names := append([]string(nil), checker.Invariants[:]...)
	for _, name := range append(names, checker.Observed[:]...) {
		if RuleOf(name).Source == "" {
			t.Errorf("%s names no rule of the decision records", name)
		}
		if designFor(&Verdict{ID: name}) == "" {
			t.Errorf("%s has no answer of the full design", name)
		}
	}
	if kind := designFor(&Verdict{ID: "INV-04", Kinds: []string{"stuck"}}); kind == designFor(&Verdict{ID: "INV-04"}) {
		t.Errorf("a kind has the answer of its invariant: %s", kind)
	}
	if designFor(&Verdict{ID: "INV-02", Kinds: []string{"a new kind"}}) != designs["INV-02"] {
		t.Error("a kind without an answer of its own has not that of its invariant")
	}
}
