package checker

import "fmt"

// Kinds of violation of INV-03.
const (
	MissingEntry        = "missing-entry"
	SurplusEntry        = "surplus-entry"
	WrongAmount         = "wrong-amount"
	WrongAccount        = "wrong-account"
	EntryWithoutPosting = "entry-without-posting"
	WrongBalance        = "wrong-balance"
)

// trueLedger judges INV-03 on the rows as they stand at the end, lost writes undone.
func (c *Checker) trueLedger(j *Judgement) {
	j.Model = "double entry: opening less posted"
	for n := range c.account {
		c.account[n].posted = 0
	}
	for n := range c.payout {
		p := &c.payout[n]
		if p.state != statePosted {
			c.strayEntries(j, int32(n))
			continue
		}
		j.Judged++
		c.entriesOf(j, int32(n), debit)
		c.entriesOf(j, int32(n), credit)
		if p.account >= 0 {
			c.account[p.account].posted += p.amount
		}
	}
	for n := range c.account {
		a := &c.account[n]
		if a.known {
			j.Judged++
		}
		if a.balance == a.opening-a.posted {
			continue
		}
		at := a.balanceAt
		if at < 0 {
			at = c.postingOf(int32(n))
		}
		if v := j.found(WrongBalance, c.id(at)); v != nil {
			v.Sentence = fmt.Sprintf("Account %s stands at %d: it opened with %d and %d of it is posted, which leaves %d.",
				c.accounts.list[n], a.balance, a.opening, a.posted, a.opening-a.posted)
		}
	}
	j.conclude("nothing was posted")
}

// entriesOf wants exactly one entry of this direction, of the payout's amount, and for a debit on
// the payout's own account.
func (c *Checker) entriesOf(j *Judgement, payout int32, direction string) {
	p := &c.payout[payout]
	posted := c.id(p.stateAt)
	first := int32(-1)
	for n := p.entry; n >= 0; n = c.ledger[n].prev {
		l := &c.ledger[n]
		e := &c.events[l.at]
		if !l.present || e.State != direction {
			continue
		}
		if first >= 0 {
			if v := j.found(SurplusEntry, c.id(l.at), c.id(first)); v != nil {
				v.Sentence = fmt.Sprintf("Payout %s has more than one %s entry.", e.Payout, direction)
			}
			continue
		}
		first = l.at
		if e.Amount != p.amount {
			if v := j.found(WrongAmount, e.ID, posted); v != nil {
				v.Sentence = fmt.Sprintf("Payout %s is POSTED for %d, its %s entry says %d (token %d).",
					e.Payout, p.amount, direction, e.Amount, e.Token)
			}
		}
		if direction == debit && l.account != p.account {
			if v := j.found(WrongAccount, e.ID, posted); v != nil {
				v.Sentence = fmt.Sprintf("Payout %s is %s's, its debit is on %s (token %d).",
					e.Payout, c.accounts.list[p.account], e.Account, e.Token)
			}
		}
	}
	if first < 0 {
		if v := j.found(MissingEntry, posted); v != nil {
			v.Sentence = fmt.Sprintf("Payout %s is POSTED (token %d) and has no %s entry.",
				c.payouts.list[payout], c.events[p.stateAt].Token, direction)
		}
	}
}

// strayEntries finds a booking of a payout that is not POSTED: the ledger tells of money that the
// payout does not.
func (c *Checker) strayEntries(j *Judgement, payout int32) {
	p := &c.payout[payout]
	for n := p.entry; n >= 0; n = c.ledger[n].prev {
		l := &c.ledger[n]
		if !l.present {
			continue
		}
		if v := j.found(EntryWithoutPosting, c.id(l.at)); v != nil {
			e := &c.events[l.at]
			v.Sentence = fmt.Sprintf("Payout %s is %s, yet a %s entry of %d is booked for it (token %d).",
				e.Payout, orNone(p.state), e.State, e.Amount, e.Token)
		}
	}
}

func (c *Checker) postingOf(account int32) int32 {
	for n := range c.payout {
		if p := &c.payout[n]; p.account == account && p.state == statePosted {
			return p.stateAt
		}
	}
	return 0
}

func orNone(state string) string {
	if state == "" {
		return "gone"
	}
	return state
}
