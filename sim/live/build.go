package live

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"dlsim/sim"
	"dlsim/sim/live/control"
	"dlsim/system/config"
	"dlsim/system/lock"
	"dlsim/system/paydb"
)

// Ports of the servers at their own addresses. Nobody else has those addresses, so the ports are
// free.
const (
	processPort    = 19000
	etcdClientPort = 19001
	etcdPeerPort   = 19002
)

// build makes the topology, the stores, the links, and the processes.
func (w *World) build() error {
	ctx, cancel := context.WithTimeout(w.ctx, startBound)
	defer cancel()
	w.nameProcesses()
	w.assign(w.options.Claims)
	w.keepTo(w.options.Course)
	if err := w.buildStores(ctx); err != nil {
		return err
	}
	for _, p := range w.processes {
		if err := w.prepare(p); err != nil {
			return err
		}
	}
	return w.startProcesses()
}

func (w *World) nameProcesses() {
	t := w.options.System.Topology
	add := func(role string, n int, numbered bool) {
		for i := 1; i <= n; i++ {
			name := role
			if numbered {
				name += "-" + strconv.Itoa(i)
			}
			w.processes = append(w.processes, &process{w: w, name: name, role: role})
			w.topology.Processes = append(w.topology.Processes, sim.Process{Name: name, Role: role})
		}
	}
	add(sim.RoleRail, 1, false)
	add(sim.RoleLockd, t.Lockds, true)
	add(sim.RoleProxy, t.Proxies, true)
	add(sim.RoleIntake, 1, false)
	add(sim.RoleReconciler, 1, false)
	add(sim.RoleExecutor, t.Executors, true)
	add(sim.RoleOperator, 1, false)
}

// buildStores starts the stores side by side.
func (w *World) buildStores(ctx context.Context) error {
	c := &w.options.System
	w.paydb = &database{w: w, name: sim.Paydb, audit: audit{as: sim.Paydb}, schema: paydb.Schema, standby: c.Topology.PaydbStandby}
	starts := []func() error{func() error { return w.paydb.start(ctx) }}
	w.topology.Stores = append(w.topology.Stores, w.paydb.stores()...)
	switch c.Lock.Backend {
	case config.BackendPostgres:
		w.lockdb = &database{w: w, name: sim.Lockdb, audit: audit{as: sim.Lockdb}, schema: lock.Schema, standby: c.Topology.LockdbStandby}
		starts = append(starts, func() error { return w.lockdb.start(ctx) })
		w.topology.Stores = append(w.topology.Stores, w.lockdb.stores()...)
	case config.BackendEtcd:
		w.etcd = newEtcd(w, c.Topology.EtcdNodes)
		starts = append(starts, func() error { return w.etcd.start(ctx) })
		w.topology.Stores = append(w.topology.Stores, w.etcd.stores()...)
	default:
		return fmt.Errorf("lock.backend: %q is neither etcd nor postgres", c.Lock.Backend)
	}
	failed := make([]error, len(starts))
	var all sync.WaitGroup
	for i, start := range starts {
		all.Go(func() { failed[i] = start() })
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return w.paydb.open(ctx, w.options.Workload.AccountNames(), w.options.Workload.Opening)
}

// prepare makes a process's folder, its links and its setup.
func (w *World) prepare(p *process) error {
	p.folder = filepath.Join(w.folder, p.name)
	if err := os.Mkdir(p.folder, 0o700); err != nil {
		return err
	}
	address, err := w.mesh.Host(p.name)
	if err != nil {
		return err
	}
	p.listen = net.JoinHostPort(address, strconv.Itoa(processPort))
	p.setup = control.Setup{
		Name: p.name, Role: p.role, Seed: w.options.Seed, System: w.options.System, Listen: p.listen, Folder: p.folder,
		Peers: map[string]string{}, Databases: map[string]string{},
	}
	switch p.role {
	case sim.RoleIntake:
		p.setup.Payouts = w.payouts
	case sim.RoleRail, sim.RoleProxy:
		p.setup.Credential = w.credential
	}
	for _, role := range serversOf[p.role] {
		for _, s := range w.processes {
			if s.role == role {
				if p.setup.Peers[s.name], err = w.link(p, s.name, s.address()); err != nil {
					return err
				}
			}
		}
	}
	for _, d := range []*database{w.paydb, w.lockdb} {
		if d == nil || (d == w.lockdb) != (p.role == sim.RoleLockd) || p.role == sim.RoleRail {
			continue
		}
		addr, err := w.link(p, d.name, d.upstream())
		if err != nil {
			return err
		}
		p.setup.Databases[d.name] = d.dsnAt(addr, p.name)
		if d.second == nil {
			continue
		}
		if addr, err = w.link(p, d.standbyName(), upstreamOf(d.second)); err != nil {
			return err
		}
		p.setup.Databases[d.standbyName()] = d.dsnAt(addr, p.name)
	}
	if w.etcd != nil && (p.role == sim.RoleLockd || p.role == sim.RoleProxy) {
		for _, n := range w.etcd.nodes {
			addr, err := w.link(p, n.name, n.client)
			if err != nil {
				return err
			}
			p.setup.Etcd = append(p.setup.Etcd, addr)
		}
	}
	return nil
}

// serversOf says whom each role may come to call by HTTP, in any variant of the system.
var serversOf = map[string][]string{
	sim.RoleExecutor:   {sim.RoleLockd, sim.RoleProxy, sim.RoleRail},
	sim.RoleReconciler: {sim.RoleLockd, sim.RoleProxy, sim.RoleRail},
	sim.RoleProxy:      {sim.RoleLockd, sim.RoleRail},
	sim.RoleOperator:   {sim.RoleLockd, sim.RoleProxy, sim.RoleRail},
}

// address is where the process listens; known before it has been prepared.
func (p *process) address() string {
	host, err := p.w.mesh.Host(p.name)
	if err != nil {
		return "" // Pair will say so: there is no such upstream
	}
	return net.JoinHostPort(host, strconv.Itoa(processPort))
}

func (w *World) link(p *process, server, upstream string) (string, error) {
	return w.mesh.Pair(p.name, server, upstream)
}

// startProcesses starts them side by side.
func (w *World) startProcesses() error {
	failed := make([]error, len(w.processes))
	var all sync.WaitGroup
	for i, p := range w.processes {
		all.Go(func() { failed[i] = p.start() })
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}
