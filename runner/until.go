package runner

import (
	"fmt"
	"strings"
	"time"

	"dlsim/history"
	"dlsim/nemesis"
)

// closely is how soon after an event a pause must be over for the event to have to do with it.
const closely = 250 * time.Millisecond

// untilOf is the event after which a stored run's pause was over: the last that somebody else recorded
// while it stood. A sleeper that woke between two steps of whoever took over wakes between them again,
// whatever the time is by then. Where they had been idle it is the first that they recorded afterwards,
// at which they wait here for what the sleeper did before it. None is the zero trigger: then time decides.
func untilOf(events []history.Event, f nemesis.Fault) nemesis.Trigger {
	if f.Kind != "pause" {
		return nemesis.Trigger{}
	}
	var last *history.Event
	var ended int64
	nth, standing, idle := 0, false, false
	counts := map[history.Event]int{}
	for i := range events {
		e := &events[i]
		switch {
		case e.Op == history.FaultBegun && strings.HasPrefix(e.Note, fmt.Sprintf("{id: %d,", f.ID)):
			standing = true
		case e.Op == history.FaultEnded && standing && e.State == f.Kind && e.Owner == f.Target:
			if last != nil && e.Time-last.Time <= int64(closely) {
				return nemesis.Trigger{Event: last.Op, Process: last.Process, Kind: last.Kind.String(), Nth: nth}
			}
			idle, standing, ended = true, false, e.Time
		case idle && e.Time-ended > int64(closely):
			return nemesis.Trigger{}
		case tells(e):
			key := history.Event{Process: e.Process, Op: e.Op, Kind: e.Kind}
			counts[key]++
			if idle && e.Process != f.Target {
				return nemesis.Trigger{Event: e.Op, Process: e.Process, Kind: e.Kind.String(), Nth: counts[key]}
			}
			if standing && e.Process != f.Target {
				last, nth = e, counts[key]
			}
		}
	}
	return nemesis.Trigger{}
}

// tells says whether an event is one that comes again elsewhere, as the how-manieth of its process:
// what executors and the reconciler do with payouts. How often they ask for a lock is a matter of
// time, and which proxy serves them a matter of luck.
func tells(e *history.Event) bool {
	if e.Truth || !strings.HasPrefix(e.Process, "executor") && e.Process != "reconciler" {
		return false
	}
	switch e.Op {
	case history.PayoutClaim, history.PayoutSubmit, history.PayoutPost, history.PayoutMark, history.ReconcileDecide:
		return true
	case history.LockRelease, history.LockAcquire:
		return e.Kind == history.OK
	}
	return false
}
