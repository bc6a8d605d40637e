package nemesis

import (
	"fmt"
	"strconv"

	"dlsim/sim"
)

// railDirective is the name under which the rail's stand-in asks for its standing instruction
// (system/rail says what the instructions mean; a test keeps the two in step).
const railDirective = "rail"

func rails(t sim.Topology) []string { return withRole(t, sim.RoleRail) }

// instruct gives the rail its standing instruction until the fault heals.
func (s *strike) instruct(value string) error {
	if s.resolved.Count > 0 {
		value += " next=" + strconv.Itoa(s.resolved.Count)
	}
	return s.stand(s.n.world.Direct(s.target(), railDirective, value))
}

// misanswered is the rule of the rail's faults: a payment was asked for while it misbehaved.
func misanswered(s *strike) (bool, string) {
	if n := s.felt(); n > 0 {
		return true, fmt.Sprintf("%d payments met it", n)
	}
	return false, "no payment was asked for meanwhile"
}

func misbehave(d *drawing) Fault { return Fault{Target: d.target(), For: d.duration(outages)} }
