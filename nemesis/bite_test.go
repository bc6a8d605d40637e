package nemesis

import (
	"testing"
	"time"

	"dlsim/history"
)

func TestEachKindBitesByItsOwnRule(t *testing.T) {
	const pauseHolder = "{kind: pause, target: executor-1, at: 2s, for: 4s}"
	for _, c := range []struct {
		name, fault string
		before      func(w *fakeWorld)
		during      func(w *fakeWorld)
		bit         bool
		why         string
	}{
		{"a pause outlasts the lease by its time", pauseHolder,
			func(w *fakeWorld) { w.granted("account-1", "executor-1", 7, 5*second) }, nil,
			true, "its lease on account-1 (token 7) ran out"},
		{"a pause is shorter than the lease", pauseHolder,
			func(w *fakeWorld) { w.granted("account-1", "executor-1", 7, 10*second) }, felt1,
			false, "its lease on account-1 (token 7) outlasted it"},
		{"a lease renewed by a message under way outlasts the pause", pauseHolder,
			func(w *fakeWorld) { w.granted("account-1", "executor-1", 7, 5*second) },
			func(w *fakeWorld) {
				w.Record(history.Event{Process: "etcd", Kind: history.OK, Truth: true, Op: history.LockRenewed,
					Account: "account-1", Owner: "executor-1", Token: 7, Clock: 1, Expires: 1 + int64(9*second)})
			}, false, "its lease on account-1 (token 7) outlasted it"},
		{"the store ends the lease of a paused holder", pauseHolder,
			func(w *fakeWorld) { w.granted("account-1", "executor-1", 7, time.Hour) },
			func(w *fakeWorld) {
				w.Record(history.Event{Process: "etcd", Kind: history.OK, Truth: true, Op: history.LockExpired,
					Account: "account-1", Owner: "executor-1", Token: 7})
			}, true, "its lease on account-1 (token 7) ran out"},
		{"another is granted what a paused process holds, as clients tell it", pauseHolder,
			func(w *fakeWorld) { w.acquired("account-1", "executor-1", 7) },
			func(w *fakeWorld) { w.acquired("account-1", "executor-2", 8) },
			true, "its lease on account-1 (token 7) ran out"},
		{"a release under way ends the lease of a paused process", pauseHolder,
			func(w *fakeWorld) { w.granted("account-1", "executor-1", 7, 5*second) },
			func(w *fakeWorld) {
				w.Record(history.Event{Process: "etcd", Kind: history.OK, Truth: true, Op: history.LockReleased,
					Account: "account-1", Owner: "executor-1", Token: 7})
			}, false, "what it held was released before the lease ran out"},
		{"a late answer does not give back a lock that another has", pauseHolder,
			func(w *fakeWorld) {
				w.granted("account-1", "executor-1", 7, second)
				w.granted("account-1", "executor-2", 8, second)
				w.acquired("account-1", "executor-1", 7)
			}, nil, false, "nothing met it"},
		{"a pause of an idle process goes unnoticed", pauseHolder, nil, nil, false, "nothing met it"},
		{"a message waits at a paused process", pauseHolder, nil, felt1, true, "met 1 times"},
		{"a killed process held a lock", "{kind: kill, target: executor-1, at: 2s, for: 1s}",
			func(w *fakeWorld) { w.acquired("account-1", "executor-1", 7) }, nil, true, "it held account-1 (token 7)"},
		{"a killed process had begun a call", "{kind: kill, target: executor-1, at: 2s, for: 1s}",
			func(w *fakeWorld) { w.client("executor-1", history.PayoutClaim, history.Invoke, "p") }, nil, true, "it had 1 calls in flight"},
		{"a killed process had completed its calls", "{kind: kill, target: executor-1, at: 2s, for: 1s}",
			func(w *fakeWorld) {
				w.client("executor-1", history.PayoutClaim, history.Invoke, "p")
				w.client("executor-1", history.PayoutClaim, history.Info, "p")
			}, nil, false, "nothing met it"},
		{"a restarted process was idle", "{kind: restart, target: executor-1, at: 2s}", nil, nil, false, "nothing met it"},
		{"a restarted process had a memory", "{kind: restart, target: executor-1, at: 2s}",
			func(w *fakeWorld) { w.client("executor-1", history.PayoutClaim, history.OK, "p") }, nil, true, "it had done things, 1 events of them"},
		{"a process of a rolling restart was at work", "{kind: rolling-restart, target: executor, at: 2s, every: 1s}",
			func(w *fakeWorld) { w.acquired("account-1", "executor-2", 7) }, nil, true, "it held account-1 (token 7)"},
		{"no message met a cut", "{kind: cut, from: proxy-1, to: rail, at: 2s, for: 4s}", nil, nil, false, "nothing met it"},
		{"a message met a cut", "{kind: cut, from: proxy-1, to: rail, at: 2s, for: 4s}", nil, felt1, true, "met 1 times"},
		{"a clock was read after its step", "{kind: clock-step, target: lockd-1, step: 1s, at: 2s}", nil, felt1, true, "the clock was read: met 1 times"},
		{"a clock was not read", "{kind: clock-step, target: lockd-1, step: 1s, at: 2s}", nil, nil, false, "nobody read the clock"},
		{"a payment met the rail's silence", "{kind: rail-timeout, at: 2s, for: 4s}", nil, felt1, true, "1 payments met it"},
		{"no payment met the rail's silence", "{kind: rail-timeout, at: 2s, for: 4s}", nil, nil, false, "no payment was asked for meanwhile"},
		{"a failover lost rows", "{kind: failover, target: paydb, at: 2s, for: 4s, loses: 1s}", nil, lose1, true, "1 rows came back older"},
		{"a failover lost nothing", "{kind: failover, target: paydb, at: 2s, for: 4s, loses: 1s}", nil, felt1, false, "no acknowledged write was lost"},
		{"a restore lost rows", "{kind: etcd-restore, at: 2s, loses: 1s}", nil, lose1, true, "1 rows came back older"},
		{"an operator's cancel went through", "{kind: operator-cancel, at: 2s, payout: payout-1}", nil,
			func(w *fakeWorld) { w.client("operator", history.OperatorCancel, history.OK, "payout-1") },
			true, "the operator's act on payout-1 went through"},
		{"an operator's cancel came too late", "{kind: operator-cancel, at: 2s, payout: payout-1}", nil,
			func(w *fakeWorld) { w.client("operator", history.OperatorCancel, history.Fail, "payout-1") },
			false, "the operator's act on payout-1 had no effect"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, n := started(t, c.fault)
			w.until(second)
			if c.before != nil {
				c.before(w)
			}
			w.until(3 * second)
			if c.during != nil {
				c.during(w)
			}
			w.until(20 * second)
			if n.Report()[0].Fault.For > 0 {
				felt1(w) // what comes after the heal changes nothing
			}
			r := n.Report()[0]
			if r.Bit != c.bit || r.Why != c.why {
				t.Errorf("bit %v, %q, want %v, %q", r.Bit, r.Why, c.bit, c.why)
			}
		})
	}
}

func felt1(w *fakeWorld) {
	for _, e := range w.effects {
		e.felt = 1
	}
}

func lose1(w *fakeWorld) {
	w.Record(history.Event{Process: "paydb", Kind: history.OK, Truth: true, Op: history.StoreLost})
	w.Record(history.Event{Process: "paydb", Kind: history.OK, Truth: true, Op: history.MarkWritten, Note: history.Lost})
}

func TestAnAnchorIsTheLastEventOfTheTarget(t *testing.T) {
	w, n := started(t,
		"{kind: pause, target: executor-1, at: 2s, for: 1s}",
		"{kind: cut, from: any-proxy, to: rail, at: 3s, for: 1s}",
		"{kind: restart, target: proxy-1}")
	w.until(second)
	w.client("executor-1", history.LockAcquire, history.Invoke, "")
	w.client("executor-1", history.LockAcquire, history.OK, "")
	w.client("executor-1", history.LockAcquire, history.Invoke, "")
	w.until(1500 * ms)
	w.granted("account-1", "executor-1", 1, second) // truth is no anchor
	w.client("executor-2", history.PayoutClaim, history.Invoke, "payout-1")
	w.until(10 * second)
	results := n.Report()
	for i, want := range []Anchor{
		{Process: "executor-1", Event: history.LockAcquire, Kind: "invoke", Nth: 2, After: second},
		{Process: "executor-2", Event: history.PayoutClaim, Kind: "invoke", Nth: 1, After: 1500 * ms},
		{},
	} {
		if results[i].Anchor != want {
			t.Errorf("fault %d is anchored at %+v, want %+v", i+1, results[i].Anchor, want)
		}
	}
	for i, want := range []string{
		"{id: 1, kind: pause, target: executor-1, on: {event: lock.acquire, process: executor-1, kind: invoke, nth: 2}, after: 1s, for: 1s}",
		"{id: 2, kind: cut, from: " + results[1].resolved.From + ", to: rail, on: {event: payout.claim, process: executor-2, kind: invoke, nth: 1}, after: 1.5s, for: 1s}",
		"{id: 3, kind: restart, target: proxy-1}",
	} {
		if got := results[i].Explicit().String(); got != want {
			t.Errorf("fault %d is explicit as\n%s\nwant\n%s", i+1, got, want)
		}
	}
}

func TestAnExplicitPlanStrikesTheSameEventsAgain(t *testing.T) {
	play := func(w *fakeWorld) {
		w.until(2 * second)
		w.granted("account-1", "executor-2", 1, 2*second)
		w.acquired("account-1", "executor-2", 1)
		w.client("proxy-2", history.ProxyAdmit, history.Invoke, "payout-1")
		w.until(4 * second)
		w.client("proxy-2", history.ProxyAdmit, history.OK, "payout-1")
		w.until(20 * second)
	}
	plan := []string{
		"{kind: pause, target: holder, at: 3s, for: 5s}",
		"{kind: kill, target: actor, on: {event: proxy.admit, kind: ok}, after: 10ms, for: 2s}",
		"{kind: restart, target: any-lockd, at: 5s}",
	}
	first, n := started(t, plan...)
	play(first)
	p := Plan{}.Explicit(n.Report())
	second := newFakeWorld()
	again, err := New(second, p)
	if err != nil {
		t.Fatal(err)
	}
	again.Start()
	play(second)
	second.expect(t, first.log...)
	if repeated := p.Explicit(again.Report()); repeated.Faults[0] != p.Faults[0] || repeated.Faults[1] != p.Faults[1] {
		t.Errorf("the explicit plan of an explicit plan differs: %v and %v", p.Faults, repeated.Faults)
	}
}
