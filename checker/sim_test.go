package checker

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"dlsim/history"
)

// simulate tells a random history of a system that is right: locks expire and are taken over,
// holders are stale, commits and answers get lost, and every guard does its work.
func simulate(t *testing.T, seed int64) *story {
	rng := rand.New(rand.NewSource(seed))
	s := tell(t)
	accounts := []string{"a1", "a2"}
	tokens := map[string]int64{}
	for i := range 6 {
		s.intake(fmt.Sprintf("p%d", i+1), accounts[i%2], int64(50+rng.Intn(3)*25))
	}
	type stale struct {
		payout string
		token  int64
	}
	var paused []stale
	for i := range 6 {
		p := fmt.Sprintf("p%d", i+1)
		account := s.payouts[p].Account
		take := func(owner string) int64 {
			tokens[account] += 1 + rng.Int63n(3)
			s.grant(owner, account, tokens[account])
			return tokens[account]
		}
		token := take("executor-1")
		s.claim("executor-1", p, token)
		if rng.Intn(3) == 0 { // paused before it sends; somebody else takes over
			paused = append(paused, stale{p, token})
			s.after(ttl)
			token = take("executor-2")
			s.claim("executor-2", p, token)
		}
		if rng.Intn(4) == 0 {
			s.after(ttl/2).lock(history.LockRenewed, account)
		}
		switch rng.Intn(4) {
		case 0: // the answer is lost, the book resolves it
			call := s.submit("executor-1", p, token)
			s.admit("proxy-1", p, token)
			r := s.forward("proxy-1", p, token)
			s.answered(r, history.Info)
			s.paid(r)
			s.done(call, history.Info, history.Event{})
			s.release(account)
			token = take("reconciler")
			s.submission(p, s.subs[p].Token, "ACCEPTED")
			s.post(p, token)
		case 1: // the commit's answer is lost: nothing is forwarded
			s.done(s.admitting("proxy-1", p, token), history.Info, history.Event{})
			s.tx++
			s.submission(p, token, "INTENT")
			s.submission(p, token, "NOT_EXECUTED")
			s.state(p, "FAILED", token)
		default:
			s.pay("executor-1", "proxy-2", p, token)
			s.post(p, token)
		}
		if rng.Intn(3) > 0 {
			s.release(account)
		} else {
			s.lock(history.LockExpired, account)
		}
		for _, old := range paused { // the stale holders wake and are refused
			s.done(s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: old.payout, Account: s.payouts[old.payout].Account, Token: old.token}),
				history.Fail, history.Event{Error: "FENCED_OUT"})
		}
		paused = paused[:0]
	}
	return s
}

// corruptions each plant one wrong thing into a good history, and say what must notice.
var corruptions = []struct {
	name  string
	id    string
	plant func(rng *rand.Rand, s *story) bool // false where the history has no place for it
}{
	{"a payment twice", OnePayment, func(rng *rand.Rand, s *story) bool {
		e, ok := s.any(rng, history.RailPaid)
		if ok {
			s.truth("rail", history.RailPaid, e)
		}
		return ok
	}},
	{"a grant under a token that was given", ExclusiveGrants, func(rng *rand.Rand, s *story) bool {
		e, _ := s.any(rng, history.LockGranted)
		s.after(2 * ttl)
		s.truth("lockdb", history.LockGranted, history.Event{Account: e.Account, Owner: "executor-9", Token: e.Token, Clock: s.clock(), Expires: s.clock() + 1})
		return true
	}},
	{"a grant over a holder", ExclusiveGrants, func(rng *rand.Rand, s *story) bool {
		s.granted("executor-1", "a1", 1001)
		s.granted("executor-2", "a1", 1002)
		return true
	}},
	{"a mark lowered", GuardOfItsOwn, func(rng *rand.Rand, s *story) bool {
		s.tx++
		s.mark("a1", s.marks["a1"]-1-rng.Int63n(2))
		return true
	}},
	{"an admission that saw an older mark", GuardOfItsOwn, func(rng *rand.Rand, s *story) bool {
		s.marks["a1"]--
		s.intake("p9", "a1", 1)
		s.admit("proxy-1", "p9", 5000)
		s.state("p9", "FAILED", 5000)
		return true
	}},
	{"a stale admission", NoStaleWrite, func(rng *rand.Rand, s *story) bool {
		s.intake("p9", "a1", 1)
		s.admitUnmarked("proxy-1", "p9", 1+rng.Int63n(s.marks["a1"]))
		s.state("p9", "FAILED", 5000)
		return true
	}},
	{"a stale write of a payout", NoStaleWrite, func(rng *rand.Rand, s *story) bool {
		e, _ := s.any(rng, history.PayoutWritten)
		last := s.payouts[e.Payout]
		s.state(e.Payout, last.State, last.Token-1)
		return true
	}},
	{"a payment nobody forwarded", GuardOfItsOwn, func(rng *rand.Rand, s *story) bool {
		e, ok := s.any(rng, history.RailPaid)
		e.Request = "unheard-of"
		if ok {
			s.truth("rail", history.RailPaid, e)
		}
		return ok
	}},
	{"an intent taken away", IntentFirst, func(rng *rand.Rand, s *story) bool {
		e, ok := s.any(rng, history.RailPaid)
		if ok {
			s.submission(e.Payout, 0, "")
		}
		return ok
	}},
	{"a balance off by one", TrueLedger, func(rng *rand.Rand, s *story) bool {
		s.balance("a2", s.accounts["a2"].Amount+1, s.accounts["a2"].Token)
		return true
	}},
	{"an entry gone", TrueLedger, func(rng *rand.Rand, s *story) bool {
		e, ok := s.any(rng, history.LedgerWritten)
		if ok {
			e.Note = "deleted"
			s.truth("paydb", history.LedgerWritten, e)
		}
		return ok
	}},
	{"a failed payout paid", NothingLost, func(rng *rand.Rand, s *story) bool {
		for _, p := range []string{"p1", "p2", "p3", "p4", "p5", "p6"} {
			if s.payouts[p].State == "FAILED" {
				s.truth("rail", history.RailPaid, history.Event{Payout: p, Amount: 1, Request: "late"})
				return true
			}
		}
		return false
	}},
}

// any draws one event of this operation.
func (s *story) any(rng *rand.Rand, op history.Op) (history.Event, bool) {
	var all []history.Event
	for _, e := range s.events {
		if e.Op == op {
			all = append(all, e)
		}
	}
	if len(all) == 0 {
		return history.Event{}, false
	}
	return all[rng.Intn(len(all))], true
}

func TestRandomGoodHistoriesHoldAndOnePlantedCorruptionIsCaught(t *testing.T) {
	c := New()
	planted := make([]int, len(corruptions))
	for seed := range int64(200) {
		s := simulate(t, seed)
		r := c.Check(s.end(), params)
		s.wantOnly(&r)
		for _, j := range r.Invariants {
			if j.Verdict == NA && r.Measures.Payments > 0 {
				t.Errorf("seed %d: %s could not be judged", seed, j.ID)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		for i, bad := range corruptions {
			rng := rand.New(rand.NewSource(seed))
			s := simulate(t, seed)
			if !bad.plant(rng, s) {
				continue
			}
			planted[i]++
			r := c.Check(s.end(), params)
			if !slices.Contains(r.Violated(), bad.id) {
				t.Fatalf("seed %d: %s went unnoticed by %s: %v", seed, bad.name, bad.id, r.Violated())
			}
			for _, j := range r.Invariants {
				if j.Verdict == Unknown {
					t.Fatalf("seed %d: %s: %s is unknown: %s", seed, bad.name, j.ID, j.Reason)
				}
			}
		}
	}
	for i, n := range planted {
		if n < 100 {
			t.Errorf("%s was planted only %d times", corruptions[i].name, n)
		}
	}
}

// A Checker carries nothing from one history to the next.
func TestAReusedCheckerSaysWhatANewOneSays(t *testing.T) {
	used := New()
	for seed := range int64(40) {
		s := simulate(t, seed)
		if seed%2 == 1 {
			corruptions[int(seed)%len(corruptions)].plant(rand.New(rand.NewSource(seed)), s)
		}
		events := s.end()
		a, b := used.Check(events, params), Check(events, params)
		if fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", b) {
			t.Fatalf("seed %d:\n%+v\n%+v", seed, a, b)
		}
	}
}

func longHistory(t *testing.T) []history.Event {
	s := tell(t)
	for i := range 12 {
		s.intake(fmt.Sprintf("payout-%d", i+1), fmt.Sprintf("account-%d", i%4+1), 50)
	}
	for round := range 12 {
		p := fmt.Sprintf("payout-%d", round+1)
		account := s.payouts[p].Account
		for range 4 {
			s.wait("executor-2", account)
		}
		for range 12 {
			s.done(s.begin("executor-2", history.SubmissionAsk, history.Event{Payout: p}), history.OK, history.Event{State: "NONE"})
		}
		s.whole("executor-1", p, int64(round+1))
	}
	return s.end()
}

func BenchmarkCheck(b *testing.B) {
	events := longHistory(nil)
	for name, p := range map[string]Params{
		"linear":    {TTL: ttl, Horizon: params.Horizon, Progress: params.Progress},
		"porcupine": {TTL: ttl, Horizon: params.Horizon, Progress: params.Progress, Second: Always},
	} {
		b.Run(fmt.Sprintf("%s/%d events", name, len(events)), func(b *testing.B) {
			c := New()
			b.ReportAllocs()
			for b.Loop() {
				r := c.Check(events, p)
				if len(r.Violated()) > 0 {
					b.Fatal(r.Violated())
				}
			}
		})
	}
}

func TestJudgingAGoodRunDoesNotAllocate(t *testing.T) {
	events := longHistory(t)
	c, p := New(), params
	p.Second = Never
	c.Check(events, p)
	if n := testing.AllocsPerRun(20, func() { c.Check(events, p) }); n > 2 {
		t.Errorf("%v allocations", n)
	}
}
