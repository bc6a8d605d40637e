package runner

import (
	"fmt"

	"dlsim/nemesis"
	"dlsim/sim"
	"dlsim/sim/virtual"
)

// VirtualOver launches virtual worlds that run paydb's statements on a real server, for one worker.
// A seed gives the same history as in Virtual.
func VirtualOver(paydb virtual.Postgres) Launch {
	return Launch{
		World: Virtual.World, Work: Virtual.Work,
		New: func() Launcher { return virtualWorlds{cache: virtual.NewCache(), paydb: paydb} },
	}
}

// offPaydb refuses a plan that would take a real paydb away, or set its clock: both are virtual.
func offPaydb(p nemesis.Plan) error {
	for _, f := range p.Faults {
		if f.Target != sim.Paydb {
			continue
		}
		switch f.Kind {
		case "database-crash", "failover", "kill", "restart", "clock-step", "clock-drift":
			return fmt.Errorf("fault %d: a real paydb cannot be struck by %s; leave it out, or run with --paydb model", f.ID, f.Kind)
		}
	}
	return nil
}
