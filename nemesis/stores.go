package nemesis

import (
	"fmt"

	"dlsim/history"
	"dlsim/sim"
)

// act has a store misbehave.
func (s *strike) act(store string, a sim.StoreAct) error {
	return s.stand(s.n.world.Store(store, a))
}

// primaries lists the PostgreSQL servers that clients speak to: no standbys.
func primaries(t sim.Topology) []string {
	names := make([]string, 0, len(t.Stores))
	for _, s := range t.Stores {
		if s.Kind == sim.Postgres && (s.Name == sim.Paydb || s.Name == sim.Lockdb) {
			names = append(names, s.Name)
		}
	}
	return names
}

// countLost counts what a store comes back without: the rows of one loss are recorded together.
func countLost(s *strike, e *history.Event) {
	if e.Truth && e.Note == history.Lost {
		s.lost++
	}
}

// forgot is the rule of what loses data: something acknowledged is gone.
func forgot(s *strike) (bool, string) {
	if s.lost == 0 {
		return false, "no acknowledged write was lost"
	}
	return true, fmt.Sprintf("%d rows came back older", s.lost)
}
