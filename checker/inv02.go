package checker

import (
	"fmt"
	"strings"

	"dlsim/history"
)

// TwoPayments is the kind of violation of INV-02.
const TwoPayments = "two-payments"

// onePayment judges INV-02: the rail's memo names the payout, and the book is append-only.
func (c *Checker) onePayment(j *Judgement) {
	j.Model = "the rail's book"
	for i := range c.payments {
		m := &c.payments[i]
		if m.payout < 0 {
			continue
		}
		j.Judged++
		if m.prev < 0 {
			continue
		}
		first := m
		for first.prev >= 0 {
			first = &c.payments[first.prev]
		}
		if v := j.found(TwoPayments, c.id(first.at), c.id(m.at)); v != nil {
			p := &c.payout[m.payout]
			v.Sentence = fmt.Sprintf("Payout %s was paid %s: %s, then %s.",
				c.payouts.list[m.payout], times(int(p.paid)), c.sending(first), c.sending(m))
		}
	}
	j.conclude("the rail moved no money")
}

func times(n int) string {
	if n == 2 {
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// sending says who sent a payment, with which token and for whom.
func (x *index) sending(m *payment) string {
	if m.forward < 0 {
		return fmt.Sprintf("%s by a request that no process recorded", money(x.events[m.at].Amount))
	}
	f := &x.forwards[m.forward]
	e := &x.events[f.at]
	if e.Op == history.OperatorPay {
		return fmt.Sprintf("%s by hand by %s", money(e.Amount), e.Process)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s under token %d through %s", money(x.events[m.at].Amount), e.Token, e.Process)
	if s := x.submitter(f); s != nil {
		fmt.Fprintf(&b, " for %s", s.Process)
	}
	return b.String()
}

// money shows minor units as a decimal amount, as stories do.
func money(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
}

// submitter finds the submission that a forward served: the latest before it with its token.
func (x *index) submitter(f *call) *history.Event {
	if f.payout < 0 {
		return nil
	}
	for n := x.payout[f.payout].send; n >= 0; n = x.sends[n].prev {
		if s := &x.sends[n]; s.at < f.at && x.events[s.at].Token == x.events[f.at].Token {
			return &x.events[s.at]
		}
	}
	return nil
}
