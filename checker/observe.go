package checker

import (
	"fmt"

	"dlsim/history"
)

// The observations, in the order of a report.
const (
	// SupersededClaim: money was forwarded under a token that a higher one had already replaced at
	// the payout's row.
	SupersededClaim = "superseded-claim"
	// DuplicateAttempt: the proxy refused a second submission of a payout (rail.duplicate.attempted).
	DuplicateAttempt = "duplicate-attempted"
	// LeaseOverrun: a submission was sent after the sender's own lease had run out.
	LeaseOverrun = "lease-overrun"
	// TokenRegress: a lock store forgot grants, or gave a token anew.
	TokenRegress = "token-regress"
	// RefusedWhileUp: a proxy answered 503 while no fault touched paydb.
	RefusedWhileUp = "refused-while-paydb-up"
	// WaitsForCycle: processes that hold locks wait for each other's.
	WaitsForCycle = "waits-for-cycle"
	// ReleasedByAnother: a lock was taken from its holder by the release of an earlier grant.
	ReleasedByAnother = "released-by-another"
	// StaleDuplicate: a submission under a token that was not above the mark was refused as a
	// duplicate instead of being fenced out.
	StaleDuplicate = "stale-called-duplicate"
	// HolderFencedOut: a submission was fenced out although its sender still held the lock under that token.
	HolderFencedOut = "holder-fenced-out"
	// PaymentVanished: money that was said to have moved is not in the book, or no longer.
	PaymentVanished = "payment-vanished"
	// UnclaimedSubmission: a payout was submitted under a token under which a claim of it was tried and
	// never took effect.
	UnclaimedSubmission = "unclaimed-submission"
	// PaymentVoided: a payment was taken back, at a rail that can do that.
	PaymentVoided = "payment-voided"
	// DoublePayment: at the end of the history a payout has more than one payment that was not taken back.
	DoublePayment = "double-payment-standing"
	// IllegalChange: a payout or submission row went from one state to another against the design.
	IllegalChange = "illegal-change"
	// FailedWithoutCause: a payout was written off although nothing says that no money moved.
	FailedWithoutCause = "failed-without-cause"
	// PostedBeforePaid: a payout was POSTED before the rail's book had a payment of it.
	PostedBeforePaid = "posted-before-paid"
	// FalseAnswer: a client took a write for done, or for undone, and the store says otherwise.
	FalseAnswer = "false-answer"
	// ForwardCutShort: a proxy gave up its call of the rail because the submitter had left.
	ForwardCutShort = "forward-cut-short"
	// LeftOpen: a living process never recorded how a call of it ended.
	LeftOpen = "left-open"
)

// Observed lists the observations' names.
var Observed = [...]string{
	SupersededClaim, DuplicateAttempt, LeaseOverrun, TokenRegress, RefusedWhileUp, WaitsForCycle, ReleasedByAnother, StaleDuplicate,
	IllegalChange, FailedWithoutCause, PostedBeforePaid, FalseAnswer, HolderFencedOut, PaymentVanished,
	PaymentVoided, DoublePayment, UnclaimedSubmission, ForwardCutShort, LeftOpen,
}

func (c *Checker) observe(r *Report) {
	o := &r.Observations
	c.supersededClaims(&o[0])
	c.overruns(&o[2])
	c.regresses(&o[3])
	c.counters(&o[1], &o[4])
	c.waits.cycles(&c.index, &o[5])
	c.takenAway(&o[6])
	c.falseDuplicates(&o[7])
	c.illegalChanges(&o[8])
	c.failedWithoutCause(&o[9])
	c.postedBeforePaid(&o[10])
	c.falseAnswers(&o[11])
	c.holdersFencedOut(&o[12])
	c.vanished(&o[13])
	c.voided(&o[14])
	c.doublePayments(&o[15])
	c.unclaimed(&o[16])
	c.cutShort(&o[17])
	c.leftOpen(&o[18])
}

// falseDuplicates compares each refusal as a duplicate with the admissions that were committed
// before the proxy began on it: what is committed between its looking and its telling proves nothing.
func (c *Checker) falseDuplicates(o *Observation) {
	for _, at := range c.notes {
		e := &c.events[at]
		key := c.accounts.find(e.Account)
		if e.Op != history.DuplicateAttempted || key < 0 {
			continue
		}
		begun, highest := c.refusalBegun(at, e), int32(-1)
		for n := range c.submissions {
			s := &c.submissions[n]
			if s.admission && s.account == key && s.at < begun &&
				(highest < 0 || c.events[s.at].Token > c.events[highest].Token) {
				highest = s.at
			}
		}
		if highest < 0 || e.Token >= c.events[highest].Token {
			continue
		}
		if v := o.seen(c.id(highest), e.ID); v != nil {
			v.Sentence = fmt.Sprintf("%s told the holder of token %d that payout %s was a duplicate, although token %d of %s had been admitted.",
				e.Process, e.Token, e.Payout, c.events[highest].Token, e.Account)
		}
	}
}

// refusalBegun is where the proxy began on the admission that it refused at a position; that
// position itself where it did not record the beginning.
func (c *Checker) refusalBegun(at int32, e *history.Event) int32 {
	if p := c.payouts.find(e.Payout); p >= 0 {
		for n := c.payout[p].admit; n >= 0; n = c.admits[n].prev {
			call := &c.events[c.admits[n].at]
			if c.admits[n].at < at && call.Process == e.Process && call.Token == e.Token {
				return c.admits[n].at
			}
		}
	}
	return at
}

// takenAway looks for grants that ended by a release which their holders did not ask for, while one
// of an earlier grant was under way (field report F17).
func (c *Checker) takenAway(o *Observation) {
	for i := range c.grants {
		g := &c.grants[i]
		if g.takenBy < 0 {
			continue
		}
		e, by := &c.events[g.at], &c.events[g.takenBy]
		if v := o.seen(e.ID, by.ID, c.id(g.overAt)); v != nil {
			v.Sentence = fmt.Sprintf("%s lost the lock of %s (token %d) to the release of token %d by %s.",
				e.Owner, e.Account, g.token, by.Token, by.Process)
		}
	}
}

// supersededClaims looks at each forward for a write of the payout's row under a higher token
// before it.
func (c *Checker) supersededClaims(o *Observation) {
	for i := range c.payout {
		c.payout[i].fence, c.payout[i].fenceAt = 0, -1
	}
	next := 0
	for i := range c.forwards {
		f := &c.forwards[i]
		e := &c.events[f.at]
		if e.Op != history.RailForward || f.payout < 0 {
			continue
		}
		for ; next < len(c.fences) && c.fences[next].at < f.at; next++ {
			w := c.fences[next]
			if w.payout < 0 {
				continue
			}
			if p := &c.payout[w.payout]; c.events[w.at].Token > p.fence {
				p.fence, p.fenceAt = c.events[w.at].Token, w.at
			}
		}
		if p := &c.payout[f.payout]; p.fenceAt >= 0 && p.fence > e.Token {
			if v := o.seen(c.id(p.fenceAt), e.ID); v != nil {
				v.Sentence = fmt.Sprintf("%s forwarded payout %s under token %d although token %d had already taken the payout over.",
					e.Process, e.Payout, e.Token, p.fence)
			}
		}
	}
}

// overruns compares in true time: a grant runs from the moment at which the store made it for as
// long as the store's clock gives it. A sender that counts as it should has stopped before that.
func (c *Checker) overruns(o *Observation) {
	for i := range c.sends {
		s := &c.sends[i]
		e := &c.events[s.at]
		if s.account < 0 || e.Token == 0 {
			continue
		}
		n := c.account[s.account].lastGrant
		for n >= 0 && (c.grants[n].at > s.at || c.grants[n].token != e.Token) {
			n = c.grants[n].prev
		}
		if n < 0 {
			continue
		}
		g := &c.grants[n]
		ends := c.leaseEnds(g, s.at)
		ended := g.overAt >= 0 && g.overAt < s.at && (c.events[g.overAt].Op == history.LockExpired || g.takenBy < 0)
		if !ended && (ends == 0 || e.Time < ends) {
			continue
		}
		if v := o.seen(c.id(g.at), e.ID); v != nil {
			v.Sentence = fmt.Sprintf("%s sent the submission of payout %s under token %d %.3f s after its lease on %s had run out.",
				e.Process, e.Payout, e.Token, float64(max(0, e.Time-ends))/1e9, e.Account)
		}
	}
}

// leaseEnds is the true time at which a grant runs out, renewals before a position included; 0
// when nothing says so.
func (c *Checker) leaseEnds(g *grant, before int32) int64 {
	switch {
	case g.validUntil == 0 && c.params.TTL == 0:
		return 0
	case g.validUntil == 0:
		return c.events[g.at].Time + int64(c.params.TTL)
	case g.renewedAt <= before:
		return g.validUntil
	}
	return g.firstUntil
}

func (c *Checker) regresses(o *Observation) {
	for i := range c.grants {
		g := &c.grants[i]
		e := &c.events[g.at]
		if g.lost {
			if v := o.seen(e.ID); v != nil {
				v.Sentence = fmt.Sprintf("%s forgot that it had granted the lock of %s to %s with token %d.", e.Process, e.Account, e.Owner, g.token)
			}
		}
		a := &c.account[g.account]
		if a.highestAt >= 0 && g.token <= a.highest {
			if v := o.seen(c.id(a.highestAt), e.ID); v != nil {
				v.Sentence = fmt.Sprintf("%s granted token %d of %s after it had granted token %d.", e.Process, g.token, e.Account, a.highest)
			}
		}
		if a.highestAt < 0 || g.token > a.highest {
			a.highest, a.highestAt = g.token, g.at
		}
	}
}

// counters reads the two counters of the proxy. paydb counts as touched while any fault that names
// it, or everything, stands.
func (c *Checker) counters(duplicate, refused *Observation) {
	touched := 0
	for i := range c.notes {
		e := &c.events[c.notes[i]]
		switch e.Op {
		case history.DuplicateAttempted:
			if v := duplicate.seen(e.ID); v != nil {
				v.Sentence = fmt.Sprintf("%s refused a second submission of payout %s under token %d.", e.Process, e.Payout, e.Token)
			}
		case history.PaydbUnavailable:
			if touched > 0 {
				continue
			}
			if v := refused.seen(e.ID); v != nil {
				v.Sentence = fmt.Sprintf("%s answered 503 while paydb was up.", e.Process)
			}
		case history.FaultBegun:
			if touchesPaydb(e) {
				touched++
			}
		case history.FaultEnded:
			if touchesPaydb(e) && touched > 0 {
				touched--
			}
		}
	}
}
