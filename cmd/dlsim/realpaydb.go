package main

import (
	"context"
	"fmt"

	"dlsim/runner"
	"dlsim/sim/live/pgloop"
)

// Where the statements of paydb are executed in the virtual world.
const (
	paydbModel = "model"
	paydbReal  = "real"
)

// overPaydb puts the paydb that a person names under a launch. The returned function takes it away
// again.
func overPaydb(ctx context.Context, launch runner.Launch, which string) (runner.Launch, func(), error) {
	switch {
	case which == paydbModel:
		return launch, func() {}, nil
	case which != paydbReal:
		return launch, nil, usage(fmt.Errorf("--paydb %q: there is %s and %s", which, paydbModel, paydbReal))
	case launch.World != runner.Virtual.World:
		return launch, nil, usage(fmt.Errorf("--paydb %s is for the virtual world: the %s world has a real one anyway", which, launch.World))
	}
	server, err := pgloop.Start(ctx)
	if err != nil {
		return launch, nil, fmt.Errorf("%w: %w", runner.ErrWorld, err)
	}
	return runner.VirtualOver(server), server.Close, nil
}
