package checker

import (
	"testing"
	"time"

	"dlsim/history"
)

// Histories that look bad and are not: nothing may be violated, unknown or observed.
func TestGoodHistoriesThatLookBad(t *testing.T) {
	for name, f := range map[string]func(s *story){
		"one payout": func(s *story) {
			s.intake("p1", "a1", 100)
			s.whole("executor-1", "p1", 1)
		},
		"gaps between tokens": func(s *story) {
			s.intake("p1", "a1", 100)
			s.intake("p2", "a1", 50)
			s.whole("executor-1", "p1", 7)
			s.whole("executor-2", "p2", 4000)
		},
		"two equal payouts of one account are two payments": func(s *story) {
			s.intake("p1", "a1", 100)
			s.intake("p2", "a1", 100)
			s.whole("executor-1", "p1", 1)
			s.whole("executor-1", "p2", 2)
		},
		"a slow holder that is alive and renews": func(s *story) {
			s.intake("p1", "a1", 100)
			s.grant("executor-1", "a1", 1)
			s.claim("executor-1", "p1", 1)
			s.after(ttl-time.Second).lock(history.LockRenewed, "a1")
			s.after(ttl-time.Second).lock(history.LockRenewed, "a1")
			s.after(ttl - time.Second)
			s.pay("executor-1", "proxy-1", "p1", 1)
			s.post("p1", 1)
			s.release("a1")
		},
		"a payout that was asked for is taken in and paid": func(s *story) {
			s.due("p1", "a1", 100, time.Second)
			s.after(2*time.Second).intake("p1", "a1", 100)
			s.whole("executor-1", "p1", 1)
		},
		"the lock store's clock is wrong but even": func(s *story) {
			s.offset = -time.Hour
			s.intake("p1", "a1", 100)
			s.whole("executor-1", "p1", 1)
		},
		"a lease that ran out by the store's clock is taken over": func(s *story) {
			s.intake("p1", "a1", 100)
			s.grant("executor-1", "a1", 1)
			s.after(ttl)
			s.whole("executor-2", "p1", 2)
		},
		"a lease taken over at the very moment of its end": func(s *story) {
			s.intake("p1", "a1", 100)
			s.grant("executor-1", "a1", 1)
			s.now = time.Duration(s.locks["a1"].Time) + ttl - 2*time.Millisecond
			s.whole("executor-2", "p1", 2)
		},
		"etcd ends the lease itself, early by no clock of ours": func(s *story) {
			s.intake("p1", "a1", 100)
			s.grant("executor-1", "a1", 1)
			s.lock(history.LockExpired, "a1")
			s.whole("executor-2", "p1", 2)
		},
		"a retry with the same grant is refused": func(s *story) {
			s.intake("p1", "a1", 100)
			s.grant("executor-1", "a1", 1)
			s.claim("executor-1", "p1", 1)
			s.pay("executor-1", "proxy-1", "p1", 1)
			again := s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 1})
			s.done(again, history.Fail, history.Event{Error: "FENCED_OUT"})
			s.post("p1", 1)
			s.release("a1")
		},
		"a lost answer is resolved by the book": func(s *story) {
			s.intake("p1", "a1", 100)
			s.grant("executor-1", "a1", 1)
			s.claim("executor-1", "p1", 1)
			call := s.submit("executor-1", "p1", 1)
			s.admit("proxy-1", "p1", 1)
			request := s.forward("proxy-1", "p1", 1)
			s.answered(request, history.Info)
			s.tx++
			s.submission("p1", 1, "TIMEOUT")
			s.done(call, history.Info, history.Event{Error: "RAIL_AMBIGUOUS"})
			s.state("p1", "RAIL_AMBIGUOUS", 1)
			s.paid(request)
			s.release("a1")
			s.grant("reconciler", "a1", 2)
			s.submission("p1", 1, "ACCEPTED")
			s.post("p1", 2)
			s.release("a1")
		},
		"an unknown commit that took effect": func(s *story) {
			s.intake("p1", "a1", 100)
			s.intake("p2", "a1", 50)
			s.grant("executor-1", "a1", 1)
			s.claim("executor-1", "p1", 1)
			call := s.admitting("proxy-1", "p1", 1)
			s.done(call, history.Info, history.Event{Error: "PAYDB_UNAVAILABLE"})
			s.release("a1")
			s.whole("executor-2", "p2", 2)
			s.state("p1", "FAILED", 3)
			s.submission("p1", 1, "NOT_EXECUTED")
		},
		"an unknown commit that takes effect after its answer": func(s *story) {
			s.intake("p1", "a1", 100)
			s.intake("p2", "a1", 50)
			call := s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 1})
			s.done(call, history.Info, history.Event{Error: "PAYDB_UNAVAILABLE"})
			s.after(time.Second)
			s.tx++
			s.mark("a1", 1)
			s.intent("p1", 1)
			s.whole("executor-2", "p2", 2)
			s.state("p1", "CLAIMED", 2)
			s.state("p1", "FAILED", 3)
			s.submission("p1", 1, "NOT_EXECUTED")
		},
		"a lower token is refused": func(s *story) {
			s.intake("p1", "a1", 100)
			s.intake("p2", "a1", 50)
			s.whole("executor-2", "p2", 5)
			call := s.begin("proxy-2", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 4})
			s.done(call, history.Fail, history.Event{Error: "FENCED_OUT"})
			s.whole("executor-1", "p1", 6)
		},
		"the reconciler stamps an intent of a paused proxy": func(s *story) {
			s.intake("p1", "a1", 100)
			s.grant("executor-1", "a1", 1)
			s.claim("executor-1", "p1", 1)
			call := s.admitting("proxy-1", "p1", 1) // paused before it can say so
			s.tx++
			s.submission("p1", 1, "INTENT") // first_seen_rail_ms
			s.done(call, history.OK, history.Event{})
			request := s.forward("proxy-1", "p1", 1)
			s.paid(request)
			s.answered(request, history.OK)
			s.submission("p1", 1, "ACCEPTED")
			s.post("p1", 1)
		},
		"a stamp on an intent whose admission was answered long ago": func(s *story) {
			s.intake("p1", "a1", 100)
			s.grant("executor-1", "a1", 1)
			s.claim("executor-1", "p1", 1)
			s.admit("proxy-1", "p1", 1)
			request := s.forward("proxy-1", "p1", 1)
			s.tx++
			s.submission("p1", 1, "INTENT")
			s.submission("p1", 1, "INTENT")
			s.paid(request)
			s.submission("p1", 1, "ACCEPTED")
			s.post("p1", 1)
		},
		"an upsert keeps the audit of another payout's later admission": func(s *story) {
			s.intake("p1", "a1", 100)
			s.intake("p2", "a2", 50)
			s.whole("executor-1", "p1", 9)
			s.whole("executor-2", "p2", 3) // tokens of two accounts have nothing to do with each other
		},
		"a cancelled payout and a declined one are final": func(s *story) {
			s.intake("p1", "a1", 100)
			s.intake("p2", "a1", 50)
			s.state("p1", "CANCELLED", 0)
			s.grant("executor-1", "a1", 1)
			s.claim("executor-1", "p2", 1)
			s.admit("proxy-1", "p2", 1)
			request := s.forward("proxy-1", "p2", 1)
			s.answered(request, history.Fail)
			s.submission("p2", 1, "REJECTED")
			s.state("p2", "FAILED", 1)
		},
		"an opening balance known only from the first update": func(s *story) {
			s.accounts["a1"] = &history.Event{Amount: 500, Token: 0}
			s.row("p1", "a1", 100, 0, "PENDING")
			s.whole("executor-1", "p1", 1)
		},
		"a mark row made ready without a mark": func(s *story) {
			s.intake("p1", "a1", 100)
			s.mark("a1", 0)
			s.whole("executor-1", "p1", 1)
		},
		"an admission lost before anyone was told of it": func(s *story) {
			s.intake("p1", "a1", 100)
			s.intake("p2", "a1", 50)
			call := s.admitting("proxy-1", "p1", 1)
			s.done(call, history.Info, history.Event{})
			s.truth("paydb", history.MarkWritten, history.Event{Account: "a1", Token: 0, PriorToken: 1, Note: history.Lost})
			s.marks["a1"] = 0
			s.truth("paydb", history.SubmissionWritten, history.Event{Account: "a1", Payout: "p1", PriorState: "INTENT", Note: history.Lost})
			delete(s.subs, "p1")
			s.whole("executor-2", "p2", 2)
			s.whole("executor-2", "p1", 3)
		},
		"a lost posting that is posted again": func(s *story) {
			s.intake("p1", "a1", 100)
			s.grant("executor-1", "a1", 1)
			s.claim("executor-1", "p1", 1)
			s.pay("executor-1", "proxy-1", "p1", 1)
			s.post("p1", 1)
			s.undoPosting("p1", 1)
			s.post("p1", 1)
			s.release("a1")
		},
		"a former primary that posts for itself what the new one posts too": func(s *story) {
			s.intake("p1", "a1", 100)
			s.intake("p2", "a1", 50)
			s.grant("executor-1", "a1", 1)
			s.claim("executor-1", "p1", 1)
			s.pay("executor-1", "proxy-1", "p1", 1)
			s.lost("paydb")
			old := "paydb" + history.Demoted
			s.truth(old, history.LedgerWritten, history.Event{Account: "a1", Payout: "p1", State: "DEBIT", Amount: 100, Token: 1})
			s.truth(old, history.LedgerWritten, history.Event{Account: "rail-clearing", Payout: "p1", State: "CREDIT", Amount: 100, Token: 1})
			s.truth(old, history.AccountWritten, history.Event{Account: "a1", Amount: 900, PriorMoney: 1000, Token: 1})
			s.truth(old, history.PayoutWritten, history.Event{Account: "a1", Payout: "p1", Amount: 100, State: "POSTED", PriorState: "CLAIMED", Token: 1, PriorToken: 1})
			s.truth(old, history.PayoutWritten, history.Event{Account: "a1", Payout: "p2", Amount: 50, State: "CLAIMED", PriorState: "PENDING", Token: 1})
			s.post("p1", 1)
			s.release("a1")
			s.whole("executor-2", "p2", 2)
		},
		"a payment that the rail tells again after a restart": func(s *story) {
			s.intake("p1", "a1", 100)
			s.grant("executor-1", "a1", 1)
			s.claim("executor-1", "p1", 1)
			s.admit("proxy-1", "p1", 1)
			request := s.forward("proxy-1", "p1", 1)
			for _, note := range []string{"", history.Recovered} {
				s.truth("rail", history.RailPaid, history.Event{Payout: "p1", Account: "a1", Amount: 100, Request: request, Reference: "rail-1", Note: note})
			}
			s.post("p1", 1)
		},
		"a payment that the rail tells only after a restart": func(s *story) {
			s.intake("p1", "a1", 100)
			s.grant("executor-1", "a1", 1)
			s.claim("executor-1", "p1", 1)
			s.admit("proxy-1", "p1", 1)
			request := s.forward("proxy-1", "p1", 1)
			s.truth("rail", history.RailPaid, history.Event{Payout: "p1", Account: "a1", Amount: 100, Request: request, Reference: "rail-1", Note: history.Recovered})
			s.post("p1", 1)
		},
		"a mark and a submission in two stores": func(s *story) {
			s.intake("p1", "a1", 100)
			s.grant("executor-1", "a1", 1)
			s.claim("executor-1", "p1", 1)
			call := s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 1})
			s.truth("etcd", history.MarkWritten, history.Event{Account: "a1", Token: 1, Tx: 77})
			s.tx++
			s.intent("p1", 1)
			s.done(call, history.OK, history.Event{})
			s.paid(s.forward("proxy-1", "p1", 1))
			s.post("p1", 1)
		},
		"an admission that began before a lower one and committed after it": func(s *story) {
			s.intake("p1", "a1", 100)
			s.intake("p2", "a1", 50)
			call := s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 6})
			s.admit("proxy-2", "p2", 5)
			s.tx++
			s.mark("a1", 6)
			s.intent("p1", 6)
			s.done(call, history.OK, history.Event{})
			s.state("p1", "CLAIMED", 5)
			s.state("p2", "CLAIMED", 5)
			s.state("p1", "FAILED", 6)
			s.state("p2", "FAILED", 6)
			s.submission("p1", 0, "NOT_EXECUTED")
			s.submission("p2", 0, "NOT_EXECUTED")
		},
		"a release that the store forgot does not hold anything": func(s *story) {
			s.intake("p1", "a1", 100)
			s.whole("executor-1", "p1", 1)
			s.truth("lockdb", history.LockGranted, history.Event{Account: "a1", Owner: "executor-1", Token: 1, Clock: s.clock(), Expires: s.clock() + int64(ttl), Note: history.Lost})
			s.granted("executor-2", "a1", 2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t)
			s.t = t
			f(s)
			r := s.judge()
			s.wantOnly(r)
			s.wantSeen(r)
			if r.Invariants[0].Second.Verdict == Violated || r.Invariants[6].Second.Verdict == Violated {
				t.Errorf("Porcupine objects: %+v %+v", r.Invariants[0].Second, r.Invariants[6].Second)
			}
		})
	}
}

// undoPosting is what a failover does to a posting whose commit had not reached the standby.
func (s *story) undoPosting(payout string, token int64) {
	p := s.payouts[payout]
	s.lost("paydb")
	for _, e := range []history.Event{
		{Op: history.LedgerWritten, Account: p.Account, Payout: payout, State: "DEBIT", Amount: p.Amount, Note: history.Lost},
		{Op: history.LedgerWritten, Account: "rail-clearing", Payout: payout, State: "CREDIT", Amount: p.Amount, Note: history.Lost},
		{Op: history.AccountWritten, Account: p.Account, Amount: s.accounts[p.Account].Amount + p.Amount, PriorMoney: s.accounts[p.Account].Amount, Token: 0, Note: history.Lost},
		{Op: history.PayoutWritten, Account: p.Account, Payout: payout, Amount: p.Amount, State: "CLAIMED", PriorState: "POSTED", Token: token, Note: history.Lost},
	} {
		c := *s.truth("paydb", e.Op, e)
		switch e.Op {
		case history.AccountWritten:
			s.accounts[p.Account] = &c
		case history.PayoutWritten:
			s.payouts[payout] = &c
		}
	}
}

func TestNothingJudgedIsNotApplicable(t *testing.T) {
	for _, events := range [][]history.Event{nil, {{ID: 1, Process: "world", Op: history.WorldEnded, Kind: history.Info}}} {
		r := Check(events, params)
		for _, j := range r.Invariants {
			if j.Verdict != NA || j.Reason == "" || j.Model == "" {
				t.Errorf("%s is %s (%s) by %q", j.ID, j.Verdict, j.Reason, j.Model)
			}
		}
	}
}
