package checker

import (
	"testing"

	"dlsim/history"
)

func TestASubmissionNeedsTheClaimThatItsSenderTried(t *testing.T) {
	claim := func(s *story, kind history.Kind, committed bool) {
		call := s.begin("executor-1", history.PayoutClaim, history.Event{Payout: "p1", Account: "a1", Token: 1})
		if committed {
			s.state("p1", "CLAIMED", 1)
		}
		s.done(call, kind, history.Event{})
	}
	for _, c := range []struct {
		name string
		tell func(s *story)
		seen bool
	}{
		{"a claim that took effect", func(s *story) { claim(s, history.OK, true); s.submit("executor-1", "p1", 1) }, false},
		{"one of unknown fate that did", func(s *story) { claim(s, history.Info, true); s.submit("executor-1", "p1", 1) }, false},
		{"one of unknown fate that did not", func(s *story) { claim(s, history.Info, false); s.submit("executor-1", "p1", 1) }, true},
		{"one that takes effect too late", func(s *story) {
			call := s.begin("executor-1", history.PayoutClaim, history.Event{Payout: "p1", Account: "a1", Token: 1})
			s.submit("executor-1", "p1", 1)
			s.state("p1", "CLAIMED", 1)
			s.done(call, history.OK, history.Event{})
		}, true},
		{"a person claims nothing", func(s *story) { s.submit("operator", "p1", 1) }, false},
		{"somebody else's claim of another token", func(s *story) {
			claim(s, history.Info, false)
			s.submit("executor-2", "p1", 2)
		}, false},
	} {
		s := tell(t)
		s.intake("p1", "a1", 100)
		c.tell(s)
		if o := s.judge().Observation(UnclaimedSubmission); (o.Count > 0) != c.seen {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
}
