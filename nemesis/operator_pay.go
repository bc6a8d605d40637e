package nemesis

import "dlsim/sim"

// operatorPay has a person pay a payout at the rail directly, past the proxy (against assumption
// (c) of DESIGN 2.5). What it breaks is not data but who may pay; random plans want it as rarely.
var operatorPay = Kind{
	Name:      "operator-pay",
	Short:     "a person pays past the proxy",
	Colour:    "#7d6608",
	Params:    []Param{Payout},
	LosesData: true,
	Bites:     "It bites when the rail took the payment.",
	strike:    func(s *strike) error { return s.operate(sim.PayByHand) },
	lasts:     true,
	see:       sawAct,
	bit:       operated,
	draw:      func(*drawing) Fault { return Fault{} },
	place:     afterSomeClaim,
}
