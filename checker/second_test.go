package checker

import (
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"dlsim/history"
)

func TestProgressIsDemandedOnlyWhenItIsDue(t *testing.T) {
	for _, c := range []struct {
		name string
		tell func(s *story)
		want Verdict
		word string
	}{
		{"asked for and not due long enough", func(s *story) { s.due("p1", "a1", 1, 0).after(59 * time.Second) }, Unknown, "p1 has not been taken in"},
		{"just before", func(s *story) { claimed(s); s.after(59 * time.Second) }, Unknown, "p1 is CLAIMED"},
		{"just after", func(s *story) { claimed(s); s.after(time.Minute) }, Violated, "p1"},
		{"faults still stand", func(s *story) {
			s.fault(history.FaultBegun, "pause", "executor-1", "")
			claimed(s)
			s.after(time.Hour)
		}, Unknown, "before all faults have healed"},
		{"healed late", func(s *story) {
			s.fault(history.FaultBegun, "pause", "executor-1", "")
			claimed(s)
			s.after(time.Hour)
			s.fault(history.AllHealed, "", "", "")
			s.after(59 * time.Second)
		}, Unknown, "not demanded yet"},
		{"work that came late has its own time", func(s *story) {
			s.after(time.Hour)
			claimed(s)
			s.after(30 * time.Second)
		}, Unknown, "not demanded yet"},
		{"posted and unpaid while faults stand", func(s *story) {
			s.fault(history.FaultBegun, "pause", "executor-1", "")
			claimed(s)
			s.post("p1", 1)
		}, Unknown, "POSTED and not paid"},
		{"many", func(s *story) {
			for _, p := range []string{"p1", "p2", "p3", "p4"} {
				s.intake(p, "a1", 1)
			}
		}, Unknown, "p1 is PENDING, p2 is PENDING, p3 is PENDING, and 1 more"},
		{"final before it is due", func(s *story) { s.intake("p1", "a1", 1); s.whole("executor-1", "p1", 1) }, Holds, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tell(t)
			c.tell(s)
			j := s.judge().Invariant(NothingLost)
			if j.Verdict != c.want || !strings.Contains(j.Sentence(), c.word) {
				t.Errorf("%s: %s", j.Verdict, j.Sentence())
			}
		})
	}
}

func TestARequestUnderWayKeepsAWriteOffOpen(t *testing.T) {
	for _, c := range []struct {
		wait   time.Duration
		answer history.Kind
		note   string
		want   Verdict
	}{
		{0, history.Info, "bound reached", Unknown},
		{0, history.Info, "quiescent", Holds},
		{0, history.Fail, "bound reached", Holds},
		{6 * time.Second, history.Info, "bound reached", Holds},
	} {
		s := tell(t)
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		s.answered(s.forward("proxy-1", "p1", 1), c.answer)
		s.state("p1", "FAILED", 1)
		s.after(c.wait)
		p := params
		p.InFlight = 5 * time.Second
		events := s.end()
		events[len(events)-1].Note = c.note
		r := Check(events, p)
		if j := r.Invariant(NothingLost); j.Verdict != c.want {
			t.Errorf("%+v: %s (%s)", c, j.Verdict, j.Reason)
		}
	}
}

func TestWaivedInvariantsAreNotApplicable(t *testing.T) {
	s := tell(t)
	claimed(s)
	s.admitUnmarked("proxy-1", "p1", 1)
	s.paid(s.forward("proxy-1", "p1", 1))
	s.post("p1", 1)
	p := params
	p.Waived = []string{GuardOfItsOwn}
	r := Check(s.end(), p)
	if j := r.Invariant(GuardOfItsOwn); j.Verdict != NA || j.Reason == "" || len(r.Violated()) != 0 {
		t.Errorf("%+v", j)
	}
}

// Every bad history for a lock or a mark is one for Porcupine too; where it is about payments only,
// the register has nothing to object to.
func TestPorcupineAgreesOnBadHistories(t *testing.T) {
	for _, b := range append(append([]bad{}, badLocks...), badGuards...) {
		s := tell(t)
		b.tell(s)
		j := s.judge().Invariant(b.id)
		want := Violated
		if b.kind == UnguardedPayment || b.kind == UnmarkedPayment {
			want = Holds
		}
		if j.Second.Verdict != want || j.Second.Steps == 0 || !strings.Contains(j.Model, "Porcupine agrees") {
			t.Errorf("%s: %+v, %s", b.name, j.Second, j.Model)
		}
	}
}

func TestPorcupineIsAskedWhenItIsWanted(t *testing.T) {
	good := func(s *story) { s.intake("p1", "a1", 1); s.whole("executor-1", "p1", 1) }
	for _, c := range []struct {
		when When
		tell func(s *story)
		want bool
	}{{Always, good, true}, {OnViolation, good, false}, {Never, good, false},
		{OnViolation, badLocks[1].tell, true}, {Never, badLocks[1].tell, false}} {
		s := tell(t)
		c.tell(s)
		p := params
		p.Second = c.when
		r := Check(s.end(), p)
		if got := r.Invariants[0].Second != (Opinion{}); got != c.want {
			t.Errorf("when %d: asked %v", c.when, got)
		}
	}
}

func TestPorcupineStopsAtItsBoundTheSameWayEveryTime(t *testing.T) {
	s := tell(t)
	for i := range int64(40) {
		s.grant("executor-1", "a1", i+1)
		s.release("a1")
	}
	p := params
	p.Steps = 30
	events := s.end()
	first := Check(events, p).Invariants[0]
	if first.Second.Verdict != Unknown || first.Second.Steps != 30 || !strings.Contains(first.Second.Reason, "30 steps") {
		t.Errorf("%+v", first.Second)
	}
	if first.Verdict != Holds || strings.Contains(first.Model, "agrees") {
		t.Errorf("the linear judge stands: %s by %s", first.Verdict, first.Model)
	}
	for range 20 {
		if again := Check(events, p).Invariants[0].Second; again != first.Second {
			t.Fatalf("%+v, then %+v", first.Second, again)
		}
	}
}

func TestPorcupineIsNotGivenMoreThanItCanTake(t *testing.T) {
	s := tell(t)
	for i := range int64(MaxPartition/2 + 1) {
		s.granted("executor-1", "a1", i+1)
		s.release("a1")
	}
	j := s.judge().Invariants[0]
	if j.Verdict != Holds || j.Second.Verdict != Unknown || !strings.Contains(j.Second.Reason, "more than the 10000") {
		t.Errorf("%s, %+v", j.Verdict, j.Second)
	}
}

func TestPorcupineJudgesTenThousandOperations(t *testing.T) {
	s := tell(t)
	for i := range int64(MaxPartition / 2) {
		s.granted("executor-1", "a1", i+1)
		s.release("a1")
	}
	if j := s.judge().Invariants[0]; j.Second.Verdict != Holds {
		t.Errorf("%+v", j.Second)
	}
}

func TestJudgesThatDifferAreUnknownAloud(t *testing.T) {
	for first, second := range map[Verdict]Verdict{Holds: Violated, Violated: Holds} {
		j := Judgement{ID: ExclusiveGrants, Verdict: first, Second: Opinion{Verdict: second, Model: "m"}}
		compare(&j)
		if j.Verdict != Unknown || !strings.Contains(j.Reason, "Checkers disagree") || !strings.Contains(j.Reason, first.String()) {
			t.Errorf("%+v", j)
		}
	}
}

// What the clients saw is impossible, what the stores recorded is fine: the record lacks something.
func TestClientsThatContradictTheTruthAreABugInTheResolver(t *testing.T) {
	acquire := func(s *story, owner string, token int64) {
		s.done(s.begin(owner, history.LockAcquire, history.Event{Account: "a1", Owner: owner}), history.OK, history.Event{Token: token})
	}
	admit := func(s *story, proxy string, token int64) {
		s.done(s.begin(proxy, history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: token}), history.OK, history.Event{})
	}
	for _, c := range []struct {
		name string
		tell func(s *story)
		id   string // "" for a history that is possible
	}{
		{"a lower token later", func(s *story) { acquire(s, "executor-1", 5); acquire(s, "executor-2", 4) }, ExclusiveGrants},
		{"one token for two", func(s *story) { acquire(s, "executor-1", 5); acquire(s, "executor-2", 5) }, ExclusiveGrants},
		{"the same grant told twice", func(s *story) { acquire(s, "executor-1", 5); acquire(s, "executor-1", 5) }, ""},
		{"a lower token at the same time", func(s *story) {
			call := s.begin("executor-2", history.LockAcquire, history.Event{Account: "a1"})
			acquire(s, "executor-1", 5)
			s.done(call, history.OK, history.Event{Token: 4})
		}, ""},
		{"far apart", func(s *story) {
			acquire(s, "executor-1", 9)
			acquire(s, "executor-1", 20)
			acquire(s, "executor-1", 4)
		}, ExclusiveGrants},
		{"a lower token later, and a slow one above both", func(s *story) {
			slow := s.begin("executor-3", history.LockAcquire, history.Event{Account: "a1"})
			acquire(s, "executor-1", 5)
			acquire(s, "executor-2", 4)
			s.done(slow, history.OK, history.Event{Token: 6})
		}, ExclusiveGrants},
		{"a lower token admitted later", func(s *story) { admit(s, "proxy-1", 5); admit(s, "proxy-2", 4) }, GuardOfItsOwn},
		{"one token admitted twice", func(s *story) { admit(s, "proxy-1", 5); admit(s, "proxy-2", 5) }, GuardOfItsOwn},
		{"in order", func(s *story) { admit(s, "proxy-1", 5); admit(s, "proxy-2", 6) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tell(t)
			c.tell(s)
			r := s.judge()
			for _, j := range r.Invariants {
				if want := j.ID == c.id; (j.Verdict == Unknown) != want {
					t.Errorf("%s is %s: %s", j.ID, j.Verdict, j.Reason)
				}
			}
		})
	}
}

func TestLockModelsJudgeOneHistoryDifferently(t *testing.T) {
	acquire := func(owner string, token, clock, expires int64) LockInput {
		return LockInput{Action: Acquire, Owner: owner, Token: token, Clock: clock, Expires: expires}
	}
	release := func(owner string, token int64) LockInput {
		return LockInput{Action: Release, Owner: owner, Token: token}
	}
	for _, c := range []struct {
		name string
		ops  []LockInput
		want [4]bool // mutex, owned, lease, fenced
	}{
		{"in turn", []LockInput{acquire("a", 1, 0, 10), release("a", 1), acquire("b", 2, 5, 15)}, [4]bool{true, true, true, true}},
		{"taken over after expiry", []LockInput{acquire("a", 1, 0, 10), acquire("b", 2, 10, 20), release("a", 1)}, [4]bool{false, false, true, true}},
		{"taken over before expiry", []LockInput{acquire("a", 1, 0, 10), acquire("b", 2, 9, 20)}, [4]bool{}},
		{"never expires", []LockInput{acquire("a", 1, 0, 0), acquire("b", 2, 99, 0)}, [4]bool{}},
		{"released by another", []LockInput{acquire("a", 1, 0, 0), release("b", 1)}, [4]bool{true, false, true, true}},
		{"released by another, then taken", []LockInput{acquire("a", 1, 0, 0), release("b", 1), acquire("c", 2, 0, 0)}, [4]bool{true, false, false, false}},
		{"token repeated", []LockInput{acquire("a", 1, 0, 0), release("a", 1), acquire("b", 1, 0, 0)}, [4]bool{true, true, true, false}},
		{"renewed", []LockInput{acquire("a", 1, 0, 10), {Action: Renew, Owner: "a", Token: 1, Clock: 5, Expires: 15}, acquire("b", 2, 12, 20)}, [4]bool{}},
		{"ended by the store", []LockInput{acquire("a", 1, 0, 0), {Action: Expire, Token: 1}, acquire("b", 2, 1, 0)}, [4]bool{true, true, true, true}},
		{"released when free", []LockInput{release("a", 1)}, [4]bool{false, false, true, true}},
	} {
		for m := Mutex; m <= FencedLease; m++ {
			var ops []porcupine.Operation
			for i, in := range c.ops {
				ops = append(ops, operation(in, int32(i), int32(i)))
			}
			if got := porcupine.CheckOperations(m.Model(), ops); got != c.want[m] {
				t.Errorf("%s: a %s says %v", c.name, m, got)
			}
		}
	}
}

func TestRegisterModel(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []RegisterInput
		want bool
	}{
		{"reads what was written", []RegisterInput{{Action: Read, Seen: 3}, {Action: Write, Wrote: 1}, {Action: Read, Seen: 1}}, true},
		{"reads something else", []RegisterInput{{Action: Write, Wrote: 1}, {Action: Read, Seen: 3}}, false},
		{"an unknown read fits", []RegisterInput{{Action: Write, Wrote: 1}, {Action: Read, Unknown: true}}, true},
		{"a swap from what it saw", []RegisterInput{{Action: Swap, Seen: 3, Wrote: 2}, {Action: Read, Seen: 2}}, true},
		{"a swap from something else", []RegisterInput{{Action: Swap, Seen: 4, Wrote: 2}}, false},
		{"a mark rises", []RegisterInput{{Action: Advance, Seen: 3, Wrote: 4}, {Action: Advance, Unknown: true, Wrote: 9}}, true},
		{"a mark stays", []RegisterInput{{Action: Advance, Seen: 3, Wrote: 3}}, false},
		{"a mark falls", []RegisterInput{{Action: Advance, Unknown: true, Wrote: 2}}, false},
	} {
		var ops []porcupine.Operation
		for i, in := range c.ops {
			ops = append(ops, operation(in, int32(i), int32(i)))
		}
		if got := porcupine.CheckOperations(Register(3), ops); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
