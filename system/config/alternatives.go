package config

import (
	"fmt"
	"strings"
)

// The values of the settings that choose between the design and what its ADRs, or other people's
// incidents, show to be wrong. The first of each group is the design; whoever builds the system
// takes anything else than a named alternative for it.
const (
	ExpiryStoreClock  = "store-clock"  // the lock database's own clock, read after any wait
	ExpiryClientClock = "client-clock" // the asking lock service's clock (field report F26)

	ReleaseKeep   = "keep"    // the row stays, and its token with it
	ReleaseDelete = "delete"  // the row goes, and tokens start again
	ReleaseByName = "by-name" // whoever holds it now loses it (F17)

	TokensRow      = "row"       // counted in the lock's own row, or etcd's revision
	TokensClock    = "clock"     // the granting lock service's wall clock (F33)
	TokensSequence = "unflushed" // handed out before the commit is on disk (F08)

	FromSend  = "send"  // before the try that succeeded was sent
	FromReply = "reply" // when its answer came (F28)

	WritesFenced   = "fenced"
	WritesUnfenced = "unfenced"

	PostingTogether       = "together"        // one transaction
	PostingSeparate       = "separate"        // the balance in a transaction of its own (F22)
	PostingSeparateFenced = "separate-fenced" // the same with a fence of its own
	PostingSeparateKeyed  = "separate-keyed"  // the balance first, fenced, once a payout, and again until the payout is flipped
	PostingCheckThenBook  = "check-then-book" // the state is read, then everything is booked (F23)
	PostingRetried        = "retried"         // separate, and a lost answer is taken for "not done" (F20)

	GuardMark        = "mark"         // checks 1 and 2 at the proxy
	GuardExecutor    = "executor"     // the same checks, made by the executor before it calls
	GuardLockService = "lock-service" // the proxy asks whether the token still holds
	GuardDownstream  = "downstream"   // everything is forwarded, repeated bookings are dropped

	ChecksBoth      = "both"
	ChecksDuplicate = "duplicate" // the idempotency key alone
	ChecksToken     = "token"     // the token alone

	TokenFirst     = "token-first"
	DuplicateFirst = "duplicate-first"

	MarkPaydb   = "paydb"
	MarkMemory  = "memory"
	MarkStandby = "standby"
	MarkEtcd    = "etcd"

	ScopeAccount = "account"
	ScopePayout  = "payout"
	ScopeRail    = "account-and-rail" // where there are two rails (ADR-007 7.5)

	CompareGreater = "gt"
	CompareEqual   = "gte"
	CompareText    = "text" // digits as letters (F32)

	AdmitConditional   = "conditional"     // one conditional write, no read before it
	AdmitReadThenWrite = "read-then-write" // (F12)
	AdmitClaim         = "claim"           // besides: the payout row still carries the submitter's token

	IntentBefore          = "before"
	IntentAfter           = "after"
	IntentSameTransaction = "same-transaction" // (F01)

	RetryNever     = "never"
	RetryOnTimeout = "on-timeout"
	RetryOn5xx     = "on-5xx" // a hop in the middle that repeats a 503 (F03)
	RetryOn401     = "on-401" // a credential that was refused is fetched anew

	RouteRandom = "random"
	RouteSticky = "sticky" // by account

	WorkByState  = "by-state"
	WorkByCursor = "by-cursor" // ids above the last one seen (F31)

	ClaimConditional = "conditional"
	ClaimFromReplica = "replica" // the state is read at a standby and written by id (F24)

	CountdownOn  = "on"
	CountdownOff = "off" // only an answer of the lock service would stop a holder (F18)

	GiveBackAfter = "after-work"
	GiveBackEarly = "at-send" // as soon as the submission is on its way (F19)

	RenewWaning  = "when-waning"
	RenewForever = "for-ever" // by a task that nobody ends (F30)

	ByStatement     = "statement"
	ByResubmission  = "resubmit"       // the row is deleted and the payout put back (F02, F34)
	BySilence       = "silence"        // no statement is taken for "not paid" (F11)
	ByReferenceOnly = "with-reference" // rows without a reference of the rail are left alone (F34)
	ByIDAlone       = "by-id"          // stale claims go back to PENDING, whatever they are by now (F07)

	CompensateUntilShown = "until-shown" // asks again until the statement shows the void
	CompensateOnce       = "once"        // asks once, as if an answer were sure to come

	OperatePayout          = "payout"           // claim, submit, post under a lock
	OperateBalance         = "balance"          // one conditional UPDATE and no lock (ADR-004 A4.4)
	OperateBalanceLocked   = "balance-locked"   // the same under a lock
	OperateTransfer        = "transfer"         // two accounts, locked in the order in which they come
	OperateTransferOrdered = "transfer-ordered" // the same, in the order of their keys

	LockAccount        = "account"
	LockAccountAndRail = "account-and-rail" // two rails, and one mark for both (ADR-007 7.5)

	AcceptAll     = "all"
	AcceptOnce    = "once"        // a memo that was paid is answered with that payment (ADR-004 A4.4)
	AcceptByToken = "above-token" // a token at or below the account's highest is refused (ADR-007 7.4)

	CredentialFixed   = "fixed"
	CredentialRotated = "rotated" // before a write-off; the rail refuses the old one from then on

	RailApart   = "apart"
	RailInPaydb = "paydb" // an append-only table that counts as sent (ADR-004 A4.4)

	CancelPending = "pending"
	CancelClaimed = "claimed"

	DoorProxy  = "proxy"
	DoorDirect = "direct" // with the rail's own credential (F25)
)

// choice is a setting with the values it may have; the first is the design.
type choice struct {
	key    string
	got    string
	values []string
}

// choices lists every alternative of c.
func (c *Config) choices() []choice {
	p := &c.Rail.Proxy
	return []choice{
		{"lock.expiry", c.Lock.Expiry, []string{ExpiryStoreClock, ExpiryClientClock}},
		{"lock.release", c.Lock.Release, []string{ReleaseKeep, ReleaseDelete, ReleaseByName}},
		{"lock.tokens", c.Lock.Tokens, []string{TokensRow, TokensClock, TokensSequence}},
		{"lock.lease_from", c.Lock.LeaseFrom, []string{FromSend, FromReply}},
		{"paydb.writes", c.Paydb.Writes, []string{WritesFenced, WritesUnfenced}},
		{"paydb.posting", c.Paydb.Posting, []string{PostingTogether, PostingSeparate, PostingSeparateFenced, PostingSeparateKeyed, PostingCheckThenBook, PostingRetried}},
		{"rail.proxy.guard", p.Guard, []string{GuardMark, GuardExecutor, GuardLockService, GuardDownstream}},
		{"rail.proxy.checks", p.Checks, []string{ChecksBoth, ChecksDuplicate, ChecksToken}},
		{"rail.proxy.order", p.Order, []string{TokenFirst, DuplicateFirst}},
		{"rail.proxy.mark.store", p.Mark.Store, []string{MarkPaydb, MarkMemory, MarkStandby, MarkEtcd}},
		{"rail.proxy.mark.scope", p.Mark.Scope, []string{ScopeAccount, ScopePayout, ScopeRail}},
		{"rail.proxy.mark.compare", p.Mark.Compare, []string{CompareGreater, CompareEqual, CompareText}},
		{"rail.proxy.admission", p.Admission, []string{AdmitConditional, AdmitReadThenWrite, AdmitClaim}},
		{"rail.proxy.intent", p.Intent, []string{IntentBefore, IntentAfter, IntentSameTransaction}},
		{"rail.proxy.retry", p.Retry, []string{RetryNever, RetryOnTimeout, RetryOn5xx, RetryOn401}},
		{"executor.routing", c.Executor.Routing, []string{RouteRandom, RouteSticky}},
		{"executor.work", c.Executor.Work, []string{WorkByState, WorkByCursor}},
		{"executor.claim", c.Executor.Claim, []string{ClaimConditional, ClaimFromReplica}},
		{"executor.countdown", c.Executor.Countdown, []string{CountdownOn, CountdownOff}},
		{"executor.give_back", c.Executor.GiveBack, []string{GiveBackAfter, GiveBackEarly}},
		{"executor.renewal", c.Executor.Renewal, []string{RenewWaning, RenewForever}},
		{"reconciler.unresolved", c.Reconciler.Unresolved, []string{ByStatement, ByResubmission, BySilence, ByReferenceOnly, ByIDAlone}},
		{"reconciler.compensation", c.Reconciler.Compensation, []string{CompensateUntilShown, CompensateOnce}},
		{"executor.operation", c.Executor.Operation, []string{OperatePayout, OperateBalance, OperateBalanceLocked, OperateTransfer, OperateTransferOrdered}},
		{"lock.scope", c.Lock.Scope, []string{LockAccount, LockAccountAndRail}},
		{"rail.credential", c.Rail.Credential, []string{CredentialFixed, CredentialRotated}},
		{"rail.in", c.Rail.In, []string{RailApart, RailInPaydb}},
		{"rail.accepts", c.Rail.Accepts, []string{AcceptAll, AcceptOnce, AcceptByToken}},
		{"operator.cancel", c.Operator.Cancel, []string{CancelPending, CancelClaimed}},
		{"operator.door", c.Operator.Door, []string{DoorProxy, DoorDirect}},
	}
}

// admissionKeys are the settings of which each replaces the whole admission, so that two of them
// together would mean nothing.
const admissionKeys = " rail.proxy.guard rail.proxy.checks rail.proxy.order rail.proxy.mark.store rail.proxy.mark.scope" +
	" rail.proxy.mark.compare rail.proxy.admission rail.proxy.intent rail.in "

// validateChoices says which choice is none, or which two exclude each other.
func (c *Config) validateChoices() error {
	replaced := ""
	if !c.Rail.Proxy.Fencing.Enabled {
		replaced = "rail.proxy.fencing.enabled"
	}
	for _, o := range c.choices() {
		known := false
		for _, v := range o.values {
			known = known || v == o.got
		}
		if !known {
			return fmt.Errorf("%s: %q is none of %s", o.key, o.got, strings.Join(o.values, ", "))
		}
		if o.got == o.values[0] || !strings.Contains(admissionKeys, " "+o.key+" ") {
			continue
		}
		if replaced != "" {
			return fmt.Errorf("%s: %s, but %s has replaced the admission already", o.key, o.got, replaced)
		}
		replaced = o.key
	}
	for _, n := range []struct {
		key, got  string
		means     bool
		otherwise string
	}{
		{"lock.release", c.Lock.Release, c.Lock.Release != ReleaseDelete || c.Lock.Backend == BackendPostgres, "etcd deletes the key anyway: needs lock.backend postgres"},
		{"lock.expiry", c.Lock.Expiry, c.Lock.Expiry == ExpiryStoreClock || c.Lock.Backend == BackendPostgres, "needs lock.backend postgres"},
		{"lock.tokens", c.Lock.Tokens, c.Lock.Tokens == TokensRow || c.Lock.Backend == BackendPostgres, "needs lock.backend postgres"},
		{"rail.proxy.mark.store", c.Rail.Proxy.Mark.Store, c.Rail.Proxy.Mark.Store != MarkEtcd || c.Lock.Backend == BackendEtcd, "needs lock.backend etcd"},
		{"rail.proxy.mark.store", c.Rail.Proxy.Mark.Store, c.Rail.Proxy.Mark.Store != MarkStandby || c.Topology.PaydbStandby, "needs topology.paydb_standby"},
		{"rail.in", c.Rail.In, c.Rail.In == RailApart || !c.Rail.Void, "has no book to take a payment back in: rail.void needs rail.in apart"},
		{"rail.credential", c.Rail.Credential, c.Rail.Credential == CredentialFixed || c.Rail.In == RailApart, "opens no table: needs rail.in apart"},
		{"rail.credential", c.Rail.Credential, c.Rail.Credential == CredentialFixed || c.Reconciler.Unresolved == ByStatement, "comes before a write-off by the statement: needs reconciler.unresolved statement"},
		{"rail.proxy.retry", c.Rail.Proxy.Retry, c.Rail.Proxy.Retry != RetryOn401 || c.Rail.Credential == CredentialRotated, "needs rail.credential rotated"},
		{"reconciler.compensation", c.Reconciler.Compensation, c.Reconciler.Compensation != CompensateOnce || c.Rail.Void, "needs rail.void"},
		{"executor.claim", c.Executor.Claim, c.Executor.Claim != ClaimFromReplica || c.Topology.PaydbStandby, "needs topology.paydb_standby"},
	} {
		if !n.means {
			return fmt.Errorf("%s: %s %s", n.key, n.got, n.otherwise)
		}
	}
	return nil
}
