package checker

import (
	"fmt"

	"dlsim/history"
)

// codeCanceled is what a proxy records of a call that it gave up because it was told to.
const codeCanceled = "CANCELED"

// cutShort looks for calls of the rail that ended because the submitter had left. From the admission on a
// submission is the proxy's own: whoever asked for it has no say in it any more (DESIGN 2.4).
func (c *Checker) cutShort(o *Observation) {
	for i := range c.forwards {
		f := &c.forwards[i]
		if f.done < 0 || c.events[f.done].Error != codeCanceled {
			continue
		}
		e := &c.events[f.done]
		if v := o.seen(c.id(f.at), e.ID); v != nil {
			v.Sentence = fmt.Sprintf("%s gave up its call of the rail for payout %s (token %d) because the submitter had left.",
				e.Process, e.Payout, e.Token)
		}
	}
}

// bookedUnfenced looks for bookings that did not raise the account's fence: the next late one would be taken.
func (c *Checker) bookedUnfenced(o *Observation) {
	for n := range c.fences {
		e := &c.events[c.fences[n].at]
		if e.Op != history.AccountWritten || e.Demoted() || e.Amount == e.PriorMoney || e.Token > e.PriorToken {
			continue
		}
		if e.PriorMoney == 0 && e.PriorToken == 0 {
			continue // the account is opened
		}
		if v := o.seen(e.ID); v != nil {
			v.Sentence = fmt.Sprintf("The balance of %s went from %s to %s and its fence stayed %d.", e.Account, money(e.PriorMoney), money(e.Amount), e.Token)
		}
	}
}
