package checker

import (
	"slices"
	"testing"

	"dlsim/history"
)

// What is final stays, what was answered is true, and what was written off had a cause.
func TestRowsAgainstTheDesign(t *testing.T) {
	answered := func(s *story, op history.Op, kind history.Kind, e history.Event) {
		e.Payout, e.Account = "p1", "a1"
		s.done(s.begin("executor-1", op, e), kind, e)
	}
	released := func(s *story) int64 {
		return s.begin("executor-1", history.LockRelease, history.Event{Account: "a1", Owner: "executor-1", Token: 1})
	}
	for _, c := range []struct {
		name string
		tell func(s *story)
		want []string
	}{
		{"a whole payout", func(s *story) { s.intake("p1", "a1", 100); s.whole("executor-1", "p1", 1) }, nil},
		{"a claim taken over", func(s *story) { claimed(s); s.state("p1", "CLAIMED", 2) }, nil},
		{"a claim repeated under its own token", func(s *story) { claimed(s); s.state("p1", "CLAIMED", 1) }, []string{IllegalChange}},
		{"claimed and put back", func(s *story) { claimed(s); s.state("p1", "PENDING", 1) }, []string{IllegalChange}},
		{"claimed and cancelled", func(s *story) { claimed(s); s.state("p1", "CANCELLED", 1) }, []string{IllegalChange}},
		{"cancelled while pending", func(s *story) { s.intake("p1", "a1", 100); s.state("p1", "CANCELLED", 0) }, nil},
		{"cancelled and claimed", func(s *story) {
			s.intake("p1", "a1", 100)
			s.state("p1", "CANCELLED", 0)
			s.state("p1", "CLAIMED", 1)
		}, []string{IllegalChange}},
		{"ambiguous and claimed again", func(s *story) {
			claimed(s)
			s.state("p1", "RAIL_AMBIGUOUS", 1)
			s.state("p1", "CLAIMED", 2)
		}, []string{IllegalChange}},
		{"ambiguous and ended under a newer grant", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.state("p1", "RAIL_AMBIGUOUS", 1)
			s.state("p1", "FAILED", 2)
			s.submission("p1", 1, "NOT_EXECUTED")
		}, nil},
		{"ambiguous and ended under its own", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.state("p1", "RAIL_AMBIGUOUS", 1)
			s.state("p1", "FAILED", 1)
			s.submission("p1", 1, "NOT_EXECUTED")
		}, []string{IllegalChange}},
		{"a submission that was decided changes", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.submission("p1", 1, "ACCEPTED")
			s.submission("p1", 1, "TIMEOUT")
		}, []string{IllegalChange}},
		{"a timeout that is rejected after all", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.submission("p1", 1, "TIMEOUT")
			s.submission("p1", 1, "REJECTED")
		}, []string{IllegalChange}},
		{"written off because the rail declined, the row still open", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.answered(s.forward("proxy-1", "p1", 1), history.Fail)
			s.state("p1", "FAILED", 1)
		}, nil},
		{"written off because the rail did not answer", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.answered(s.forward("proxy-1", "p1", 1), history.Info)
			s.state("p1", "FAILED", 1)
		}, []string{FailedWithoutCause}},
		{"written off without a submission", func(s *story) { claimed(s); s.state("p1", "FAILED", 1) }, []string{FailedWithoutCause}},
		{"posted before the money moved", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			request := s.forward("proxy-1", "p1", 1)
			s.state("p1", "POSTED", 1)
			s.paid(request)
		}, []string{PostedBeforePaid}},
		{"a claim taken for done that is not there", func(s *story) {
			s.intake("p1", "a1", 100)
			answered(s, history.PayoutClaim, history.OK, history.Event{Token: 1})
		}, []string{FalseAnswer}},
		{"a claim of another token taken for one's own", func(s *story) {
			claimed(s)
			answered(s, history.PayoutClaim, history.OK, history.Event{Token: 2})
		}, []string{FalseAnswer}},
		{"a claim taken for undone that is there", func(s *story) {
			s.intake("p1", "a1", 100)
			s.state("p1", "CLAIMED", 1)
			answered(s, history.PayoutClaim, history.Fail, history.Event{Token: 1, Error: "57P01"})
		}, []string{FalseAnswer}},
		{"a claim refused", func(s *story) {
			claimed(s)
			answered(s, history.PayoutClaim, history.Fail, history.Event{Token: 2, Error: "NOT_TAKEN"})
		}, nil},
		{"a claim of unknown fate that is there", func(s *story) {
			s.intake("p1", "a1", 100)
			s.state("p1", "CLAIMED", 1)
			answered(s, history.PayoutClaim, history.Info, history.Event{Token: 1})
		}, nil},
		{"an admission taken for undone that is there", func(s *story) {
			claimed(s)
			s.done(s.admitting("proxy-1", "p1", 1), history.Fail, history.Event{Error: "57P01"})
		}, []string{FalseAnswer}},
		{"an admission refused as stale beside one that was made", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			answered(s, history.ProxyAdmit, history.Fail, history.Event{Token: 1, Error: "FENCED_OUT"})
		}, nil},
		{"a posting of somebody else's taken for one's own", func(s *story) {
			s.intake("p1", "a1", 100)
			s.whole("executor-2", "p1", 2)
			answered(s, history.PayoutPost, history.OK, history.Event{Token: 1})
		}, []string{FalseAnswer}},
		{"an outcome taken for written that is not there", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			answered(s, history.ProxyOutcome, history.OK, history.Event{Token: 1, State: "ACCEPTED"})
		}, []string{FalseAnswer}},
		{"a cancellation taken for done that is not there", func(s *story) {
			claimed(s)
			answered(s, history.OperatorCancel, history.OK, history.Event{})
		}, []string{FalseAnswer}},
		{"a cancellation that is there", func(s *story) {
			s.intake("p1", "a1", 100)
			s.state("p1", "CANCELLED", 0)
			answered(s, history.OperatorCancel, history.OK, history.Event{})
		}, nil},
		{"a grant that the store did not make", func(s *story) {
			s.granted("executor-1", "a1", 2)
			s.done(s.begin("executor-1", history.LockAcquire, history.Event{Account: "a1"}), history.OK, history.Event{Token: 1})
		}, []string{FalseAnswer}},
		{"a release taken for done that the store did not make", func(s *story) {
			s.granted("executor-1", "a1", 1)
			s.done(released(s), history.OK, history.Event{Token: 1})
		}, []string{FalseAnswer}},
		{"a release taken for done of a lease that had run out", func(s *story) {
			s.granted("executor-1", "a1", 1)
			call := released(s)
			s.lock(history.LockExpired, "a1")
			s.done(call, history.OK, history.Event{Token: 1})
		}, []string{FalseAnswer}},
		{"a release that was made", func(s *story) {
			s.granted("executor-1", "a1", 1)
			call := released(s)
			s.release("a1")
			s.done(call, history.OK, history.Event{Token: 1})
		}, nil},
		{"a release of a lease that had run out, made all the same", func(s *story) {
			s.granted("executor-1", "a1", 1)
			call := released(s)
			s.lock(history.LockExpired, "a1")
			s.release("a1")
			s.done(call, history.OK, history.Event{Token: 1})
		}, nil},
		{"a release refused as lost", func(s *story) {
			s.granted("executor-1", "a1", 1)
			call := released(s)
			s.lock(history.LockExpired, "a1")
			s.done(call, history.Fail, history.Event{Token: 1, Error: "LOCK_LOST"})
		}, nil},
		{"a grant denied to who got it", func(s *story) {
			call := s.begin("executor-1", history.LockAcquire, history.Event{Account: "a1", Owner: "executor-1"})
			s.granted("executor-1", "a1", 1)
			s.done(call, history.Fail, history.Event{Error: "LOCK_HELD", Owner: "executor-1"})
		}, []string{FalseAnswer}},
		{"a grant denied that an earlier request got, unanswered so far", func(s *story) {
			early := s.begin("executor-1", history.LockAcquire, history.Event{Account: "a1", Owner: "executor-1"})
			s.done(early, history.Info, history.Event{Error: "NO_ANSWER", Owner: "executor-1"})
			call := s.begin("executor-1", history.LockAcquire, history.Event{Account: "a1", Owner: "executor-1"})
			s.granted("executor-1", "a1", 1)
			s.done(call, history.Fail, history.Event{Error: "LOCK_HELD", Owner: "executor-1"})
		}, nil},
		{"a grant denied to who had it before", func(s *story) {
			s.granted("executor-1", "a1", 1)
			call := s.begin("executor-1", history.LockAcquire, history.Event{Account: "a1", Owner: "executor-1"})
			s.done(call, history.Fail, history.Event{Error: "LOCK_HELD", Owner: "executor-1"})
		}, nil},
		{"a grant made to another meanwhile", func(s *story) {
			call := s.begin("executor-1", history.LockAcquire, history.Event{Account: "a1", Owner: "executor-1"})
			s.granted("executor-2", "a1", 1)
			s.done(call, history.Fail, history.Event{Error: "LOCK_HELD", Owner: "executor-1"})
		}, nil},
		{"a submission taken for done without an outcome", func(s *story) {
			claimed(s)
			call := s.submit("executor-1", "p1", 1)
			s.done(call, history.OK, history.Event{})
		}, []string{FalseAnswer}},
		{"a submission refused by the rail", func(s *story) {
			claimed(s)
			call := s.submit("executor-1", "p1", 1)
			s.done(call, history.OK, history.Event{State: "REJECTED"})
		}, nil},
		{"sent after its own release", func(s *story) {
			claimed(s)
			s.release("a1")
			s.submit("executor-1", "p1", 1)
		}, []string{LeaseOverrun}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tell(t)
			c.tell(s)
			r := s.judge()
			for _, name := range []string{IllegalChange, FailedWithoutCause, PostedBeforePaid, FalseAnswer, LeaseOverrun} {
				o := r.Observation(name)
				if want := slices.Contains(c.want, name); (o.Count > 0) != want {
					t.Errorf("%s: seen %d times: %s", name, o.Count, o.Sentence)
				} else if want && (len(o.Witness) == 0 || o.Sentence == "") {
					t.Errorf("%s has no witness or no sentence", name)
				}
			}
		})
	}
}
