package nemesis

import "dlsim/sim"

// clockDrift makes both clocks of a target run fast or slow until it heals.
var clockDrift = Kind{
	Name:    "clock-drift",
	Short:   "clocks run at a wrong rate",
	Colour:  "#48c9b0",
	Params:  []Param{Target, DriftPPM, For},
	Needs:   []Param{Target, DriftPPM, For},
	Bites:   "A drift bites when the target read a clock or waited by one while it drifted.",
	targets: namesOf,
	strike: func(s *strike) error {
		return s.stand(s.n.world.Clock(s.target(), sim.ClockChange{DriftPPM: s.resolved.DriftPPM}))
	},
	bit: clockRead,
	draw: func(d *drawing) Fault {
		f := Fault{Target: d.target(clockRoles...), For: d.duration(downtimes) * 4, DriftPPM: d.number(driftsPPM)}
		if d.chance(50) {
			f.DriftPPM = -f.DriftPPM
		}
		return f
	},
}
