package main

import (
	"context"
	"fmt"

	"dlsim/runner"
	"dlsim/sim/live"
)

// launchIn finds the world that a person names. A live run ends when ctx does.
func (a *app) launchIn(ctx context.Context, world string) (runner.Launch, error) {
	switch world {
	case a.launch.World:
		return a.launch, nil
	case "live":
		return runner.Launch{World: world, New: func() runner.Launcher { return &liveWorlds{ctx: ctx} }}, nil
	}
	return runner.Launch{}, usage(fmt.Errorf("--world %q: there is virtual and live", world))
}

// liveWorlds launches live worlds, one after another.
type liveWorlds struct {
	ctx  context.Context
	last *live.World
}

// Launch implements runner.Launcher.
func (l *liveWorlds) Launch(s runner.Setup) (runner.World, error) {
	o := live.Options{
		Seed: s.Seed, System: s.System, Workload: s.Workload, Network: s.Network, Bound: s.Bound, Trace: s.Trace,
	}
	for _, f := range s.Plan.Faults {
		o.Lag = max(o.Lag, f.Loses)
		o.StoreClocks = o.StoreClocks || f.Kind == "clock-step"
	}
	if len(s.Claims) > 0 {
		o.Claims = map[string][]string{}
	}
	for _, c := range s.Claims {
		o.Claims[c.Executor] = append(o.Claims[c.Executor], c.Payout)
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
