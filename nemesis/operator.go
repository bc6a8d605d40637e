package nemesis

import (
	"errors"

	"dlsim/history"
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

// sawAct ends the fault with the operator's act, which takes its time.
func sawAct(s *strike, e *history.Event) {
	// A person who goes through the proxy submits as an executor does.
	submits := e.Op == history.PayoutSubmit && roleOf(s.n.topology, e.Process) == sim.RoleOperator
	if e.Op != history.OperatorCancel && e.Op != history.OperatorPay && !submits ||
		e.Payout != s.resolved.Payout || e.Kind == history.Invoke {
		return
	}
	s.acted = s.acted || e.Kind == history.OK
	s.heal()
}

func operated(s *strike) (bool, string) {
	if s.acted {
		return true, "the operator's act on " + s.resolved.Payout + " went through"
	}
	return false, "the operator's act on " + s.resolved.Payout + " had no effect"
}

// afterSomeClaim places an operator's act at a payout that is being worked on.
func afterSomeClaim(*drawing, Fault) []placement { return onPayouts }
