package runner

import (
	"testing"
	"time"

	"dlsim/history"
	"dlsim/nemesis"
)

func TestAPauseIsOverAfterWhatTheOthersHadDoneMeanwhile(t *testing.T) {
	did := func(process string, op history.Op, kind history.Kind) history.Event {
		return history.Event{Process: process, Op: op, Kind: kind}
	}
	begun := history.Event{Process: "nemesis", Op: history.FaultBegun, State: "pause", Owner: "executor-1", Note: "{id: 2, kind: pause}"}
	ended := history.Event{Process: "nemesis", Op: history.FaultEnded, State: "pause", Owner: "executor-1"}
	claim, ask := did("executor-2", history.PayoutClaim, history.OK), did("executor-2", history.LockAcquire, history.Fail)
	other := did("proxy-1", history.ProxyAdmit, history.OK)
	truth := history.Event{Process: "paydb", Op: history.PayoutClaim, Kind: history.OK, Truth: true}
	late := claim
	late.Time = int64(time.Second)
	own := did("executor-1", history.PayoutPost, history.OK)
	second := nemesis.Trigger{Event: history.PayoutClaim, Process: "executor-2", Kind: "ok", Nth: 2}
	for name, c := range map[string]struct {
		events []history.Event
		want   nemesis.Trigger
	}{
		"the last of theirs, counted from the start": {[]history.Event{claim, begun, ask, claim, other, ask, truth, ended, claim}, second},
		"the first of theirs after they were idle":   {[]history.Event{claim, begun, ask, other, truth, own, ended, own, claim}, second},
		"nothing that would come again":              {[]history.Event{claim, begun, ask, other, truth, own, ended, ask}, nemesis.Trigger{}},
		"nothing but what came long after":           {[]history.Event{claim, begun, ended, late}, nemesis.Trigger{}},
		"a pause that stood on long after":           {[]history.Event{begun, claim, {Process: "nemesis", Op: history.FaultEnded, State: "pause", Owner: "executor-1", Time: int64(time.Second)}}, nemesis.Trigger{}},
		"a pause that never ended":                   {[]history.Event{claim, begun, claim}, nemesis.Trigger{}},
	} {
		if got := untilOf(c.events, nemesis.Fault{ID: 2, Kind: "pause", Target: "executor-1"}); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if got := untilOf([]history.Event{begun, claim, ended}, nemesis.Fault{ID: 2, Kind: "kill", Target: "executor-1"}); !got.IsZero() {
		t.Errorf("a kill waits for %+v", got)
	}
}
