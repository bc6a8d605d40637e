package runner

import (
	"slices"

	"dlsim/checker"
	"dlsim/nemesis"
)

// idleFault names a listed fault that never bit, or returns "". Random faults are judged by the
// coverage of the whole sweep instead. The history shows only the faults that struck; the nemesis
// knows the others too.
func idleFault(e *checker.Expect, faults []nemesis.Result) string {
	if !e.FaultsListed {
		return ""
	}
	for i := range faults {
		if f := &faults[i]; !f.Bit {
			return f.Kind + " on " + f.Target + " never bit: " + f.Why
		}
	}
	return ""
}

// judgeRun says whether one run meets the expectation. What must not be and was seen stands; what
// was not found proves nothing where a listed fault never bit, and that fault is the reason to give.
func judgeRun(e *checker.Expect, r *checker.Report, idle string) (checker.Result, string) {
	value, why := e.Evaluate(r)
	if idle == "" || value == checker.NotMet && breaches(e, r) {
		return value, why
	}
	return checker.Inconclusive, idle
}

// breaches says whether a run by itself shows what the scenario says must not be.
func breaches(e *checker.Expect, r *checker.Report) bool {
	if slices.ContainsFunc(e.Never, r.Shows) || slices.ContainsFunc(e.Holds, r.Shows) {
		return true
	}
	return len(e.Violated) == 0 && len(r.Violated()) > 0
}

// sweepTally judges a sweep. Whether faults bit and what was exercised is asked of all its seeds
// together: a listed fault may miss in some. A seed whose listed faults missed counts only for
// what it broke, since being clean proves nothing.
type sweepTally struct {
	tally checker.Tally
	idle  string // why the first idle seed was
}

func newSweepTally(e checker.Expect) *sweepTally {
	e.FaultsListed = false
	return &sweepTally{tally: checker.Tally{Expect: e}}
}

func (t *sweepTally) add(r *checker.Report, idle string) {
	if idle != "" && len(r.Violated()) == 0 && !breaches(&t.tally.Expect, r) {
		if t.idle == "" {
			t.idle = idle
		}
		return
	}
	t.tally.Add(r)
}

func (t *sweepTally) result() (checker.Result, string) {
	if t.tally.Runs == 0 && t.idle != "" {
		return checker.Inconclusive, "no seed proves anything: " + t.idle
	}
	return t.tally.Result()
}
