package checker_test

import (
	"testing"
	"time"

	"dlsim/checker"
	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/virtual"
	"dlsim/system/config"
)

// The real system in a calm world: every invariant is judged and holds, and both judges agree.
func TestACalmWorldHoldsEverything(t *testing.T) {
	cache := virtual.NewCache()
	c := checker.New()
	for _, backend := range []string{config.BackendEtcd, config.BackendPostgres} {
		for seed := uint64(1); seed <= 20; seed++ {
			system := config.Defaults()
			system.Lock.Backend = backend
			w, err := virtual.New(virtual.Options{
				Seed: seed, System: system, Bound: 10 * time.Minute, Cache: cache,
				Workload: sim.Workload{Accounts: 4, Payouts: 12, Opening: 100_000, AmountMin: 100, AmountMax: 400, Spread: 5 * time.Second},
				Network:  sim.Network{Latency: time.Millisecond, MessageLifetime: 10 * time.Second},
			})
			if err != nil {
				t.Fatal(err)
			}
			w.Record(history.Event{Process: "nemesis", Kind: history.Info, Op: history.AllHealed})
			r := c.Check(w.Run().Events, checker.Params{TTL: system.Lock.TTL, Horizon: system.Reconciler.Horizon, Progress: time.Minute, Second: checker.Always})
			for _, j := range r.Invariants {
				if j.Verdict != checker.Holds {
					t.Errorf("%s, seed %d: %s is %s: %s", backend, seed, j.ID, j.Verdict, j.Sentence())
				}
			}
			for _, o := range r.Observations {
				if o.Count > 0 {
					t.Errorf("%s, seed %d: %s: %s", backend, seed, o.Name, o.Sentence)
				}
			}
			if r.Measures.Posted != 12 {
				t.Errorf("%s, seed %d: %d payouts posted", backend, seed, r.Measures.Posted)
			}
		}
	}
}
