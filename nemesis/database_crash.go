package nemesis

import (
	"errors"
	"time"

	"dlsim/sim"
)

// databaseCrash ends a PostgreSQL server at once; it recovers when it heals. Sessions die and
// commits whose answer was on its way leave their clients not knowing. With Loses its disk had
// lied: acknowledged commits of that long are gone (against assumption (a) of DESIGN 2.5 where it
// is paydb). Random crashes lose nothing.
var databaseCrash = Kind{
	Name:    "database-crash",
	Short:   "a database dies and recovers",
	Colour:  "#922b21",
	Params:  []Param{Target, For, Loses},
	Needs:   []Param{Target, For},
	Bites:   "A crash bites when a session died of it or a client met the dead server; with `loses`, when a commit that had been acknowledged is gone.",
	targets: primaries,
	check: func(f Fault, t sim.Topology) error {
		if f.Loses > 0 && exists(t, f.Target+standbySuffix) {
			return errors.New(f.Target + " has a standby, which has what the disk lost: use failover")
		}
		return nil
	},
	strike: func(s *strike) error {
		return s.act(s.target(), sim.StoreAct{Kind: sim.Crash, Loses: s.resolved.Loses})
	},
	see: countLost,
	bit: func(s *strike) (bool, string) {
		if s.resolved.Loses > 0 {
			return forgot(s)
		}
		return felt(s)
	},
	draw:  func(d *drawing) Fault { return Fault{Target: d.target(), For: d.duration(downtimes)} },
	place: aroundStore,
}

// CrashLoses is the longest time by which a database's crash takes acknowledged commits with it; a
// world may have to be prepared for it.
func (p Plan) CrashLoses() (longest time.Duration) {
	for _, f := range p.Faults {
		if f.Kind == databaseCrash.Name {
			longest = max(longest, f.Loses)
		}
	}
	return longest
}
