package checker

import (
	"testing"

	"dlsim/history"
)

// What only a system with a decision switched shows, each beside a healthy history that looks like it.
func TestObservationsOfSwitchedDecisions(t *testing.T) {
	ask := func(s *story, owner, account string, token int64) {
		s.begin(owner, history.LockRelease, history.Event{Account: account, Owner: owner, Token: token})
	}
	fencedOut := func(s *story, owner string, token int64) {
		s.add(history.Event{Process: owner, Op: history.FencedOut, Kind: history.Info, Payout: "p1", Account: "a1", Token: token})
	}
	duplicate := func(s *story, token int64) {
		s.add(history.Event{Process: "proxy-1", Op: history.DuplicateAttempted, Kind: history.Info, Payout: "p1", Account: "a1", Token: token})
	}
	for _, c := range []struct {
		name string
		tell func(s *story)
		want string // "" is not to be seen
		of   string
	}{
		{"an old holder's release ends the new holder's grant", func(s *story) {
			claimed(s)
			s.after(ttl)
			s.grant("executor-2", "a1", 2)
			ask(s, "executor-1", "a1", 1)
			s.release("a1")
		}, ReleasedByAnother, ReleasedByAnother},
		{"an old holder's release changes nothing, and the new one gives back", func(s *story) {
			claimed(s)
			s.after(ttl)
			s.grant("executor-2", "a1", 2)
			ask(s, "executor-1", "a1", 1)
			ask(s, "executor-2", "a1", 2)
			s.release("a1")
		}, "", ReleasedByAnother},
		{"fenced out while the lock is held", func(s *story) {
			claimed(s)
			fencedOut(s, "executor-1", 1)
		}, HolderFencedOut, HolderFencedOut},
		{"fenced out after the lease", func(s *story) {
			claimed(s)
			s.after(ttl)
			fencedOut(s, "executor-1", 1)
		}, "", HolderFencedOut},
		{"fenced out under another's token", func(s *story) {
			claimed(s)
			fencedOut(s, "executor-2", 1)
		}, "", HolderFencedOut},
		{"a stale submission called a duplicate", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 7)
			duplicate(s, 3)
		}, StaleDuplicate, StaleDuplicate},
		{"a duplicate overtaken by an admission before it was told", func(s *story) {
			claimed(s)
			s.intake("p2", "a1", 50)
			s.admit("proxy-1", "p1", 7)
			call := s.admitting("proxy-2", "p1", 8)
			s.admit("proxy-1", "p2", 9)
			s.done(call, history.Fail, history.Event{Error: "DUPLICATE_SUBMISSION"})
			s.counter("proxy-2", history.DuplicateAttempted, "p1", 8)
		}, "", StaleDuplicate},
		{"a fresh submission called a duplicate", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 7)
			duplicate(s, 9)
		}, "", StaleDuplicate},
		{"told that it was paid, and nothing is in the book", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.answered(s.forward("proxy-1", "p1", 1), history.OK)
		}, PaymentVanished, PaymentVanished},
		{"told that it was declined, and nothing is in the book", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.answered(s.forward("proxy-1", "p1", 1), history.Fail)
		}, "", PaymentVanished},
		{"a row with the reference of its payment", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			r := s.forward("proxy-1", "p1", 1)
			s.truth("rail", history.RailPaid, history.Event{Payout: "p1", Account: "a1", Amount: 100, Request: r, Reference: "rail-1"})
			s.answered(r, history.OK)
			s.truth("paydb", history.SubmissionWritten, history.Event{Payout: "p1", Account: "a1", Token: 1, PriorToken: 1, Amount: 100, State: "ACCEPTED", PriorState: "INTENT", Reference: "rail-1"})
		}, "", PaymentVanished},
		{"a row with a reference that the book does not know", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			r := s.forward("proxy-1", "p1", 1)
			s.truth("rail", history.RailPaid, history.Event{Payout: "p1", Account: "a1", Amount: 100, Request: r, Reference: "rail-1"})
			s.answered(r, history.OK)
			s.truth("paydb", history.SubmissionWritten, history.Event{Payout: "p1", Account: "a1", Token: 1, PriorToken: 1, Amount: 100, State: "ACCEPTED", PriorState: "INTENT", Reference: "rail-2"})
		}, PaymentVanished, PaymentVanished},
		{"a payment that its store forgot", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			r := s.forward("proxy-1", "p1", 1)
			s.paid(r)
			s.answered(r, history.OK)
			s.lost("paydb")
			s.truth("paydb", history.RailPaid, history.Event{Payout: "p1", Account: "a1", Request: r, Note: history.Lost})
		}, PaymentVanished, PaymentVanished},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tell(t)
			c.tell(s)
			r := s.judge()
			if o := r.Observation(c.of); (o.Count == 1) != (c.want != "") || o.Count > 1 {
				t.Errorf("%s seen %d times: %s", c.of, o.Count, o.Sentence)
			}
		})
	}
}
