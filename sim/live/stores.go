package live

import (
	"dlsim/history"
	"dlsim/sim"
)

// Store implements sim.World.
func (w *World) Store(name string, a sim.StoreAct) (sim.Effect, error) {
	if d := w.database(name); d != nil {
		return d.act(a)
	}
	for _, d := range []*database{w.paydb, w.lockdb} {
		if d != nil && d.second != nil && d.standbyName() == name {
			return d.actOnStandby(a)
		}
	}
	if w.etcd != nil {
		if name == etcdName {
			return w.etcd.act(a)
		}
		if w.etcd.node(name) != nil {
			a.Target = name
			return w.etcd.act(a)
		}
	}
	return nil, notThere(name)
}

// pauseStore stops a store's processes where they are.
func (w *World) pauseStore(name string) (sim.Effect, error) {
	if w.etcd.node(name) != nil {
		return w.etcd.act(sim.StoreAct{Kind: sim.Stall, Target: name})
	}
	if w.database(name) != nil {
		return nil, &UnsupportedError{"pause of " + name, "no fault asks for it; disk-stall and database-crash are what a database does"}
	}
	return nil, notThere(name)
}

// storeClock changes a store's clock.
func (w *World) storeClock(name string, c sim.ClockChange) (sim.Effect, error) {
	if !w.isStore(name) {
		return nil, notThere(name)
	}
	if d := w.database(name); d != nil {
		return d.setClock(c)
	}
	return nil, &UnsupportedError{"a wrong clock of " + name, "etcd counts leases on the machine's monotonic clock, which Go reads past every library"}
}

// catchUpFor takes up what the stores did that the answer e can have followed from.
func (w *World) catchUpFor(e *history.Event) {
	switch e.Op {
	case history.LockAcquire, history.LockRenew, history.LockRelease:
		if w.etcd != nil {
			w.etcd.catchUp()
		} else {
			w.lockdb.catchUp()
		}
	case history.ProxyAdmit:
		if w.etcd != nil { // a rejected design keeps its marks there
			w.etcd.catchUp()
		}
		w.paydb.catchUp()
	case history.RailReceived, history.RailPaid, history.RailVoided, history.RailRotated:
		// What came before them has been taken up with the forward that they follow.
	default:
		w.paydb.catchUp()
	}
}

// runClocks brings the databases' drifting clocks up to date.
func (w *World) runClocks() {
	for _, d := range []*database{w.paydb, w.lockdb} {
		if d != nil {
			w.fail(d.clock.run())
		}
	}
}

// catchUp takes up what every store did.
func (w *World) catchUp() {
	w.paydb.catchUp()
	if w.lockdb != nil {
		w.lockdb.catchUp()
	}
	if w.etcd != nil {
		w.etcd.drain()
	}
}
