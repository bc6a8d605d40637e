package runner

import (
	"testing"

	"dlsim/history"
	"dlsim/nemesis"
)

func TestAnAnchorThatIsAboutAPayoutWaitsForThatPayout(t *testing.T) {
	did := func(process string, op history.Op, payout string) history.Event {
		return history.Event{Process: process, Op: op, Kind: history.OK, Payout: payout}
	}
	events := []history.Event{
		did("executor-1", history.PayoutClaim, "a"), did("proxy-1", history.ProxyAdmit, "a"),
		did("executor-1", history.PayoutClaim, "b"), did("proxy-2", history.ProxyAdmit, "b"),
		did("executor-1", history.PayoutClaim, "a"), did("proxy-2", history.ProxyAdmit, "a"),
		did("executor-1", history.LockRelease, ""), {Process: "paydb", Op: history.PayoutWritten, Kind: history.OK, Payout: "a", Truth: true},
	}
	for was, want := range map[string]string{
		"{kind: pause, target: executor-1, on: {event: payout.claim, process: executor-1, kind: ok, nth: 3}, for: 1s}": "{kind: pause, target: executor-1, on: {event: payout.claim, process: executor-1, payout: a, kind: ok, nth: 2}, for: 1s}",
		"{kind: pause, target: proxy-2, on: {event: proxy.admit, process: proxy-2, kind: ok, nth: 2}, for: 1s}":        "{kind: pause, target: actor, on: {event: proxy.admit, process: proxy, payout: a, kind: ok, nth: 2}, for: 1s}",
		"{kind: disk-stall, target: paydb, on: {event: proxy.admit, process: proxy-2, kind: ok, nth: 1}, for: 1s}":     "{kind: disk-stall, target: paydb, on: {event: proxy.admit, process: proxy, payout: b, kind: ok, nth: 1}, for: 1s}",
		"{kind: restart, target: proxy-1, on: {event: lock.release, process: executor-1, kind: ok, nth: 1}}":           "{kind: restart, target: proxy-1, on: {event: lock.release, process: executor-1, kind: ok, nth: 1}}",
		"{kind: restart, target: proxy-1, on: {event: payout.written, process: paydb, kind: ok, nth: 1}}":              "{kind: restart, target: proxy-1, on: {event: payout.written, process: paydb, kind: ok, nth: 1}}",
		"{kind: restart, target: proxy-1, on: {event: payout.claim, process: executor-1, kind: ok, nth: 9}}":           "{kind: restart, target: proxy-1, on: {event: payout.claim, process: executor-1, kind: ok, nth: 9}}",
		"{kind: restart, target: proxy-1, at: 1s}":                                                                     "{kind: restart, target: proxy-1, at: 1s}",
	} {
		f, err := nemesis.Parse(was)
		if err != nil {
			t.Fatal(err)
		}
		w, err := nemesis.Parse(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := byPayout(events, f); got != w {
			t.Errorf("%s\nbecame %s\nwant   %s", was, got.String(), want)
		}
	}
}
