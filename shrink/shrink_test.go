package shrink

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"dlsim/history"
	"dlsim/nemesis"
	"dlsim/scenarios"
	"dlsim/sim"
)

// fault is a hand-made fault with an id.
func fault(id int, kind, target string, d time.Duration) nemesis.Fault {
	return nemesis.Fault{ID: id, Kind: kind, Target: target, At: time.Second, For: d}
}

func plan(faults ...nemesis.Fault) *scenarios.Scenario {
	s := scenarios.Defaults()
	s.Name, s.Description, s.Faults = "plan", "a hand-made plan", faults
	s.Workload.List = []sim.Payout{
		{ID: "p1", Account: "a1", Amount: 5, Due: time.Second}, {ID: "p2", Account: "a2", Amount: 5}, {ID: "p3", Account: "a3", Amount: 7},
	}
	return &s
}

// fake is a world in which a case shows the violation exactly if the rule says so. Every fault
// strikes and bites, anchored at an event of its target's.
func fake(rule func(Case) bool) Probe {
	return func(c Case) (Seen, error) {
		seen := Seen{Shows: rule(c)}
		for _, f := range c.Scenario.Faults {
			seen.Faults = append(seen.Faults, nemesis.Result{Fault: f, Kind: f.Kind, Target: f.Target, Struck: true, Bit: true, StruckAt: f.At})
		}
		return seen, nil
	}
}

// has says whether the plan pauses the process for at least d.
func has(s *scenarios.Scenario, process string, d time.Duration) bool {
	return slices.ContainsFunc(s.Faults, func(f nemesis.Fault) bool {
		return f.Kind == "pause" && f.Target == process && f.For >= d
	})
}

func pays(s *scenarios.Scenario, id string) bool {
	return slices.ContainsFunc(s.Workload.List, func(p sim.Payout) bool { return p.ID == id })
}

var decoys = []nemesis.Fault{
	fault(1, "kill", "lockd-1", time.Second), fault(2, "pause", "executor-1", 9*time.Second),
	fault(3, "pause", "proxy-2", 4*time.Second), fault(4, "restart", "reconciler", 0),
	fault(5, "pause", "executor-2", 7*time.Second), fault(6, "disk-stall", "paydb", time.Second), fault(7, "kill", "proxy-1", time.Second),
}

func TestDecoysGoAndCausesStay(t *testing.T) {
	probe := fake(func(c Case) bool {
		s := c.Scenario
		return has(s, "executor-1", 5300*time.Millisecond) && has(s, "executor-2", 120*time.Millisecond) && pays(s, "p2") &&
			s.Topology.Executors >= 2 && s.Topology.Lockds >= 2
	})
	r, err := Shrink(t.Context(), probe, Case{plan(decoys...), 7}, Default)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Scenario.Faults) != 2 || r.Scenario.Faults[0].For != 5300*time.Millisecond || r.Scenario.Faults[1].For != 120*time.Millisecond {
		t.Errorf("faults %v", r.Scenario.Faults)
	}
	if r.Before.Faults != 7 || r.After.Faults != 2 || r.After.Payouts != 1 || r.After.Accounts != 1 || !r.Minimal || !r.Bites || r.Seed != 1 {
		t.Errorf("%+v", r)
	}
	to := r.Scenario.Topology
	if to.Executors != 2 || to.Proxies != 1 || to.Lockds != 2 || to.EtcdNodes != 1 || !r.Scenario.Network.Steady || !r.Scenario.Unpreempted {
		t.Errorf("topology %+v, network %+v", to, r.Scenario.Network)
	}
	for i, f := range r.Scenario.Faults {
		if f.ID != i+1 || f.At != 0 {
			t.Errorf("fault %d is %v: want the number %d and no time", i, f, i+1)
		}
	}
}

func TestNoFaultIsLeftWhereNoneIsNeeded(t *testing.T) {
	r, err := Shrink(t.Context(), fake(func(c Case) bool { return true }), Case{plan(decoys...), 3}, Default)
	if err != nil || r.After.Faults != 0 || r.After.Payouts != 1 || !strings.Contains(r.Proof("x", 5), "no fault at all") {
		t.Errorf("%+v %v", r, err)
	}
}

func TestWhatLuckLostIsFoundWithAnotherSeed(t *testing.T) {
	// Without its second pause the violation needs a seed that three divides.
	probe := fake(func(c Case) bool {
		return has(c.Scenario, "executor-1", 1) && (c.Seed%3 == 0 || has(c.Scenario, "executor-2", 1))
	})
	r, err := Shrink(t.Context(), probe, Case{plan(decoys...), 7}, Default)
	if err != nil || r.After.Faults != 1 || r.Seed != 3 || !r.Minimal {
		t.Errorf("%+v %v", r, err)
	}
	o := Default
	o.Seeds = 2
	if r, err = Shrink(t.Context(), probe, Case{plan(decoys...), 7}, o); err != nil || r.After.Faults != 2 {
		t.Errorf("with two seeds to try: %+v %v", r, err)
	}
}

func TestATimeBecomesAnEvent(t *testing.T) {
	on := at(history.PayoutSubmit, history.Invoke)
	probe := fake(func(c Case) bool {
		return len(c.Scenario.Faults) == 1 && (c.Scenario.Faults[0].At == time.Second || c.Scenario.Faults[0].On == on)
	})
	r, err := Shrink(t.Context(), probe, Case{plan(decoys[1]), 1}, Default)
	if err != nil || r.Scenario.Faults[0].On != on || r.Scenario.Faults[0].Target != nemesis.Actor {
		t.Errorf("%v %v", r.Scenario.Faults, err)
	}
	// Where only the moment itself will do, it stays.
	probe = fake(func(c Case) bool { return len(c.Scenario.Faults) == 1 && c.Scenario.Faults[0].At == time.Second })
	if r, err = Shrink(t.Context(), probe, Case{plan(decoys[1]), 1}, Default); err != nil || r.Scenario.Faults[0].At != time.Second {
		t.Errorf("%v %v", r.Scenario.Faults, err)
	}
}

func TestFaultsOnProcessesThatGoStrikeThoseThatStay(t *testing.T) {
	s := plan(fault(1, "pause", "executor-3", 8*time.Second))
	s.Topology.Executors = 3
	probe := fake(func(c Case) bool {
		return len(c.Scenario.Faults) == 1 && c.Scenario.Topology.Executors >= 2 && c.Scenario.Faults[0].Kind == "pause"
	})
	r, err := Shrink(t.Context(), probe, Case{s, 1}, Default)
	if err != nil || r.Scenario.Topology.Executors != 2 || r.Scenario.Faults[0].Target == "executor-3" {
		t.Errorf("%+v %v", r.Scenario.Faults, err)
	}
}

func TestShrinkingAgainChangesNothingAndEveryRunIsTheSame(t *testing.T) {
	probe := fake(func(c Case) bool {
		s := c.Scenario // not monotonic on purpose: an odd number of executors, or a long pause
		return has(s, "executor-1", time.Second) && (s.Topology.Executors%2 == 1 || has(s, "proxy-2", 3*time.Second)) && (c.Seed%2 == 0 || pays(s, "p3"))
	})
	first, err := Shrink(t.Context(), probe, Case{plan(decoys...), 4}, Default)
	if err != nil {
		t.Fatal(err)
	}
	text, err := first.Scenario.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Case{{plan(decoys...), 4}, first.Case} {
		again, err := Shrink(t.Context(), probe, c, Default)
		if err != nil {
			t.Fatal(err)
		}
		if other, _ := again.Scenario.YAML(); string(other) != string(text) || again.Seed != first.Seed {
			t.Errorf("seed %d\n%s\nwas seed %d\n%s", again.Seed, other, first.Seed, text)
		}
	}
}

func TestTheSearchEndsWhenItsRunsAreUsedUp(t *testing.T) {
	o := Default
	o.Runs = 12
	r, err := Shrink(t.Context(), fake(func(c Case) bool { return has(c.Scenario, "executor-1", 1) }), Case{plan(decoys...), 3}, o)
	if !errors.Is(err, ErrRuns) || r == nil || r.Runs != 12 || r.Minimal || !has(r.Scenario, "executor-1", 1) {
		t.Errorf("%+v %v", r, err)
	}
}

func TestCtrlCKeepsTheBestSoFar(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := Default
	o.Step = func(runs int) {
		if runs == 40 {
			cancel()
		}
	}
	r, err := Shrink(ctx, fake(func(c Case) bool { return has(c.Scenario, "executor-1", 1) }), Case{plan(decoys...), 3}, o)
	if !errors.Is(err, context.Canceled) || r == nil || len(r.Scenario.Faults) == len(decoys) || r.Minimal {
		t.Errorf("%+v %v", r, err)
	}
}

func TestWhatIsNotShownIsRefused(t *testing.T) {
	if _, err := Shrink(t.Context(), fake(func(Case) bool { return false }), Case{plan(decoys...), 3}, Default); !errors.Is(err, ErrNotShown) {
		t.Error(err)
	}
	broken := errors.New("no world")
	if _, err := Shrink(t.Context(), func(Case) (Seen, error) { return Seen{}, broken }, Case{plan(), 3}, Default); !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestFewestIsMinimalForEveryNeed(t *testing.T) {
	items := []int{0, 1, 2, 3, 4, 5, 6}
	for need := range 1 << len(items) {
		left := fewest(items, func(some []int) bool {
			for _, n := range items {
				if need>>n&1 == 1 && !slices.Contains(some, n) {
					return false
				}
			}
			return true
		})
		for _, n := range items {
			if slices.Contains(left, n) != (need>>n&1 == 1) {
				t.Fatalf("need %b: left %v", need, left)
			}
		}
	}
}
