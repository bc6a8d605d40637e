// Package virtual is the deterministic world: every process of the system runs as coroutines over
// virtual time, a simulated network, in-memory PostgreSQL and etcd. A run is a function of its
// options: the same seed gives the same history, byte for byte, on every machine.
package virtual

import (
	"fmt"
	"strconv"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/virtual/sched"
	"dlsim/system"
	"dlsim/system/config"
	"dlsim/system/lock"
	"dlsim/system/paydb"
)

// World is one run of the system.
type World struct {
	options Options
	cache   *Cache
	sched   *sched.Scheduler
	net     *network

	machines map[string]*machine
	order    []*machine // in start order: processes, then stores
	topology sim.Topology
	paydb    *database
	lockdb   *database
	etcd     *etcdStore

	events    []history.Event
	observers []func(*history.Event)
	progress  progress
	picks     []purposeCount
	work      system.Work
	truths    []history.Event // scratch
	failure   error           // of a real server
}

var _ sim.World = (*World)(nil)

// Notes of the world in the trace.
const (
	noteDrop = sched.NoteWorld + iota
	noteReset
	noteHold
	noteRecord
	noteClock
	noteStore
	noteDirect
)

// New builds a world: stores with their schema, accounts and payouts' owners, and processes that
// start at time 0. It returns an error when the options make no world.
func New(o Options) (*World, error) {
	if o.Cache == nil {
		o.Cache = NewCache()
	}
	o.Cache.reset()
	if o.Choices == nil {
		o.Choices = sched.Keyed(o.Seed)
	}
	w := &World{options: o, cache: o.Cache, machines: make(map[string]*machine, 16), events: o.Cache.events[:0]}
	w.sched = sched.New(o.Choices, &o.Cache.stacks)
	w.sched.Trace(o.Trace)
	w.net = &network{w: w, links: map[[2]*machine]*link{}}
	w.progress.expected = o.Workload.Count()
	w.progress.states = make([]payoutState, 0, w.progress.expected)
	if o.System.Rail.Void {
		w.progress.book = &sim.Book{}
	}
	w.drawWork()
	w.buildProcesses()
	if err := w.buildStores(); err != nil {
		return nil, err
	}
	w.recordWork()
	for _, p := range w.topology.Processes {
		w.startProcess(w.machines[p.Name])
	}
	return w, nil
}

func (w *World) buildProcesses() {
	c := w.cache
	if t := w.options.System.Topology; c.processes == nil || c.topology != t {
		c.topology, c.processes = t, processesOf(t)
	}
	w.topology.Processes = c.processes
	w.order = make([]*machine, 0, 2*len(c.processes))
	for _, p := range c.processes {
		m := w.newMachine(p.Name, p.Role)
		m.self = host{m}
		m.host = &m.self
	}
}

// processesOf names a topology's processes in start order.
func processesOf(t config.Topology) (processes []sim.Process) {
	add := func(role string, n int, numbered bool) {
		for i := 1; i <= n; i++ {
			name := role
			if numbered {
				name += "-" + strconv.Itoa(i)
			}
			processes = append(processes, sim.Process{Name: name, Role: role})
		}
	}
	add(sim.RoleRail, 1, false)
	add(sim.RoleLockd, t.Lockds, true)
	add(sim.RoleProxy, t.Proxies, true)
	add(sim.RoleIntake, 1, false)
	add(sim.RoleReconciler, 1, false)
	add(sim.RoleExecutor, t.Executors, true)
	add(sim.RoleOperator, 1, false)
	return processes
}

func (w *World) buildStores() error {
	var err error
	t := w.options.System.Topology
	if w.paydb, err = w.newDatabase(sim.Paydb, paydb.Schema, t.PaydbStandby, w.openAccounts); err != nil {
		return err
	}
	switch w.options.System.Lock.Backend {
	case config.BackendPostgres:
		w.lockdb, err = w.newDatabase(sim.Lockdb, lock.Schema, t.LockdbStandby, nil)
	case config.BackendEtcd:
		w.etcd = w.newEtcd(t.EtcdNodes)
	default:
		err = fmt.Errorf("lock.backend: %q is neither etcd nor postgres", w.options.System.Lock.Backend)
	}
	return err
}

// startProcess starts a process's role as its main function would.
func (w *World) startProcess(m *machine) {
	m.node.Start()
	w.record(&history.Event{Process: "world", Kind: history.Info, Op: history.ProcessStarted, Owner: m.name})
	h := m.host
	m.node.Go("main", func() {
		if err := system.Run(h, m.role, w.options.System, w.work); err != nil {
			// A role ends only when its process does; an error here is a wrong configuration that
			// validation let through, which is a bug.
			panic("virtual: " + m.name + ": " + err.Error())
		}
	})
}

// Run runs the world to its end and hands over what happened. The world cannot be used afterwards;
// the events are valid until its cache is used again.
func (w *World) Run() sim.Outcome {
	bound := int64(w.options.Bound)
	for w.failure == nil && !w.quiescent() && w.sched.Step(bound) {
	}
	quiet := w.quiescent()
	note := "bound reached"
	if quiet {
		note = "quiescent"
	}
	elapsed := w.sched.Now()
	if !quiet {
		elapsed = bound
	}
	w.record(&history.Event{Process: "world", Kind: history.Info, Op: history.WorldEnded, Note: note})
	trace, steps := w.sched.TraceHash(), w.sched.Steps()
	nodes := make([]*sched.Node, len(w.order))
	for i, m := range w.order {
		nodes[i] = m.node
	}
	w.sched.Shutdown(nodes)
	w.cache.events = w.events
	return sim.Outcome{
		Events: w.events, Hash: hex(history.Hash(w.events)), TraceHash: hex(trace),
		Elapsed: time.Duration(elapsed), Steps: steps, Quiescent: quiet,
	}
}

// broke ends the run: a real server fails, or is asked for what it cannot do. The first reason
// stands.
func (w *World) broke(err error) {
	if w.failure == nil {
		w.failure = err
	}
}

// Err is why the world fell over; nil unless a real server did.
func (w *World) Err() error { return w.failure }

func hex(h uint64) string {
	const digits = "0123456789abcdef"
	var b [16]byte
	for i := range b {
		b[i] = digits[h>>(60-4*i)&15]
	}
	return string(b[:])
}

// record appends an event and tells the observers before anybody takes another step.
func (w *World) record(e *history.Event) int64 {
	e.ID = int64(len(w.events)) + 1
	e.Time = w.sched.Now()
	w.events = append(w.events, *e)
	w.sched.Note(noteRecord, uint64(e.ID), sched.Place(string(e.Op)))
	w.progress.see(e)
	for _, f := range w.observers {
		f(&w.events[len(w.events)-1])
	}
	return e.ID
}

// recordTruths appends what a store just did, as it lies in w.truths.
func (w *World) recordTruths() {
	for i := range w.truths {
		w.record(&w.truths[i])
	}
}
