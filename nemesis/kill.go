package nemesis

import (
	"fmt"

	"dlsim/sim"
)

// kill ends a process with all it had in memory and starts it again when it heals.
var kill = Kind{
	Name:    "kill",
	Short:   "a process dies and comes back later",
	Colour:  "#c0392b",
	Params:  []Param{Target, For},
	Needs:   []Param{Target, For},
	Bites:   "A kill bites when the process held a lock or had a call in flight, or when something met its absence.",
	targets: func(t sim.Topology) []string { return withRole(t) },
	strike:  func(s *strike) error { return s.stand(s.n.world.Kill(s.target())) },
	bit:     lostWork,
	draw:    func(d *drawing) Fault { return Fault{Target: d.target(), For: d.duration(downtimes)} },
	place:   aroundProcess,
}

// lostMemory is the rule of restarts, whose point is what is forgotten: the process had done something.
func lostMemory(s *strike) (bool, string) {
	if bit, why := lostWork(s); bit || s.past == 0 {
		return bit, why
	}
	return true, fmt.Sprintf("it had done things, %d events of them", s.past)
}

// lostWork is the rule of everything that ends a process: it had something to lose, or was missed.
func lostWork(s *strike) (bool, string) {
	switch {
	case len(s.grants) > 0:
		return true, fmt.Sprintf("it held %s (token %d)", s.grants[0].account, s.grants[0].token)
	case s.busy > 0:
		return true, fmt.Sprintf("it had %d calls in flight", s.busy)
	}
	return felt(s)
}
