package nemesis

import (
	"errors"

	"dlsim/sim"
)

// operate has the operator act on the fault's payout: the one it names, else the one that the
// trigger's event names, else the last one that any event named.
func (s *strike) operate(act sim.OperatorAct) error {
	if s.resolved.Payout == "" {
		return errors.New("no payout had been heard of")
	}
	return s.stand(s.n.world.Operate(act, s.resolved.Payout))
}

func operated(s *strike) (bool, string) {
	if s.acted || s.felt() > 0 {
		return true, "the operator's act on " + s.resolved.Payout + " went through"
	}
	return false, "the operator's act on " + s.resolved.Payout + " had no effect"
}

// afterSomeClaim places an operator's act at a payout that is being worked on.
func afterSomeClaim(*drawing, Fault) []placement { return onPayouts }
