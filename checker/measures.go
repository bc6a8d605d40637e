package checker

import (
	"strings"
	"time"

	"dlsim/history"
)

// Measures says how the run went, not whether it was right.
type Measures struct {
	// Blocked is the time in which work was due and no payout progressed: the sum of all stretches
	// of at least one TTL between two steps of any payout (a row's new state, a submission written,
	// a payment), from the first payout's arrival until the last is final.
	Blocked time.Duration
	// Refused counts 503s of the proxies, RefusedWhileUp those while no fault touched paydb.
	Refused, RefusedWhileUp int
	// Submissions counts submissions sent by executors, Ambiguous those that became ambiguous.
	Submissions, Ambiguous int
	FencedOut              int // lock.fenced.out
	DuplicateAttempted     int // rail.duplicate.attempted
	LeaseRanOut            int // executors that stopped by their own countdown
	Payments               int // in the rail's book
	Voided                 int // of those, taken back
	// VoidWindow is the longest time in which one payout had more than one payment that stood.
	VoidWindow time.Duration
	// Payouts by the state in which the history leaves them.
	Posted, Failed, Cancelled, AmbiguousLeft, ClaimedLeft, PendingLeft int
	// Elapsed is the history's own true time.
	Elapsed time.Duration
}

// AmbiguousRate is ambiguous submissions a submission. ADR-004 (A4.5) draws its line at 0.01.
func (m *Measures) AmbiguousRate() float64 {
	if m.Submissions == 0 {
		return 0
	}
	return float64(m.Ambiguous) / float64(m.Submissions)
}

// Each calls f with every measure's stable name and value, times in seconds.
func (m *Measures) Each(f func(name string, value float64)) {
	f("blocked_s", m.Blocked.Seconds())
	f("elapsed_s", m.Elapsed.Seconds())
	f("submissions", float64(m.Submissions))
	f("ambiguous", float64(m.Ambiguous))
	f("ambiguous_rate", m.AmbiguousRate())
	f("fenced_out", float64(m.FencedOut))
	f("duplicate_attempted", float64(m.DuplicateAttempted))
	f("lease_ran_out", float64(m.LeaseRanOut))
	f("refused", float64(m.Refused))
	f("refused_while_paydb_up", float64(m.RefusedWhileUp))
	f("payments", float64(m.Payments))
	f("voided", float64(m.Voided))
	f("void_window_s", m.VoidWindow.Seconds())
	f("posted", float64(m.Posted))
	f("failed", float64(m.Failed))
	f("cancelled", float64(m.Cancelled))
	f("left_ambiguous", float64(m.AmbiguousLeft))
	f("left_claimed", float64(m.ClaimedLeft))
	f("left_pending", float64(m.PendingLeft))
}

func (c *Checker) measure(m *Measures, refusedWhileUp int) {
	m.Submissions, m.Payments, m.RefusedWhileUp = len(c.sends), len(c.payments), refusedWhileUp
	m.Elapsed, m.VoidWindow = time.Duration(c.end()), c.doubleFor()
	for i := range c.payments {
		if c.payments[i].voided >= 0 {
			m.Voided++
		}
	}
	for _, at := range c.notes {
		switch c.events[at].Op {
		case history.FencedOut:
			m.FencedOut++
		case history.DuplicateAttempted:
			m.DuplicateAttempted++
		case history.PaydbUnavailable:
			m.Refused++
		case history.LeaseRanOut:
			m.LeaseRanOut++
		case history.PayoutAmbiguous:
			m.Ambiguous++
		}
	}
	for n := range c.payout {
		if c.payout[n].created < 0 {
			continue
		}
		switch c.payout[n].state {
		case statePosted:
			m.Posted++
		case stateFailed:
			m.Failed++
		case stateCancelled:
			m.Cancelled++
		case "RAIL_AMBIGUOUS":
			m.AmbiguousLeft++
		case "CLAIMED":
			m.ClaimedLeft++
		case "PENDING":
			m.PendingLeft++
		}
	}
	m.Blocked = c.blocked()
}

// blocked adds up the standstills: the stretches before each step that are long enough.
func (c *Checker) blocked() time.Duration {
	shortest := max(int64(c.params.TTL), int64(time.Second))
	var sum, since int64
	due := 0
	step := func(now int64) {
		if gap := now - since; gap >= shortest {
			sum += gap
		}
		since = now
	}
	for at := range c.events {
		e := &c.events[at]
		switch e.Op {
		case history.PayoutWritten:
			was := e.PriorState != "" && !final(e.PriorState)
			is := e.State != "" && !final(e.State)
			switch {
			case is && !was && due == 0:
				due, since = 1, e.Time
			case is && !was:
				due++ // more work is not progress
			case due > 0:
				step(e.Time)
				if was && !is {
					due--
				}
			}
		case history.SubmissionWritten, history.RailPaid:
			if due > 0 {
				step(e.Time)
			}
		}
	}
	if due > 0 {
		step(c.end())
	}
	return time.Duration(sum)
}

// touchesPaydb says whether a fault's target or plan names paydb, or everything.
func touchesPaydb(e *history.Event) bool {
	return strings.Contains(e.Owner, "paydb") || strings.Contains(e.Owner, "*")
}
