// Package live is the world of OS processes: the same system code as in the virtual world, over
// real etcd, real PostgreSQL, real sockets and real signals.
//
// The harness is the one that orders the history. A process that records an event writes it to its
// own file, hands it over, and waits to be let go; so whatever a process does after an event comes
// after it, and a fault that waits for the event strikes before the process takes another step.
// What the stores did is read from their own records (audit triggers, a watch) before the harness
// takes up any answer that could have followed from it; docs/live.md says what that order means.
package live

import (
	"context"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/system/config"
)

// Options describe one run of the live world.
type Options struct {
	Seed     uint64
	System   config.Config
	Workload sim.Workload
	Network  sim.Network
	Bound    time.Duration // the run ends then at the latest
	// Lag is how far the standbys trail, where there are any: the most that a failover can lose.
	Lag time.Duration
	// CrashLoses is the most that a crash of a database may lose; 0 where none loses anything.
	CrashLoses time.Duration
	// StoreClocks has the databases' clocks settable, where libfaketime is installed.
	StoreClocks bool
	// DSN names, by store, a PostgreSQL server of the user's to use in place of a private one.
	DSN map[string]string
	// Claims are those of the run that is repeated, in order; executors follow them as far as they can.
	Claims []Claim
	// Course is the history of that run, whose order the processes keep to as far as they can.
	Course []history.Event
	// Trace is told in words what the harness does; nil tells nobody.
	Trace func(step, at int64, what string)
}

// UnsupportedError says that this world, or this world here, cannot do what was asked of it. A run
// that needs it is inconclusive.
type UnsupportedError struct {
	Act string // what was asked for
	Why string
}

func (e *UnsupportedError) Error() string {
	return "the live world cannot do this: " + e.Act + ": " + e.Why
}

// startBound is how long the stores and the processes may take to come up. They need a second or two;
// a machine that does much else at the time has been seen to take a minute.
const startBound = 2 * time.Minute

// New builds a world: stores with their schema, links, and processes that wait for the run to
// begin. When ctx ends the run ends. Call Close when the world will not be run; Run closes it.
func New(ctx context.Context, o Options) (*World, error) {
	w, err := newWorld(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := w.build(); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}
