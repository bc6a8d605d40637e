package nemesis

import (
	"slices"
	"time"

	"dlsim/history"
	"dlsim/sim"
)

// placement is a moment of the protocol at which faults do most harm.
type placement struct {
	on     Trigger
	target string // symbol to strike at, where the fault has a target
	after  func(d *drawing) time.Duration
	rare   bool // it comes once or twice a run
}

func at(op history.Op, kind history.Kind) Trigger { return Trigger{Event: op, Kind: kind.String()} }

func soon(d *drawing) time.Duration { return d.duration(moments) }

// expiry is about when a lease runs out that was granted just now.
func expiry(d *drawing) time.Duration {
	return max(0, d.limits.LeaseTTL-d.duration(moments)+d.duration(moments))
}

var moments = durations(1, 3, 10, 40)

// The moments worth striking at, by who is at work there.
var (
	onExecutors = []placement{
		{on: at(history.LockAcquire, history.OK), target: Actor},      // just after a grant
		{on: at(history.LockGranted, history.OK), target: Actor},      // before its holder knows
		{on: at(history.PayoutClaim, history.OK), target: Actor},      // between claim and submit
		{on: at(history.PayoutSubmit, history.Invoke), target: Actor}, // between the decision and the send
		{on: at(history.PayoutSubmit, history.Invoke), target: Actor, after: soon},
		{on: at(history.PayoutSubmit, history.OK), target: Actor},                // between answer and booking
		{on: at(history.PayoutPost, history.Invoke), target: Actor, after: soon}, // before the commit
		{on: at(history.LockGranted, history.OK), target: Actor, after: expiry},  // at the lease's end
	}
	// Between the last look at the lease and the send: who sleeps here past its lease presents a
	// stale token when it wakes.
	beforeSends = []placement{
		{on: at(history.PayoutSubmit, history.Invoke), target: Actor},
		{on: at(history.PayoutSubmit, history.Invoke), target: Actor},
		{on: at(history.PayoutSubmit, history.Invoke), target: Actor, after: soon}, // or a little later
	}
	onProxies = []placement{
		{on: at(history.ProxyAdmit, history.Invoke), target: Actor, after: soon}, // before the commit
		{on: at(history.ProxyAdmit, history.OK), target: Actor},                  // between intent and forward
		{on: at(history.RailForward, history.Invoke), target: Actor},
		{on: at(history.RailForward, history.Invoke), target: Actor, after: soon}, // before the answer
		{on: at(history.RailForward, history.OK), target: Actor},                  // before the outcome is written
	}
	// Between the intent and the money: who sleeps here pays late, up to the horizon's end.
	beforeForwards = []placement{
		{on: at(history.ProxyAdmit, history.OK), target: Actor},
		{on: at(history.RailForward, history.Invoke), target: Actor},
	}
	// When a row has just been committed and its writer does not know yet: whoever loses the answer
	// now does not learn what became of the commit.
	onIntents = []placement{
		{on: at(history.SubmissionWritten, history.OK)},
		{on: at(history.MarkWritten, history.OK)},
	}
	onPayoutRows = []placement{
		{on: at(history.PayoutWritten, history.OK)},
		{on: at(history.AccountWritten, history.OK)},
	}
	onGrants = []placement{{on: at(history.LockGranted, history.OK)}}
	onLockds = []placement{
		{on: at(history.LockAcquire, history.Invoke), after: soon},
		{on: at(history.LockGranted, history.OK)},
	}
	onReconcilers = []placement{
		{on: at(history.ReconcileDecide, history.Invoke), target: Actor, rare: true}, // after its look at the lease
		{on: at(history.ReconcileDecide, history.Invoke), target: Actor, after: soon, rare: true},
	}
	// Between the beginning of a transaction and its conditional write: who sleeps here past its lease
	// writes late, and only the condition knows.
	beforeWrites = []placement{
		{on: at(history.PayoutPost, history.Invoke), target: Actor, after: soon},
		{on: at(history.PayoutClaim, history.Invoke), target: Actor, after: soon},
		{on: at(history.PayoutMark, history.Invoke), target: Actor, after: soon, rare: true},
	}
	onStores = []placement{
		{on: at(history.LockAcquire, history.Invoke), after: soon},
		{on: at(history.PayoutClaim, history.Invoke), after: soon},
		{on: at(history.ProxyAdmit, history.Invoke), after: soon},
		{on: at(history.PayoutPost, history.Invoke), after: soon},
	}
	onRails = []placement{
		{on: at(history.ProxyAdmit, history.OK)},
		{on: at(history.PayoutSubmit, history.Invoke)},
	}
	onPayouts = []placement{
		{on: at(history.PayoutClaim, history.Invoke)},
		{on: at(history.PayoutClaim, history.OK)},
		{on: at(history.PayoutSubmit, history.Invoke), after: soon},
	}
)

func aroundProcess(d *drawing, f Fault) []placement {
	switch roleOf(d.topology, f.Target) {
	case sim.RoleExecutor:
		return onExecutors
	case sim.RoleProxy:
		return onProxies
	case sim.RoleLockd:
		return onLockds
	case sim.RoleReconciler:
		return onReconcilers
	case sim.RoleRail:
		return onRails
	}
	return onStores
}

func aroundLink(d *drawing, f Fault) []placement {
	if commits := onCommits(d, f.From, f.To); commits != nil && d.chance(40) {
		return commits
	}
	switch {
	case f.To == sim.RoleRail:
		return beforeForwards
	case f.From == sim.RoleProxy || roleOf(d.topology, f.From) == sim.RoleProxy:
		return onProxies
	case f.From == sim.RoleExecutor || roleOf(d.topology, f.From) == sim.RoleExecutor:
		return onExecutors
	}
	return onLockds
}

// onCommits lists the moments at which a client of a database has just committed.
func onCommits(d *drawing, client, store string) []placement {
	is := func(role string) bool { return client == role || roleOf(d.topology, client) == role }
	switch {
	case store == sim.Lockdb:
		return onGrants
	case store != sim.Paydb:
		return nil
	case is(sim.RoleProxy):
		return onIntents
	case client == "" && d.chance(50):
		return onIntents
	}
	return onPayoutRows
}

func aroundStore(d *drawing, f Fault) []placement {
	if commits := onCommits(d, f.Client, f.Target); commits != nil && d.chance(50) {
		return commits
	}
	return onStores
}

func aroundRail(*drawing, Fault) []placement { return onRails }

// placeFault gives the fault its trigger: a time, or one of the moments that suit it.
func (d *drawing) placeFault(f *Fault, share Rate) {
	f.At = d.moment()
	if d.kind.place == nil || Rate(d.rand.Int63n(int64(Whole))) >= share {
		return
	}
	places := d.kind.place(d, *f)
	p := places[d.below(len(places))]
	f.At, f.On = 0, p.on
	f.On.Nth = d.nth()
	if p.rare {
		f.On.Nth = 1 + d.below(2)
	}
	if p.after != nil {
		f.After = p.after(d)
	}
	// Whoever the event is about is struck, unless the scenario names targets: then the event
	// must be theirs, or of their role.
	role := roleOf(d.topology, f.Target)
	switch {
	case f.Target == "" || p.target == "":
	case role != "" && slices.Contains(d.share.Targets, role):
		f.Target, f.On.Process = p.target, role
	case len(d.share.Targets) == 0 && roleOf(d.topology, f.Target) != "":
		f.Target = p.target
		if p.on.Event == history.LockGranted || p.on.Event == history.LockAcquire {
			f.On.Process = sim.RoleExecutor
		}
	default:
		f.On.Process = f.Target
	}
}
