package checker

import (
	"bytes"
	"fmt"
	"strings"

	"dlsim/history"
)

// Exercise is one thing that a run can have exercised; must_exercise names them, and never may.
type Exercise uint8

// What a run can exercise. Each comment says what one count is.
const (
	StalePresented   Exercise = iota // a submission reached a proxy under a token below one already granted or admitted
	RestartCrossed                   // a process that was restarted did something again
	ProxyRestarted                   // the same for a proxy's admission
	AnswerUnknown                    // a client call ended with its outcome unknown
	CommitUnknown                    // an admission's commit, of those
	RailUnknown                      // a call of the rail, of those
	LeaseLost                        // a lease ended without its holder's release
	FencedOutSeen                    // lock.fenced.out
	DuplicateSeen                    // rail.duplicate.attempted
	AmbiguousSeen                    // a submission became ambiguous
	RefusedSeen                      // a proxy answered 503
	CountdownStopped                 // an executor stopped by its own countdown
	LeaseRenewed                     // a holder's lease was renewed
	LockContended                    // an acquire was told LOCK_HELD
	ClaimTakenOver                   // a payout claimed once was claimed again under a higher token
	PaidLate                         // money moved after its sender had given the call up
	Reconciled                       // the reconciler decided
	OperatorActed                    // an operator cancelled or paid
	FaultBit                         // a fault that something met
	FaultMissed                      // a fault that nothing met
	Failover                         // a store failed over
	StoreForgot                      // a store came back without acknowledged writes
	Paused                           // a process was paused
	Killed                           // a process was killed
	PostedSeen                       // a payout became POSTED
	WrittenOff                       // a payout became FAILED
	HorizonBegun                     // the reconciler noted when it first saw an open submission
	IntentLeft                       // a submission of which its row says nothing but INTENT at the end
	exercises
)

var exerciseNames = [exercises]string{
	"stale-token-presented", "restart-crossed", "proxy-restart-crossed", "answer-unknown", "commit-unknown",
	"rail-answer-unknown", "lease-lost", "fenced-out", "duplicate-refused", "submission-ambiguous",
	"paydb-refused", "lease-countdown", "lease-renewed", "lock-contended", "claim-taken-over", "paid-late", "reconciled",
	"operator-acted", "fault-bit", "fault-missed", "failover", "store-forgot", "paused", "killed",
	"posted", "written-off", "horizon-begun", "intent-left",
}

// String is the stable name that scenarios use.
func (x Exercise) String() string { return exerciseNames[x] }

// ExerciseNames lists the names that must_exercise may use.
func ExerciseNames() []string { return exerciseNames[:] }

// Coverage counts what a run, or with Add a sweep, exercised. The zero value is empty.
type Coverage struct {
	counts [exercises]int64
}

// Count is how often x was exercised.
func (c *Coverage) Count(x Exercise) int64 { return c.counts[x] }

// Get is Count by name; ok is false for a name that there is not.
func (c *Coverage) Get(name string) (n int64, ok bool) {
	for x, have := range exerciseNames {
		if have == name {
			return c.counts[x], true
		}
	}
	return 0, false
}

// Each calls f with every name and count in a fixed order.
func (c *Coverage) Each(f func(name string, count int64)) {
	for x, name := range exerciseNames {
		f(name, c.counts[x])
	}
}

// MarshalJSON writes an object of the counts that are not zero, in order.
func (c Coverage) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	c.Each(func(name string, n int64) {
		if n != 0 {
			fmt.Fprintf(&b, ",%q:%d", name, n)
		}
	})
	return append(append([]byte{'{'}, bytes.TrimPrefix(b.Bytes(), []byte(","))...), '}'), nil
}

// CoverageOf counts what a history exercised, without judging it.
func CoverageOf(events []history.Event) Coverage {
	var x index
	x.build(events)
	return x.coverage
}

// cover counts in one pass after the index is built, so that calls know their ends.
func (x *index) cover() {
	counts := &x.coverage.counts
	x.restarted = x.restarted[:0]
	for i := range x.account {
		x.account[i].highest = 0
	}
	for at := range x.events {
		e := &x.events[at]
		if len(x.restarted) > 0 && !e.Truth && e.Kind == history.Invoke {
			x.crossed(e)
		}
		switch {
		case e.Kind == history.Info && e.Call != 0 && !e.Truth:
			counts[AnswerUnknown]++
			if e.Op == history.ProxyAdmit {
				counts[CommitUnknown]++
			} else if e.Op == history.RailForward {
				counts[RailUnknown]++
			}
		case e.Op == history.ProxyAdmit && e.Kind == history.Invoke:
			if key := x.accounts.find(e.Account); key >= 0 && e.Token < x.account[key].highest {
				counts[StalePresented]++
			}
		case e.Op == history.LockAcquire && e.Kind == history.Fail && e.Error == "LOCK_HELD":
			counts[LockContended]++
		}
		if n, ok := counterOf(e); ok {
			counts[n]++
		}
		switch e.Op {
		case history.LockGranted:
			x.raise(e)
		case history.SubmissionWritten:
			if e.State == stateIntent {
				x.raise(e)
			}
			if e.State != "" && e.State == e.PriorState && e.Token == e.PriorToken && e.Note != history.Lost {
				counts[HorizonBegun]++
			}
		case history.PayoutWritten:
			switch {
			case e.Note == history.Lost:
			case e.State == "CLAIMED" && e.PriorState == "CLAIMED" && e.Token > e.PriorToken:
				counts[ClaimTakenOver]++
			case e.State == "POSTED" && e.PriorState != "POSTED":
				counts[PostedSeen]++
			case e.State == "FAILED" && e.PriorState != "FAILED":
				counts[WrittenOff]++
			}
		case history.ProcessKilled:
			x.restarted = append(x.restarted, e.Owner)
		}
	}
	x.coverCalls()
	for i := range x.account {
		x.account[i].highest = 0
	}
}

// counterOf is for events of which each is one count.
func counterOf(e *history.Event) (Exercise, bool) {
	switch e.Op {
	case history.FencedOut:
		return FencedOutSeen, true
	case history.DuplicateAttempted:
		return DuplicateSeen, true
	case history.PayoutAmbiguous:
		return AmbiguousSeen, true
	case history.PaydbUnavailable:
		return RefusedSeen, true
	case history.LeaseRanOut:
		return CountdownStopped, true
	case history.ReconcileDecide:
		return Reconciled, e.Kind == history.OK
	case history.LockRenew:
		return LeaseRenewed, e.Kind == history.OK
	case history.OperatorCancel, history.OperatorPay:
		return OperatorActed, e.Kind == history.OK
	case history.FaultBegun:
		return Failover, e.State == "failover"
	case history.FaultEnded:
		if strings.HasPrefix(e.Note, "bit") {
			return FaultBit, true
		}
		return FaultMissed, true
	case history.StoreLost:
		return StoreForgot, true
	case history.ProcessPaused:
		return Paused, true
	case history.ProcessKilled:
		return Killed, true
	}
	return 0, false
}

// coverCalls counts what only the matched index knows.
func (x *index) coverCalls() {
	counts := &x.coverage.counts
	for n := range x.grants {
		g := &x.grants[n]
		switch {
		case g.overAt >= 0 && x.events[g.overAt].Op == history.LockExpired:
			counts[LeaseLost]++
		case g.prev >= 0 && x.grants[g.prev].overAt < 0:
			counts[LeaseLost]++ // its predecessor's, which nobody ended before
		}
	}
	for i := range x.payout {
		if n := x.payout[i].submission; n >= 0 && x.events[x.submissions[n].at].State == stateIntent {
			counts[IntentLeft]++
		}
	}
	for i := range x.payments {
		m := &x.payments[i]
		if m.forward < 0 {
			continue
		}
		if f := &x.forwards[m.forward]; f.done >= 0 && f.done < m.at && x.events[f.done].Kind == history.Info {
			counts[PaidLate]++
		}
	}
}

// crossed notes the first thing that a process does after it was killed and started again.
func (x *index) crossed(e *history.Event) {
	for i, name := range x.restarted {
		if name != e.Process {
			continue
		}
		x.restarted = append(x.restarted[:i], x.restarted[i+1:]...)
		x.coverage.counts[RestartCrossed]++
		if e.Op == history.ProxyAdmit {
			x.coverage.counts[ProxyRestarted]++
		}
		return
	}
}

func (x *index) raise(e *history.Event) {
	if key := x.accounts.find(e.Account); key >= 0 && e.Note != history.Lost {
		x.account[key].highest = max(x.account[key].highest, e.Token)
	}
}
