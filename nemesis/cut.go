package nemesis

import "dlsim/sim"

// cut parts a client from a server. In mode hold the messages wait, as TCP's retransmissions do,
// and stale ones arrive after the heal; in mode drop they are gone.
var cut = Kind{
	Name:   "cut",
	Short:  "a link carries nothing",
	Colour: "#2c3e50",
	Params: []Param{From, To, For, Way, Mode},
	Needs:  []Param{From, To, For},
	Bites:  "A cut bites when a message met it.",
	strike: func(s *strike) error {
		mode := sim.LinkMode(s.resolved.Mode)
		if mode == "" {
			mode = sim.Hold
		}
		return s.condition(sim.LinkCondition{Mode: mode})
	},
	bit: felt,
	draw: func(d *drawing) Fault {
		f := d.link()
		f.For = d.duration(outages)
		f.Way = d.oneOf([]string{"", WayRequests, WayReplies})
		f.Mode = d.oneOf([]string{"", string(sim.Drop)})
		return f
	},
	place: aroundLink,
}
