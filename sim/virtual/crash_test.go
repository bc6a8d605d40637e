package virtual

import (
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/system/config"
)

// A disk that had lied: what was committed in the last second is gone, acknowledged or not, and all
// of it older is there. Who says so is the history, and the store that goes on from there.
func TestACrashThatLosesGoesBackAsFarAsItSays(t *testing.T) {
	for _, store := range []string{sim.Paydb, sim.Lockdb} {
		o := calm(3, config.BackendPostgres, NewCache())
		o.KeepCommits, o.Workload.Spread, o.Bound = true, 0, time.Minute
		w, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		const loses = 300 * time.Millisecond
		var crashed int64
		w.After(time.Second, func() {
			down, err := w.Store(store, sim.StoreAct{Kind: sim.Crash, Loses: loses})
			if err != nil {
				t.Fatal(err)
			}
			crashed = int64(w.Elapsed())
			if down.Felt() == 0 {
				t.Error("nothing was lost")
			}
			w.After(time.Second, func() {
				down.Heal()
				w.Record(history.Event{Process: "nemesis", Kind: history.Info, Op: history.AllHealed})
			})
		})
		out := w.Run()
		// The newest state of each row by the history, before the crash and as the store came back.
		type row struct{ op, payout, account string }
		old, young, lost := map[row]int{}, map[row]int{}, map[row]int{}
		for i := range out.Events {
			e := &out.Events[i]
			key := row{string(e.Op), e.Payout, e.Account}
			switch {
			case e.Process != store || !e.Truth || e.Time > crashed || e.Op == history.StoreLost:
			case e.Note == history.Lost:
				lost[key]++
			case e.Time > crashed-int64(loses):
				young[key]++
			default:
				old[key]++
			}
		}
		if len(old) == 0 || len(lost) == 0 {
			t.Errorf("%s: %d rows older than the loss, %d lost", store, len(old), len(lost))
		}
		for key := range lost {
			if young[key] == 0 {
				t.Errorf("%s: %v was lost and is older than that", store, key)
			}
		}
		for i := range out.Events {
			if e := &out.Events[i]; e.Time > crashed+int64(time.Second) && e.Process == store && e.Truth {
				return // it serves again
			}
		}
		t.Errorf("%s wrote nothing after it came back", store)
	}
}

func TestACrashThatLosesMustHaveBeenPreparedFor(t *testing.T) {
	w, err := New(calm(1, config.BackendPostgres, NewCache()))
	if err != nil {
		t.Fatal(err)
	}
	w.After(time.Second, func() {
		if _, err := w.Store(sim.Paydb, sim.StoreAct{Kind: sim.Crash, Loses: time.Second}); err == nil {
			t.Error("it lost commits that nobody had kept")
		}
		w.Record(history.Event{Process: "nemesis", Kind: history.Info, Op: history.AllHealed})
	})
	w.Run()
}
