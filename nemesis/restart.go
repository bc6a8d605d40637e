package nemesis

import "dlsim/sim"

// restart kills a process and starts it again in the same moment: its memory is what it loses.
var restart = Kind{
	Name:    "restart",
	Short:   "a process starts afresh",
	Colour:  "#e67e22",
	Params:  []Param{Target},
	Needs:   []Param{Target},
	Bites:   "A restart bites when the process held a lock or had a call in flight, or had done anything that it could remember.",
	targets: func(t sim.Topology) []string { return withRole(t) },
	strike:  func(s *strike) error { return s.stand(s.n.world.Restart(s.target())) },
	bit:     lostMemory,
	draw:    func(d *drawing) Fault { return Fault{Target: d.target()} },
	place:   aroundProcess,
}
