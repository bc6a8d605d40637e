package history

import "fmt"

// Ops is the whole vocabulary in the order of its declaration.
var Ops = [...]Op{
	LockAcquire, LockRenew, LockRelease,
	PayoutClaim, SubmissionAsk, PayoutSubmit, PayoutMark, PayoutPost,
	ProxyAdmit, RailForward, ProxyOutcome,
	ReconcileDecide, OperatorCancel, OperatorPay, ReconcileVoid, RailVoid,
	FencedOut, DuplicateAttempted, PaydbUnavailable, LeaseRanOut, PayoutAmbiguous,
	LockGranted, LockRenewed, LockReleased, LockExpired,
	MarkWritten, SubmissionWritten, PayoutWritten, AccountWritten, LedgerWritten,
	RailPaid, RailVoided, RailRotated, RailReceived, StoreLost,
	PayoutDue, FaultBegun, FaultEnded, AllHealed,
	ProcessStarted, ProcessKilled, ProcessPaused, ProcessResumed, WorldEnded,
}

var knownOps = func() map[Op]bool {
	m := make(map[Op]bool, len(Ops))
	for _, op := range Ops {
		m[op] = true
	}
	return m
}()

// Known says whether op belongs to the vocabulary.
func (op Op) Known() bool { return knownOps[op] }

// MarshalText writes a kind by its name.
func (k Kind) MarshalText() ([]byte, error) {
	if int(k) >= len(kindNames) {
		return nil, fmt.Errorf("kind %d has no name", uint8(k))
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText reads a kind's name and refuses any other word.
func (k *Kind) UnmarshalText(text []byte) error {
	for i, name := range kindNames {
		if name == string(text) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("unknown kind %q", text)
}
