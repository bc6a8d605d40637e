package nemesis

import "dlsim/sim"

// slow delays every message of a link.
var slow = Kind{
	Name:   "slow",
	Short:  "a link is slow",
	Colour: "#7f8c8d",
	Params: []Param{From, To, For, Way, Extra},
	Needs:  []Param{From, To, For, Extra},
	Bites:  "A slow link bites when a message met it.",
	strike: func(s *strike) error {
		return s.condition(sim.LinkCondition{Mode: sim.Slow, Extra: s.resolved.Extra})
	},
	bit: felt,
	draw: func(d *drawing) Fault {
		f := d.link()
		f.For, f.Extra = d.duration(outages), d.duration(delays)
		f.Way = d.oneOf([]string{"", WayRequests, WayReplies})
		return f
	},
	place: aroundLink,
}
