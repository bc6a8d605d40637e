package main

import (
	"context"
	"fmt"
	"time"

	"dlsim/runner"
	"dlsim/sim"
	"dlsim/sim/live"
)

// launchIn finds the world that a person names. A live run ends when ctx does.
func (a *app) launchIn(ctx context.Context, world string, servers dsns) (runner.Launch, error) {
	switch {
	case world == "live":
		return runner.Launch{World: world, New: func() runner.Launcher { return &liveWorlds{ctx: ctx, servers: servers} }}, nil
	case world == a.launch.World && servers != (dsns{}):
		return runner.Launch{}, usage(fmt.Errorf("--paydb-dsn and --lockdb-dsn are for --world live: the virtual world has its own PostgreSQL"))
	case world == a.launch.World:
		return a.launch, nil
	}
	return runner.Launch{}, usage(fmt.Errorf("--world %q: there is virtual and live", world))
}

// dsns are the user's own PostgreSQL servers, "" for a private one.
type dsns struct{ paydb, lockdb string }

// liveWorlds launches live worlds, one after another.
type liveWorlds struct {
	ctx     context.Context
	servers dsns
	last    *live.World
}

// readLag is how far a standby trails that is there to be read: a busy one's worth, as one of the
// virtual world's now and then does.
const readLag = 300 * time.Millisecond

// Launch implements runner.Launcher.
func (l *liveWorlds) Launch(s runner.Setup) (runner.World, error) {
	o := live.Options{
		Seed: s.Seed, System: s.System, Workload: s.Workload, Network: s.Network, Bound: s.Bound, Course: s.Course, Trace: s.Trace,
	}
	o.DSN = map[string]string{sim.Paydb: l.servers.paydb, sim.Lockdb: l.servers.lockdb}
	for _, f := range s.Plan.Faults {
		switch f.Kind {
		case "failover":
			o.Lag = max(o.Lag, f.Loses)
		case "clock-step", "clock-drift":
			o.StoreClocks = true
		}
	}
	o.CrashLoses = s.Plan.CrashLoses()
	if o.Lag == 0 {
		o.Lag = readLag // only standbys that are read, if there is one
	}
	for _, c := range s.Claims {
		o.Claims = append(o.Claims, live.Claim{Payout: c.Payout, Account: c.Account, Executor: c.Executor})
	}
	w, err := live.New(l.ctx, o)
	if err != nil {
		return nil, err
	}
	l.last = w
	return w, nil
}

// Close implements runner.Launcher. A world that was run has closed itself.
func (l *liveWorlds) Close() {
	if l.last != nil {
		l.last.Close()
	}
}
