// Package sim says what a world is: the place where the system's processes run and where faults
// strike. The virtual world (sim/virtual) and the live world (sim/live) both implement World;
// nemesis and the runner see nothing else of either.
package sim

import (
	"time"

	"dlsim/history"
)

// World is one running system. All calls are made from the world's own event loop (inside a
// callback given to After or Observe) or before Run.
type World interface {
	// Topology names the processes and stores.
	Topology() Topology
	// Elapsed is the true time since the world's start.
	Elapsed() time.Duration
	// After calls f once d of true time has passed.
	After(d time.Duration, f func())
	// Observe calls f with every event of the history, synchronously: the process that recorded
	// it takes no further step until f has returned.
	Observe(f func(e *history.Event))
	// Record appends an annotation of the harness to the history.
	Record(e history.Event) int64
	// Pick draws from [0, n) for a purpose; the draw depends on nothing but the seed, the purpose
	// and how many draws that purpose has had.
	Pick(purpose string, n uint64) uint64

	// Pause freezes a process until the effect is healed. Its buffers keep filling.
	Pause(process string) (Effect, error)
	// Kill ends a process at once, its memory gone. Healing restarts it.
	Kill(process string) (Effect, error)
	// Restart kills a process and starts it again immediately.
	Restart(process string) (Effect, error)
	// Condition makes a link misbehave until healed. Conditions on one link add up.
	Condition(l Link, c LinkCondition) (Effect, error)
	// Clock changes a process's or store's clocks. Healing undoes offset and drift; a step stays.
	Clock(target string, c ClockChange) (Effect, error)
	// Store makes a store misbehave until healed.
	Store(store string, act StoreAct) (Effect, error)
	// Direct gives a process a standing instruction (host.Directive) until healed.
	Direct(process, name, value string) (Effect, error)
	// Operate has the operator act on a payout, now.
	Operate(act OperatorAct, payout string) (Effect, error)
}

// Effect is a fault that stands in the world.
type Effect interface {
	// Heal takes it away. Healing twice does nothing.
	Heal()
	// Felt counts what met the effect so far: messages held or dropped, timers and messages that
	// waited at a paused process, connections lost, requests misanswered. 0 means nothing noticed.
	Felt() int
}

// Topology names what runs, in start order.
type Topology struct {
	Processes []Process
	Stores    []Store
}

// Process is one process of the system.
type Process struct {
	Name string // executor-1
	Role string // executor
}

// Store is one store, or one node of it.
type Store struct {
	Name string // paydb, lockdb, etcd-1, paydb-standby
	Kind string // postgres or etcd
}

// Roles of processes.
const (
	RoleLockd      = "lockd"
	RoleProxy      = "proxy"
	RoleRail       = "rail"
	RoleExecutor   = "executor"
	RoleReconciler = "reconciler"
	RoleOperator   = "operator"
	RoleIntake     = "intake"
)

// Store kinds and the stores' names.
const (
	Postgres = "postgres"
	Etcd     = "etcd"

	Paydb  = "paydb"
	Lockdb = "lockdb"
)

// Link is the ordered pair of a client and the server it calls. Requests travel From→To, replies
// To→From. "*" stands for every process or store that there is.
type Link struct {
	From, To string
}

// LinkCondition says what is wrong with a link. The zero value is a healthy link.
type LinkCondition struct {
	// Requests and Replies choose the direction; neither set means both.
	Requests, Replies bool
	// Mode is what happens to a message.
	Mode LinkMode
	// Extra is added to each message's latency in mode Slow.
	Extra time.Duration
	// Count limits the condition to the next so many messages; 0 is no limit.
	Count int
}

// LinkMode is what a link condition does to a message.
type LinkMode string

const (
	// Hold keeps messages until heal (TCP retransmits) or until the stated message lifetime has
	// passed, after which the connection is reset and the message is gone.
	Hold LinkMode = "hold"
	// Drop loses messages silently: the sender waits for its own deadline.
	Drop LinkMode = "drop"
	// Slow delays each message by Extra.
	Slow LinkMode = "slow"
	// Reset delivers nothing and breaks the connection: both sides get an error.
	Reset LinkMode = "reset"
)

// ClockChange is one change to a clock.
type ClockChange struct {
	Step     time.Duration // jump of the wall clock, either sign; the monotonic clock does not jump
	DriftPPM int64         // rate error of both clocks, parts per million, until healed
}

// StoreAct is one way for a store to misbehave.
type StoreAct struct {
	Kind StoreActKind
	// Target names one node for etcd, or one client process for BackendKill; "" picks for itself.
	Target string
	// Loses bounds, for acts that lose data, how far back it goes.
	Loses time.Duration
}

// StoreActKind names a StoreAct.
type StoreActKind string

const (
	// Stall keeps commits from becoming durable until healed (a stalled disk).
	Stall StoreActKind = "stall"
	// Crash ends the store's server at once; healing restarts and recovers it. All sessions die.
	// Acknowledged commits stay, except those of the last Loses: a disk that had lied about them.
	Crash StoreActKind = "crash"
	// Failover promotes the asynchronous standby; commits of the last Loses are gone. The old
	// primary goes on serving whoever still reaches it until healed.
	Failover StoreActKind = "failover"
	// BackendKill terminates the sessions of Target (57P01).
	BackendKill StoreActKind = "backend-kill"
	// LeaderLoss has etcd's leader stand still until healed: unavailable until another is elected,
	// lease TTLs renewed after. A cluster of one is unavailable until healed.
	LeaderLoss StoreActKind = "leader-loss"
	// Restore brings an etcd back from a snapshot Loses old: revisions step back.
	Restore StoreActKind = "restore"
)

// OperatorAct is something a person does to a payout.
type OperatorAct string

const (
	// CancelPayout cancels a payout that is still PENDING.
	CancelPayout OperatorAct = "cancel"
	// PayByHand sends the payout's money by the rail directly, past the proxy (breaks assumption (c)).
	PayByHand OperatorAct = "pay-by-hand"
)
