package checker

import "dlsim/history"

var badWrites = []bad{
	{"a stale token is admitted for another payout", func(s *story) {
		s.intake("p1", "a1", 100)
		s.intake("p2", "a1", 50)
		s.whole("executor-2", "p2", 2)
		s.admitUnmarked("proxy-2", "p1", 1)
		s.state("p1", "FAILED", 2)
	}, NoStaleWrite, StaleSubmission, []string{"proxy-2", "p1", "token 1", "p2", "token 2"}, []string{NoStaleWrite}},
	{"the same token is admitted for two payouts", func(s *story) {
		s.intake("p1", "a1", 100)
		s.intake("p2", "a1", 50)
		s.whole("executor-2", "p2", 2)
		s.admitUnmarked("proxy-1", "p1", 2)
		s.state("p1", "FAILED", 2)
	}, NoStaleWrite, EqualToken, []string{"p1", "p2", "token 2"}, []string{NoStaleWrite}},
	{"an upsert by a stale holder", func(s *story) {
		claimed(s)
		s.admitUnmarked("proxy-1", "p1", 2)
		s.admitUnmarked("proxy-2", "p1", 1)
		s.state("p1", "FAILED", 2)
	}, NoStaleWrite, StaleSubmission, []string{"proxy-2"}, []string{NoStaleWrite}},
	{"an upsert under the same token", func(s *story) {
		claimed(s)
		s.admitUnmarked("proxy-1", "p1", 1)
		s.admitUnmarked("proxy-2", "p1", 1)
		s.state("p1", "FAILED", 2)
	}, NoStaleWrite, EqualToken, []string{"proxy-2"}, []string{NoStaleWrite}},
	{"an unfenced claim", func(s *story) {
		claimed(s)
		s.after(ttl)
		s.grant("executor-2", "a1", 2)
		s.claim("executor-2", "p1", 2)
		s.claim("executor-1", "p1", 1)
		s.state("p1", "FAILED", 2)
	}, NoStaleWrite, StalePayoutWrite, []string{"payout p1", "token 1", "executor-1", "token 2"}, []string{NoStaleWrite}},
	{"an unfenced balance", func(s *story) {
		s.intake("p1", "a1", 100)
		s.intake("p2", "a1", 50)
		s.whole("executor-1", "p1", 5)
		s.balance("a1", 900, 4)
		s.state("p2", "FAILED", 5)
	}, NoStaleWrite, StaleAccount, []string{"account a1", "token 4", "token 5"}, []string{NoStaleWrite}},
}

var badIntents = []bad{
	{"paid by hand", func(s *story) {
		claimed(s)
		call := s.begin("operator", history.OperatorPay, history.Event{Payout: "p1", Amount: 100, Request: "hand/1"})
		s.truth("rail", history.RailPaid, history.Event{Payout: "p1", Amount: 100, Request: "hand/1"})
		s.done(call, history.OK, history.Event{})
		s.post("p1", 1)
	}, IntentFirst, PaymentWithoutIntent, []string{"p1", "by hand by operator"}, []string{IntentFirst, GuardOfItsOwn}},
	{"the intent is committed after the forward", func(s *story) {
		claimed(s)
		call := s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 1})
		r := s.forward("proxy-1", "p1", 1)
		s.paid(r)
		s.tx++
		s.mark("a1", 1)
		s.intent("p1", 1)
		s.done(call, history.OK, history.Event{})
		s.post("p1", 1)
	}, IntentFirst, PaymentWithoutIntent, []string{"proxy-1", "token 1"}, []string{IntentFirst, GuardOfItsOwn}},
	{"the failover forgot the intent", func(s *story) {
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		s.paid(s.forward("proxy-1", "p1", 1))
		s.post("p1", 1)
		s.lost("paydb")
		s.truth("paydb", history.SubmissionWritten, history.Event{Payout: "p1", Account: "a1", Note: history.Lost})
	}, IntentFirst, IntentVanished, []string{"gone from paydb"}, []string{IntentFirst}},
	{"the row was deleted and another came", func(s *story) {
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		s.paid(s.forward("proxy-1", "p1", 1))
		s.submission("p1", 1, "")
		s.admit("proxy-1", "p1", 2)
		s.post("p1", 2)
	}, IntentFirst, IntentVanished, nil, []string{IntentFirst}},
	{"the rail paid more than the payout is", func(s *story) {
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		s.sendOtherwise("p1", history.Event{Account: "a1", Amount: 101})
		s.post("p1", 1)
	}, IntentFirst, PaidOtherwise, []string{"1.01 of a1", "the payout is 1.00 of a1"}, []string{IntentFirst}},
	{"the rail paid from another account", func(s *story) {
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		s.sendOtherwise("p1", history.Event{Account: "a2", Amount: 100})
		s.post("p1", 1)
	}, IntentFirst, PaidOtherwise, []string{"1.00 of a2", "the payout is 1.00 of a1"}, []string{IntentFirst}},
	{"the submission says less than was paid", func(s *story) {
		claimed(s)
		s.payouts["p1"].Amount = 70 // as the submitter has it
		s.admit("proxy-1", "p1", 1)
		s.payouts["p1"].Amount = 100
		s.sendOtherwise("p1", history.Event{Account: "a1", Amount: 100})
		s.post("p1", 1)
	}, IntentFirst, PaidOtherwise, []string{"its submission says 0.70 of a1"}, []string{IntentFirst}},
	{"money nobody sent", func(s *story) {
		claimed(s)
		s.truth("rail", history.RailReceived, history.Event{Payout: "p1", Amount: 100, Request: "?"})
		s.admit("proxy-1", "p1", 1)
		s.truth("rail", history.RailPaid, history.Event{Payout: "p1", Amount: 100, Request: "?"})
		s.post("p1", 1)
	}, IntentFirst, PaymentWithoutIntent, []string{"no process recorded"}, []string{IntentFirst, GuardOfItsOwn}},
}

var badGuards = []bad{
	{"no admission under this token", func(s *story) {
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		s.paid(s.forward("proxy-1", "p1", 3))
		s.post("p1", 1)
	}, GuardOfItsOwn, UnguardedPayment, []string{"p1", "token 3", "proxy-1"}, []string{GuardOfItsOwn}},
	{"the mark is not in the admission's transaction", func(s *story) {
		claimed(s)
		s.tx++
		s.mark("a1", 1)
		s.admitUnmarked("proxy-1", "p1", 1)
		s.paid(s.forward("proxy-1", "p1", 1))
		s.post("p1", 1)
	}, GuardOfItsOwn, UnmarkedPayment, []string{"a1", "1"}, []string{GuardOfItsOwn}},
	{"the mark in another store was written too late", func(s *story) {
		claimed(s)
		s.admitUnmarked("proxy-1", "p1", 1)
		s.paid(s.forward("proxy-1", "p1", 1))
		// Two stores number their transactions apart: the same number means nothing.
		s.truth("etcd", history.MarkWritten, history.Event{Account: "a1", Token: 1, Tx: s.subs["p1"].Tx})
		s.post("p1", 1)
	}, GuardOfItsOwn, UnmarkedPayment, []string{"a1"}, []string{GuardOfItsOwn}},
	{"the mark was lost and an older token passed", func(s *story) {
		s.intake("p1", "a1", 100)
		s.intake("p2", "a1", 50)
		s.whole("executor-2", "p2", 2)
		s.truth("paydb", history.MarkWritten, history.Event{Account: "a1", Token: 0, PriorToken: 2, Note: history.Lost})
		s.marks["a1"] = 0
		s.admit("proxy-1", "p1", 1)
		s.state("p1", "FAILED", 2)
	}, GuardOfItsOwn, MarkWentBack, []string{"a1", "stood at 2", "token 1 saw 0"}, []string{NoStaleWrite, GuardOfItsOwn}},
	{"a newer token saw an older mark", func(s *story) {
		s.intake("p1", "a1", 100)
		s.intake("p2", "a1", 50)
		s.whole("executor-2", "p2", 2)
		s.marks["a1"] = 0
		s.admit("proxy-1", "p1", 3)
		s.state("p1", "FAILED", 3)
	}, GuardOfItsOwn, MarkWentBack, []string{"stood at 2", "token 3 saw 0"}, []string{GuardOfItsOwn}},
	{"an admission saw what nobody wrote", func(s *story) {
		s.intake("p1", "a1", 100)
		s.intake("p2", "a1", 50)
		s.whole("executor-2", "p2", 2)
		s.marks["a1"] = 5
		s.admit("proxy-1", "p1", 7)
		s.state("p1", "FAILED", 7)
	}, GuardOfItsOwn, MarkWentBack, []string{"stood at 2", "token 7 saw 5"}, []string{GuardOfItsOwn}},
	{"mark and intent in two transactions of one store", func(s *story) {
		claimed(s)
		call := s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 1})
		s.tx++
		s.mark("a1", 1)
		s.tx++
		s.intent("p1", 1)
		s.done(call, history.OK, history.Event{})
		s.paid(s.forward("proxy-1", "p1", 1))
		s.post("p1", 1)
	}, GuardOfItsOwn, UnmarkedPayment, nil, []string{GuardOfItsOwn}},
	{"an answer before its commit, and a slow one above both", func(s *story) {
		s.intake("p1", "a1", 100)
		s.intake("p2", "a1", 50)
		s.intake("p3", "a1", 50)
		slow := s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p3", Account: "a1", Token: 6})
		early := s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 5})
		s.done(early, history.OK, history.Event{})
		s.admit("proxy-2", "p2", 4)
		s.tx++
		s.mark("a1", 5)
		s.intent("p1", 5)
		s.tx++
		s.mark("a1", 6)
		s.intent("p3", 6)
		s.done(slow, history.OK, history.Event{})
		for _, p := range []string{"p1", "p2", "p3"} {
			s.state(p, "FAILED", 6)
		}
	}, GuardOfItsOwn, MarkOutOfTime, []string{"token 5 was answered before that of token 4 began"}, []string{GuardOfItsOwn}},
	{"the mark row was deleted", func(s *story) {
		s.intake("p1", "a1", 100)
		s.whole("executor-1", "p1", 2)
		s.truth("paydb", history.MarkWritten, history.Event{Account: "a1", PriorToken: 2, Note: "mark deleted"})
	}, GuardOfItsOwn, MarkWentBack, []string{"from 2 to 0", "mark deleted"}, []string{GuardOfItsOwn}},
	{"the mark was written again at the same value", func(s *story) {
		s.intake("p1", "a1", 100)
		s.whole("executor-1", "p1", 2)
		s.tx++
		s.mark("a1", 2)
	}, GuardOfItsOwn, MarkWentBack, []string{"from 2 to 2"}, []string{GuardOfItsOwn}},
	{"an answer before its commit", func(s *story) {
		s.intake("p1", "a1", 100)
		s.intake("p2", "a1", 50)
		call := s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 5})
		s.done(call, history.OK, history.Event{})
		s.admit("proxy-2", "p2", 4)
		s.tx++
		s.mark("a1", 5)
		s.intent("p1", 5)
		s.state("p1", "FAILED", 5)
		s.state("p2", "FAILED", 5)
	}, GuardOfItsOwn, MarkOutOfTime, []string{"token 5 was answered before that of token 4 began"}, []string{GuardOfItsOwn}},
}
