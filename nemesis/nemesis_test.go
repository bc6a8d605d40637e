package nemesis

import (
	"strings"
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/system/rail"
)

func TestAFaultStrikesAtItsTimeAndHeals(t *testing.T) {
	w, n := started(t, "{kind: pause, target: executor-1, at: 2s, for: 3s}")
	w.until(10 * second)
	w.expect(t, "2s pause executor-1", "5s heal pause executor-1")
	if w.count(history.FaultBegun) != 1 || w.count(history.FaultEnded) != 1 || w.count(history.AllHealed) != 1 {
		t.Errorf("annotations: %+v", w.events)
	}
	if last := w.events[len(w.events)-1]; last.Op != history.AllHealed || time.Duration(last.Time) != 5*second+settling {
		t.Errorf("the last event is %+v", last)
	}
	begun := w.events[0]
	if begun.State != "pause" || begun.Owner != "executor-1" || begun.Note != "{id: 1, kind: pause, target: executor-1, at: 2s, for: 3s}" {
		t.Errorf("begun: %+v", begun)
	}
	r := n.Report()[0]
	if !r.Struck || r.StruckAt != 2*second || r.HealedAt != 5*second || r.Target != "executor-1" {
		t.Errorf("report: %+v", r)
	}
}

func TestAFaultThatMayHealOnAnEventDoesSoBeforeItsTime(t *testing.T) {
	for name, c := range map[string]struct {
		nth  int
		heal string
	}{"the event comes": {2, "3s heal pause executor-1"}, "it does not": {9, "12s heal pause executor-1"}} {
		f, err := Parse("{kind: pause, target: executor-1, at: 2s, for: 10s}")
		if err != nil {
			t.Fatal(err)
		}
		f.Until = Trigger{Event: history.PayoutClaim, Process: "executor-2", Kind: "ok", Nth: c.nth}
		w := newFakeWorld()
		n, err := New(w, Plan{Faults: []Fault{f}})
		if err != nil {
			t.Fatal(err)
		}
		n.Start()
		w.until(1 * second)
		w.client("executor-2", history.PayoutClaim, history.OK, "payout-1") // counts, and heals nothing
		w.until(3 * second)
		w.client("executor-2", history.PayoutClaim, history.Fail, "payout-2")
		w.client("executor-2", history.PayoutClaim, history.OK, "payout-2")
		w.until(20 * second)
		if w.log[0] != "2s pause executor-1" || w.log[1] != c.heal {
			t.Errorf("%s: %q", name, w.log)
		}
	}
}

func TestAnEmptyPlanIsHealedFromTheStart(t *testing.T) {
	w, n := started(t)
	if w.count(history.AllHealed) != 1 || !n.Healed() {
		t.Error("progress is never demanded")
	}
}

func TestATriggerStrikesInsideTheEvent(t *testing.T) {
	w, n := started(t, "{kind: pause, target: holder, on: {event: lock.granted, process: executor-1, nth: 2}, for: 3s}")
	w.until(1 * second)
	w.granted("account-1", "executor-1", 1, 5*second)
	w.granted("account-2", "executor-2", 2, 5*second)
	if len(w.log) != 0 {
		t.Fatalf("struck too early: %q", w.log)
	}
	w.granted("account-3", "executor-1", 3, 5*second)
	w.expect(t, "1s pause executor-1") // without time passing
	if a := n.Report()[0].Anchor; a != (Anchor{Process: "etcd", Event: history.LockGranted, Kind: "ok", Nth: 3}) {
		t.Errorf("anchor %+v", a)
	}
}

func TestATriggerMatchesOnEachOfItsFields(t *testing.T) {
	event := history.Event{Process: "proxy-1", Kind: history.OK, Op: history.ProxyAdmit, Account: "account-1",
		Payout: "payout-1", Owner: "o", State: "ACCEPTED"}
	for _, c := range []struct {
		on    string
		fires bool
	}{
		{"event: proxy.admit", true},
		{"event: proxy.admit, kind: ok, process: proxy-1, account: account-1, payout: payout-1, owner: o, state: ACCEPTED", true},
		{"event: proxy.admit, process: proxy", true},
		{"event: proxy.admit, process: proxy-2", false},
		{"event: proxy.admit, process: executor", false},
		{"event: proxy.admit, kind: invoke", false},
		{"event: proxy.admit, account: account-2", false},
		{"event: proxy.admit, payout: payout-2", false},
		{"event: proxy.admit, owner: p", false},
		{"event: proxy.admit, state: REJECTED", false},
		{"event: rail.forward", false},
		{"event: proxy.admit, nth: 2", false},
	} {
		w, _ := started(t, "{kind: restart, target: executor-1, on: {"+c.on+"}}")
		w.Record(event)
		if fired := len(w.log) == 1; fired != c.fires {
			t.Errorf("{%s}: fired %v, want %v", c.on, fired, c.fires)
		}
	}
}

func TestATriggerMayBeDelayed(t *testing.T) {
	w, _ := started(t, "{kind: restart, target: actor, on: {event: proxy.admit, kind: ok}, after: 100ms}")
	w.until(second)
	w.client("proxy-2", history.ProxyAdmit, history.OK, "payout-1")
	w.client("proxy-1", history.ProxyAdmit, history.OK, "payout-2")
	w.until(2 * second)
	w.expect(t, "1.1s restart proxy-2")
}

func TestAHolderIsWhoeverHoldsTheTriggersLock(t *testing.T) {
	w, _ := started(t, "{kind: pause, target: holder, on: {event: rail.received}, for: 1s}")
	w.acquired("account-1", "executor-1", 1)
	w.acquired("account-2", "executor-2", 2)
	w.Record(history.Event{Process: "rail", Kind: history.OK, Truth: true, Op: history.RailReceived, Account: "account-2"})
	w.expect(t, "0s pause executor-2")
}

func TestAHolderIsAwaitedWhereThereIsNone(t *testing.T) {
	w, n := started(t, "{kind: pause, target: holder, at: 2s, for: 1s}")
	w.acquired("account-1", "executor-1", 1)
	w.released("account-1", "executor-1", 1)
	w.until(3 * second)
	if len(w.log) != 0 {
		t.Fatalf("struck %q", w.log)
	}
	if r := n.Report()[0]; r.Struck || r.Why != "nobody held a lock for it to strike at" {
		t.Errorf("report %+v", r)
	}
	w.acquired("account-1", "reconciler", 2) // holds a lock, and is no executor
	w.acquired("account-2", "executor-2", 3)
	w.until(5 * second)
	w.expect(t, "3s pause executor-2", "4s heal pause executor-2")
}

func TestALeaseThatRanOutLeavesNoHolder(t *testing.T) {
	w, _ := started(t, "{kind: pause, target: holder, at: 6s, for: 1s}")
	w.granted("account-1", "executor-1", 1, 5*second)
	w.until(4 * second)
	w.granted("account-2", "executor-2/7", 2, 5*second)
	w.until(7 * second)
	w.expect(t, "6s pause executor-2", "7s heal pause executor-2")
}

func TestTakingOneFaultAwayMovesNoOtherSymbol(t *testing.T) {
	target := func(faults ...string) string {
		w, _ := started(t, faults...)
		w.until(2 * second)
		return w.log[len(w.log)-1]
	}
	for id := range 20 {
		last := "{id: " + string(rune('a'+id)) + "}"
		last = Fault{ID: id + 1, Kind: "restart", Target: AnyExecutor, At: second}.String()
		all := target("{id: 40, kind: restart, target: any-executor}", "{id: 41, kind: restart, target: any-proxy}", last)
		if alone := target(last); alone != all {
			t.Errorf("fault %d strikes %q alone and %q in company", id+1, alone, all)
		}
	}
}

func TestOverlappingPausesNest(t *testing.T) {
	w, n := started(t,
		"{kind: pause, target: executor-1, at: 1s, for: 4s}",
		"{kind: pause, target: executor-1, at: 2s, for: 1s}",
		"{kind: pause, target: executor-1, at: 4s, for: 3s}")
	for _, step := range []struct {
		at     time.Duration
		paused int
	}{{1, 1}, {2, 2}, {3, 1}, {4, 2}, {5, 1}, {7, 0}} {
		w.until(step.at * second)
		if w.paused["executor-1"] != step.paused {
			t.Errorf("at %ds %d pauses stand, want %d", step.at, w.paused["executor-1"], step.paused)
		}
		w.until(step.at*second + settling)
		if n.Healed() != (step.paused == 0) {
			t.Errorf("at %ds healed is %v", step.at, n.Healed())
		}
	}
}

func TestAtTheTimeOfHealingEverythingIsOver(t *testing.T) {
	w := newFakeWorld()
	n := startIn(t, w, 10*second,
		"{kind: kill, target: executor-1, at: 2s, for: 1m}",
		"{kind: pause, target: executor-2, on: {event: rail.paid, nth: 3}, for: 1s}",
		"{kind: pause, target: proxy-2, on: {event: process.started}, for: 1s}", // not by the healing itself
		"{kind: pause, target: holder, at: 1s, for: 1s}",
		"{kind: rolling-restart, target: proxy, at: 9s, every: 5s}",
		"{kind: restart, target: proxy-1, at: 11s}",
		"{kind: restart, target: proxy-1, on: {event: rail.received}, after: 9s}")
	w.until(3 * second)
	w.Record(history.Event{Process: "rail", Kind: history.OK, Truth: true, Op: history.RailPaid})
	w.Record(history.Event{Process: "rail", Kind: history.OK, Truth: true, Op: history.RailReceived})
	w.until(30 * second)
	w.acquired("account-1", "executor-1", 1)
	w.expect(t, "2s kill executor-1", "9s restart proxy-1", "10s heal kill executor-1")
	if w.count(history.AllHealed) != 1 {
		t.Error("healing was declared other than once")
	}
	for i, want := range []string{
		"nothing met it",
		"its trigger had come 1 of 3 times by the time of healing",
		"its trigger had come 0 of 1 times by the time of healing",
		"nobody held a lock for it to strike at",
		"nothing met it",
		"its time had not come by the time of healing",
		"its delay had not passed by the time of healing",
	} {
		if r := n.Report()[i]; r.Bit || r.Why != want {
			t.Errorf("fault %d: %v, %q, want %q", i+1, r.Bit, r.Why, want)
		}
	}
}

func TestATriggerThatNeverCameIsReported(t *testing.T) {
	w, n := started(t, "{kind: restart, target: proxy-1, on: {event: rail.paid}}", "{kind: restart, target: proxy-1, at: 1h}")
	w.until(second)
	for i, want := range []string{"its trigger never fired", "the run ended before its time"} {
		if r := n.Report()[i]; r.Struck || r.Bit || r.Why != want {
			t.Errorf("report %+v, want %q", r, want)
		}
	}
	if n.Healed() {
		t.Error("healed while a fault may yet come")
	}
}

func TestWhatTheWorldRefusesIsReportedAndHoldsNothingUp(t *testing.T) {
	w := newFakeWorld()
	w.refuse = "executor-1"
	n := startIn(t, w, 0, "{kind: kill, target: executor-1, for: 1s}",
		"{kind: kill, target: actor, on: {event: rail.paid}, for: 1s}")
	w.until(ms)
	w.Record(history.Event{Process: "paydb", Kind: history.OK, Truth: true, Op: history.RailPaid})
	w.until(second)
	for i, want := range []string{"executor-1 is not running", `cannot strike "paydb", who recorded the event`} {
		if r := n.Report()[i]; r.Struck || r.Bit || r.Why != want {
			t.Errorf("report %+v, want %q", r, want)
		}
	}
	if !n.Healed() {
		t.Error("the run waits for a fault that could not be")
	}
}

func TestEachKindDoesItsOwnThingToTheWorld(t *testing.T) {
	for _, c := range []struct{ fault, log string }{
		{"{kind: kill, target: proxy-1, for: 1s}", "kill proxy-1"},
		{"{kind: restart, target: proxy-1}", "restart proxy-1"},
		{"{kind: rolling-restart, target: proxy, every: 1s}", "restart proxy-1; restart proxy-2"},
		{"{kind: cut, from: executor-1, to: proxy-1, for: 1s}", "hold executor-1>proxy-1 +0s x0"},
		{"{kind: cut, from: executor-1, to: \"*\", for: 1s, mode: drop, way: requests}", "drop executor-1>* requests +0s x0"},
		{"{kind: cut, from: executor, to: proxy-1, for: 1s, way: both}", "hold executor-1>proxy-1 +0s x0; hold executor-2>proxy-1 +0s x0"},
		{"{kind: slow, from: lockd-1, to: etcd, for: 1s, extra: 1s}", "slow lockd-1>etcd-1 +1s x0; slow lockd-1>etcd-2 +1s x0"},
		{"{kind: drop-reply, from: proxy-1, to: rail, for: 1s, count: 1}", "drop proxy-1>rail replies +0s x1"},
		{"{kind: delay-request, from: proxy-1, to: rail, for: 1s, extra: 2s, count: 3}", "slow proxy-1>rail requests +2s x3"},
		{"{kind: reset, from: proxy-1, to: rail, for: 1s, way: replies}", "reset proxy-1>rail replies +0s x0"},
		{"{kind: clock-step, target: lockdb, step: -2s}", "clock lockdb -2s 0"},
		{"{kind: clock-drift, target: proxy-1, drift_ppm: 100, for: 1s}", "clock proxy-1 0s 100"},
		{"{kind: disk-stall, target: etcd-2, for: 1s}", `stall etcd-2 target="" loses=0s`},
		{"{kind: database-crash, target: paydb, for: 1s}", `crash paydb target="" loses=0s`},
		{"{kind: database-crash, target: lockdb, for: 1s, loses: 300ms}", `crash lockdb target="" loses=300ms`},
		{"{kind: failover, target: paydb, for: 1s, loses: 300ms}", `failover paydb target="" loses=300ms`},
		{"{kind: backend-kill, target: paydb, client: proxy-2}", `backend-kill paydb target="proxy-2" loses=0s`},
		{"{kind: etcd-leader-loss, for: 1s}", `leader-loss etcd target="" loses=0s`},
		{"{kind: etcd-leader-loss, target: etcd-2, for: 1s}", `leader-loss etcd target="etcd-2" loses=0s`},
		{"{kind: etcd-restore, loses: 3s}", `restore etcd target="" loses=3s`},
		{"{kind: rail-timeout, for: 1s, count: 2}", `direct rail rail="timeout next=2"`},
		{"{kind: rail-execute-then-5xx, for: 1s}", `direct rail rail="execute-then-5xx"`},
		{"{kind: rail-late, for: 1s, extra: 1500ms}", `direct rail rail="late 1.5s"`},
		{"{kind: rail-late, for: 1s, extra: 1m, way: replies}", `direct rail rail="slow 1m"`},
		{"{kind: rail-decline, for: 1s}", `direct rail rail="decline"`},
		{"{kind: operator-cancel, payout: payout-3}", "cancel payout-3"},
		{"{kind: operator-pay, payout: payout-3}", "pay-by-hand payout-3"},
	} {
		w, n := started(t, c.fault)
		w.until(5 * second)
		if strings.Contains(c.fault, "operator") {
			w.client("operator", history.OperatorPay, history.OK, "payout-3")
		}
		w.until(6 * second)
		var did []string
		for _, line := range w.log {
			if _, what, _ := strings.Cut(line, " "); !strings.HasPrefix(what, "heal ") {
				did = append(did, what)
			}
		}
		if got := strings.Join(did, "; "); got != c.log {
			t.Errorf("%s\ndid  %s\nwant %s", c.fault, got, c.log)
		}
		if !n.Healed() {
			t.Errorf("%s: not healed", c.fault)
		}
	}
}

func TestTheRailUnderstandsEveryInstruction(t *testing.T) {
	for _, fault := range []string{
		"{kind: rail-timeout, for: 1s}", "{kind: rail-execute-then-5xx, for: 1s, count: 3}", "{kind: rail-decline, for: 1s}",
		"{kind: rail-late, for: 1s, extra: 2m}", "{kind: rail-late, for: 1s, extra: 1h, way: replies, count: 1}",
	} {
		w, _ := started(t, fault)
		w.until(0)
		_, quoted, _ := strings.Cut(w.log[0], "=")
		d, err := rail.ParseDirective(strings.Trim(quoted, `"`))
		if err != nil || d.Kind == "" || rail.DirectiveName != railDirective {
			t.Errorf("%s: %v, %v", fault, d, err)
		}
	}
}

func TestAnOperatorTakesThePayoutThatIsBeingSpokenOf(t *testing.T) {
	w, n := started(t,
		"{kind: operator-cancel, on: {event: payout.claim, nth: 2}, after: 1s}",
		"{kind: operator-pay, at: 5s}",
		"{kind: operator-pay}")
	w.until(0)
	w.client("executor-1", history.PayoutClaim, history.OK, "payout-1")
	w.client("executor-2", history.PayoutClaim, history.OK, "payout-2")
	w.client("executor-2", history.PayoutPost, history.OK, "payout-4")
	w.until(6 * second)
	w.expect(t, "1s cancel payout-2", "5s pay-by-hand payout-4")
	if r := n.Report()[2]; r.Struck || r.Why != "no payout had been heard of" {
		t.Errorf("report %+v", r)
	}
}

var _ sim.World = (*fakeWorld)(nil)
