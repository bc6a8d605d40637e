package runner

import (
	"strings"
	"time"

	"dlsim/nemesis"
	"dlsim/sim"
)

// What a plan needs more of in a world where messages take as long as they take. Plans are shrunk to
// the shortest durations that still do it in the virtual world, down to a millisecond.
const (
	countedRoom = 5 * time.Second        // for a fault that ends by its count
	linkRoom    = time.Second            // for messages to meet a link
	downRoom    = 200 * time.Millisecond // for somebody to meet what is down
	sleepRoom   = 2 * time.Second        // for others to take over and be done: expiry, election, a poll, the payment
	lossRoom    = 300 * time.Millisecond // between a write and what follows from it
	longDelay   = 5 * time.Second        // one that is measured against a horizon and not a deadline
	lateRoom    = 500 * time.Millisecond // for one that is measured against a deadline
	delayRoom   = 60 * time.Millisecond  // for one request to be served
)

// roomier gives a fault at its anchor the time that its effect needs in another world. What it does
// stays the same: whom it strikes after what, and how many messages it meets.
func roomier(f nemesis.Fault, several func(role string) bool) nemesis.Fault {
	switch {
	case f.Count > 0:
		f.For = max(f.For, countedRoom)
	case f.Kind == "pause" && f.For >= sleepRoom/4:
		f.For += sleepRoom
	case f.Kind == "kill", f.Kind == "database-crash", f.Kind == "disk-stall":
		f.For = max(f.For, downRoom)
	case f.From == sim.RoleReconciler:
		f.For = max(f.For, countedRoom) // it comes by every few seconds
	case f.From != "" && f.For > 0:
		f.For = max(f.For, linkRoom)
	}
	switch { // what it has to outlast, it outlasts here, too
	case f.Extra >= longDelay:
		f.Extra += sleepRoom
	case f.Kind == "rail-late" && f.Extra >= time.Second: // a link that is slower breaks other deadlines
		f.Extra += lateRoom
	}
	if f.Loses > 0 {
		f.Loses = max(f.Loses, lossRoom)
		if f.After > 0 {
			f.After = max(f.After, delayRoom)
		}
	}
	// Which of several proxies is asked is the luck of a draw: the first that does it stands for the
	// one that did. Who of the executors does what is assigned instead.
	if p := f.On.Process; p != "" && f.Target == p && f.On.Nth <= 1 && strings.HasPrefix(p, sim.RoleProxy) && several(sim.RoleProxy) {
		return atAnyProxy(f)
	}
	return f
}
