package checker

import (
	"strings"
	"testing"
)

// report makes a report whose invariants all hold but for those given.
func report(verdicts map[string]Verdict, observed ...string) *Report {
	var r Report
	for i, id := range Invariants {
		r.Invariants[i] = Judgement{ID: id, Verdict: Holds, Judged: 1}
		if v, ok := verdicts[id]; ok {
			r.Invariants[i].Verdict, r.Invariants[i].Reason = v, "reason of "+id
			if v == Violated {
				r.Invariants[i].Violations = []Violation{{Kind: "kind-of-" + id, Sentence: "sentence of " + id}}
			}
		}
	}
	for i, name := range Observed {
		r.Observations[i].Name = name
	}
	for _, name := range observed {
		o := r.Observation(name)
		o.Count, o.Sentence = 1, "sentence of "+name
	}
	return &r
}

func exercised(r *Report, x Exercise) *Report { r.Coverage.counts[x]++; return r }

func TestExpectationsOfOneRun(t *testing.T) {
	type V = map[string]Verdict
	for _, c := range []struct {
		name   string
		expect Expect
		run    *Report
		want   Result
		why    string
	}{
		{"nothing expected, all hold", Expect{}, report(nil), Met, ""},
		{"nothing expected, one violated", Expect{}, report(V{OnePayment: Violated}), NotMet, "sentence of INV-02"},
		{"nothing expected, one unknown", Expect{}, report(V{OnePayment: Unknown}), Inconclusive, "reason of INV-02"},
		{"nothing expected, one n/a", Expect{}, report(V{OnePayment: NA}), Met, ""},
		{"a violation beats an unknown", Expect{}, report(V{ExclusiveGrants: Unknown, OnePayment: Violated}), NotMet, "INV-02"},
		{"expected and shown", Expect{Violated: []string{OnePayment}}, report(V{OnePayment: Violated}), Met, ""},
		{"expected and not shown", Expect{Violated: []string{OnePayment}}, report(nil), NotMet, "INV-02 was expected and was not found"},
		{"expected and unknown", Expect{Violated: []string{OnePayment}}, report(V{OnePayment: Unknown}), Inconclusive, "INV-02"},
		{"expected and n/a", Expect{Violated: []string{OnePayment}}, report(V{OnePayment: NA}), NotMet, "INV-02"},
		{"others are free when something is expected", Expect{Violated: []string{OnePayment}},
			report(V{OnePayment: Violated, TrueLedger: Violated, NothingLost: Unknown}), Met, ""},
		{"listed as holding and violated", Expect{Violated: []string{OnePayment}, Holds: []string{TrueLedger}},
			report(V{OnePayment: Violated, TrueLedger: Violated}), NotMet, "INV-03"},
		{"listed as holding and unknown", Expect{Violated: []string{OnePayment}, Holds: []string{TrueLedger}},
			report(V{OnePayment: Violated, TrueLedger: Unknown}), Inconclusive, "INV-03"},
		{"listed as holding and n/a", Expect{Holds: []string{TrueLedger}}, report(V{TrueLedger: NA}), Inconclusive, "INV-03"},
		{"one of two expected", Expect{Violated: []string{OnePayment, NoStaleWrite}}, report(V{OnePayment: Violated}), NotMet, "INV-05"},
		{"expected with its kind", Expect{Violated: []string{"INV-02/kind-of-INV-02"}}, report(V{OnePayment: Violated}), Met, ""},
		{"expected with another kind", Expect{Violated: []string{"INV-02/other"}}, report(V{OnePayment: Violated}), NotMet, "INV-02/other"},
		{"an observation expected and seen", Expect{Violated: []string{LeaseOverrun}}, report(nil, LeaseOverrun), Met, ""},
		{"an observation expected and not seen", Expect{Violated: []string{LeaseOverrun}}, report(nil), NotMet, LeaseOverrun},
		{"an observation that is allowed", Expect{}, report(nil, LeaseOverrun), Met, ""},
		{"an observation that must never be", Expect{Never: []string{LeaseOverrun}}, report(nil, LeaseOverrun), NotMet, "sentence of lease-overrun"},
		{"another observation than that", Expect{Never: []string{LeaseOverrun}}, report(nil, SupersededClaim), Met, ""},
		{"a fault that met nothing", Expect{FaultsListed: true}, exercised(report(nil), FaultMissed), Inconclusive, "1 of 1 faults"},
		{"the same with a random plan", Expect{}, exercised(report(nil), FaultMissed), Met, ""},
		{"a violation although a fault met nothing", Expect{FaultsListed: true}, exercised(report(V{OnePayment: Violated}), FaultMissed), NotMet, "INV-02"},
		{"not shown because a fault met nothing", Expect{FaultsListed: true, Violated: []string{OnePayment}}, exercised(report(nil), FaultMissed), Inconclusive, "faults"},
		{"what must be exercised was not", Expect{FaultsListed: true, MustExercise: []string{"lease-lost"}}, report(nil), Inconclusive, "lease-lost"},
		{"what must be exercised was", Expect{FaultsListed: true, MustExercise: []string{"lease-lost"}}, exercised(report(nil), LeaseLost), Met, ""},
		{"what must never be exercised was", Expect{Never: []string{"lease-lost"}}, exercised(report(nil), LeaseLost), NotMet, "lease-lost was exercised"},
		{"what must never be exercised was not", Expect{Never: []string{"lease-lost"}}, exercised(report(nil), Paused), Met, ""},
		{"a random plan is asked per sweep", Expect{MustExercise: []string{"lease-lost"}}, report(nil), Met, ""},
	} {
		if err := c.expect.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		got, why := c.expect.Evaluate(c.run)
		if got != c.want || !strings.Contains(why, c.why) || (got == Met) != (why == "") {
			t.Errorf("%s: %s (%s), want %s (%s)", c.name, got, why, c.want, c.why)
		}
	}
}

func TestExpectationsOfASweep(t *testing.T) {
	bad, good, open := report(map[string]Verdict{OnePayment: Violated}), report(nil), report(map[string]Verdict{OnePayment: Unknown})
	for _, c := range []struct {
		name   string
		expect Expect
		runs   []*Report
		want   Result
	}{
		{"no run at all", Expect{}, nil, Inconclusive},
		{"any seed shows it", Expect{Violated: []string{OnePayment}, In: InAny}, []*Report{good, bad, good}, Met},
		{"not every seed shows it", Expect{Violated: []string{OnePayment}, In: InEvery}, []*Report{good, bad}, NotMet},
		{"every seed shows it", Expect{Violated: []string{OnePayment}, In: InEvery}, []*Report{bad, bad}, Met},
		{"every seed that can be judged shows it", Expect{Violated: []string{OnePayment}, In: InEvery}, []*Report{bad, open}, Inconclusive},
		{"two seeds show one each", Expect{Violated: []string{OnePayment, LeaseOverrun}}, []*Report{bad, report(nil, LeaseOverrun)}, Met},
		{"one seed of many must not violate", Expect{}, []*Report{good, good, bad}, NotMet},
		{"one seed of many is unknown", Expect{}, []*Report{good, open}, Inconclusive},
		{"some seed exercised it", Expect{MustExercise: []string{"lease-lost"}}, []*Report{good, exercised(report(nil), LeaseLost)}, Met},
		{"no seed exercised it", Expect{MustExercise: []string{"lease-lost"}}, []*Report{good, good}, Inconclusive},
	} {
		tally := Tally{Expect: c.expect}
		for _, r := range c.runs {
			tally.Add(r)
		}
		if got, why := tally.Result(); got != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, got, why, c.want)
		}
	}
}

func TestExpectationsNameOnlyWhatExists(t *testing.T) {
	for _, e := range []Expect{
		{Violated: []string{"INV-08"}}, {Holds: []string{"INV-1"}}, {Never: []string{"lease overrun"}},
		{Holds: []string{LeaseOverrun}}, {Violated: []string{"lease-lost"}}, {Holds: []string{"INV-04/stuck"}}, {MustExercise: []string{"luck"}}, {In: "some"},
	} {
		if e.Check() == nil {
			t.Errorf("%+v is accepted", e)
		}
	}
}
