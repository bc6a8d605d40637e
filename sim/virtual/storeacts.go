package virtual

import (
	"fmt"

	"dlsim/sim"
)

func (w *World) isStore(name string) bool {
	return name == etcdAlias && w.etcd != nil || w.database(name) != nil
}

// Store makes a store misbehave.
func (w *World) Store(name string, act sim.StoreAct) (sim.Effect, error) {
	if r := w.replicaNamed(name); r != nil {
		return r.act(act)
	}
	if db := w.database(name); db != nil {
		w.sched.Note(noteStore, db.primary.m.node.ID, uint64(len(act.Kind))^uint64(act.Loses))
		return db.act(act)
	}
	if w.etcd != nil {
		if name == etcdAlias {
			return w.etcd.act(act)
		}
		if m := w.machines[name]; w.etcd.index(m) >= 0 {
			act.Target = name
			return w.etcd.act(act)
		}
	}
	return nil, fmt.Errorf("there is no store named %q", name)
}

func (db *database) act(act sim.StoreAct) (sim.Effect, error) {
	p := db.primary
	if p.real != nil && (act.Kind == sim.Crash || act.Kind == sim.Failover) {
		return nil, fmt.Errorf("%s: %q: %w", db.name, act.Kind, errRealTakes)
	}
	switch act.Kind {
	case sim.Stall:
		s := &stall{}
		p.stalls = append(p.stalls, s)
		return &effect{
			count: func() int { return len(s.waiting) },
			heal: func() {
				p.stalls = forget(p.stalls, s)
				for _, waiter := range s.waiting {
					waiter.task.Wake(waiter.turn)
				}
			},
		}, nil
	case sim.Crash:
		if !p.m.node.Up() {
			return nil, fmt.Errorf("%s is not running", db.name)
		}
		if act.Loses > 0 && !db.w.options.KeepCommits {
			return nil, fmt.Errorf("%s: a crash that loses commits was not prepared for", db.name)
		}
		felt := p.crash(act.Loses)
		return &effect{felt: felt, heal: func() {
			if !p.m.node.Up() && db.demoted != p {
				p.restart()
			}
		}}, nil
	case sim.Failover:
		if db.standby == nil {
			return nil, fmt.Errorf("%s has no standby to fail over to", db.name)
		}
		if db.replica != nil {
			return nil, fmt.Errorf("the standby of %s answers reads and is not promoted", db.name)
		}
		if db.standby.node.Up() {
			return nil, fmt.Errorf("%s has failed over already", db.name)
		}
		return &effect{felt: db.failover(act.Loses), heal: db.retire}, nil
	case sim.BackendKill:
		felt := 0
		for _, s := range append([]*session(nil), p.sessions...) {
			if (act.Target == "" || s.h.name == act.Target) && s.engine != nil {
				s.engine.Terminate()
				felt++
			}
		}
		return &effect{felt: felt}, nil
	}
	return nil, fmt.Errorf("%s: a PostgreSQL store cannot %q", db.name, act.Kind)
}

func (e *etcdStore) act(act sim.StoreAct) (sim.Effect, error) {
	w := e.w
	node := e.cluster.Leader()
	if m := w.machines[act.Target]; act.Target != "" && act.Target != "leader" {
		if node = e.index(m); node < 0 {
			return nil, fmt.Errorf("there is no etcd node named %q", act.Target)
		}
	}
	if node < 0 {
		node = 0
	}
	w.sched.Note(noteStore, e.nodes[node].node.ID, uint64(len(act.Kind)))
	switch act.Kind {
	case sim.LeaderLoss:
		// The leader stands still until healed. The others elect one among them, if they are enough.
		m := e.nodes[node]
		held, waited := e.cluster.Held(), m.node.Waited()
		still, err := w.Pause(m.name)
		if err != nil {
			return nil, err
		}
		count := func() int { return int(e.cluster.Held() - held + m.node.Waited() - waited) }
		return &effect{count: count, heal: still.Heal}, nil
	case sim.Crash:
		if !e.nodes[node].node.Up() {
			return nil, fmt.Errorf("%s is not running", e.nodes[node].name)
		}
		e.stop(node)
		return &effect{felt: 1, heal: func() {
			if !e.nodes[node].node.Up() {
				e.start(node)
			}
		}}, nil
	case sim.Stall:
		e.cluster.SetReachable(node, false)
		return &effect{felt: 1, heal: func() { e.cluster.SetReachable(node, true) }}, nil
	case sim.Restore:
		before := e.cluster.Revision()
		e.cluster.Restore(e.cluster.SnapshotAt(e.Now() - int64(act.Loses)))
		return &effect{felt: int(before - e.cluster.Revision())}, nil
	}
	return nil, fmt.Errorf("etcd cannot %q", act.Kind)
}

// storePaused has a cluster see that one of its nodes stands still: the others elect without it.
func (w *World) storePaused(m *machine, paused bool) {
	if i := w.etcd.index(m); i >= 0 {
		w.etcd.cluster.SetReachable(i, !paused)
	}
}
