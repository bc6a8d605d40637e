package runner

import (
	"strings"

	"dlsim/history"
	"dlsim/nemesis"
	"dlsim/sim"
)

// byPayout has a fault wait for what was done with a payout, where its anchor is an event about one:
// work is assigned by payout, so that the payout is sooner the same in another world than the
// how-manieth of a process. Which proxy serves it is luck; the one that does stands for the one that did.
func byPayout(events []history.Event, f nemesis.Fault) nemesis.Fault {
	if f.On != (nemesis.Trigger{Event: f.On.Event, Process: f.On.Process, Kind: f.On.Kind, Nth: f.On.Nth}) {
		return f
	}
	e := nthOf(events, f.On)
	if e == nil || e.Payout == "" || e.Truth {
		return f
	}
	on := nemesis.Trigger{Event: e.Op, Process: e.Process, Kind: e.Kind.String(), Payout: e.Payout}
	ofProxy := strings.HasPrefix(e.Process, sim.RoleProxy)
	for i := range events {
		o := &events[i]
		same := o.Process == e.Process || ofProxy && strings.HasPrefix(o.Process, sim.RoleProxy)
		if same && o.Op == e.Op && o.Kind == e.Kind && o.Payout == e.Payout {
			on.Nth++
		}
		if o == e {
			break
		}
	}
	f.On = on
	if ofProxy {
		return atAnyProxy(f)
	}
	return f
}

// atAnyProxy has a fault wait for the first proxy that does what one did, and strike that one if it was
// to strike the doer.
func atAnyProxy(f nemesis.Fault) nemesis.Fault {
	if f.Target == f.On.Process {
		f.Target = nemesis.Actor
	}
	f.On.Process = sim.RoleProxy
	return f
}

// nthOf finds the event that a trigger by process, operation and kind waits for; nil for none.
func nthOf(events []history.Event, t nemesis.Trigger) *history.Event {
	n := 0
	for i := range events {
		if e := &events[i]; e.Process == t.Process && e.Op == t.Event && (t.Kind == "" || e.Kind.String() == t.Kind) {
			if n++; n == max(t.Nth, 1) {
				return e
			}
		}
	}
	return nil
}
