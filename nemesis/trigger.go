package nemesis

import "dlsim/history"

// triggerOps lists the events that a fault can wait for: all that a run records but the nemesis's own.
var triggerOps = []history.Op{
	history.LockAcquire, history.LockRenew, history.LockRelease,
	history.PayoutClaim, history.SubmissionAsk, history.PayoutSubmit, history.PayoutMark, history.PayoutPost,
	history.ProxyAdmit, history.RailForward, history.ProxyOutcome,
	history.ReconcileDecide, history.OperatorCancel, history.OperatorPay, history.ReconcileVoid, history.RailVoid,
	history.FencedOut, history.DuplicateAttempted, history.PaydbUnavailable, history.LeaseRanOut, history.PayoutAmbiguous,
	history.LockGranted, history.LockRenewed, history.LockReleased, history.LockExpired,
	history.MarkWritten, history.SubmissionWritten, history.PayoutWritten, history.AccountWritten, history.LedgerWritten,
	history.RailReceived, history.RailPaid, history.RailVoided, history.RailRotated, history.StoreLost,
	history.ProcessStarted, history.ProcessKilled, history.ProcessPaused, history.ProcessResumed,
}

const (
	nemesisProcess = "nemesis"
	worldProcess   = "world"
)

// matches reports whether e is such an event as t waits for, whichever in the row.
func (t *Trigger) matches(e *history.Event, n *Nemesis) bool {
	if e.Op != t.Event {
		return false
	}
	if t.Kind != "" && t.Kind != e.Kind.String() {
		return false
	}
	if t.Process != "" && !n.isOf(t.Process, e.Process) && !n.isOf(t.Process, n.watch.ownerProcess(e)) {
		return false
	}
	return (t.Owner == "" || t.Owner == e.Owner) &&
		(t.Account == "" || t.Account == e.Account) &&
		(t.Payout == "" || t.Payout == e.Payout) &&
		(t.State == "" || t.State == e.State)
}

// isOf reports whether a process is the one named, or has the role named.
func (n *Nemesis) isOf(name, process string) bool {
	return process != "" && (process == name || roleOf(n.topology, process) == name)
}
