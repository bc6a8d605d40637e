package runner

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"dlsim/checker"
	"dlsim/history"
	"dlsim/nemesis"
	"dlsim/scenarios"
	"dlsim/sim"
)

// fakeWorld is a world whose history is a function of its seed: a seed that three divides pays its
// one payout twice, one that seven divides panics, and a pause bites in even seeds.
type fakeWorld struct {
	setup     Setup
	events    []history.Event
	observers []func(*history.Event)
	due       []func()
	trace     func(string)
}

func fakeLaunch() Launch {
	return Launch{World: "virtual", New: func() Launcher { return fakeLauncher{} }}
}

type fakeLauncher struct{}

func (fakeLauncher) Close() {}
func (fakeLauncher) Launch(s Setup) (World, error) {
	if s.Bound < 0 {
		return nil, errors.New("no bound")
	}
	return &fakeWorld{setup: s}, nil
}

func (w *fakeWorld) Run() sim.Outcome {
	for i := 0; i < len(w.due); i++ { // a strike adds its own healing
		w.due[i]()
	}
	step := func(what string) {
		if w.setup.Trace != nil {
			w.setup.Trace(int64(len(w.events)), int64(len(w.events))*1e6, what)
		}
	}
	if w.setup.Seed%7 == 0 {
		panic("a seed that seven divides")
	}
	w.Record(history.Event{Process: "paydb", Kind: history.OK, Truth: true, Op: history.PayoutWritten, Account: "a", Payout: "p", Amount: 5, State: "PENDING", Tx: 1})
	for n := range 1 + b2i(w.setup.Seed%3 == 0) {
		w.Record(history.Event{Process: "rail", Kind: history.OK, Truth: true, Op: history.RailPaid, Account: "a", Payout: "p", Amount: 5, Reference: fmt.Sprint("r-", n), Clock: 1})
		step("paid" + fmt.Sprint(n+salt()))
	}
	w.Record(history.Event{Process: "world", Kind: history.Info, Op: history.WorldEnded, Note: "quiescent"})
	step("end")
	return sim.Outcome{
		Events: w.events, Hash: fmt.Sprintf("%016x", history.Hash(w.events)), TraceHash: fmt.Sprintf("%016x", len(w.events)+salt()),
		Elapsed: time.Second, Steps: int64(len(w.events)), Quiescent: true,
	}
}

// drift makes the fake world differ from one run to the next, as a defect would.
var drift atomic.Int64

func salt() int { return int(drift.Load()) }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (w *fakeWorld) Topology() sim.Topology {
	return sim.Topology{Processes: []sim.Process{{Name: "executor-1", Role: sim.RoleExecutor}}, Stores: []sim.Store{{Name: sim.Paydb, Kind: sim.Postgres}}}
}
func (w *fakeWorld) Elapsed() time.Duration             { return time.Duration(len(w.events)) * time.Millisecond }
func (w *fakeWorld) After(_ time.Duration, f func())    { w.due = append(w.due, f) }
func (w *fakeWorld) Observe(f func(e *history.Event))   { w.observers = append(w.observers, f) }
func (w *fakeWorld) Pick(_ string, n uint64) uint64     { return w.setup.Seed % n }
func (w *fakeWorld) Pause(string) (sim.Effect, error)   { return w.effect() }
func (w *fakeWorld) Kill(string) (sim.Effect, error)    { return w.effect() }
func (w *fakeWorld) Restart(string) (sim.Effect, error) { return w.effect() }
func (w *fakeWorld) Condition(sim.Link, sim.LinkCondition) (sim.Effect, error) {
	return w.effect()
}
func (w *fakeWorld) Clock(string, sim.ClockChange) (sim.Effect, error)   { return w.effect() }
func (w *fakeWorld) Store(string, sim.StoreAct) (sim.Effect, error)      { return w.effect() }
func (w *fakeWorld) Direct(_, _, _ string) (sim.Effect, error)           { return w.effect() }
func (w *fakeWorld) Operate(sim.OperatorAct, string) (sim.Effect, error) { return w.effect() }
func (w *fakeWorld) effect() (sim.Effect, error)                         { return fakeEffect(w.setup.Seed%2 == 0), nil }

func (w *fakeWorld) Record(e history.Event) int64 {
	e.ID = int64(len(w.events) + 1)
	e.Time = e.ID * 1e6
	w.events = append(w.events, e)
	for _, f := range w.observers {
		f(&w.events[len(w.events)-1])
	}
	return e.ID
}

type fakeEffect bool

func (fakeEffect) Heal()       {}
func (e fakeEffect) Felt() int { return b2i(bool(e)) }

// fakeScenario has an expectation and lists faults. The fake world has too little in it for some
// invariants.
func fakeScenario(t *testing.T, e scenarios.Expect, exercise []string, faults ...nemesis.Fault) *Scenario {
	t.Helper()
	s := scenarios.Defaults()
	s.Name, s.Description, s.Expect, s.MustExercise, s.Faults = "fake", "a fake", e, exercise, faults
	s.Expect.Waived = []string{checker.NothingLost, checker.IntentFirst, checker.GuardOfItsOwn}
	prepared, err := Prepare(&s)
	if err != nil {
		t.Fatal(err)
	}
	return prepared
}
