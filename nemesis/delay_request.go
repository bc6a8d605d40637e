package nemesis

import "dlsim/sim"

// delayRequest holds requests back so that they arrive when their sender has long moved on.
var delayRequest = Kind{
	Name:   "delay-request",
	Short:  "requests arrive late",
	Colour: "#5d6d7e",
	Params: []Param{From, To, For, Extra, Count},
	Needs:  []Param{From, To, For, Extra},
	Bites:  "Delayed requests bite when there was one to delay.",
	strike: func(s *strike) error {
		return s.condition(sim.LinkCondition{Mode: sim.Slow, Requests: true, Extra: s.resolved.Extra})
	},
	bit: felt,
	draw: func(d *drawing) Fault {
		f := d.link()
		f.For, f.Extra, f.Count = d.duration(outages), d.duration(delays), 1+d.below(3)
		return f
	},
	place: aroundLink,
}
