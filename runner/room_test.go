package runner

import (
	"testing"

	"dlsim/nemesis"
)

func TestAFaultGetsRoomInAnotherWorldAndStaysTheSameFault(t *testing.T) {
	for _, c := range []struct{ was, is string }{
		{"{kind: rail-late, target: rail, at: 1s, for: 45ms, extra: 2s, count: 1}", "{kind: rail-late, target: rail, at: 1s, for: 5s, extra: 2500ms, count: 1}"},
		{"{kind: cut, from: reconciler, to: proxy-1, for: 840ms}", "{kind: cut, from: reconciler, to: proxy-1, for: 5s}"},
		{"{kind: pause, target: executor-1, on: {event: payout.submit, process: executor-1}, for: 5.8s}", "{kind: pause, target: executor-1, on: {event: payout.submit, process: executor-1}, for: 7.8s}"},
		{"{kind: pause, target: executor-1, for: 75ms}", "{kind: pause, target: executor-1, for: 75ms}"},
		{"{kind: kill, target: proxy-1, for: 1ms}", "{kind: kill, target: proxy-1, for: 200ms}"},
		{"{kind: cut, from: executor-1, to: lockd-1, for: 13ms}", "{kind: cut, from: executor-1, to: lockd-1, for: 1s}"},
		{"{kind: failover, target: lockdb, on: {event: lock.acquire}, after: 5ms, for: 1ms, loses: 1ms}", "{kind: failover, target: lockdb, on: {event: lock.acquire}, after: 60ms, for: 1ms, loses: 300ms}"},
		{"{kind: delay-request, from: proxy-1, to: rail, for: 5s, extra: 25s, count: 1}", "{kind: delay-request, from: proxy-1, to: rail, for: 5s, extra: 27s, count: 1}"},
		{"{kind: slow, from: executor-1, to: lockd-1, for: 2s, way: replies, extra: 1990ms}", "{kind: slow, from: executor-1, to: lockd-1, for: 2s, way: replies, extra: 1990ms}"},
		{"{kind: etcd-restore, loses: 2s}", "{kind: etcd-restore, loses: 2s}"},
		{"{kind: pause, target: proxy-2, on: {event: proxy.admit, process: proxy-2, nth: 1}, for: 19s}", "{kind: pause, target: actor, on: {event: proxy.admit, process: proxy, nth: 1}, for: 21s}"},
		{"{kind: pause, target: proxy-2, on: {event: proxy.admit, process: proxy-2, nth: 2}, for: 19s}", "{kind: pause, target: proxy-2, on: {event: proxy.admit, process: proxy-2, nth: 2}, for: 21s}"},
	} {
		was, err := nemesis.Parse(c.was)
		if err != nil {
			t.Fatal(err)
		}
		want, err := nemesis.Parse(c.is)
		if err != nil {
			t.Fatal(err)
		}
		if got := roomier(was, func(string) bool { return true }); got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", c.was, got.String(), c.is)
		}
	}
}
