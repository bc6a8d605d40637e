package checker

import (
	"testing"
	"time"

	"dlsim/history"
)

// bad is a history that breaks something, told in a few steps.
type bad struct {
	name     string
	tell     func(s *story)
	id, kind string
	words    []string // of the sentence
	only     []string // all that is violated
}

func TestBadHistories(t *testing.T) {
	for _, list := range [][]bad{badLocks, badPayments, badLedgers, badPayouts, badWrites, badIntents, badGuards} {
		for _, b := range list {
			t.Run(b.id+" "+b.name, func(t *testing.T) {
				s := tell(t)
				b.tell(s)
				r := s.judge()
				s.wantViolated(r, b.id, b.kind, b.words...)
				s.wantOnly(r, b.only...)
			})
		}
	}
}

var badLocks = []bad{
	{"a token given twice after a loss", func(s *story) {
		s.grant("executor-1", "a1", 5)
		s.after(2 * ttl).lost("lockdb")
		s.truth("lockdb", history.LockGranted, history.Event{Account: "a1", Owner: "executor-3", Token: 4, Note: history.Lost})
		s.grant("executor-2", "a1", 5)
	}, ExclusiveGrants, TokenNotIncreasing, []string{"a1", "executor-2", "token 5"}, []string{ExclusiveGrants}},
	{"the lock row is deleted on release", func(s *story) {
		s.grant("executor-1", "a1", 1)
		s.release("a1")
		s.grant("executor-2", "a1", 1)
	}, ExclusiveGrants, TokenNotIncreasing, []string{"lockdb", "token 1"}, []string{ExclusiveGrants}},
	{"a lower token", func(s *story) {
		s.grant("executor-1", "a1", 8)
		s.release("a1")
		s.grant("executor-2", "a1", 7)
	}, ExclusiveGrants, TokenNotIncreasing, []string{"token 7", "token 8"}, []string{ExclusiveGrants}},
	{"granted one nanosecond too early", func(s *story) {
		s.granted("executor-1", "a1", 1)
		c := s.locks["a1"].Expires - 1
		s.truth("lockdb", history.LockGranted, history.Event{Account: "a1", Owner: "executor-2", Token: 2, Clock: c, Expires: c + int64(ttl)})
	}, ExclusiveGrants, OverlappingGrants, []string{"executor-1", "executor-2", "token 1", "token 2"}, []string{ExclusiveGrants}},
	{"a lease judged without its renewal", func(s *story) {
		s.grant("executor-1", "a1", 1)
		s.after(ttl/2).lock(history.LockRenewed, "a1")
		s.after(ttl * 3 / 4)
		s.grant("executor-2", "a1", 2)
	}, ExclusiveGrants, OverlappingGrants, []string{"2.498 s"}, []string{ExclusiveGrants}},
	{"a grant that an etcd forgot is given again", func(s *story) {
		s.truth("etcd-1", history.LockGranted, history.Event{Account: "a1", Owner: "executor-1", Token: 5})
		s.lost("etcd-1")
		s.truth("etcd-1", history.LockReleased, history.Event{Account: "a1", Owner: "executor-1", Token: 5, Note: history.Lost})
		s.truth("etcd-1", history.LockGranted, history.Event{Account: "a1", Owner: "executor-2", Token: 6})
	}, ExclusiveGrants, OverlappingGrants, []string{"the store had not ended its lease"}, []string{ExclusiveGrants}},
	{"released only after the next grant", func(s *story) {
		s.grant("executor-1", "a1", 1)
		first := *s.locks["a1"]
		s.grant("executor-2", "a1", 2)
		s.truth("lockdb", history.LockReleased, history.Event{Account: "a1", Owner: first.Owner, Token: 1, Clock: s.clock()})
	}, ExclusiveGrants, OverlappingGrants, []string{"token 1", "token 2"}, []string{ExclusiveGrants}},
	{"renewed only after the next grant", func(s *story) {
		s.grant("executor-1", "a1", 1)
		first := *s.locks["a1"]
		s.after(ttl / 2)
		s.grant("executor-2", "a1", 2)
		s.truth("lockdb", history.LockRenewed, history.Event{Account: "a1", Owner: first.Owner, Token: 1, Clock: s.clock(), Expires: s.clock() + int64(ttl)})
	}, ExclusiveGrants, OverlappingGrants, []string{"4.997 s"}, []string{ExclusiveGrants}},
	{"somebody else's lock is released by name", func(s *story) {
		s.grant("executor-1", "a1", 1)
		s.truth("lockdb", history.LockReleased, history.Event{Account: "a1", Owner: "executor-3", Token: 77, Clock: s.clock()})
		s.grant("executor-2", "a1", 2)
	}, ExclusiveGrants, OverlappingGrants, nil, []string{ExclusiveGrants}},
}

// claimed begins most stories: p1 of a1 is claimed by executor-1 under token 1.
func claimed(s *story) {
	s.intake("p1", "a1", 100)
	s.grant("executor-1", "a1", 1)
	s.claim("executor-1", "p1", 1)
}

var badPayments = []bad{
	{"the holder was paused and both paid", func(s *story) {
		claimed(s)
		stale := s.submit("executor-1", "p1", 1)
		s.after(2 * ttl)
		s.grant("executor-2", "a1", 2)
		s.claim("executor-2", "p1", 2)
		s.pay("executor-2", "proxy-1", "p1", 2)
		s.post("p1", 2)
		s.admitUnmarked("proxy-2", "p1", 1)
		s.paid(s.forward("proxy-2", "p1", 1))
		s.done(stale, history.OK, history.Event{State: "ACCEPTED"})
	}, OnePayment, TwoPayments, []string{"p1", "twice", "token 2", "token 1", "proxy-2", "for executor-1"},
		[]string{OnePayment, NoStaleWrite, GuardOfItsOwn}},
	{"the proxy sent it again after a timeout", func(s *story) {
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		first := s.forward("proxy-1", "p1", 1)
		s.paid(first)
		s.answered(first, history.Info)
		s.paid(s.forward("proxy-1", "p1", 1))
		s.post("p1", 1)
	}, OnePayment, TwoPayments, []string{"p1", "proxy-1"}, []string{OnePayment}},
	{"one reference in the book twice", func(s *story) {
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		r := s.forward("proxy-1", "p1", 1)
		for range 2 {
			s.truth("rail", history.RailPaid, history.Event{Payout: "p1", Account: "a1", Amount: 100, Request: r, Reference: "rail-1"})
		}
		s.post("p1", 1)
	}, OnePayment, TwoPayments, nil, []string{OnePayment}},
	{"told again after a restart, but another payment", func(s *story) {
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		r := s.forward("proxy-1", "p1", 1)
		s.truth("rail", history.RailPaid, history.Event{Payout: "p1", Account: "a1", Amount: 100, Request: r, Reference: "rail-1"})
		s.truth("rail", history.RailPaid, history.Event{Payout: "p1", Account: "a1", Amount: 100, Request: r, Reference: "rail-2", Note: history.Recovered})
		s.post("p1", 1)
	}, OnePayment, TwoPayments, nil, []string{OnePayment}},
	{"the rail executed one request three times", func(s *story) {
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		r := s.forward("proxy-1", "p1", 1)
		s.paid(r)
		s.paid(r)
		s.paid(r)
		s.post("p1", 1)
	}, OnePayment, TwoPayments, []string{"paid 3 times"}, []string{OnePayment}},
}

// paidAndThen is a payout paid right, before somebody books it.
func paidAndThen(s *story) {
	claimed(s)
	s.pay("executor-1", "proxy-1", "p1", 1)
	s.tx++
}

var badLedgers = []bad{
	{"no credit", func(s *story) {
		paidAndThen(s)
		s.entry("p1", "a1", "DEBIT", 100, 1)
		s.balance("a1", 900, 1)
		s.row("p1", "a1", 100, 1, "POSTED")
	}, TrueLedger, MissingEntry, []string{"p1", "CREDIT"}, []string{TrueLedger}},
	{"two debits", func(s *story) {
		paidAndThen(s)
		s.entry("p1", "a2", "DEBIT", 100, 1)
		s.post("p1", 1)
	}, TrueLedger, SurplusEntry, []string{"p1", "DEBIT"}, []string{TrueLedger}},
	{"a wrong amount", func(s *story) {
		paidAndThen(s)
		s.entry("p1", "a1", "DEBIT", 100, 1)
		s.entry("p1", "rail-clearing", "CREDIT", 99, 1)
		s.balance("a1", 900, 1)
		s.row("p1", "a1", 100, 1, "POSTED")
	}, TrueLedger, WrongAmount, []string{"99", "100"}, []string{TrueLedger}},
	{"somebody else is debited", func(s *story) {
		paidAndThen(s)
		s.entry("p1", "a2", "DEBIT", 100, 1)
		s.entry("p1", "rail-clearing", "CREDIT", 100, 1)
		s.balance("a1", 900, 1)
		s.row("p1", "a1", 100, 1, "POSTED")
	}, TrueLedger, WrongAccount, []string{"a1", "a2"}, []string{TrueLedger}},
	{"the balance was taken twice", func(s *story) {
		paidAndThen(s)
		s.post("p1", 1)
		s.balance("a1", 800, 1)
	}, TrueLedger, WrongBalance, []string{"a1", "800", "900"}, []string{TrueLedger}},
	{"the balance was not taken", func(s *story) {
		paidAndThen(s)
		s.entry("p1", "a1", "DEBIT", 100, 1)
		s.entry("p1", "rail-clearing", "CREDIT", 100, 1)
		s.row("p1", "a1", 100, 1, "POSTED")
	}, TrueLedger, WrongBalance, []string{"a1", "stands at 1000"}, []string{TrueLedger}},
	{"half of a posting was lost", func(s *story) {
		paidAndThen(s)
		s.post("p1", 1)
		s.truth("paydb", history.LedgerWritten, history.Event{Account: "a1", Payout: "p1", State: "DEBIT", Note: history.Lost})
	}, TrueLedger, MissingEntry, []string{"DEBIT"}, []string{TrueLedger}},
	{"the intent was committed at a former primary only", func(s *story) {
		claimed(s)
		s.lost("paydb")
		old := "paydb" + history.Demoted
		s.truth(old, history.MarkWritten, history.Event{Account: "a1", Token: 1, Tx: 7})
		s.truth(old, history.SubmissionWritten, history.Event{Account: "a1", Payout: "p1", Amount: 100, Token: 1, State: "INTENT", Tx: 7})
		request := s.forward("proxy-1", "p1", 1)
		s.paid(request)
		s.answered(request, history.OK)
		s.post("p1", 1)
	}, IntentFirst, IntentVanished, []string{"p1", "former primary"}, []string{IntentFirst}},
	{"a payout was taken in by a former primary only", func(s *story) {
		s.intake("p2", "a1", 50)
		s.whole("executor-1", "p2", 1)
		s.lost("paydb")
		s.truth("paydb"+history.Demoted, history.PayoutWritten, history.Event{Account: "a1", Payout: "p1", Amount: 100, State: "PENDING"})
		s.after(2 * time.Minute)
	}, NothingLost, PayoutVanished, []string{"p1"}, []string{NothingLost}},
	{"an entry was deleted", func(s *story) {
		paidAndThen(s)
		s.post("p1", 1)
		s.truth("paydb", history.LedgerWritten, history.Event{Account: "rail-clearing", Payout: "p1", State: "CREDIT", Note: "deleted"})
	}, TrueLedger, MissingEntry, []string{"CREDIT"}, []string{TrueLedger}},
	{"booked and then written off", func(s *story) {
		claimed(s)
		s.entry("p1", "a1", "DEBIT", 100, 1)
		s.state("p1", "FAILED", 1)
	}, TrueLedger, EntryWithoutPosting, []string{"p1", "FAILED"}, []string{TrueLedger}},
}

var badPayouts = []bad{
	{"asked for and never taken in", func(s *story) {
		s.due("p1", "a1", 100, 0).due("p2", "a1", 40, 2*time.Second)
		s.intake("p1", "a1", 100)
		s.whole("executor-1", "p1", 1)
		s.after(time.Minute + 3*time.Second).release("a1")
	}, NothingLost, NeverTakenIn, []string{"p2", "0.40 of a1", "due at 2.0 s"}, []string{NothingLost}},
	{"taken in for less than was asked", func(s *story) {
		s.due("p1", "a1", 100, 0)
		s.intake("p1", "a1", 70)
		s.whole("executor-1", "p1", 1)
	}, NothingLost, TakenInOtherwise, []string{"p1", "1.00 of a1", "0.70 of a1"}, []string{NothingLost}},
	{"taken in twice, once under a name of its own", func(s *story) {
		s.due("p1", "a1", 100, 0)
		s.intake("p1", "a1", 100)
		s.intake("p1-again", "a1", 100)
		s.whole("executor-1", "p1", 1)
		s.whole("executor-1", "p1-again", 2)
	}, NothingLost, NeverAskedFor, []string{"p1-again", "nobody"}, []string{NothingLost}},
	{"claimed and never touched again", func(s *story) {
		claimed(s)
		s.after(time.Minute + time.Second)
	}, NothingLost, Stuck, []string{"p1", "CLAIMED", "token 1", "not paid it"}, []string{NothingLost}},
	{"ambiguous for ever though the rail has paid", func(s *story) {
		s.fault(history.FaultBegun, "pause", "executor-1", "")
		claimed(s)
		s.pay("executor-1", "proxy-1", "p1", 1)
		s.state("p1", "RAIL_AMBIGUOUS", 1)
		s.fault(history.FaultEnded, "pause", "executor-1", "bit: 3 timers")
		s.add(history.Event{Process: "nemesis", Op: history.AllHealed, Kind: history.Info})
		s.after(time.Minute)
	}, NothingLost, Stuck, []string{"RAIL_AMBIGUOUS", "has paid it once"}, []string{NothingLost}},
	{"written off and then paid", func(s *story) {
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		r := s.forward("proxy-1", "p1", 1)
		s.state("p1", "FAILED", 2)
		s.paid(r)
	}, NothingLost, WrittenOffThenPaid, []string{"p1", "token 2", "token 1", "afterwards"}, []string{NothingLost}},
	{"written off although paid, seen before any heal", func(s *story) {
		s.fault(history.FaultBegun, "pause", "executor-1", "")
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		s.paid(s.forward("proxy-1", "p1", 1))
		s.state("p1", "FAILED", 2)
	}, NothingLost, PaidThenWrittenOff, []string{"although"}, []string{NothingLost}},
	{"cancelled and then paid", func(s *story) {
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		r := s.forward("proxy-1", "p1", 1)
		s.state("p1", "CANCELLED", 1)
		s.paid(r)
	}, NothingLost, CancelledThenPaid, []string{"cancelled"}, []string{NothingLost}},
	{"paid and then cancelled", func(s *story) {
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		s.paid(s.forward("proxy-1", "p1", 1))
		s.state("p1", "CANCELLED", 1)
	}, NothingLost, PaidThenCancelled, nil, []string{NothingLost}},
	{"posted and not paid", func(s *story) {
		claimed(s)
		s.post("p1", 1)
	}, NothingLost, PostedWithoutPayment, []string{"p1", "no payment"}, []string{NothingLost}},
	{"taken in and lost with the database", func(s *story) {
		s.intake("p1", "a1", 100)
		s.lost("paydb")
		s.truth("paydb", history.PayoutWritten, history.Event{Payout: "p1", Account: "a1", PriorState: "PENDING", Note: history.Lost})
		s.after(2 * time.Minute)
	}, NothingLost, PayoutVanished, []string{"p1"}, []string{NothingLost}},
}

// A lower token does not lower what the next one must exceed.
func TestEveryTokenIsComparedWithTheHighest(t *testing.T) {
	s := tell(t)
	for _, token := range []int64{8, 7, 8, 9} {
		s.grant("executor-1", "a1", token)
		s.release("a1")
	}
	j := s.judge().Invariant(ExclusiveGrants)
	if j.Violations[0].Count != 2 {
		t.Errorf("%d tokens out of order, want 2", j.Violations[0].Count)
	}
}
