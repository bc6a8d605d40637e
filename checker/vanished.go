package checker

import (
	"fmt"

	"dlsim/history"
)

// vanished looks for payments that were made, by their sender's record or the book's own, and are not
// there. A rail's book is for ever; a table's rows are not.
func (c *Checker) vanished(o *Observation) {
	for i := range c.forwards {
		f := &c.forwards[i]
		if f.payout < 0 || f.done < 0 || c.events[f.done].Kind != history.OK {
			continue
		}
		there := false
		for n := c.payout[f.payout].payment; n >= 0; n = c.payments[n].prev {
			there = there || c.payments[n].forward == int32(i)
		}
		if e := &c.events[f.done]; !there {
			if v := o.seen(c.id(f.at), e.ID); v != nil {
				v.Sentence = fmt.Sprintf("%s was told that payout %s had been paid (%s), and the book has no such payment.", e.Process, e.Payout, e.Reference)
			}
		}
	}
	for n := range c.submissions {
		s := &c.submissions[n]
		e := &c.events[s.at]
		if s.lost || s.demoted || s.payout < 0 || e.Reference == "" || c.booked(s.payout, e.Reference) != nil {
			continue
		}
		if v := o.seen(e.ID); v != nil {
			v.Sentence = fmt.Sprintf("The submission of payout %s says that it was paid as %s, and the book has no such payment.", e.Payout, e.Reference)
		}
	}
	for _, at := range c.notes {
		if e := &c.events[at]; e.Op == history.RailPaid {
			if v := o.seen(e.ID); v != nil {
				v.Sentence = fmt.Sprintf("The payment of payout %s (%s) was in the book and is gone from %s.", e.Payout, e.Reference, e.Process)
			}
		}
	}
}
