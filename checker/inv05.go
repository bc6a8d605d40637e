package checker

import (
	"fmt"

	"dlsim/history"
)

// Kinds of violation of INV-05.
const (
	StaleSubmission  = "stale-submission-admitted"
	EqualToken       = "equal-token-admitted"
	StalePayoutWrite = "stale-payout-write"
	StaleAccount     = "stale-account-write"
)

// noStaleWrite judges INV-05 in commit order. At the mark it looks at the admissions themselves, so
// it can judge a proxy whose check is switched off. What a store lost was written all the same.
func (c *Checker) noStaleWrite(j *Judgement) {
	j.Model = "tokens in commit order"
	for n := range c.submissions {
		s := &c.submissions[n]
		if !s.admission || s.account < 0 {
			continue
		}
		j.Judged++
		e := &c.events[s.at]
		a := &c.account[s.account]
		if a.highestAt < 0 || e.Token > a.highest {
			a.highest, a.highestAt = e.Token, s.at
			continue
		}
		kind, rule := StaleSubmission, "after"
		if e.Token == a.highest {
			kind, rule = EqualToken, "again after"
		}
		if v := j.found(kind, c.id(a.highestAt), e.ID); v != nil {
			v.Sentence = fmt.Sprintf("%s admitted payout %s under token %d of %s %s payout %s had been admitted under token %d.",
				c.admitter(s), e.Payout, e.Token, e.Account, rule, c.events[a.highestAt].Payout, a.highest)
		}
	}
	c.forgetHighest()
	for i := range c.account {
		c.account[i].fence, c.account[i].fenceAt = 0, -1
	}
	for i := range c.payout {
		c.payout[i].fence, c.payout[i].fenceAt = 0, -1
	}
	for _, f := range c.fences {
		e := &c.events[f.at]
		kind, highest, highestAt := StaleAccount, (*int64)(nil), (*int32)(nil)
		if f.payout >= 0 {
			kind, highest, highestAt = StalePayoutWrite, &c.payout[f.payout].fence, &c.payout[f.payout].fenceAt
		} else {
			highest, highestAt = &c.account[f.account].fence, &c.account[f.account].fenceAt
		}
		if e.Op == history.PayoutWritten && e.State == "" {
			continue
		}
		if e.Token > 0 {
			j.Judged++
		}
		if *highestAt < 0 || e.Token >= *highest {
			*highest, *highestAt = e.Token, f.at
			continue
		}
		if v := j.found(kind, c.id(*highestAt), e.ID); v != nil {
			what := "account " + e.Account
			if f.payout >= 0 {
				what = "payout " + e.Payout
			}
			v.Sentence = fmt.Sprintf("The row of %s was written under token %d (%s) after token %d had written it.",
				what, e.Token, c.writer(e), *highest)
		}
	}
	j.conclude("nothing was written under a token")
}

// admitter names the proxy that admitted, where its own record says so.
func (c *Checker) admitter(s *submission) string {
	if s.admit < 0 {
		return "A proxy"
	}
	return c.events[c.admits[s.admit].at].Process
}

// writer names the process whose call was under way when a row was written under its token.
func (c *Checker) writer(e *history.Event) string {
	at := c.position(e.ID)
	for n := at - 1; n >= 0; n-- {
		o := &c.events[n]
		if o.Kind != history.Invoke || o.Token != e.Token || o.Account != e.Account {
			continue
		}
		switch o.Op {
		case history.PayoutClaim, history.PayoutPost, history.PayoutMark, history.ReconcileDecide:
			return "by " + o.Process
		}
	}
	return "by a process that did not record it"
}
