package virtual

import (
	"fmt"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/virtual/sched"
)

// effect is a standing fault with a way to take it away and a count of what met it.
type effect struct {
	heal   func()
	count  func() int // nil: felt alone counts
	felt   int
	healed bool
}

// Heal takes the fault away, once.
func (e *effect) Heal() {
	if e.healed {
		return
	}
	if e.count != nil { // what it counted must not change any more
		e.felt += e.count()
		e.count = nil
	}
	e.healed = true
	if e.heal != nil {
		e.heal()
	}
}

// Felt counts what met the fault so far.
func (e *effect) Felt() int {
	if e.count != nil {
		return e.felt + e.count()
	}
	return e.felt
}

// Topology names what runs.
func (w *World) Topology() sim.Topology { return w.topology }

// Elapsed is the true time since the start.
func (w *World) Elapsed() time.Duration { return time.Duration(w.sched.Now()) }

// After calls f once d of true time has passed.
func (w *World) After(d time.Duration, f func()) { w.sched.After(int64(d), nil, f) }

// Observe calls f with every event from now on.
func (w *World) Observe(f func(*history.Event)) { w.observers = append(w.observers, f) }

// Record appends an annotation of the harness.
func (w *World) Record(e history.Event) int64 { return w.record(&e) }

// Pick is a draw of the harness for a purpose.
func (w *World) Pick(purpose string, n uint64) uint64 {
	for i := range w.picks {
		if p := &w.picks[i]; p.purpose == purpose {
			p.n++
			return w.sched.Pick(sched.Harness, p.key, p.n, n)
		}
	}
	w.picks = append(w.picks, purposeCount{purpose, sched.Place(purpose), 0})
	return w.sched.Pick(sched.Harness, sched.Place(purpose), 0, n)
}

func (w *World) target(name string) (*machine, error) {
	if m := w.machines[name]; m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("there is no process or store named %q", name)
}

func (w *World) annotate(op history.Op, target string) {
	w.record(&history.Event{Process: "world", Kind: history.Info, Op: op, Owner: target})
}

// Pause freezes a process or a store's server wherever it is.
func (w *World) Pause(name string) (sim.Effect, error) {
	m, err := w.target(name)
	if err != nil {
		return nil, err
	}
	if !m.node.Up() {
		return nil, fmt.Errorf("%s is not running", name)
	}
	before := m.node.Waited()
	resume := m.node.Pause()
	w.annotate(history.ProcessPaused, name)
	w.storePaused(m, true)
	return &effect{
		count: func() int { return int(m.node.Waited() - before) },
		heal: func() {
			resume()
			if !m.node.Paused() {
				w.annotate(history.ProcessResumed, name)
				w.storePaused(m, false)
			}
		},
	}, nil
}

// Kill ends a process; healing starts it again with an empty memory.
func (w *World) Kill(name string) (sim.Effect, error) {
	m, err := w.target(name)
	if err != nil {
		return nil, err
	}
	if m.role == "" {
		return w.Store(name, sim.StoreAct{Kind: sim.Crash})
	}
	if !m.node.Up() {
		return nil, fmt.Errorf("%s is not running", name)
	}
	busy := m.node.Tasks() + len(m.calls) + len(m.serving)
	m.kill()
	w.annotate(history.ProcessKilled, name)
	return &effect{felt: busy, heal: func() {
		if !m.node.Up() {
			w.startProcess(m)
		}
	}}, nil
}

// Restart kills a process and starts it again at once.
func (w *World) Restart(name string) (sim.Effect, error) {
	e, err := w.Kill(name)
	if err != nil {
		return nil, err
	}
	e.Heal()
	return e, nil
}

// Condition makes a link misbehave.
func (w *World) Condition(l sim.Link, c sim.LinkCondition) (sim.Effect, error) {
	for _, end := range []string{l.From, l.To} {
		if end != "*" && w.machines[end] == nil && !w.isStore(end) {
			return nil, fmt.Errorf("there is no process or store named %q", end)
		}
	}
	cond := &condition{net: w.net, link: l, c: c}
	w.net.conditions = append(w.net.conditions, cond)
	return cond, nil
}

// Clock steps or drifts the clocks of a process or of a store's server.
func (w *World) Clock(name string, c sim.ClockChange) (sim.Effect, error) {
	m, err := w.target(name)
	if err != nil {
		return nil, err
	}
	now := w.sched.Now()
	w.sched.Note(noteClock, m.node.ID, uint64(c.Step)^uint64(c.DriftPPM)<<40)
	m.clock.offset += int64(c.Step)
	m.clock.setDrift(now, m.clock.drift+c.DriftPPM)
	return &effect{felt: 1, heal: func() {
		m.clock.setDrift(w.sched.Now(), m.clock.drift-c.DriftPPM)
	}}, nil
}

// Direct gives a process a standing instruction. A later one under the same name hides an earlier
// one until it is healed.
func (w *World) Direct(name, key, value string) (sim.Effect, error) {
	m, err := w.target(name)
	if err != nil {
		return nil, err
	}
	e := &effect{}
	w.sched.Note(noteDirect, m.node.ID, sched.Place(value))
	m.directives = append([]directive{{key, value, e}}, m.directives...)
	e.heal = func() {
		for i := range m.directives {
			if m.directives[i].effect == e {
				m.directives = append(m.directives[:i:i], m.directives[i+1:]...)
				return
			}
		}
	}
	return e, nil
}
