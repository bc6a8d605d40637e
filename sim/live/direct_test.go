package live

import (
	"testing"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/system/config"
)

// The first payment is declined, and none after the instruction has been taken back.
func TestAnInstructionEndsWhenItIsHealed(t *testing.T) {
	needPostgres(t)
	w, err := New(t.Context(), calm(config.BackendEtcd))
	if err != nil {
		t.Fatal(err)
	}
	var declines sim.Effect
	begun := false
	w.Observe(func(e *history.Event) {
		if begun || e.Op != history.ProxyAdmit || e.Kind != history.OK {
			return
		}
		begun = true
		if declines, err = w.Direct(sim.RoleRail, "rail", "decline"); err != nil {
			t.Error(err)
		}
	})
	met := 0
	w.Observe(func(e *history.Event) {
		if met == 0 && e.Op == history.RailForward && e.Kind == history.Fail {
			met = declines.Felt()
			declines.Heal()
			w.Record(history.Event{Process: "nemesis", Kind: history.Info, Op: history.AllHealed})
		}
	})
	out := w.Run()
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	paid := 0
	for _, e := range out.Events {
		if e.Op == history.RailPaid {
			paid++
		}
	}
	// Two executors can have a payment each at the rail while it declines.
	if !out.Quiescent || met < 1 || met > 2 || paid < 4 {
		t.Errorf("quiescent %t, %d payments met the instruction, %d of 6 were made", out.Quiescent, met, paid)
	}
}
