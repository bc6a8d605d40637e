package scenarios

import (
	"strconv"

	"dlsim/sim"
	"dlsim/system/config"
)

// Topology names the processes and stores that a configuration comes to, in start order.
func Topology(c config.Config) sim.Topology {
	var t sim.Topology
	process := func(role string) { t.Processes = append(t.Processes, sim.Process{Name: role, Role: role}) }
	processes := func(role string, n int) {
		for i := 1; i <= n; i++ {
			t.Processes = append(t.Processes, sim.Process{Name: role + "-" + strconv.Itoa(i), Role: role})
		}
	}
	database := func(name string, standby bool) {
		t.Stores = append(t.Stores, sim.Store{Name: name, Kind: sim.Postgres})
		if standby {
			t.Stores = append(t.Stores, sim.Store{Name: name + "-standby", Kind: sim.Postgres})
		}
	}
	process(sim.RoleRail)
	processes(sim.RoleLockd, c.Topology.Lockds)
	processes(sim.RoleProxy, c.Topology.Proxies)
	process(sim.RoleIntake)
	process(sim.RoleReconciler)
	processes(sim.RoleExecutor, c.Topology.Executors)
	process(sim.RoleOperator)
	database(sim.Paydb, c.Topology.PaydbStandby)
	if c.Lock.Backend == config.BackendPostgres {
		database(sim.Lockdb, c.Topology.LockdbStandby)
		return t
	}
	for i := 1; i <= c.Topology.EtcdNodes; i++ {
		t.Stores = append(t.Stores, sim.Store{Name: sim.Etcd + "-" + strconv.Itoa(i), Kind: sim.Etcd})
	}
	return t
}
