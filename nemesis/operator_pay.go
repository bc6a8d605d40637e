package nemesis

import "dlsim/sim"

// operatorPay has a person pay a payout by hand: through the proxy, or where operator.door is direct,
// past it (against assumption (c) of DESIGN 2.5). That breaks not data but who may pay; random plans
// want it as rarely.
var operatorPay = Kind{
	Name:      "operator-pay",
	Short:     "a person pays by hand",
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
