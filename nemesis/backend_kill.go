package nemesis

import "dlsim/sim"

// backendKill terminates the database sessions of one client (57P01), as an administrator or a
// connection limit does.
var backendKill = Kind{
	Name:    "backend-kill",
	Short:   "a database throws a client out",
	Colour:  "#b03a2e",
	Params:  []Param{Target, Client},
	Needs:   []Param{Target},
	Bites:   "It bites when the client had a session to lose.",
	targets: primaries,
	check: func(f Fault, t sim.Topology) error {
		return validateName(&f, f.Client, t)
	},
	strike: func(s *strike) error {
		return s.act(s.target(), sim.StoreAct{Kind: sim.BackendKill, Target: s.resolved.Client})
	},
	bit: felt,
	draw: func(d *drawing) Fault {
		f := Fault{Target: d.target()}
		roles := []string{sim.RoleExecutor, sim.RoleProxy, sim.RoleReconciler}
		if f.Target == sim.Lockdb {
			roles = []string{sim.RoleLockd}
		}
		if clients := withRole(d.topology, roles...); len(clients) > 0 {
			f.Client = d.oneOf(clients)
		}
		return f
	},
	place: aroundStore,
}
