package checker

import (
	"fmt"

	"dlsim/history"
)

// illegalChanges looks for rows that went from one state to another which the design has no step
// for (DESIGN 2.2): what is final stays, and an ambiguous payout is ended under a newer grant.
func (c *Checker) illegalChanges(o *Observation) {
	for n := range c.fences {
		e := &c.events[c.fences[n].at]
		if e.Op != history.PayoutWritten || e.Demoted() || payoutMayGo(e) {
			continue
		}
		if v := o.seen(e.ID); v != nil {
			v.Sentence = fmt.Sprintf("Payout %s went from %s to %s (token %d, before it %d).", e.Payout, orNone(e.PriorState), orNone(e.State), e.Token, e.PriorToken)
		}
	}
	c.bookedUnfenced(o)
	for n := range c.submissions {
		s := &c.submissions[n]
		e := &c.events[s.at]
		if s.lost || s.demoted || submissionMayGo(e.PriorState, e.State) {
			continue
		}
		if v := o.seen(e.ID); v != nil {
			v.Sentence = fmt.Sprintf("The submission of payout %s went from %s to %s.", e.Payout, orNone(e.PriorState), orNone(e.State))
		}
	}
}

func payoutMayGo(e *history.Event) bool {
	switch e.PriorState {
	case "":
		return e.State == "PENDING"
	case "PENDING":
		return e.State == "CLAIMED" || e.State == stateCancelled
	case "CLAIMED":
		return e.State == "CLAIMED" && e.Token > e.PriorToken ||
			e.State == statePosted || e.State == stateFailed || e.State == "RAIL_AMBIGUOUS"
	case "RAIL_AMBIGUOUS":
		return (e.State == statePosted || e.State == stateFailed) && e.Token > e.PriorToken
	}
	return false
}

func submissionMayGo(from, to string) bool {
	switch from {
	case "":
		return to == "INTENT"
	case "INTENT":
		return to != ""
	case "TIMEOUT":
		return to == "TIMEOUT" || to == "ACCEPTED" || to == "NOT_EXECUTED"
	}
	return false
}

// failedWithoutCause looks for payouts that were given up although nothing says that no money moved:
// the rail did not decline, and no submission row is REJECTED or NOT_EXECUTED.
func (c *Checker) failedWithoutCause(o *Observation) {
	for i := range c.forwards {
		if f := &c.forwards[i]; f.payout >= 0 && f.done >= 0 && c.events[f.done].Kind == history.Fail {
			c.payout[f.payout].declined = true
		}
	}
	for n := range c.submissions {
		s := &c.submissions[n]
		if e := &c.events[s.at]; e.State == "REJECTED" || e.State == "NOT_EXECUTED" {
			c.payout[s.payout].declined = true
		}
	}
	for n := range c.payout {
		p := &c.payout[n]
		if p.state != stateFailed || p.declined {
			continue
		}
		if v := o.seen(c.id(p.stateAt)); v != nil {
			v.Sentence = fmt.Sprintf("Payout %s was written off (token %d) although the rail did not decline it and no statement was read past the horizon.",
				c.payouts.list[n], c.events[p.stateAt].Token)
		}
	}
}

// postedBeforePaid looks for payouts that were POSTED while the book had no payment of them yet.
func (c *Checker) postedBeforePaid(o *Observation) {
	for n := range c.fences {
		w := &c.fences[n]
		e := &c.events[w.at]
		if w.payout < 0 || e.State != statePosted || e.PriorState == statePosted {
			continue
		}
		first := int32(-1)
		for m := c.payout[w.payout].payment; m >= 0; m = c.payments[m].prev {
			first = c.payments[m].at
		}
		if first >= 0 && first < w.at {
			continue
		}
		if v := o.seen(e.ID); v != nil {
			v.Sentence = fmt.Sprintf("Payout %s was POSTED (token %d) before the rail's book had a payment of it.", e.Payout, e.Token)
		}
	}
}
