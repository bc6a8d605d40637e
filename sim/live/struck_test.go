package live

import (
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/system/config"
)

// The strike comes from within the reading of the record: on an event of the store itself. The rows
// that were left to take up still come, each once and in order.
func TestAStoreThatIsStruckWhileItsRecordIsReadTellsAllOfIt(t *testing.T) {
	needPostgres(t)
	w, err := New(t.Context(), calm(config.BackendPostgres))
	if err != nil {
		t.Fatal(err)
	}
	crashes, struck := 0, false
	w.Observe(func(e *history.Event) {
		if e.Op == history.ProcessStarted && e.Owner == sim.Paydb { // it has recovered
			w.After(0, func() {
				stalled, err := w.Store(sim.Paydb, sim.StoreAct{Kind: sim.Stall})
				if err != nil {
					t.Error(err)
					return
				}
				w.After(200*time.Millisecond, func() {
					stalled.Heal()
					struck = false
				})
			})
		}
		// One strike at a time: the world refuses a second while the stall of the first still stands.
		if e.Op != history.PayoutWritten || e.State != "POSTED" || crashes == 2 || struck {
			return
		}
		crashes++
		struck = true
		down, err := w.Store(sim.Paydb, sim.StoreAct{Kind: sim.Crash})
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := w.Store(sim.Paydb, sim.StoreAct{Kind: sim.Stall}); err == nil {
			t.Error("a database that is down was stalled")
		}
		if _, err := w.Store(sim.Paydb, sim.StoreAct{Kind: sim.BackendKill}); err == nil {
			t.Error("a database that is down lost a session")
		}
		w.After(300*time.Millisecond, down.Heal)
		if crashes == 2 {
			w.After(time.Second, func() { w.Record(history.Event{Process: "nemesis", Kind: history.Info, Op: history.AllHealed}) })
		}
	})
	out := w.Run()
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	if !out.Quiescent || crashes != 2 {
		t.Errorf("quiescent %t, %d crashes", out.Quiescent, crashes)
	}
	state, entries := map[string]string{}, map[string]int{}
	for _, e := range out.Events {
		switch e.Op {
		case history.PayoutWritten:
			if was := state[e.Payout]; was != e.PriorState {
				t.Errorf("%s goes from %q to %q, and was %q", e.Payout, e.PriorState, e.State, was)
			}
			state[e.Payout] = e.State
		case history.LedgerWritten:
			entries[e.Payout+e.State]++
		}
	}
	for id, s := range state {
		if s != "POSTED" || entries[id+"DEBIT"] != 1 || entries[id+"CREDIT"] != 1 {
			t.Errorf("%s is %s with %d debits and %d credits in the history", id, s, entries[id+"DEBIT"], entries[id+"CREDIT"])
		}
	}
}
