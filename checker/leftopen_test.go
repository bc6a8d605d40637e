package checker

import (
	"testing"
	"time"

	"dlsim/history"
)

func TestCallsLeftOpen(t *testing.T) {
	started := func(s *story, op history.Op) {
		s.add(history.Event{Process: "world", Kind: history.Info, Op: op, Owner: "executor-1"})
	}
	renew := func(s *story) int64 {
		return s.begin("executor-1", history.LockRenew, history.Event{Account: "a1", Owner: "executor-1", Token: 1})
	}
	for _, c := range []struct {
		name string
		tell func(s *story)
		want bool
	}{
		{"by a process that goes on", func(s *story) { renew(s); s.after(time.Minute) }, true},
		{"answered", func(s *story) {
			s.done(renew(s), history.Info, history.Event{Error: "NO_ANSWER"})
			s.after(time.Minute)
		}, false},
		{"under way when the world ends", func(s *story) { s.after(time.Minute); renew(s); s.after(29 * time.Second) }, false},
		{"by a process that was killed", func(s *story) {
			renew(s)
			started(s, history.ProcessKilled)
			started(s, history.ProcessStarted)
			s.after(time.Minute)
		}, false},
		{"by a process that was killed before", func(s *story) {
			started(s, history.ProcessKilled)
			started(s, history.ProcessStarted)
			renew(s)
			s.after(time.Minute)
		}, true},
		{"by a process that is paused", func(s *story) {
			renew(s)
			started(s, history.ProcessPaused)
			s.after(time.Minute)
		}, false},
		{"by a process that was paused till lately", func(s *story) {
			renew(s)
			started(s, history.ProcessPaused)
			s.after(time.Minute)
			started(s, history.ProcessResumed)
			s.after(29 * time.Second)
		}, false},
		{"by a process that was paused long ago", func(s *story) {
			renew(s)
			started(s, history.ProcessPaused)
			started(s, history.ProcessResumed)
			s.after(31 * time.Second)
		}, true},
		{"by a process of which nothing else is known", func(s *story) {
			s.begin("executor-9", history.LockRenew, history.Event{Account: "a1", Owner: "executor-9", Token: 1})
			s.after(time.Minute)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tell(t)
			started(s, history.ProcessStarted)
			c.tell(s)
			o := s.judge().Observation(LeftOpen)
			if (o.Count > 0) != c.want {
				t.Errorf("seen %d times: %s", o.Count, o.Sentence)
			}
		})
	}
}
