package virtual

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/testhost"
	"dlsim/system/config"
	client "dlsim/system/wire"
)

func calm(seed uint64, backend string, cache *Cache) Options {
	c := config.Defaults()
	c.Lock.Backend = backend
	return Options{
		Seed: seed, System: c, Bound: 10 * time.Minute, Cache: cache,
		Workload: sim.Workload{Accounts: 4, Payouts: 12, Opening: 100_000, AmountMin: 100, AmountMax: 400, Spread: 5 * time.Second},
		Network:  sim.Network{Latency: time.Millisecond, MessageLifetime: 10 * time.Second},
	}
}

func run(t testing.TB, o Options) sim.Outcome {
	t.Helper()
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	w.Record(history.Event{Process: "nemesis", Kind: history.Info, Op: history.AllHealed})
	return w.Run()
}

func TestACalmWorldPaysEveryPayoutOnce(t *testing.T) {
	cache := NewCache()
	for _, backend := range []string{config.BackendEtcd, config.BackendPostgres} {
		for seed := uint64(1); seed <= 20; seed++ {
			out := run(t, calm(seed, backend, cache))
			paid, posted := map[string]int{}, 0
			for i := range out.Events {
				switch e := &out.Events[i]; {
				case e.Op == history.RailPaid:
					paid[e.Payout]++
				case e.Op == history.PayoutWritten && e.State == "POSTED":
					posted++
				}
			}
			if !out.Quiescent || len(paid) != 12 || posted != 12 {
				t.Errorf("%s, seed %d: quiescent %t, %d payouts paid, %d posted, want 12 and 12", backend, seed, out.Quiescent, len(paid), posted)
			}
			for payout, n := range paid {
				if n != 1 {
					t.Errorf("%s, seed %d: %s paid %d times", backend, seed, payout, n)
				}
			}
		}
	}
}

func TestPreemptionFitsIntoTheHorizon(t *testing.T) {
	if most := 25 * MaxPreempt; most > config.Scheduling {
		t.Errorf("25 decision points can take %s, the horizon allows for %s", most, config.Scheduling)
	}
}

func BenchmarkCalmRun(b *testing.B) {
	cache := NewCache()
	steps := int64(0)
	for i := range b.N {
		steps += run(b, calm(uint64(i), "etcd", cache)).Steps
	}
	b.ReportMetric(float64(steps)/float64(b.N), "steps/run")
}

// Requests of a kind share one header, and a handler here is given the client's own: whoever changed
// it would change every later request, of other processes and other runs too.
func TestARunLeavesTheHeadersOfRequestsAlone(t *testing.T) {
	run(t, calm(1, config.BackendEtcd, nil))
	h := testhost.New().Host("client")
	var sent http.Header
	h.BeforeSend = func(r *http.Request) error { sent = r.Header; return errors.New("not sent") }
	for body, want := range map[any]string{nil: "map[]", "x": "map[Content-Type:[application/json]]"} {
		_, _ = client.NewClient(h).Do(t.Context(), client.Call{Method: http.MethodGet, Base: "http://server", Path: "/", Body: body}, nil)
		if got := fmt.Sprint(sent); got != want {
			t.Errorf("a request with body %v has header %s, want %s", body, got, want)
		}
	}
}
