package checker

import (
	"fmt"

	"dlsim/history"
)

// Kinds of violation of INV-07.
const (
	UnguardedPayment = "unguarded-payment"
	UnmarkedPayment  = "unmarked-payment"
	MarkWentBack     = "mark-went-back"
	MarkOutOfTime    = "mark-out-of-time"
)

const markModel = "mark as a register: each write sees the one before it and is higher"

// guardOfItsOwn judges INV-07: first every payment's way through the guard, then the mark itself.
func (c *Checker) guardOfItsOwn(j *Judgement) {
	j.Model = markModel
	for i := range c.payments {
		j.Judged++
		c.guarded(j, &c.payments[i])
	}
	ops := c.advances()
	for lo := 0; lo < len(ops); {
		hi := lo + 1
		for hi < len(ops) && ops[hi].account == ops[lo].account {
			hi++
		}
		j.Judged += hi - lo
		c.register(j, ops[lo:hi])
		lo = hi
	}
	j.conclude("no payment was made and no mark was written")
}

// guarded wants a payment to have been forwarded by a proxy, on an admission that was committed
// before and whose transaction advanced the mark.
func (c *Checker) guarded(j *Judgement, m *payment) {
	name := c.events[m.at].Payout
	if m.forward < 0 || c.events[c.forwards[m.forward].at].Op == history.OperatorPay {
		ids := []int64{c.id(m.at)}
		if m.forward >= 0 {
			ids = []int64{c.id(c.forwards[m.forward].at), c.id(m.at)}
		}
		if v := j.found(UnguardedPayment, ids...); v != nil {
			v.Sentence = fmt.Sprintf("Payout %s was paid (%s) past every proxy.", name, c.sending(m))
		}
		return
	}
	f := &c.forwards[m.forward]
	e := &c.events[f.at]
	admission := int32(-1)
	if f.payout >= 0 {
		for n := c.payout[f.payout].submission; n >= 0; n = c.submissions[n].prev {
			s := &c.submissions[n]
			if !s.admission || s.at > f.at || s.account != f.account || c.events[s.at].Token != e.Token {
				continue
			}
			if admission = n; s.mark >= 0 {
				return
			}
		}
	}
	if admission < 0 {
		if v := j.found(UnguardedPayment, e.ID, c.id(m.at)); v != nil {
			v.Sentence = fmt.Sprintf("Payout %s was paid (%s) on no admission: none of %s under token %d was committed before the forward.",
				name, c.sending(m), e.Payout, e.Token)
		}
		return
	}
	if v := j.found(UnmarkedPayment, c.id(c.submissions[admission].at), e.ID, c.id(m.at)); v != nil {
		v.Sentence = fmt.Sprintf("Payout %s was paid (%s) on an admission that did not advance the mark of %s to %d.",
			name, c.sending(m), e.Account, e.Token)
	}
}
