package live

import (
	"fmt"
	"syscall"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/live/control"
)

// effect is a standing fault with a way to take it away and a count of what met it.
type effect struct {
	heal   func()
	count  func() int
	final  int
	healed bool
}

// Heal implements sim.Effect. What is counted does not change any more.
func (e *effect) Heal() {
	if e.healed {
		return
	}
	e.final = e.Felt()
	e.healed = true
	if e.heal != nil {
		e.heal()
	}
}

// Felt implements sim.Effect.
func (e *effect) Felt() int {
	if !e.healed && e.count != nil {
		return e.count()
	}
	return e.final
}

func (w *World) process(name string) *process {
	for _, p := range w.processes {
		if p.name == name {
			return p
		}
	}
	return nil
}

func (w *World) database(name string) *database {
	for _, d := range []*database{w.paydb, w.lockdb} {
		if d != nil && d.name == name {
			return d
		}
	}
	return nil
}

func notThere(name string) error { return fmt.Errorf("there is no process or store named %q", name) }

// Pause implements sim.World: SIGSTOP, and SIGCONT when the last pause is healed.
func (w *World) Pause(name string) (sim.Effect, error) {
	p := w.process(name)
	if p == nil {
		return w.pauseStore(name)
	}
	if !p.up {
		return nil, fmt.Errorf("%s is not running", name)
	}
	generation := p.generation
	if p.pauses++; p.pauses == 1 {
		if err := p.signal(syscall.SIGSTOP); err != nil {
			p.pauses = 0
			return nil, err
		}
	}
	w.annotate(history.ProcessPaused, name)
	// What waits at a stopped process are messages that reach it: those of the links it is on.
	arrived := w.mesh.Messages(name)
	count := func() int { return int(w.mesh.Messages(name) - arrived) }
	return &effect{count: count, heal: func() {
		if !p.up || p.generation != generation { // it was killed meanwhile
			return
		}
		if p.pauses--; p.pauses > 0 {
			return
		}
		if err := p.signal(syscall.SIGCONT); err != nil {
			w.fail(err)
		}
		w.annotate(history.ProcessResumed, name)
	}}, nil
}

// Kill implements sim.World: SIGKILL. Healing starts the process again.
func (w *World) Kill(name string) (sim.Effect, error) {
	p := w.process(name)
	if p == nil {
		return w.Store(name, sim.StoreAct{Kind: sim.Crash})
	}
	if !p.up {
		return nil, fmt.Errorf("%s is not running", name)
	}
	tried := w.mesh.Messages(name)
	cut := int(p.counted().Busy) // requests that it was serving
	p.kill()
	w.mesh.Stop(name)
	p.takeUp()
	w.annotate(history.ProcessKilled, name)
	// Whoever has to do with it while it is down meets its absence.
	count := func() int { return cut + int(w.mesh.Messages(name)-tried) }
	return &effect{count: count, heal: func() { w.revive(p) }}, nil
}

// revive starts a process that was killed, unless somebody else has. The rest of the world goes on
// while it comes up.
func (w *World) revive(p *process) {
	if p.up {
		return
	}
	if err := p.spawn(); err != nil {
		w.fail(fmt.Errorf("start %s: %w", p.name, err))
		return
	}
	generation, serving := p.generation, p.serving
	w.beside(&p.coming, func() error { return p.await(serving) }, func(err error) {
		if !p.up || p.generation != generation {
			return // killed again before it was up
		}
		if err == nil {
			err = w.mesh.Start(p.name)
		}
		if err != nil {
			w.fail(err)
			return
		}
		w.annotate(history.ProcessStarted, p.name)
		p.begin()
	})
}

// Restart implements sim.World.
func (w *World) Restart(name string) (sim.Effect, error) {
	e, err := w.Kill(name)
	if err != nil {
		return nil, err
	}
	e.Heal()
	return e, w.failure
}

// Condition implements sim.World.
func (w *World) Condition(l sim.Link, c sim.LinkCondition) (sim.Effect, error) {
	for _, end := range []string{l.From, l.To} {
		if end != "*" && end != etcdName && w.process(end) == nil && !w.isStore(end) {
			return nil, notThere(end)
		}
	}
	e, err := w.mesh.Apply(l, c)
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (w *World) isStore(name string) bool {
	for _, s := range w.topology.Stores {
		if s.Name == name {
			return true
		}
	}
	return false
}

// Clock implements sim.World: the offset and the rate error that the process's host works with. The
// machine's own clocks stay right.
func (w *World) Clock(name string, c sim.ClockChange) (sim.Effect, error) {
	p := w.process(name)
	if p == nil {
		return w.storeClock(name, c)
	}
	p.clock.Offset += c.Step
	p.clock.DriftPPM += c.DriftPPM
	p.setClock()
	p.ask()
	read := p.counted().Reads
	count := func() int {
		p.ask() // or what it last said holds
		return int(p.counted().Reads - read)
	}
	if c.DriftPPM == 0 {
		return &standing{count}, nil
	}
	return &effect{count: count, heal: func() {
		p.clock.DriftPPM -= c.DriftPPM
		p.setClock()
	}}, nil
}

func (p *process) setClock() {
	c := p.clock
	p.tell(&control.Down{Clock: &c})
}

// standing is the effect of a step, which healing does not undo. It has been felt from the first, by
// the clock itself, as the virtual world has it.
type standing struct{ count func() int }

// Heal implements sim.Effect.
func (*standing) Heal() {}

// Felt implements sim.Effect.
func (s *standing) Felt() int { return 1 + s.count() }

// Direct implements sim.World. A later instruction under the same name hides an earlier one until
// it is healed.
func (w *World) Direct(name, key, value string) (sim.Effect, error) {
	p := w.process(name)
	if p == nil {
		return nil, notThere(name)
	}
	w.nextID++
	id := w.nextID
	p.order(append(control.Orders{{ID: id, Name: key, Value: value}}, p.orders...))
	count := func() int {
		p.ask() // what it obeyed since it last said anything
		return int(p.obeyed(id))
	}
	return &effect{count: count, heal: func() {
		var left control.Orders
		for _, o := range p.orders {
			if o.ID != id {
				left = append(left, o)
			}
		}
		p.order(left)
	}}, nil
}

func (p *process) order(o control.Orders) {
	if o == nil {
		o = control.Orders{} // none must be told, and JSON's null tells nothing
	}
	p.orders = o
	p.tell(&control.Down{Direct: &o})
}

// Operate implements sim.World.
func (w *World) Operate(act sim.OperatorAct, payout string) (sim.Effect, error) {
	p := w.process(sim.RoleOperator)
	if p == nil || !p.up {
		return nil, fmt.Errorf("the operator is not there")
	}
	a := control.Act{Act: act, Payout: payout}
	op := history.OperatorCancel
	if act == sim.PayByHand {
		a.Credential, op = w.credential, history.OperatorPay
	}
	done := 0
	w.Observe(func(e *history.Event) {
		if e.Op == op && e.Payout == payout && e.Kind == history.OK {
			done++
		}
	})
	p.tell(&control.Down{Act: &a})
	return &effect{count: func() int { return done }}, nil
}
