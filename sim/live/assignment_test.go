package live

import (
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim"
)

func TestAnExecutorIsShownItsNextPayoutOnceThoseOfItsAccountBeforeItHaveBeenClaimed(t *testing.T) {
	w := &World{begun: time.Now(), running: true, picks: map[string]uint64{}, queue: newQueue()}
	one, two, three := &process{w: w, name: "executor-1", role: sim.RoleExecutor}, &process{w: w, name: "executor-2", role: sim.RoleExecutor}, &process{w: w, name: "executor-3", role: sim.RoleExecutor}
	w.processes = []*process{one, two, three}
	w.assign([]Claim{{"a", "x", "executor-1"}, {"b", "y", "executor-1"}, {"c", "x", "executor-2"}})
	want := func(when, first, second string) {
		t.Helper()
		if one.show.Payout != first || two.show.Payout != second || three.show.Payout != "" {
			t.Errorf("%s: shown %q, %q and %q", when, one.show.Payout, two.show.Payout, three.show.Payout)
		}
	}
	claim := func(executor, payout string, k history.Kind) {
		w.record(&history.Event{Process: executor, Op: history.PayoutClaim, Kind: k, Payout: payout})
	}
	want("at first", "a", "")
	claim("executor-1", "a", history.Fail)
	want("after a claim that failed", "a", "")
	claim("executor-1", "a", history.OK)
	want("after the first claim", "b", "c")
	claim("executor-2", "c", history.OK)
	want("after the second of the account", "b", "")
	w.begun = w.begun.Add(-2 * patience)
	w.assignment.look()
	if !one.show.All || !three.show.All {
		t.Error("it waits for ever")
	}
}
