package checker

import (
	"fmt"
	"strings"

	"dlsim/history"
)

// Kinds of violation of INV-04.
const (
	Stuck                = "stuck"
	PayoutVanished       = "payout-vanished"
	WrittenOffThenPaid   = "written-off-then-paid"
	PaidThenWrittenOff   = "paid-then-written-off"
	CancelledThenPaid    = "cancelled-then-paid"
	PaidThenCancelled    = "paid-then-cancelled"
	PostedWithoutPayment = "posted-without-payment"
	NeverTakenIn         = "never-taken-in"
	TakenInOtherwise     = "taken-in-otherwise"
	NeverAskedFor        = "never-asked-for"
)

// nothingLost judges INV-04. A payment that contradicts a final state can never be mended and is
// judged whenever it is seen; progress is demanded only once faults have healed and Horizon and
// Progress have passed; what may still come true keeps the verdict open.
func (c *Checker) nothingLost(j *Judgement) {
	j.Model = "every payout final once faults healed, POSTED iff paid"
	end, due, healed := c.end(), c.progressDue(), c.begun < 0 || c.healed > c.begun
	demanded := healed && end >= due

	open, pending, told := 0, int32(-1), false
	for n := range c.payout {
		p := &c.payout[n]
		if p.created < 0 && p.asked < 0 {
			continue // known by name only: no row of it was ever written, and nobody asked for one
		}
		j.Judged++
		if !final(p.state) {
			open++
		}
		told = told || p.asked >= 0
	}
	var stuck, flying strings.Builder
	for n := range c.payout {
		p := &c.payout[n]
		switch {
		case p.created < 0 && p.asked < 0:
		case p.created < 0 && !demanded:
			if pending++; pending < 3 {
				fmt.Fprintf(&stuck, "%s%s has not been taken in", comma(stuck.Len()), c.payouts.list[n])
			}
		case p.created < 0 || p.asked >= 0 && c.otherwise(p):
			c.notTakenIn(j, p)
		case told && p.asked < 0:
			if v := j.found(NeverAskedFor, c.id(p.created)); v != nil {
				v.Sentence = fmt.Sprintf("Payout %s was taken in, and nobody had asked for it.", c.payouts.list[n])
			}
		case !final(p.state):
			if demanded {
				c.stuck(j, int32(n), end)
			} else if pending++; pending < 3 {
				fmt.Fprintf(&stuck, "%s%s is %s", comma(stuck.Len()), c.payouts.list[n], orNone(p.state))
			}
		case p.state == statePosted && c.standing(p) == 0:
			if demanded || healed && open == 0 {
				if v := j.found(PostedWithoutPayment, c.id(p.stateAt)); v != nil {
					v.Sentence = fmt.Sprintf("Payout %s is POSTED (token %d) and the rail's book has no payment of it%s.",
						c.payouts.list[n], c.events[p.stateAt].Token, map[bool]string{true: " that was not taken back"}[p.paid > 0])
				}
			} else if pending++; pending < 3 {
				fmt.Fprintf(&stuck, "%s%s is POSTED and not paid", comma(stuck.Len()), c.payouts.list[n])
			}
		case p.state != statePosted && p.paid > 0:
			c.contradicted(j, int32(n))
		case p.state != statePosted && c.params.InFlight > 0 && c.mayStillBePaid(int32(n), end):
			fmt.Fprintf(&flying, "%s%s", comma(flying.Len()), c.payouts.list[n])
		}
	}
	switch {
	case j.Verdict == Violated:
	case pending >= 0:
		why := fmt.Sprintf("the history ends %.1f s before that", float64(due-end)/1e9)
		if !healed {
			why = "the history ends before all faults have healed"
		}
		j.Verdict, j.Reason = Unknown, fmt.Sprintf("Progress is not demanded yet (%s): %s%s.", why, stuck.String(), more(int(pending)-2))
	case flying.Len() > 0:
		j.Verdict, j.Reason = Unknown, fmt.Sprintf("The history ends while a request that was sent may still pay what is final and unpaid: %s.", flying.String())
	}
	if j.Verdict == NA {
		j.conclude("there was no payout")
	}
}

// progressDue is the true time by which every payout must be final.
func (c *Checker) progressDue() int64 {
	from := int64(0)
	if c.healed >= 0 {
		from = c.events[c.healed].Time
	}
	for n := range c.payout {
		p := &c.payout[n]
		if p.created >= 0 {
			from = max(from, c.events[p.created].Time) // work that came after the heal has its own time
		}
		if p.asked >= 0 {
			from = max(from, c.events[p.asked].Clock)
		}
	}
	return from + int64(c.params.Horizon) + int64(c.params.Progress)
}

// otherwise says whether a payout was taken in as something else than what was asked for.
func (c *Checker) otherwise(p *payoutFacts) bool {
	asked, row := &c.events[p.asked], &c.events[p.created]
	return row.State != "" && (asked.Amount != row.Amount || asked.Account != row.Account)
}

// notTakenIn tells of a payout that the system was asked for and that its database never had, or has
// as another.
func (c *Checker) notTakenIn(j *Judgement, p *payoutFacts) {
	e := &c.events[p.asked]
	if p.created < 0 {
		if v := j.found(NeverTakenIn, e.ID); v != nil {
			v.Sentence = fmt.Sprintf("Payout %s (%s of %s) was due at %.1f s and is in no database.",
				e.Payout, money(e.Amount), e.Account, float64(e.Clock)/1e9)
		}
		return
	}
	if v := j.found(TakenInOtherwise, e.ID, c.id(p.created)); v != nil {
		row := &c.events[p.created]
		v.Sentence = fmt.Sprintf("Payout %s was to be %s of %s and was taken in as %s of %s.",
			e.Payout, money(e.Amount), e.Account, money(row.Amount), row.Account)
	}
}

func (c *Checker) stuck(j *Judgement, payout int32, end int64) {
	p := &c.payout[payout]
	name := c.payouts.list[payout]
	if p.state == "" {
		if v := j.found(PayoutVanished, c.id(p.created), c.id(p.stateAt)); v != nil {
			v.Sentence = fmt.Sprintf("Payout %s was taken in and is gone from the database.", name)
		}
		return
	}
	if v := j.found(Stuck, c.id(p.stateAt)); v != nil {
		paid := "the rail has not paid it"
		if p.paid > 0 {
			paid = "the rail has paid it " + map[bool]string{true: "once", false: times(int(p.paid))}[p.paid == 1]
		}
		last := &c.events[p.stateAt]
		v.Sentence = fmt.Sprintf("Payout %s is stuck in %s (token %d) for %.1f s with all faults healed; %s.",
			name, p.state, last.Token, float64(end-last.Time)/1e9, paid)
	}
}

func (c *Checker) contradicted(j *Judgement, payout int32) {
	p := &c.payout[payout]
	m := &c.payments[p.payment]
	for m.prev >= 0 {
		m = &c.payments[m.prev]
	}
	kind, verb := WrittenOffThenPaid, "written off (FAILED)"
	if p.state == stateCancelled {
		kind, verb = CancelledThenPaid, "cancelled"
	}
	order, ids := "and paid afterwards", []int64{c.id(p.stateAt), c.id(m.at)}
	if m.at < p.stateAt {
		order, ids = "although it had been paid", []int64{c.id(m.at), c.id(p.stateAt)}
		kind = PaidThenWrittenOff
		if p.state == stateCancelled {
			kind = PaidThenCancelled
		}
	}
	if v := j.found(kind, ids...); v != nil {
		v.Sentence = fmt.Sprintf("Payout %s was %s under token %d %s: %s.",
			c.payouts.list[payout], verb, c.events[p.stateAt].Token, order, c.sending(m))
	}
}

// mayStillBePaid says whether a request for the payout could move money after the history's end. A
// world that ended quiescent has seen to it that nothing is under way.
func (c *Checker) mayStillBePaid(payout int32, end int64) bool {
	if c.ended >= 0 && c.events[c.ended].Note == "quiescent" {
		return false
	}
	for n := range c.forwards {
		f := &c.forwards[n]
		if f.payout != payout || end >= c.events[f.at].Time+int64(c.params.InFlight) {
			continue
		}
		if f.done < 0 || c.events[f.done].Kind == history.Info {
			return true
		}
	}
	return false
}

func comma(n int) string {
	if n == 0 {
		return ""
	}
	return ", "
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more", n)
}
