package live

import (
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/system/config"
)

// A database takes some hundred milliseconds to recover, and a process its time to come up. The
// harness serves everybody else meanwhile.
func TestTheWorldGoesOnWhileOnePartOfItComesBack(t *testing.T) {
	needPostgres(t)
	w, err := New(t.Context(), calm(config.BackendPostgres))
	if err != nil {
		t.Fatal(err)
	}
	var healed, meanwhile, again int
	w.Observe(func(e *history.Event) {
		switch {
		case e.Op == history.ProcessStarted && e.Owner == sim.Paydb && healed == 1:
			again++
			w.Record(history.Event{Process: "nemesis", Kind: history.Info, Op: history.AllHealed})
		case healed == 0 && e.Op == history.RailForward && e.Kind == history.OK:
			healed = -1
			down, err := w.Store(sim.Paydb, sim.StoreAct{Kind: sim.Crash})
			if err != nil {
				t.Error(err)
				return
			}
			w.After(50*time.Millisecond, func() {
				healed = 1
				before := time.Now()
				down.Heal()
				if _, err := w.Restart("proxy-1"); err != nil {
					t.Error(err)
				}
				if took := time.Since(before); took > 100*time.Millisecond {
					t.Errorf("the loop stood still for %v", took)
				}
				w.After(5*time.Millisecond, func() { meanwhile = w.under })
			})
		}
	})
	out := w.Run()
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	if !out.Quiescent || meanwhile != 2 || again != 1 {
		t.Errorf("quiescent %t, recovered %d times, %d of 2 coming back 5 ms later", out.Quiescent, again, meanwhile)
	}
}

// Killed, revived, and killed again before it is up: it comes up once, and nobody waits for the other.
func TestAProcessThatIsKilledWhileItComesUpIsRevivedOnce(t *testing.T) {
	needPostgres(t)
	w, err := New(t.Context(), calm(config.BackendPostgres))
	if err != nil {
		t.Fatal(err)
	}
	begun, started := false, 0
	w.Observe(func(e *history.Event) {
		switch {
		case e.Op == history.ProcessStarted && e.Owner == "executor-1":
			started++
		case !begun && e.Op == history.LockAcquire && e.Kind == history.OK:
			begun = true
			for range 3 {
				if _, err := w.Restart("executor-1"); err != nil {
					t.Error(err)
				}
			}
			w.Record(history.Event{Process: "nemesis", Kind: history.Info, Op: history.AllHealed})
		}
	})
	out := w.Run()
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	if !out.Quiescent || started != 2 {
		t.Errorf("quiescent %t, started %d times, want 2", out.Quiescent, started)
	}
}
