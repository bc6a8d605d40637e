package nemesis

import "dlsim/sim"

// reset breaks the connections of a link: both ends get an error, and neither knows how far the
// other got.
var reset = Kind{
	Name:   "reset",
	Short:  "connections break",
	Colour: "#a04000",
	Params: []Param{From, To, For, Way, Count},
	Needs:  []Param{From, To, For},
	Bites:  "A reset bites when a message met it.",
	strike: func(s *strike) error {
		return s.condition(sim.LinkCondition{Mode: sim.Reset})
	},
	bit: felt,
	draw: func(d *drawing) Fault {
		f := d.link()
		f.For, f.Count = d.duration(outages), 1+d.below(3)
		f.Way = d.oneOf([]string{"", WayRequests, WayReplies})
		return f
	},
	place: aroundLink,
}
