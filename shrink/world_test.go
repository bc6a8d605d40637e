package shrink

import (
	"slices"
	"strings"
	"testing"

	"dlsim/runner"
	"dlsim/scenarios"
)

const twoPayments = "INV-02/two-payments"

// explicit settles a seed of a shipped scenario with fencing switched off.
func explicit(t *testing.T, name string, seed uint64, sets ...string) Case {
	t.Helper()
	s, err := scenarios.Load(name, append(sets, "rail.proxy.fencing.enabled=false")...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Explicit(s, seed)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func small(t *testing.T, c Case) *Result {
	t.Helper()
	w := runner.NewWorker(runner.Virtual)
	defer w.Close()
	o := Default
	o.Work = runner.Virtual.Work
	r, err := Shrink(t.Context(), Probing(w, twoPayments), c, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAPauseAmongDecoysIsFoundInTheRealWorld(t *testing.T) {
	c := explicit(t, "fencing-off", 5, `faults=[
		{kind: slow, from: executor, to: proxy, at: 100ms, for: 300ms, extra: 20ms},
		{kind: pause, target: holder, on: {event: payout.submit, kind: invoke, nth: 2}, for: 12s},
		{kind: restart, target: lockd-1, at: 2s},
		{kind: reset, from: proxy, to: paydb, at: 3s, for: 50ms},
		{kind: clock-step, target: executor-2, at: 1s, step: 3s}]`)
	r := small(t, c)
	if r.Before.Faults != 5 || r.After.Faults != 1 || r.Scenario.Faults[0].Kind != "pause" {
		t.Fatalf("%+v: %v", r.After, r.Scenario.Faults)
	}
	if r.After.Payouts != 1 || r.After.Processes >= r.Before.Processes || !r.Minimal || !r.Bites {
		t.Errorf("%+v", r)
	}
	again := small(t, r.Case)
	text, _ := r.Scenario.YAML()
	if other, _ := again.Scenario.YAML(); string(other) != string(text) || again.Seed != r.Seed {
		t.Errorf("shrunk again, seed %d:\n%s\nwas seed %d:\n%s", again.Seed, other, r.Seed, text)
	}

	// The file by itself shows the same.
	file, err := Commented(r.Expecting(twoPayments, "why"), []string{"a head"})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := scenarios.Parse("small.yaml", file)
	if err != nil {
		t.Fatal(err)
	}
	if problems := scenarios.Lint(parsed); len(problems) > 0 {
		t.Error(problems)
	}
	prepared, err := runner.Prepare(parsed)
	if err != nil {
		t.Fatal(err)
	}
	w := runner.NewWorker(runner.Virtual)
	defer w.Close()
	done, err := w.Once(prepared, r.Seed, nil)
	if err != nil || done.Expectation != "met" || !slices.Contains(done.Violations(), "INV-02") {
		t.Errorf("%+v %v", done, err)
	}
	if !strings.HasPrefix(string(file), "# a head\nname: fencing-off-shrunk\n") {
		t.Errorf("%s", file)
	}
}

func TestRandomPlansShrinkToOnePause(t *testing.T) {
	w := runner.NewWorker(runner.Virtual)
	defer w.Close()
	found := 0
	for seed := uint64(1); seed <= 120 && found < 2; seed++ {
		c := explicit(t, "everything", seed)
		if seen, err := Probing(w, twoPayments)(c); err != nil {
			t.Fatal(err)
		} else if !seen.Shows {
			continue
		}
		found++
		if r := small(t, c); r.After.Faults > 1 || r.After.Payouts > 2 {
			t.Errorf("seed %d: %s, %v", seed, r.After, r.Scenario.Faults)
		}
	}
	if found == 0 {
		t.Error("no seed of 120 pays twice with fencing off")
	}
}
