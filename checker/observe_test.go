package checker

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"dlsim/history"
)

func TestObservations(t *testing.T) {
	for _, c := range []struct {
		name  string
		tell  func(s *story)
		want  []string
		words []string // of the first observation's sentence
	}{
		{"a first submission forwarded after the payout was taken over", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.after(ttl)
			s.grant("executor-2", "a1", 2)
			s.claim("executor-2", "p1", 2)
			s.forward("proxy-1", "p1", 1)
		}, []string{SupersededClaim}, []string{"proxy-1", "p1", "token 1", "token 2"}},
		{"a forward after the reconciler took the payout over", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.state("p1", "FAILED", 9)
			s.submission("p1", 1, "NOT_EXECUTED")
			s.forward("proxy-1", "p1", 1)
		}, []string{SupersededClaim}, []string{"token 9"}},
		{"a claim replaced only after the forward is none", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.forward("proxy-1", "p1", 1)
			s.state("p1", "FAILED", 9)
			s.submission("p1", 1, "NOT_EXECUTED")
		}, nil, nil},
		{"another payout's higher token is none", func(s *story) {
			claimed(s)
			s.intake("p2", "a1", 5)
			s.claim("executor-2", "p2", 9)
			s.admit("proxy-1", "p1", 1)
			s.forward("proxy-1", "p1", 1)
		}, nil, nil},
		{"a duplicate refused", func(s *story) {
			claimed(s)
			s.counter("proxy-1", history.DuplicateAttempted, "p1", 2)
		}, []string{DuplicateAttempt}, []string{"proxy-1", "p1", "token 2"}},
		{"two duplicates refused by two proxies", func(s *story) {
			claimed(s)
			s.counter("proxy-2", history.DuplicateAttempted, "p1", 2)
			s.counter("proxy-1", history.DuplicateAttempted, "p1", 3)
		}, []string{DuplicateAttempt}, []string{"proxy-2"}},
		{"sent after the lease had run out", func(s *story) {
			claimed(s)
			s.after(ttl)
			s.submit("executor-1", "p1", 1)
		}, []string{LeaseOverrun}, []string{"executor-1", "p1", "token 1", "a1"}},
		{"sent after the store had ended the lease", func(s *story) {
			claimed(s)
			s.lock(history.LockExpired, "a1")
			s.submit("executor-1", "p1", 1)
		}, []string{LeaseOverrun}, []string{"executor-1"}},
		{"sent after the lease had run out and before it is renewed", func(s *story) {
			claimed(s)
			s.after(ttl)
			s.submit("executor-1", "p1", 1)
			s.lock(history.LockRenewed, "a1")
		}, []string{LeaseOverrun}, nil},
		{"a grant without an expiry lasts one TTL", func(s *story) {
			s.intake("p1", "a1", 100)
			s.truth("etcd-1", history.LockGranted, history.Event{Account: "a1", Owner: "executor-1", Token: 1})
			s.after(ttl)
			s.submit("executor-1", "p1", 1)
		}, []string{LeaseOverrun}, nil},
		{"sent a millisecond before the end is none", func(s *story) {
			s.intake("p1", "a1", 100)
			s.granted("executor-1", "a1", 1)
			s.after(ttl - 3*time.Millisecond)
			s.submit("executor-1", "p1", 1)
		}, nil, nil},
		{"sent under a renewed lease is none", func(s *story) {
			claimed(s)
			s.after(ttl/2).lock(history.LockRenewed, "a1")
			s.after(ttl * 3 / 4)
			s.submit("executor-1", "p1", 1)
		}, nil, nil},
		{"a token given again", func(s *story) {
			s.grant("executor-1", "a1", 3)
			s.release("a1")
			s.grant("executor-2", "a1", 3)
		}, []string{TokenRegress}, []string{"token 3"}},
		{"a restore forgets a grant", func(s *story) {
			s.grant("executor-1", "a1", 3)
			s.release("a1")
			s.grant("executor-2", "a1", 8)
			s.lost("etcd-1")
			s.truth("etcd-1", history.LockGranted, history.Event{Account: "a1", Owner: "executor-1", Token: 3, Note: history.Lost})
		}, []string{TokenRegress}, []string{"forgot", "executor-2", "token 8"}},
		{"a restore forgets the only grant", func(s *story) {
			s.grant("executor-1", "a1", 3)
			s.truth("etcd-1", history.LockReleased, history.Event{Account: "a1", Owner: "executor-1", Token: 3, Note: history.Lost})
		}, []string{TokenRegress}, []string{"token 3"}},
		{"a store that loses only a renewal forgets no grant", func(s *story) {
			s.grant("executor-1", "a1", 3)
			s.lock(history.LockRenewed, "a1")
			s.truth("lockdb", history.LockRenewed, history.Event{Account: "a1", Owner: "executor-1", Token: 3, Note: history.Lost})
		}, nil, nil},
		{"a 503 with nothing wrong at paydb", func(s *story) {
			s.fault(history.FaultBegun, "pause", "executor-1", "")
			s.counter("proxy-1", history.PaydbUnavailable, "", 0)
		}, []string{RefusedWhileUp}, []string{"proxy-1"}},
		{"a 503 after paydb came back", func(s *story) {
			s.fault(history.FaultBegun, "crash", "paydb", "")
			s.counter("proxy-1", history.PaydbUnavailable, "", 0)
			s.fault(history.FaultEnded, "crash", "paydb", "bit")
			s.counter("proxy-2", history.PaydbUnavailable, "", 0)
		}, []string{RefusedWhileUp}, []string{"proxy-2"}},
		{"a 503 while the way to paydb is cut is none", func(s *story) {
			s.fault(history.FaultBegun, "cut", "proxy-1->paydb", "")
			s.counter("proxy-1", history.PaydbUnavailable, "", 0)
		}, nil, nil},
		{"two transfers wait for each other", func(s *story) {
			s.grant("executor-1", "a1", 1)
			s.grant("executor-2", "a2", 2)
			s.wait("executor-1", "a2")
			s.wait("executor-2", "a1")
			s.wait("executor-1", "a2")
		}, []string{WaitsForCycle}, []string{"executor-1", "executor-2", "a1", "a2"}},
		{"three in a ring, closed by a grant", func(s *story) {
			s.grant("executor-1", "a1", 1)
			s.grant("executor-2", "a2", 2)
			s.wait("executor-1", "a2")
			s.wait("executor-2", "a3")
			s.wait("executor-3", "a1")
			s.grantMore("executor-3", "a3", 3)
		}, []string{WaitsForCycle}, []string{"executor-3 waits for a1"}},
		{"waiting in order is none", func(s *story) {
			s.grant("executor-1", "a1", 1)
			s.wait("executor-2", "a1")
			s.grantMore("executor-1", "a2", 2)
			s.wait("executor-3", "a2")
		}, nil, nil},
		{"asking for what it holds is none", func(s *story) {
			s.grant("executor-1", "a1", 1)
			s.wait("executor-1", "a1")
		}, nil, nil},
		{"waiting for what was released is none", func(s *story) {
			s.grant("executor-1", "a1", 1)
			s.grant("executor-2", "a2", 2)
			s.wait("executor-1", "a2")
			s.release("a1")
			s.wait("executor-2", "a1")
		}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tell(t)
			c.tell(s)
			r := s.judge()
			s.wantSeen(r, c.want...)
			for _, name := range c.want {
				o := r.Observation(name)
				for _, w := range c.words {
					if !strings.Contains(o.Sentence, w) {
						t.Errorf("no %q in: %s", w, o.Sentence)
					}
				}
				if len(o.Witness) == 0 || !r.Shows(name) {
					t.Errorf("%s has no witness or does not show", name)
				}
			}
		})
	}
}

// wait is an acquire that is told LOCK_HELD.
func (s *story) wait(owner, account string) {
	call := s.begin(owner, history.LockAcquire, history.Event{Account: account, Owner: owner})
	s.done(call, history.Fail, history.Event{Error: "LOCK_HELD"})
}

// grantMore is a grant whose client asked before it waited elsewhere.
func (s *story) grantMore(owner, account string, token int64) {
	call := s.begin(owner, history.LockAcquire, history.Event{Account: account, Owner: owner})
	s.done(s.begin(owner, history.LockAcquire, history.Event{Account: "a1", Owner: owner}), history.Fail, history.Event{Error: "LOCK_HELD"})
	s.granted(owner, account, token)
	s.done(call, history.OK, history.Event{Token: token})
}

func TestWaitsForCyclesAreCountedOnce(t *testing.T) {
	s := tell(t)
	s.grant("executor-1", "a1", 1)
	s.grant("executor-2", "a2", 2)
	for range 5 {
		s.wait("executor-1", "a2")
		s.wait("executor-2", "a1")
	}
	if n := s.judge().Observation(WaitsForCycle).Count; n != 1 {
		t.Errorf("%d cycles, want 1: trying again forms no new ring", n)
	}
}

func TestMeasures(t *testing.T) {
	s := tell(t)
	s.intake("p1", "a1", 100)
	s.intake("p2", "a1", 100)
	s.intake("p3", "a1", 100)
	s.intake("p4", "a1", 100)
	s.after(15 * time.Second)
	s.whole("executor-1", "p1", 1)
	s.state("p2", "FAILED", 1)
	s.state("p3", "CLAIMED", 1)
	s.after(5 * time.Second) // shorter than the TTL: not blocked
	s.state("p3", "RAIL_AMBIGUOUS", 1)
	s.counter("executor-1", history.PayoutAmbiguous, "p3", 1)
	s.counter("executor-1", history.FencedOut, "p3", 1)
	s.counter("executor-1", history.FencedOut, "p3", 1)
	s.counter("executor-1", history.LeaseRanOut, "p3", 1)
	s.fault(history.FaultBegun, "crash", "paydb", "")
	s.counter("proxy-1", history.PaydbUnavailable, "", 0)
	s.after(20 * time.Second)
	m := s.judge().Measures
	if b := m.Blocked.Round(100 * time.Millisecond); b != 35*time.Second {
		t.Errorf("blocked %v, want 35 s", m.Blocked)
	}
	m.Blocked, m.Elapsed = 0, 0
	want := Measures{Refused: 1, Submissions: 1, Ambiguous: 1, FencedOut: 2, LeaseRanOut: 1, Payments: 1,
		Posted: 1, Failed: 1, AmbiguousLeft: 1, PendingLeft: 1}
	if m != want {
		t.Errorf("%+v\nwant\n%+v", m, want)
	}
	names := map[string]bool{}
	m.Each(func(name string, _ float64) { names[name] = true })
	if len(names) != 19 || m.AmbiguousRate() != 1 || (&Measures{}).AmbiguousRate() != 0 {
		t.Errorf("%d names, rate %v", len(names), m.AmbiguousRate())
	}
}

func TestNoWorkDueIsNotBlocked(t *testing.T) {
	s := tell(t)
	s.intake("p1", "a1", 100)
	s.whole("executor-1", "p1", 1)
	s.after(time.Hour)
	s.intake("p2", "a1", 100)
	s.whole("executor-1", "p2", 2)
	s.after(time.Hour)
	if b := s.judge().Measures.Blocked; b != 0 {
		t.Errorf("blocked %v", b)
	}
}

func TestCoverage(t *testing.T) {
	for _, c := range []struct {
		name string
		tell func(s *story)
		want map[string]int64
	}{
		{"nothing special", func(s *story) { s.intake("p1", "a1", 1); s.whole("executor-1", "p1", 1) }, map[string]int64{"posted": 1}},
		{"payouts that end, and one that is written off twice", func(s *story) {
			claimed(s)
			s.state("p1", "FAILED", 1)
			s.state("p1", "FAILED", 2)
			s.state("p1", "POSTED", 2)
		}, map[string]int64{"posted": 1, "written-off": 1}},
		{"a stale token after a newer grant", func(s *story) {
			claimed(s)
			s.after(ttl)
			s.grant("executor-2", "a1", 2)
			s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 1})
		}, map[string]int64{"stale-token-presented": 1, "lease-lost": 1}},
		{"a current token presented twice is not stale", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 1})
		}, map[string]int64{"intent-left": 1}},
		{"a proxy killed and back at work", func(s *story) {
			claimed(s)
			s.fault(history.ProcessKilled, "", "proxy-1", "")
			s.fault(history.ProcessStarted, "", "proxy-1", "")
			s.admit("proxy-1", "p1", 1)
		}, map[string]int64{"killed": 1, "restart-crossed": 1, "proxy-restart-crossed": 1, "intent-left": 1}},
		{"a process killed for good crosses nothing", func(s *story) {
			claimed(s)
			s.fault(history.ProcessKilled, "", "proxy-1", "")
			s.admit("proxy-2", "p1", 1)
		}, map[string]int64{"killed": 1, "intent-left": 1}},
		{"answers left unknown", func(s *story) {
			claimed(s)
			s.done(s.submit("executor-1", "p1", 1), history.Info, history.Event{})
			s.done(s.admitting("proxy-1", "p1", 1), history.Info, history.Event{})
			r := s.forward("proxy-1", "p1", 1)
			s.answered(r, history.Info)
			s.paid(r)
		}, map[string]int64{"answer-unknown": 3, "commit-unknown": 1, "rail-answer-unknown": 1, "paid-late": 1, "intent-left": 1}},
		{"a horizon that begins", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.intent("p1", 1)
		}, map[string]int64{"intent-left": 1, "horizon-begun": 1}},
		{"a lease renewed, and one that could not be", func(s *story) {
			s.grant("executor-1", "a1", 1)
			for _, kind := range []history.Kind{history.OK, history.Fail} {
				s.done(s.begin("executor-1", history.LockRenew, history.Event{Account: "a1", Token: 1}), kind, history.Event{Token: 1})
			}
		}, map[string]int64{"lease-renewed": 1}},
		{"leases lost in both ways", func(s *story) {
			s.grant("executor-1", "a1", 1)
			s.lock(history.LockExpired, "a1")
			s.grant("executor-1", "a1", 2)
			s.after(ttl)
			s.grant("executor-1", "a1", 3)
			s.release("a1")
			s.wait("executor-1", "a1")
		}, map[string]int64{"lease-lost": 2, "lock-contended": 1}},
		{"faults that bit and missed", func(s *story) {
			s.fault(history.FaultBegun, "failover", "paydb", "")
			s.fault(history.FaultEnded, "failover", "paydb", "bit: 4 sessions")
			s.fault(history.FaultEnded, "pause", "executor-1", "did not bite")
			s.fault(history.ProcessPaused, "", "executor-1", "")
			s.lost("paydb")
		}, map[string]int64{"failover": 1, "fault-bit": 1, "fault-missed": 1, "store-forgot": 1, "paused": 1}},
		{"a claim taken over", func(s *story) {
			claimed(s)
			s.state("p1", "CLAIMED", 2)
			s.done(s.begin("reconciler", history.ReconcileDecide, history.Event{Payout: "p1"}), history.OK, history.Event{})
			s.done(s.begin("operator", history.OperatorCancel, history.Event{Payout: "p1"}), history.OK, history.Event{})
		}, map[string]int64{"claim-taken-over": 1, "reconciled": 1, "operator-acted": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tell(t)
			c.tell(s)
			got := CoverageOf(s.end())
			if r := Check(s.events, params); r.Coverage != got {
				t.Errorf("Check says %v", r.Coverage)
			}
			got.Each(func(name string, n int64) {
				if n != c.want[name] {
					t.Errorf("%s: %d, want %d", name, n, c.want[name])
				}
			})
		})
	}
}

func TestCoverageNamesAreDistinctAndKnown(t *testing.T) {
	names := slices.Clone(ExerciseNames())
	slices.Sort(names)
	if len(slices.Compact(names)) != int(exercises) || slices.Contains(names, "") {
		t.Errorf("names: %v", names)
	}
	var c Coverage
	c.counts[FaultBit] = 2
	if n, ok := c.Get("fault-bit"); n != 2 || !ok || c.Count(FaultBit) != 2 {
		t.Errorf("%d %v", n, ok)
	}
	if _, ok := c.Get("nothing"); ok {
		t.Error("a name that there is not is known")
	}
	if b, err := json.Marshal(c); err != nil || string(b) != `{"fault-bit":2}` {
		t.Errorf("%s %v", b, err)
	}
}
