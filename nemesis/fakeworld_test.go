package nemesis

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim"
)

// fakeWorld is a world without a system: the test says what happens in it, and it writes down what
// the nemesis does to it.
type fakeWorld struct {
	topology  sim.Topology
	now       time.Duration
	timers    []fakeTimer
	observers []func(*history.Event)
	events    []history.Event
	log       []string
	effects   []*fakeEffect
	paused    map[string]int
	refuse    string // a target that the world will not have touched
	picks     map[string]uint64
}

type fakeTimer struct {
	at time.Duration
	f  func()
}

type fakeEffect struct {
	w    *fakeWorld
	what string
	felt int
	over bool
	heal func()
}

func (e *fakeEffect) Felt() int { return e.felt }
func (e *fakeEffect) Heal() {
	if e.over {
		return
	}
	e.over = true
	e.w.log = append(e.w.log, fmt.Sprintf("%s heal %s", FormatDuration(e.w.now), e.what))
	if e.heal != nil {
		e.heal()
	}
}

func fakeTopology() sim.Topology {
	t := sim.Topology{}
	for _, p := range []sim.Process{
		{Name: "rail", Role: sim.RoleRail}, {Name: "lockd-1", Role: sim.RoleLockd},
		{Name: "proxy-1", Role: sim.RoleProxy}, {Name: "proxy-2", Role: sim.RoleProxy},
		{Name: "reconciler", Role: sim.RoleReconciler},
		{Name: "executor-1", Role: sim.RoleExecutor}, {Name: "executor-2", Role: sim.RoleExecutor},
		{Name: "operator", Role: sim.RoleOperator},
	} {
		t.Processes = append(t.Processes, p)
	}
	for _, s := range []sim.Store{
		{Name: sim.Paydb, Kind: sim.Postgres}, {Name: "paydb-standby", Kind: sim.Postgres},
		{Name: sim.Lockdb, Kind: sim.Postgres}, {Name: "etcd-1", Kind: sim.Etcd}, {Name: "etcd-2", Kind: sim.Etcd},
	} {
		t.Stores = append(t.Stores, s)
	}
	return t
}

func newFakeWorld() *fakeWorld {
	return &fakeWorld{topology: fakeTopology(), paused: map[string]int{}, picks: map[string]uint64{}}
}

func (w *fakeWorld) Topology() sim.Topology         { return w.topology }
func (w *fakeWorld) Elapsed() time.Duration         { return w.now }
func (w *fakeWorld) Observe(f func(*history.Event)) { w.observers = append(w.observers, f) }
func (w *fakeWorld) After(d time.Duration, f func()) {
	w.timers = append(w.timers, fakeTimer{w.now + d, f})
}

func (w *fakeWorld) Record(e history.Event) int64 {
	e.ID, e.Time = int64(len(w.events)+1), int64(w.now)
	w.events = append(w.events, e)
	for _, f := range w.observers {
		f(&e)
	}
	return e.ID
}

func (w *fakeWorld) Pick(purpose string, n uint64) uint64 {
	w.picks[purpose]++
	h := uint64(14695981039346656037)
	for i := range len(purpose) {
		h = (h ^ uint64(purpose[i])) * 1099511628211
	}
	return (h + w.picks[purpose]) % n
}

// until lets time pass.
func (w *fakeWorld) until(at time.Duration) {
	for {
		next := -1
		for i, t := range w.timers {
			if t.at <= at && (next < 0 || t.at < w.timers[next].at) {
				next = i
			}
		}
		if next < 0 {
			w.now = at
			return
		}
		t := w.timers[next]
		w.timers = slices.Delete(w.timers, next, next+1)
		w.now = t.at
		t.f()
	}
}

func (w *fakeWorld) effect(target, what string) (*fakeEffect, error) {
	if target == w.refuse {
		return nil, errors.New(target + " is not running")
	}
	e := &fakeEffect{w: w, what: what}
	w.effects = append(w.effects, e)
	w.log = append(w.log, fmt.Sprintf("%s %s", FormatDuration(w.now), what))
	return e, nil
}

func result(e *fakeEffect, err error) (sim.Effect, error) {
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (w *fakeWorld) note(op history.Op, process string) {
	w.Record(history.Event{Process: "world", Kind: history.Info, Op: op, Owner: process})
}

func (w *fakeWorld) Pause(p string) (sim.Effect, error) {
	e, err := w.effect(p, "pause "+p)
	if err == nil {
		w.paused[p]++
		w.note(history.ProcessPaused, p)
		e.heal = func() { w.paused[p]--; w.note(history.ProcessResumed, p) }
	}
	return result(e, err)
}

func (w *fakeWorld) Kill(p string) (sim.Effect, error) {
	e, err := w.effect(p, "kill "+p)
	if err == nil {
		w.note(history.ProcessKilled, p)
		e.heal = func() { w.note(history.ProcessStarted, p) }
	}
	return result(e, err)
}

func (w *fakeWorld) Restart(p string) (sim.Effect, error) { return result(w.effect(p, "restart "+p)) }

func (w *fakeWorld) Condition(l sim.Link, c sim.LinkCondition) (sim.Effect, error) {
	way := ""
	if c.Requests {
		way += " requests"
	}
	if c.Replies {
		way += " replies"
	}
	return result(w.effect(l.To, fmt.Sprintf("%s %s>%s%s +%s x%d", c.Mode, l.From, l.To, way, FormatDuration(c.Extra), c.Count)))
}

func (w *fakeWorld) Clock(t string, c sim.ClockChange) (sim.Effect, error) {
	return result(w.effect(t, fmt.Sprintf("clock %s %s %d", t, FormatDuration(c.Step), c.DriftPPM)))
}

func (w *fakeWorld) Store(s string, a sim.StoreAct) (sim.Effect, error) {
	return result(w.effect(s, fmt.Sprintf("%s %s target=%q loses=%s", a.Kind, s, a.Target, FormatDuration(a.Loses))))
}

func (w *fakeWorld) Direct(p, name, value string) (sim.Effect, error) {
	return result(w.effect(p, fmt.Sprintf("direct %s %s=%q", p, name, value)))
}

func (w *fakeWorld) Operate(a sim.OperatorAct, payout string) (sim.Effect, error) {
	return result(w.effect("operator", fmt.Sprintf("%s %s", a, payout)))
}

// granted records that the lock store granted an account to an owner for a lease.
func (w *fakeWorld) granted(account, owner string, token int64, lease time.Duration) {
	clock := int64(1_000_000_000_000) + int64(w.now)
	w.Record(history.Event{Process: "etcd", Kind: history.OK, Op: history.LockGranted, Truth: true,
		Account: account, Owner: owner, Token: token, Clock: clock, Expires: clock + int64(lease)})
}

// acquired records that the owner learnt of it.
func (w *fakeWorld) acquired(account, process string, token int64) {
	w.Record(history.Event{Process: process, Kind: history.OK, Op: history.LockAcquire, Call: 1, Account: account, Owner: process, Token: token})
}

func (w *fakeWorld) released(account, process string, token int64) {
	w.Record(history.Event{Process: process, Kind: history.OK, Op: history.LockRelease, Call: 1, Account: account, Owner: process, Token: token})
}

func (w *fakeWorld) client(process string, op history.Op, kind history.Kind, payout string) {
	w.Record(history.Event{Process: process, Kind: kind, Op: op, Call: 1, Payout: payout})
}

// started makes a nemesis over a fresh world, from faults in YAML.
func started(t *testing.T, faults ...string) (*fakeWorld, *Nemesis) {
	t.Helper()
	w := newFakeWorld()
	return w, startIn(t, w, 0, faults...)
}

func startIn(t *testing.T, w *fakeWorld, healBy time.Duration, faults ...string) *Nemesis {
	t.Helper()
	p := Plan{HealBy: healBy}
	for _, text := range faults {
		f, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		p.Faults = append(p.Faults, f)
	}
	n, err := New(w, p)
	if err != nil {
		t.Fatal(err)
	}
	n.Start()
	return n
}

func (w *fakeWorld) expect(t *testing.T, log ...string) {
	t.Helper()
	if !slices.Equal(w.log, log) {
		t.Errorf("the world saw\n  %q\nwant\n  %q", w.log, log)
	}
}

func (w *fakeWorld) count(op history.Op) int {
	n := 0
	for _, e := range w.events {
		if e.Op == op {
			n++
		}
	}
	return n
}

const (
	ms     = time.Millisecond
	second = time.Second
)
