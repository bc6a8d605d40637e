package nemesis

import "dlsim/sim"

// databaseCrash ends a PostgreSQL server at once; it recovers when it heals. Sessions die and
// commits whose answer was on its way leave their clients not knowing.
var databaseCrash = Kind{
	Name:    "database-crash",
	Short:   "a database dies and recovers",
	Colour:  "#922b21",
	Params:  []Param{Target, For},
	Needs:   []Param{Target, For},
	Bites:   "A crash bites when a session died of it or a client met the dead server.",
	targets: primaries,
	strike: func(s *strike) error {
		return s.act(s.target(), sim.StoreAct{Kind: sim.Crash})
	},
	bit:   felt,
	draw:  func(d *drawing) Fault { return Fault{Target: d.target(), For: d.duration(downtimes)} },
	place: aroundStore,
}
