package nemesis

import "dlsim/sim"

// operatorCancel has a person cancel a payout.
var operatorCancel = Kind{
	Name:   "operator-cancel",
	Short:  "a person cancels a payout",
	Colour: "#b7950b",
	Params: []Param{Payout},
	Bites:  "It bites when the cancellation went through.",
	strike: func(s *strike) error { return s.operate(sim.CancelPayout) },
	lasts:  true,
	see:    sawAct,
	bit:    operated,
	draw:   func(*drawing) Fault { return Fault{} },
	place:  afterSomeClaim,
}
