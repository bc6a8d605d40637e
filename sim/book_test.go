package sim

import (
	"testing"

	"dlsim/history"
)

func TestABookIsSettledWhenNoPayoutHasTwoPaymentsThatStand(t *testing.T) {
	var b Book
	for i, step := range []struct {
		op                history.Op
		payout, reference string
		settled           bool
	}{
		{history.RailPaid, "p1", "r1", true},
		{history.RailPaid, "p1", "r1", true}, // told again after a restart
		{history.RailPaid, "p2", "r2", true},
		{history.RailPaid, "p1", "r3", false},
		{history.RailVoided, "p1", "r3", true},
		{history.RailPaid, "p2", "r4", false},
		{history.RailPaid, "p2", "r5", false},
		{history.RailVoided, "p2", "r4", false},
		{history.RailVoided, "p2", "r9", false}, // of a payment that nobody knows
		{history.RailVoided, "p2", "r5", true},
	} {
		b.See(&history.Event{Op: step.op, Payout: step.payout, Reference: step.reference})
		if b.Settled() != step.settled {
			t.Errorf("step %d: settled is %v", i+1, b.Settled())
		}
	}
}
