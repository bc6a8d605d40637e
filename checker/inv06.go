package checker

import (
	"fmt"

	"dlsim/history"
)

// Kinds of violation of INV-06.
const (
	PaymentWithoutIntent = "payment-without-intent"
	IntentVanished       = "intent-vanished"
	PaidOtherwise        = "paid-otherwise"
)

// intentFirst judges INV-06: the row must have been committed before the request that moved the
// money left, that very row must still be there, and the money must be what row and payout say.
func (c *Checker) intentFirst(j *Judgement) {
	j.Model = "submission rows in commit order"
	for i := range c.payments {
		m := &c.payments[i]
		if m.payout < 0 {
			continue
		}
		j.Judged++
		sent := c.sentAt(m)
		committed, gone := c.intentBefore(m.payout, sent)
		name := c.payouts.list[m.payout]
		switch {
		case committed < 0:
			if v := j.found(PaymentWithoutIntent, witness(c.id(sent), c.id(m.at))...); v != nil {
				v.Sentence = fmt.Sprintf("Payout %s was paid (%s) with no submission committed before it was sent.", name, c.sending(m))
			}
		case gone >= 0 && gone == committed:
			if v := j.found(IntentVanished, c.id(committed), c.id(m.at)); v != nil {
				v.Sentence = fmt.Sprintf("Payout %s was paid (%s), and its submission was committed only at %s, a former primary.",
					name, c.sending(m), c.events[gone].Process)
			}
		case gone >= 0:
			if v := j.found(IntentVanished, c.id(committed), c.id(m.at), c.id(gone)); v != nil {
				v.Sentence = fmt.Sprintf("Payout %s was paid (%s), and the submission that was committed for it is gone from %s.",
					name, c.sending(m), c.events[gone].Process)
			}
		default:
			c.paidOtherwise(j, m, committed)
		}
	}
	j.conclude("the rail moved no money")
}

// paidOtherwise compares a payment with the intent that was committed for it and with the payout's own row.
// A name is enough to find a payment in a statement, and says nothing of how much it was.
func (c *Checker) paidOtherwise(j *Judgement, m *payment, committed int32) {
	e := &c.events[m.at]
	for _, at := range [...]int32{c.payout[m.payout].created, committed} {
		if at < 0 {
			continue
		}
		row := &c.events[at]
		if (e.Amount == 0 || row.Amount == 0 || e.Amount == row.Amount) && (e.Account == "" || row.Account == "" || e.Account == row.Account) {
			continue
		}
		if v := j.found(PaidOtherwise, witness(row.ID, e.ID)...); v != nil {
			what := "the payout is"
			if row.Op == history.SubmissionWritten {
				what = "its submission says"
			}
			v.Sentence = fmt.Sprintf("The rail paid %s of %s for payout %s (%s), and %s %s of %s.",
				money(e.Amount), e.Account, row.Payout, c.sending(m), what, money(row.Amount), row.Account)
		}
		return
	}
}

// sentAt is where the payment's request was sent. Without a record of that, the rail's own receipt
// of it bounds it, and the payment at the latest.
func (c *Checker) sentAt(m *payment) int32 {
	if m.forward >= 0 {
		return c.forwards[m.forward].at
	}
	if request := c.events[m.at].Request; request != "" {
		for at := m.at - 1; at >= 0; at-- {
			if e := &c.events[at]; e.Op == history.RailReceived && e.Request == request {
				return at
			}
		}
	}
	return m.at
}

// intentBefore finds the last version of the payout's row committed before a position, and the
// event that took that row away since, or -1.
func (c *Checker) intentBefore(payout, before int32) (committed, gone int32) {
	gone = -1
	for n := c.payout[payout].submission; n >= 0; n = c.submissions[n].prev {
		s := &c.submissions[n]
		there := c.events[s.at].State != ""
		switch {
		case there && s.at < before:
			if s.demoted && gone < 0 {
				gone = s.at // only a former primary ever had it
			}
			return s.at, gone
		case !there && !s.demoted:
			gone = s.at
		}
	}
	return -1, gone
}

// witness drops a repeated id.
func witness(a, b int64) []int64 {
	if a == b {
		return []int64{a}
	}
	return []int64{a, b}
}
