package nemesis

import "dlsim/sim"

// etcdRestore brings etcd back from an old snapshot. Revisions step back, and tokens with them.
var etcdRestore = Kind{
	Name:      "etcd-restore",
	Short:     "etcd comes back from an old snapshot",
	Colour:    "#1b4f72",
	Params:    []Param{Target, Loses},
	Needs:     []Param{Loses},
	LosesData: true,
	Bites:     "A restore bites when the snapshot lacked a write that had been acknowledged.",
	targets:   func(t sim.Topology) []string { return storesOf(t, sim.Etcd) },
	strike: func(s *strike) error {
		return s.act(sim.Etcd, sim.StoreAct{Kind: sim.Restore, Loses: s.resolved.Loses})
	},
	see:   countLost,
	bit:   forgot,
	draw:  func(d *drawing) Fault { return Fault{Loses: d.duration(losses)} },
	place: aroundStore,
}
