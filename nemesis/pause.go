package nemesis

import (
	"fmt"

	"dlsim/sim"
)

// pause freezes a process wherever it is: a stopped garbage collector, a frozen VM, a swapped-out
// page. It is the fault that makes stale holders.
var pause = Kind{
	Name:   "pause",
	Short:  "a process stands still",
	Colour: "#d9a441",
	Params: []Param{Target, For},
	Needs:  []Param{Target, For},
	Bites: "A pause of a process that holds a lock bites when that lease ran out before it went on: by the " +
		"store's word, by the next grant, or by its time. Another pause bites when a message or a timer waited.",
	targets: func(t sim.Topology) []string { return withRole(t) },
	strike:  func(s *strike) error { return s.stand(s.n.world.Pause(s.target())) },
	bit: func(s *strike) (bool, string) {
		if len(s.grants) == 0 {
			return felt(s)
		}
		now := s.n.world.Elapsed()
		released := 0
		for _, g := range s.grants {
			if g.leaseRanOut(now) {
				return true, fmt.Sprintf("its lease on %s (token %d) ran out", g.account, g.token)
			}
			if g.over {
				released++
			}
		}
		if released == len(s.grants) {
			return false, "what it held was released before the lease ran out"
		}
		return false, fmt.Sprintf("its lease on %s (token %d) outlasted it", s.grants[0].account, s.grants[0].token)
	},
	draw: func(d *drawing) Fault {
		f := Fault{Target: d.target(), For: d.duration(pauseLengths)}
		if d.chance(60) && len(d.able(sim.RoleExecutor)) > 0 {
			f.Target = d.target(sim.RoleExecutor) // only executors go stale
		}
		switch {
		case d.chance(50):
		case roleOf(d.topology, f.Target) == sim.RoleExecutor:
			f.For = d.limits.LeaseTTL + d.duration(overruns)
		case roleOf(d.topology, f.Target) == sim.RoleProxy:
			f.For = d.limits.LeaseTTL + d.duration(stretches) // as far as the horizon allows
		default:
			f.For += d.limits.LeaseTTL // long enough to lose a lease
		}
		return f
	},
	place: func(d *drawing, f Fault) []placement {
		if f.For > d.limits.LeaseTTL && roleOf(d.topology, f.Target) == sim.RoleExecutor && d.chance(80) {
			if d.chance(25) {
				return beforeWrites
			}
			return beforeSends
		}
		if f.For > d.limits.LeaseTTL && roleOf(d.topology, f.Target) == sim.RoleProxy && d.chance(80) {
			return beforeForwards
		}
		return aroundProcess(d, f)
	},
}
