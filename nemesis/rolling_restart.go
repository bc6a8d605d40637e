package nemesis

import (
	"dlsim/sim"
)

// rollingRestart restarts all processes of one role in turn, as a deployment does.
var rollingRestart = Kind{
	Name:    "rolling-restart",
	Short:   "all processes of a role start afresh, one after another",
	Colour:  "#f0b27a",
	Params:  []Param{Target, Every},
	Needs:   []Param{Target, Every},
	Bites:   "A rolling restart bites when any process of the role held a lock, had a call in flight, or had done anything that it could remember.",
	targets: rolesOf,
	strike: func(s *strike) error {
		restartInTurn(s, withRole(s.n.topology, s.target()))
		return s.err
	},
	lasts: true,
	bit:   lostMemory,
	draw: func(d *drawing) Fault {
		return Fault{Target: d.target(), Every: d.duration(restartGaps)}
	},
}

// restartInTurn restarts the first process and the rest later, until the fault is ended early.
func restartInTurn(s *strike, left []string) {
	if s.phase != standing {
		return
	}
	now := s.n.world.Elapsed()
	s.grants = s.n.watch.appendHeldBy(s.grants, left[0], now)
	s.busy += s.n.watch.busy(left[0])
	s.past += s.n.watch.past(left[0])
	if err := s.stand(s.n.world.Restart(left[0])); err != nil {
		s.err = err
		return
	}
	if len(left) == 1 {
		s.heal()
		return
	}
	s.n.world.After(s.resolved.Every, func() { restartInTurn(s, left[1:]) })
}

// rolesOf lists the roles that processes of the topology have, in start order.
func rolesOf(t sim.Topology) []string {
	var roles []string
	for _, p := range t.Processes {
		known := false
		for _, r := range roles {
			known = known || r == p.Role
		}
		if !known {
			roles = append(roles, p.Role)
		}
	}
	return roles
}
