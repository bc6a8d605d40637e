package history

// Op names what an event is about. The list below is the whole vocabulary: a process that records
// anything else is a bug, and the tests of the system say so.
type Op string

// Client record: what a process did and believed. Each has an Invoke and at most one completion.
const (
	// LockAcquire: Account, Owner; OK adds Token, Expires (by the lock service's clock).
	// Fail carries Error LOCK_HELD or a definite refusal; Info an unknown outcome.
	LockAcquire Op = "lock.acquire"
	LockRenew   Op = "lock.renew"   // Account, Owner, Token
	LockRelease Op = "lock.release" // Account, Owner, Token

	PayoutClaim Op = "payout.claim" // Payout, Account, Token; Fail when no row was taken
	// SubmissionAsk: Payout, Account, Token; OK carries State ("NONE" when there is no row).
	SubmissionAsk Op = "submission.ask"
	// PayoutSubmit: Payout, Account, Token, Amount, as the executor sees it.
	// OK carries State ACCEPTED or REJECTED; Fail a definite refusal in Error (FENCED_OUT, …);
	// Info everything else (RAIL_AMBIGUOUS included).
	PayoutSubmit Op = "payout.submit"
	PayoutMark   Op = "payout.mark" // a state written by the executor: FAILED, RAIL_AMBIGUOUS
	PayoutPost   Op = "payout.post" // Payout, Account, Token, Amount

	// ProxyAdmit: Payout, Account, Token, Amount: one admission transaction as the proxy saw it.
	// OK admitted; Fail refused (Error FENCED_OUT, DUPLICATE_SUBMISSION or a database refusal);
	// Info when the commit's outcome is unknown.
	ProxyAdmit Op = "proxy.admit"
	// RailForward: Payout, Account, Token, Amount, Request. OK carries Reference; Fail a decline;
	// Info a timeout, reset or 5xx.
	RailForward  Op = "rail.forward"
	ProxyOutcome Op = "proxy.outcome" // the outcome written back to the submission row: State

	ReconcileDecide Op = "reconcile.decide" // Payout, Account, Token, State decided; Note says from what
	OperatorCancel  Op = "operator.cancel"  // Payout
	OperatorPay     Op = "operator.pay"     // Payout, Amount, Request: paid by hand, past the proxy

	// ReconcileVoid: Payout, Account, Amount, Reference of the payment that the reconciler wants taken
	// back, where the rail can do that (rail.void). Fail: it will not be; Info: unknown.
	ReconcileVoid Op = "reconcile.void"
	// RailVoid: the same, as the proxy asks the rail for it; Request.
	RailVoid Op = "rail.void"
)

// Counters of the system, as Info events: each occurrence adds one.
const (
	FencedOut          Op = "lock.fenced.out"          // Payout, Account, Token; recorded by the executor told so
	DuplicateAttempted Op = "rail.duplicate.attempted" // Payout, Account, Token; recorded by the proxy
	PaydbUnavailable   Op = "paydb.unavailable"        // recorded by the proxy when it answers 503
	LeaseRanOut        Op = "lease.ran.out"            // the executor stopped by its own countdown
	PayoutAmbiguous    Op = "payout.ambiguous"         // one submission became ambiguous
)

// Truth: what the resources did, in commit order (Truth is set, Kind is OK, Process is the store).
const (
	// LockGranted: Account, Owner, Token, PriorToken, Clock, Expires. One grant.
	LockGranted  Op = "lock.granted"
	LockRenewed  Op = "lock.renewed"  // Account, Owner, Token, Clock, Expires
	LockReleased Op = "lock.released" // Account, Owner, Token, Clock
	LockExpired  Op = "lock.expired"  // Account, Owner, Token, Clock: the store ended the lease itself

	// MarkWritten: a rail_high_water row. Account, Token, PriorToken, Tx. Note "mark deleted" if it vanished.
	MarkWritten Op = "mark.written"
	// SubmissionWritten: a rail_submission row. Payout, Account, Token, PriorToken, Amount, State,
	// PriorState ("" for an insert), Reference, Tx. State "" when the row was deleted.
	SubmissionWritten Op = "submission.written"
	// PayoutWritten: a payout row. Payout, Account, Amount, Token (fence), PriorToken, State, PriorState, Tx.
	PayoutWritten Op = "payout.written"
	// AccountWritten: an account row. Account, Amount (balance), PriorMoney, Token (fence), PriorToken, Tx.
	AccountWritten Op = "account.written"
	// LedgerWritten: a ledger_entry row. Payout, Account, State (DEBIT or CREDIT), Amount, Token, Tx.
	// Note "deleted" if it was taken away.
	LedgerWritten Op = "ledger.written"

	// RailPaid: one payment in the rail's book. Payout (the memo), Account, Amount, Reference, Request, Clock.
	RailPaid Op = "rail.paid"
	// RailVoided: a payment in the rail's book was taken back by a second entry. Payout (the memo),
	// Account, Amount, Reference of the payment, Request, Clock.
	RailVoided Op = "rail.voided"
	// RailRotated: the rail takes in nothing under an older credential from now on, where that can be
	// (rail.credential). Reference of the new epoch, Clock.
	RailRotated Op = "rail.rotated"
	// RailReceived: the rail began to handle a request. Payout, Amount, Request. No money moved yet.
	RailReceived Op = "rail.received"

	// StoreLost: a store came back without acknowledged writes (restore, failover, crash). It is
	// followed by one row event for every row that differs, in key order, each with Note "lost".
	// Such an event carries the row as it stands now (for a lock, as LockGranted or LockRenewed);
	// where the row is gone, what identifies it, State "" and Token 0 (for a lock, LockReleased
	// with the forgotten grant's Token; a ledger entry keeps what it said, since rows there only come and go).
	StoreLost Op = "store.lost"
)

// Annotations of the harness (Info; Process "nemesis" or "world").
const (
	// PayoutDue: Payout, Account, Amount, and in Clock when it is due (ns since the world's start): what
	// the system was asked for, recorded before it starts.
	PayoutDue      Op = "payout.due"
	FaultBegun     Op = "fault.begun"     // State: the fault's kind, Note: its YAML form, Owner: its resolved target
	FaultEnded     Op = "fault.ended"     // the same, at heal; Note says whether it bit and on what, beginning "bit" or "did not bite"
	AllHealed      Op = "faults.healed"   // the last fault is over: the progress phase begins
	ProcessStarted Op = "process.started" // Owner: the process
	ProcessKilled  Op = "process.killed"
	ProcessPaused  Op = "process.paused"
	ProcessResumed Op = "process.resumed"
	WorldEnded     Op = "world.ended" // Note: "quiescent" (all final, all healed, nothing under way that could move money) or "bound reached"
)

// Lost is the Note of a row event that undoes a write which its store forgot.
const Lost = "lost"

// Demoted ends the Process of truth events of a former primary that still serves whoever reaches it
// after a failover: "paydb-demoted". What it commits is no part of the store's final state.
const Demoted = "-demoted"

// Recovered is the Note of a RailPaid, RailVoided or RailRotated that the rail records after a restart, because it cannot know
// whether it told the history before it died. It may repeat an event with the same Reference: the
// payment is one, and so is its place in the book.
const Recovered = "recovered"
