package runner

import (
	"dlsim/sim/virtual"
)

// Virtual launches virtual worlds.
var Virtual = Launch{World: "virtual", New: func() Launcher { return virtualWorlds{virtual.NewCache()} }, Work: virtual.Work}

type virtualWorlds struct{ cache *virtual.Cache }

func (v virtualWorlds) Close() { v.cache.Close() }

func (v virtualWorlds) Launch(s Setup) (World, error) {
	return virtual.New(virtual.Options{
		Seed: s.Seed, System: s.System, Workload: s.Workload, Network: s.Network, Bound: s.Bound,
		Unpreempted: s.Unpreempted, Cache: v.cache, Trace: s.Trace,
	})
}
