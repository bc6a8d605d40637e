package runner

import (
	"dlsim/sim/virtual"
)

// Virtual launches virtual worlds.
var Virtual = Launch{World: "virtual", New: func() Launcher { return virtualWorlds{cache: virtual.NewCache()} }, Work: virtual.Work}

type virtualWorlds struct {
	cache *virtual.Cache
	paydb virtual.Postgres // nil is the model
}

func (v virtualWorlds) Close() { v.cache.Close() }

func (v virtualWorlds) Launch(s Setup) (World, error) {
	if v.paydb != nil {
		if err := offPaydb(s.Plan); err != nil {
			return nil, err
		}
	}
	return virtual.New(virtual.Options{
		Seed: s.Seed, System: s.System, Workload: s.Workload, Network: s.Network, Bound: s.Bound,
		Unpreempted: s.Unpreempted, KeepCommits: s.Plan.CrashLoses() > 0, Paydb: v.paydb, Cache: v.cache, Trace: s.Trace,
	})
}
