package nemesis

import "dlsim/sim"

// dropReply loses answers: the act is done and its author does not learn so.
var dropReply = Kind{
	Name:   "drop-reply",
	Short:  "answers are lost",
	Colour: "#8e44ad",
	Params: []Param{From, To, For, Count},
	Needs:  []Param{From, To, For},
	Bites:  "Lost answers bite when there was one to lose.",
	strike: func(s *strike) error {
		return s.condition(sim.LinkCondition{Mode: sim.Drop, Replies: true})
	},
	bit: felt,
	draw: func(d *drawing) Fault {
		f := d.link()
		f.For, f.Count = d.duration(outages), 1+d.below(3)
		return f
	},
	place: aroundLink,
}
