package live

import (
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/system/config"
)

// The proxy was told that its intent is committed, and forwarded; then paydb's disk turns out to have
// lied. The intent is gone, and the history says so.
func TestACrashLosesAnAcknowledgedCommitWhenTheDiskHadLied(t *testing.T) {
	needPostgres(t)
	o := calm(config.BackendPostgres)
	o.CrashLoses, o.Bound = 300*time.Millisecond, 6*time.Second // a payout that was lost never becomes final
	w, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var admitted string
	w.Observe(func(e *history.Event) {
		if admitted != "" || e.Op != history.ProxyAdmit || e.Kind != history.OK {
			return
		}
		admitted = e.Payout
		down, err := w.Store(sim.Paydb, sim.StoreAct{Kind: sim.Crash, Loses: o.CrashLoses})
		if err != nil {
			t.Error(err)
			return
		}
		w.After(300*time.Millisecond, func() {
			down.Heal()
			w.Record(history.Event{Process: "nemesis", Kind: history.Info, Op: history.AllHealed})
		})
	})
	out := w.Run()
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	stands, told, lost := false, false, false
	for _, e := range out.Events {
		switch {
		case e.Process == sim.Paydb && e.Op == history.StoreLost:
			told = e.Note == "crash"
		case e.Op != history.SubmissionWritten || e.Payout != admitted:
		case e.Note == history.Lost:
			lost = stands && told
		default:
			stands = true
		}
	}
	if admitted == "" || !lost {
		t.Errorf("payout %q: its intent stood %t, the store told of a loss %t, the intent was in it %t", admitted, stands, told, lost)
	}
}

func TestTheLogOfAServerIsCutAsFarBackAsTheLossAndNoFurther(t *testing.T) {
	l := logPoints{keep: time.Second}
	start := time.Now()
	for i := range 100 {
		l.add(start.Add(time.Duration(i)*100*time.Millisecond), int64(i))
	}
	now := start.Add(9950 * time.Millisecond)
	for loses, want := range map[time.Duration]int64{100 * time.Millisecond: 99, 950 * time.Millisecond: 90, time.Second: 90} {
		if got, ok := l.before(now.Add(-loses)); !ok || got != want {
			t.Errorf("%v before the crash: position %d (%t), want %d", loses, got, ok, want)
		}
	}
	if _, ok := l.before(now); ok {
		t.Error("a position was read that nobody had looked at")
	}
	if len(l.points) > 25 {
		t.Errorf("%d positions are kept", len(l.points))
	}
}
