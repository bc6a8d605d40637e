package checker

import (
	"fmt"

	"dlsim/history"
)

// rowChanges chains the writes of each payout's row, newest first, kept from history to history.
type rowChanges struct {
	prev []int32 // by place in index.fences
	last []int32 // by payout number
}

func (c *Checker) chainRows() {
	r := &c.rows
	r.prev, r.last = r.prev[:0], r.last[:0]
	for range c.payout {
		r.last = append(r.last, -1)
	}
	for n := range c.fences {
		r.prev = append(r.prev, -1)
		if p := c.fences[n].payout; p >= 0 {
			r.prev[n], r.last[p] = r.last[p], int32(n)
		}
	}
}

// wrote finds a write of the payout's row that left this state and token, or returns nil.
func (c *Checker) wrote(payout int32, state string, token int64) *history.Event {
	for n := c.rows.last[payout]; n >= 0; n = c.rows.prev[n] {
		if e := &c.events[c.fences[n].at]; e.State == state && e.Token == token {
			return e
		}
	}
	return nil
}

// everWrote is wrote for who has no token.
func (c *Checker) everWrote(payout int32, state string, _ int64) *history.Event {
	for n := c.rows.last[payout]; n >= 0; n = c.rows.prev[n] {
		if e := &c.events[c.fences[n].at]; e.State == state {
			return e
		}
	}
	return nil
}

// submitted finds a version of the payout's submission in this state under this token, or returns
// nil. What its database lost later was written all the same.
func (c *Checker) submitted(payout int32, state string, token int64) *history.Event {
	for n := c.payout[payout].submission; n >= 0; n = c.submissions[n].prev {
		if e := &c.events[c.submissions[n].at]; !c.submissions[n].lost && e.State == state && e.Token == token {
			return e
		}
	}
	return nil
}

// falseAnswers holds what clients took for certain against what the stores did: a write that was
// reported done must be there, and one that was reported undone must not. An answer that is false
// without harm today is what money is lost by tomorrow (field reports F20, F21).
func (c *Checker) falseAnswers(o *Observation) {
	c.chainRows()
	for at := range c.events {
		e := &c.events[at]
		if e.Op == history.PayoutSubmit && e.Kind != history.Invoke {
			c.toldFalsely(o, int32(at), e)
			continue
		}
		if e.Truth || e.Kind != history.OK && e.Kind != history.Fail {
			continue
		}
		var did *history.Event
		switch e.Op {
		case history.SubmissionAsk:
			c.askedFalsely(o, int32(at), e)
			continue
		case history.LockAcquire:
			if e.Kind == history.Fail {
				c.grantDenied(o, int32(at), e)
				continue
			}
			if n := c.accounts.find(e.Account); n >= 0 {
				if g := c.granted(&c.account[n], e.Token); g != nil && e.Token != 0 {
					did = &c.events[g.at]
				}
			}
		case history.LockRelease:
			n := c.accounts.find(e.Account)
			if e.Kind == history.Fail || n < 0 || e.Token == 0 {
				continue
			}
			g := c.granted(&c.account[n], e.Token)
			if g == nil || g.lost {
				continue
			}
			did = c.releasedBefore(g, int32(at))
		case history.PayoutClaim:
			did = c.found(e, "CLAIMED", c.wrote)
		case history.PayoutPost:
			did = c.found(e, statePosted, c.wrote)
		case history.PayoutMark, history.ReconcileDecide:
			did = c.found(e, e.State, c.wrote)
		case history.OperatorCancel:
			if e.Kind == history.Fail {
				continue // it may have been cancelled before
			}
			did = c.found(e, stateCancelled, c.everWrote)
		case history.ProxyAdmit:
			if e.Error == codeFencedOut || e.Error == codeDuplicate {
				c.refusedFalsely(o, int32(at), e) // whose row that is, is another matter
				continue
			}
			did = c.found(e, "INTENT", c.submitted)
		case history.ProxyOutcome:
			if e.Kind == history.Fail {
				continue // somebody else may have written the same
			}
			did = c.found(e, e.State, c.submitted)
		case history.RailVoid:
			if m := c.booked(c.payouts.find(e.Payout), e.Reference); m != nil && m.voided >= 0 && m.voided < int32(at) {
				did = &c.events[m.voided]
			}
			if e.Kind == history.Fail && did != nil {
				continue // it had been taken back by an earlier request
			}
		default:
			continue
		}
		if (did != nil) == (e.Kind == history.OK) {
			continue
		}
		if did != nil {
			if v := o.seen(e.ID, did.ID); v != nil {
				v.Sentence = fmt.Sprintf("%s took %s of %s under token %d for certainly not done (%s), but %s has it.",
					e.Process, e.Op, nameOf(e), e.Token, e.Error, did.Process)
			}
		} else if v := o.seen(e.ID); v != nil {
			v.Sentence = fmt.Sprintf("%s took %s of %s under token %d for done, but no store did it under that token.",
				e.Process, e.Op, nameOf(e), e.Token)
		}
	}
}

func (c *Checker) found(e *history.Event, state string, look func(int32, string, int64) *history.Event) *history.Event {
	if n := c.payouts.find(e.Payout); n >= 0 {
		return look(n, state, e.Token)
	}
	return nil
}

func nameOf(e *history.Event) string {
	if e.Payout != "" {
		return e.Payout
	}
	return e.Account
}
