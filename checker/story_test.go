package checker

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dlsim/history"
)

const ttl = 10 * time.Second

// story writes a history as one would tell it. Each step takes a millisecond; stores remember their
// rows, so that a step has to say only what is new, right or wrong.
type story struct {
	t        *testing.T
	events   []history.Event
	now      time.Duration
	tx       int64
	requests int

	accounts map[string]*history.Event // last AccountWritten
	payouts  map[string]*history.Event
	subs     map[string]*history.Event
	marks    map[string]int64
	locks    map[string]*history.Event // last LockGranted
	sent     map[string]*history.Event // forwards by request
	offset   time.Duration             // of the lock store's clock
}

func tell(t *testing.T) *story {
	return &story{t: t, accounts: map[string]*history.Event{}, payouts: map[string]*history.Event{},
		subs: map[string]*history.Event{}, marks: map[string]int64{}, locks: map[string]*history.Event{},
		sent: map[string]*history.Event{}}
}

func (s *story) add(e history.Event) *history.Event {
	s.now += time.Millisecond
	e.ID, e.Time = int64(len(s.events)+1), int64(s.now)
	s.events = append(s.events, e)
	return &s.events[len(s.events)-1]
}

func (s *story) after(d time.Duration) *story { s.now += d; return s }

func (s *story) begin(process string, op history.Op, e history.Event) int64 {
	e.Process, e.Op, e.Kind = process, op, history.Invoke
	e.Call = int64(len(s.events) + 1)
	return s.add(e).ID
}

// done completes a call: its fields are the invocation's but for those that e sets.
func (s *story) done(call int64, kind history.Kind, e history.Event) {
	was := s.events[call-1]
	was.Kind, was.Error, was.State, was.Reference = kind, e.Error, e.State, e.Reference
	if e.Token != 0 {
		was.Token = e.Token
	}
	s.add(was)
}

func (s *story) truth(store string, op history.Op, e history.Event) *history.Event {
	e.Process, e.Op, e.Kind, e.Truth = store, op, history.OK, true
	return s.add(e)
}

func (s *story) clock() int64 { return 1_700_000_000_000_000_000 + int64(s.now+s.offset) }

// intake opens the account at 1000 if need be and takes in a payout of it.
func (s *story) intake(payout, account string, amount int64) {
	if s.accounts[account] == nil {
		s.balance(account, 1000, 0)
	}
	s.row(payout, account, amount, 0, "PENDING")
}

// due has the system asked for a payout.
func (s *story) due(payout, account string, amount int64, at time.Duration) *story {
	s.add(history.Event{Process: "world", Kind: history.Info, Op: history.PayoutDue, Payout: payout, Account: account, Amount: amount, Clock: int64(at)})
	return s
}

func (s *story) balance(account string, balance, fence int64) {
	e := history.Event{Account: account, Amount: balance, Token: fence, Tx: s.tx}
	if was := s.accounts[account]; was != nil {
		e.PriorMoney, e.PriorToken = was.Amount, was.Token
	}
	c := *s.truth("paydb", history.AccountWritten, e)
	s.accounts[account] = &c
}

func (s *story) row(payout, account string, amount, fence int64, state string) {
	e := history.Event{Payout: payout, Account: account, Amount: amount, Token: fence, State: state, Tx: s.tx}
	if was := s.payouts[payout]; was != nil {
		e.PriorState, e.PriorToken = was.State, was.Token
	}
	c := *s.truth("paydb", history.PayoutWritten, e)
	s.payouts[payout] = &c
}

// state sets a payout's state under a token.
func (s *story) state(payout, state string, token int64) {
	s.tx++
	was := s.payouts[payout]
	s.row(payout, was.Account, was.Amount, token, state)
}

// grant has the lock store grant, and tells the owner.
func (s *story) grant(owner, account string, token int64) {
	call := s.begin(owner, history.LockAcquire, history.Event{Account: account, Owner: owner})
	s.granted(owner, account, token)
	s.done(call, history.OK, history.Event{Token: token})
}

// granted is the store's record alone.
func (s *story) granted(owner, account string, token int64) {
	c := *s.truth("lockdb", history.LockGranted, history.Event{Account: account, Owner: owner, Token: token,
		Clock: s.clock(), Expires: s.clock() + int64(ttl)})
	s.locks[account] = &c
}

func (s *story) lock(op history.Op, account string) {
	l := s.locks[account]
	s.truth("lockdb", op, history.Event{Account: account, Owner: l.Owner, Token: l.Token, Clock: s.clock(), Expires: s.clock() + int64(ttl)})
}

func (s *story) release(account string) { s.lock(history.LockReleased, account) }

func (s *story) claim(owner, payout string, token int64) {
	call := s.begin(owner, history.PayoutClaim, history.Event{Payout: payout, Account: s.payouts[payout].Account, Token: token})
	s.state(payout, "CLAIMED", token)
	s.done(call, history.OK, history.Event{})
}

func (s *story) submit(owner, payout string, token int64) int64 {
	p := s.payouts[payout]
	return s.begin(owner, history.PayoutSubmit, history.Event{Payout: payout, Account: p.Account, Token: token, Amount: p.Amount})
}

// admitting is the proxy's call without its answer; the rows are those of a correct admission.
func (s *story) admitting(proxy, payout string, token int64) int64 {
	call := s.begin(proxy, history.ProxyAdmit, history.Event{Payout: payout, Account: s.payouts[payout].Account, Token: token})
	s.tx++
	s.mark(s.payouts[payout].Account, token)
	s.intent(payout, token)
	return call
}

func (s *story) admit(proxy, payout string, token int64) {
	s.done(s.admitting(proxy, payout, token), history.OK, history.Event{})
}

// admitUnmarked is an admission by a proxy whose checks are off.
func (s *story) admitUnmarked(proxy, payout string, token int64) {
	call := s.begin(proxy, history.ProxyAdmit, history.Event{Payout: payout, Account: s.payouts[payout].Account, Token: token})
	s.tx++
	s.intent(payout, token)
	s.done(call, history.OK, history.Event{})
}

func (s *story) mark(account string, token int64) {
	s.truth("paydb", history.MarkWritten, history.Event{Account: account, Token: token, PriorToken: s.marks[account], Tx: s.tx})
	s.marks[account] = token
}

func (s *story) intent(payout string, token int64) { s.submission(payout, token, "INTENT") }

func (s *story) submission(payout string, token int64, state string) {
	p := s.payouts[payout]
	e := history.Event{Payout: payout, Account: p.Account, Token: token, Amount: p.Amount, State: state, Tx: s.tx}
	if was := s.subs[payout]; was != nil {
		e.PriorState, e.PriorToken = was.State, was.Token
	}
	c := *s.truth("paydb", history.SubmissionWritten, e)
	s.subs[payout] = &c
}

// forward sends to the rail and returns the request's id.
func (s *story) forward(proxy, payout string, token int64) string {
	s.requests++
	id := fmt.Sprintf("%s/%d", proxy, s.requests)
	p := s.payouts[payout]
	call := s.begin(proxy, history.RailForward, history.Event{Payout: payout, Account: p.Account, Token: token, Amount: p.Amount, Request: id})
	c := s.events[call-1]
	s.sent[id] = &c
	return id
}

// paid has the rail move the money of a request.
func (s *story) paid(request string) {
	f := s.sent[request]
	s.truth("rail", history.RailPaid, history.Event{Payout: f.Payout, Account: f.Account, Amount: f.Amount, Request: request})
}

// sendOtherwise forwards a payout and has the rail move other money for it.
func (s *story) sendOtherwise(payout string, moved history.Event) {
	request := s.forward("proxy-1", payout, s.subs[payout].Token)
	moved.Payout, moved.Request = payout, request
	s.truth("rail", history.RailPaid, moved)
	s.answered(request, history.OK)
}

func (s *story) answered(request string, kind history.Kind) {
	s.done(s.sent[request].ID, kind, history.Event{})
}

// pay is everything from submission to the written outcome.
func (s *story) pay(owner, proxy, payout string, token int64) {
	call := s.submit(owner, payout, token)
	s.admit(proxy, payout, token)
	request := s.forward(proxy, payout, token)
	s.paid(request)
	s.answered(request, history.OK)
	s.tx++
	s.submission(payout, token, "ACCEPTED")
	s.done(call, history.OK, history.Event{State: "ACCEPTED"})
}

func (s *story) entry(payout, account, direction string, amount, token int64) {
	s.truth("paydb", history.LedgerWritten, history.Event{Payout: payout, Account: account, State: direction, Amount: amount, Token: token, Tx: s.tx})
}

func (s *story) post(payout string, token int64) {
	p := *s.payouts[payout]
	s.tx++
	s.entry(payout, p.Account, "DEBIT", p.Amount, token)
	s.entry(payout, "rail-clearing", "CREDIT", p.Amount, token)
	s.balance(p.Account, s.accounts[p.Account].Amount-p.Amount, token)
	s.row(payout, p.Account, p.Amount, token, "POSTED")
}

// whole is one payout done right.
func (s *story) whole(owner, payout string, token int64) {
	account := s.payouts[payout].Account
	s.grant(owner, account, token)
	s.claim(owner, payout, token)
	s.pay(owner, "proxy-1", payout, token)
	s.post(payout, token)
	s.release(account)
}

func (s *story) counter(process string, op history.Op, payout string, token int64) {
	s.add(history.Event{Process: process, Op: op, Kind: history.Info, Payout: payout, Token: token})
}

func (s *story) fault(op history.Op, kind, target, note string) {
	s.add(history.Event{Process: "nemesis", Op: op, Kind: history.Info, State: kind, Owner: target, Note: note})
}

// lost begins a loss in a store.
func (s *story) lost(store string) { s.truth(store, history.StoreLost, history.Event{}) }

func (s *story) end() []history.Event {
	s.add(history.Event{Process: "world", Op: history.WorldEnded, Kind: history.Info})
	return s.events
}

// params are those of every test: H is 30 s, progress is due 30 s after that.
var params = Params{TTL: ttl, Horizon: 30 * time.Second, Progress: 30 * time.Second, Second: Always}

func (s *story) judge() *Report {
	s.t.Helper()
	r := Check(s.end(), params)
	return &r
}

// wantViolated checks one invariant's kind and that the sentence says what it must.
func (s *story) wantViolated(r *Report, id, kind string, words ...string) {
	s.t.Helper()
	j := r.Invariant(id)
	if j.Verdict != Violated || !j.Has(kind) {
		s.t.Fatalf("%s is %s (%+v, %s), want %s", id, j.Verdict, j.Violations, j.Reason, kind)
	}
	v := j.Violations[slices.IndexFunc(j.Violations, func(v Violation) bool { return v.Kind == kind })]
	if !slices.IsSorted(v.Witness) || len(v.Witness) == 0 {
		s.t.Errorf("witness %v is not a list of events in order", v.Witness)
	}
	for _, w := range words {
		if !strings.Contains(v.Sentence, w) {
			s.t.Errorf("no %q in: %s", w, v.Sentence)
		}
	}
}

// wantOnly checks that exactly these invariants are violated and none is unknown.
func (s *story) wantOnly(r *Report, ids ...string) {
	s.t.Helper()
	if got := r.Violated(); !slices.Equal(got, ids) {
		s.t.Errorf("violated: %v, want %v", got, ids)
	}
	for _, j := range r.Invariants {
		if j.Verdict == Unknown {
			s.t.Errorf("%s is unknown: %s", j.ID, j.Reason)
		}
		if j.Verdict == Violated {
			for _, v := range j.Violations {
				s.t.Logf("%s %s %v %s", j.ID, v.Kind, v.Witness, v.Sentence)
			}
		}
	}
}

func (s *story) wantSeen(r *Report, names ...string) {
	s.t.Helper()
	var got []string
	for _, o := range r.Observations {
		if o.Count > 0 {
			got = append(got, o.Name)
			s.t.Logf("%s %v %s", o.Name, o.Witness, o.Sentence)
		}
	}
	if !slices.Equal(got, names) {
		s.t.Errorf("observed %v, want %v", got, names)
	}
}
