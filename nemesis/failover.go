package nemesis

import "dlsim/sim"

// failover promotes a database's asynchronous standby: the commits that had not reached it are
// gone, though they were acknowledged (against assumption (a) of DESIGN 2.5 where it is paydb).
var failover = Kind{
	Name:      "failover",
	Short:     "a standby takes over without the last commits",
	Colour:    "#7b241c",
	Params:    []Param{Target, For, Loses},
	Needs:     []Param{Target, For, Loses},
	LosesData: true,
	Bites:     "A failover bites when a commit that had been acknowledged is gone.",
	targets: func(t sim.Topology) []string {
		var able []string
		for _, p := range primaries(t) {
			if exists(t, p+standbySuffix) {
				able = append(able, p)
			}
		}
		return able
	},
	strike: func(s *strike) error {
		return s.act(s.target(), sim.StoreAct{Kind: sim.Failover, Loses: s.resolved.Loses})
	},
	see: countLost,
	bit: forgot,
	draw: func(d *drawing) Fault {
		return Fault{Target: d.target(), For: d.duration(downtimes), Loses: d.duration(losses)}
	},
	place: aroundStore,
}

const standbySuffix = "-standby"
