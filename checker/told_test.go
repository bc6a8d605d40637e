package checker

import (
	"testing"

	"dlsim/history"
)

// What proxies tell submitters, each false answer beside the true one that looks like it.
func TestWhatAProxyTells(t *testing.T) {
	ask := func(s *story) int64 {
		return s.begin("executor-2", history.SubmissionAsk, history.Event{Payout: "p1", Account: "a1", Token: 2})
	}
	none := history.Event{State: "NONE"}
	refused := func(s *story, why, told string) {
		claimed(s)
		if why == "FENCED_OUT" {
			s.mark("a1", 1)
		} else {
			s.intent("p1", 0)
		}
		call := s.submit("executor-1", "p1", 1)
		admit := s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 1})
		s.done(admit, history.Fail, history.Event{Error: why})
		kind := history.Fail
		if told == "PAYDB_UNAVAILABLE" {
			kind = history.Info
		}
		s.done(call, kind, history.Event{Error: told})
	}
	ended := func(s *story, code string) {
		claimed(s)
		s.admit("proxy-1", "p1", 1)
		r := s.forward("proxy-1", "p1", 1)
		s.done(s.sent[r].ID, history.Info, history.Event{Error: code})
	}
	for _, c := range []struct {
		name string
		tell func(s *story)
		of   string
		want bool
	}{
		{"NONE told of what was committed", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.done(ask(s), history.OK, none)
		}, FalseAnswer, true},
		{"NONE told of what is committed meanwhile", func(s *story) {
			claimed(s)
			call := ask(s)
			s.admit("proxy-1", "p1", 1)
			s.done(call, history.OK, none)
		}, FalseAnswer, false},
		{"NONE told of what its database has lost", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.lost("paydb")
			s.truth("paydb", history.SubmissionWritten, history.Event{Payout: "p1", Account: "a1", PriorState: "INTENT", PriorToken: 1, Note: history.Lost})
			s.done(ask(s), history.OK, none)
		}, FalseAnswer, false},
		{"NONE told of what was taken away again", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.submission("p1", 0, "")
			s.done(ask(s), history.OK, none)
		}, FalseAnswer, false},
		{"what is there, told", func(s *story) {
			claimed(s)
			s.admit("proxy-1", "p1", 1)
			s.done(ask(s), history.OK, history.Event{State: "INTENT"})
		}, FalseAnswer, false},
		{"a refusal by the fence told as an outage", func(s *story) { refused(s, "FENCED_OUT", "PAYDB_UNAVAILABLE") }, FalseAnswer, true},
		{"a refusal by the fence told as a duplicate", func(s *story) { refused(s, "FENCED_OUT", "DUPLICATE_SUBMISSION") }, FalseAnswer, true},
		{"a duplicate told as a refusal by the fence", func(s *story) { refused(s, "DUPLICATE_SUBMISSION", "FENCED_OUT") }, FalseAnswer, true},
		{"a refusal by the fence told as one", func(s *story) { refused(s, "FENCED_OUT", "FENCED_OUT") }, FalseAnswer, false},
		{"a duplicate told as one", func(s *story) { refused(s, "DUPLICATE_SUBMISSION", "DUPLICATE_SUBMISSION") }, FalseAnswer, false},
		{"an outage told as one", func(s *story) { refused(s, "08006", "PAYDB_UNAVAILABLE") }, FalseAnswer, false},
		{"a refusal under another token", func(s *story) {
			refused(s, "FENCED_OUT", "FENCED_OUT")
			s.done(s.submit("executor-2", "p1", 2), history.Info, history.Event{Error: "PAYDB_UNAVAILABLE"})
		}, FalseAnswer, false},
		{"a refusal of which the submitter had not waited to hear", func(s *story) {
			claimed(s)
			s.mark("a1", 1)
			call := s.submit("executor-1", "p1", 1)
			admit := s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 1})
			s.done(call, history.Info, history.Event{Error: "NO_ANSWER"})
			s.done(admit, history.Fail, history.Event{Error: "FENCED_OUT"})
		}, FalseAnswer, false},
		{"a refusal whose telling got lost", func(s *story) {
			claimed(s)
			s.mark("a1", 1)
			call := s.submit("executor-1", "p1", 1)
			admit := s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 1})
			s.done(admit, history.Fail, history.Event{Error: "FENCED_OUT"})
			s.done(call, history.Info, history.Event{Error: "NO_ANSWER"})
		}, FalseAnswer, false},
		{"fenced out by nobody", func(s *story) {
			claimed(s)
			s.done(s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 1}), history.Fail, history.Event{Error: "FENCED_OUT"})
		}, FalseAnswer, true},
		{"fenced out by its own admission", func(s *story) {
			claimed(s)
			s.done(s.admitting("proxy-1", "p1", 1), history.Fail, history.Event{Error: "FENCED_OUT"})
		}, FalseAnswer, true},
		{"fenced out by a higher token meanwhile", func(s *story) {
			claimed(s)
			call := s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 1})
			s.mark("a1", 2)
			s.done(call, history.Fail, history.Event{Error: "FENCED_OUT"})
		}, FalseAnswer, false},
		{"refused because its claim was replaced", func(s *story) {
			claimed(s)
			s.state("p1", "CLAIMED", 2)
			s.done(s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 1}), history.Fail, history.Event{Error: "FENCED_OUT"})
		}, FalseAnswer, false},
		{"a duplicate of nothing", func(s *story) {
			claimed(s)
			s.done(s.begin("proxy-1", history.ProxyAdmit, history.Event{Payout: "p1", Account: "a1", Token: 1}), history.Fail, history.Event{Error: "DUPLICATE_SUBMISSION"})
		}, FalseAnswer, true},
		{"a duplicate of its own admission", func(s *story) {
			claimed(s)
			s.done(s.admitting("proxy-1", "p1", 1), history.Fail, history.Event{Error: "DUPLICATE_SUBMISSION"})
		}, FalseAnswer, true},
		{"a forward given up with its caller", func(s *story) { ended(s, "CANCELED") }, ForwardCutShort, true},
		{"a forward that ran out of time", func(s *story) { ended(s, "DEADLINE") }, ForwardCutShort, false},
		{"a booking under a new fence", func(s *story) { claimed(s); s.balance("a1", 900, 1) }, IllegalChange, false},
		{"a booking that leaves the fence as it was", func(s *story) { claimed(s); s.balance("a1", 900, 0) }, IllegalChange, true},
		{"a booking under the fence of the one before", func(s *story) {
			claimed(s)
			s.balance("a1", 900, 3)
			s.balance("a1", 800, 3)
		}, IllegalChange, true},
		{"a fence raised without a booking", func(s *story) {
			claimed(s)
			s.balance("a1", 900, 3)
			s.balance("a1", 900, 3)
		}, IllegalChange, false},
		{"a late release ends a newer grant of its own sender", func(s *story) {
			claimed(s)
			s.begin("executor-1", history.LockRelease, history.Event{Account: "a1", Owner: "executor-1", Token: 1})
			s.after(ttl)
			s.grant("executor-1", "a1", 2)
			s.release("a1")
		}, ReleasedByAnother, true},
		{"a grant ends, and no release but its own is under way", func(s *story) {
			claimed(s)
			call := s.begin("executor-1", history.LockRelease, history.Event{Account: "a1", Owner: "executor-1", Token: 1})
			s.done(call, history.Fail, history.Event{Error: "LOCK_LOST"})
			s.after(ttl)
			s.grant("executor-1", "a1", 2)
			s.release("a1")
		}, ReleasedByAnother, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tell(t)
			c.tell(s)
			if o := s.judge().Observation(c.of); (o.Count == 1) != c.want || o.Count > 1 {
				t.Errorf("%s seen %d times: %s", c.of, o.Count, o.Sentence)
			}
		})
	}
}
