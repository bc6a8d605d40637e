package runner

import (
	"errors"
	"time"

	"dlsim/history"
	"dlsim/nemesis"
	"dlsim/sim"
	"dlsim/system/config"
)

// World is a world that the runner can drive: nemesis sees the sim.World in it, the runner runs it
// to its end.
type World interface {
	sim.World
	// Run runs to quiescence or the bound. The outcome's events are valid until its Launcher's
	// next Launch.
	Run() sim.Outcome
}

// Setup is what a world is made of. Together with the plan it determines a virtual run.
type Setup struct {
	Seed     uint64
	System   config.Config
	Workload sim.Workload
	Network  sim.Network
	Bound    time.Duration
	// Plan is what will strike, for a world that has to prepare for it.
	Plan nemesis.Plan
	// Claims is who took up which payout in the run to be repeated; a world follows it as far as it
	// can. Only worlds that are no function of the rest have use for it.
	Claims []Claim
	// Course is the history of that run, to whose order such a world keeps as far as it can.
	Course []history.Event
	// Unpreempted lets every task run on at its decision points (virtual world only).
	Unpreempted bool
	// Trace is told every step in words; nil in sweeps, since it is slow.
	Trace func(step, at int64, what string)
}

// Launcher starts worlds of one kind, one after another. It keeps what may be used again, belongs
// to one worker and is closed by it.
type Launcher interface {
	Launch(Setup) (World, error)
	Close()
}

// Launch says which kind of world to run in.
type Launch struct {
	World string          // "virtual" or "live"
	New   func() Launcher // one for each worker
	// Work tells the payouts of a seed's run without running it; nil where that cannot be told.
	Work func(seed uint64, w sim.Workload) []sim.Payout
}

// ErrWorld marks a world that could not start, or fell over for no fault of the scenario.
var ErrWorld = errors.New("the world could not run")
