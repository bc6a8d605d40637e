package nemesis

import "dlsim/sim"

// clockStep makes a wall clock jump, as NTP or a hand does. It stays wrong.
var clockStep = Kind{
	Name:    "clock-step",
	Short:   "a wall clock jumps",
	Colour:  "#16a085",
	Params:  []Param{Target, Step},
	Needs:   []Param{Target, Step},
	Bites:   "A step bites when the target read the clock after it.",
	targets: namesOf,
	strike: func(s *strike) error {
		return s.stand(s.n.world.Clock(s.target(), sim.ClockChange{Step: s.resolved.Step}))
	},
	bit: clockRead,
	draw: func(d *drawing) Fault {
		f := Fault{Target: d.target(clockRoles...), Step: d.duration(steps)}
		if d.chance(50) {
			f.Step = -f.Step
		}
		return f
	},
	place: aroundProcess,
}

// clockRoles are those whose clocks random plans disturb without being told to. The clocks of the
// rail and of the lock database are left alone: the horizon and the leases are counted on them.
var clockRoles = []string{sim.RoleExecutor, sim.RoleProxy, sim.RoleLockd, sim.RoleReconciler, sim.Paydb}

func clockRead(s *strike) (bool, string) {
	if bit, why := felt(s); bit {
		return true, "the clock was read: " + why
	}
	return false, "nobody read the clock"
}
