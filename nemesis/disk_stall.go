package nemesis

import "dlsim/sim"

// diskStall keeps commits from becoming durable: the store answers reads and hangs on writes.
var diskStall = Kind{
	Name:    "disk-stall",
	Short:   "a store cannot write",
	Colour:  "#6e2c00",
	Params:  []Param{Target, For},
	Needs:   []Param{Target, For},
	Bites:   "A stalled disk bites when a commit waited for it.",
	targets: func(t sim.Topology) []string { return append(primaries(t), storesOf(t, sim.Etcd)...) },
	strike: func(s *strike) error {
		return s.act(s.target(), sim.StoreAct{Kind: sim.Stall})
	},
	bit:   felt,
	draw:  func(d *drawing) Fault { return Fault{Target: d.target(), For: d.duration(outages)} },
	place: aroundStore,
}
