package checker

import (
	"fmt"
	"slices"
	"time"

	"dlsim/history"
)

// voided looks for payments that were taken back. INV-02 is about what was paid and stays broken: what
// a void mends is the loss, from then on.
func (c *Checker) voided(o *Observation) {
	for i := range c.payments {
		m := &c.payments[i]
		if m.voided < 0 {
			continue
		}
		if v := o.seen(c.id(m.at), c.id(m.voided)); v != nil {
			paid, back := &c.events[m.at], &c.events[m.voided]
			v.Sentence = fmt.Sprintf("The payment %s of payout %s (%s) was taken back %.3f s after it was made.",
				paid.Reference, paid.Payout, money(paid.Amount), float64(back.Time-paid.Time)/1e9)
		}
	}
}

// doublePayments looks for payouts that are left paid more than once.
func (c *Checker) doublePayments(o *Observation) {
	for n := range c.payout {
		p := &c.payout[n]
		left := c.standing(p)
		if left < 2 {
			continue
		}
		last := p.payment
		for c.payments[last].voided >= 0 {
			last = c.payments[last].prev
		}
		if v := o.seen(c.id(c.payments[last].at)); v != nil {
			v.Sentence = fmt.Sprintf("Payout %s is left with %d payments that stand.", c.payouts.list[n], left)
		}
	}
}

// doubleFor is the longest time in which one payout had more than one payment that stood.
func (c *Checker) doubleFor() (longest time.Duration) {
	for n := range c.payout {
		if c.payout[n].paid < 2 {
			continue
		}
		var turns []int32 // positions at which a payment was made or taken back
		for m := c.payout[n].payment; m >= 0; m = c.payments[m].prev {
			turns = append(turns, c.payments[m].at)
			if c.payments[m].voided >= 0 {
				turns = append(turns, c.payments[m].voided)
			}
		}
		slices.Sort(turns)
		stand, since := 0, int64(0)
		for _, at := range turns {
			e := &c.events[at]
			was := stand
			if stand++; e.Op == history.RailVoided {
				stand -= 2
			}
			switch {
			case was < 2 && stand == 2:
				since = e.Time
			case was == 2 && stand < 2:
				longest = max(longest, time.Duration(e.Time-since))
			}
		}
		if stand > 1 {
			longest = max(longest, time.Duration(c.end()-since))
		}
	}
	return longest
}
