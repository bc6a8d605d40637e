package nemesis

import (
	"math/rand"
	"slices"
	"time"

	"dlsim/sim"
)

// The tables that durations and amounts are drawn from. They are integers because float
// arithmetic need not agree between processors; most are spread by factors, so that short and long
// are equally likely.
var (
	pauseLengths = durations(20, 60, 150, 400, 1000, 2000, 4000)
	overruns     = durations(800, 2000, 4000)         // of a lease: long enough for somebody else to take over
	stretches    = durations(2000, 5000, 9000, 30000) // the last one takes what the horizon has left
	downtimes    = durations(50, 200, 500, 1000, 2000, 4000)
	outages      = durations(100, 300, 800, 1500, 3000, 5000)
	elections    = durations(500, 1500, 2500, 3500, 5000) // one takes one to two seconds
	delays       = durations(5, 20, 80, 250, 600, 1200, 2500)
	restartGaps  = durations(100, 300, 700, 1500)
	losses       = durations(50, 200, 500, 1000, 2000)
	steps        = durations(50, 500, 2000, 6000, 30000, 3600000)
	driftsPPM    = []int64{50, 100, 200, 500, 1000}
)

func durations(milliseconds ...int64) []time.Duration {
	ds := make([]time.Duration, len(milliseconds))
	for i, ms := range milliseconds {
		ds[i] = time.Duration(ms) * time.Millisecond
	}
	return ds
}

// processRoles are those whose processes random faults strike without being told to. The operator
// does nothing by itself, and the intake's work can only come late.
var processRoles = []string{sim.RoleExecutor, sim.RoleProxy, sim.RoleLockd, sim.RoleReconciler, sim.RoleRail}

// drawing is one fault being drawn.
type drawing struct {
	topology sim.Topology
	limits   Limits
	all      []route // links of the system
	routes   []route // those that the share leaves
	asked
	rand *rand.Rand

	kept, names, roles []string // scratch of able and ofOneRole
}

// ready reports whether the topology has anything for the kind to strike.
func (d *drawing) ready() bool {
	if d.kind.targets == nil {
		d.routes = d.routes[:0]
		for _, r := range d.all {
			if len(d.share.Targets) == 0 || slices.Contains(d.share.Targets, r.from) || slices.Contains(d.share.Targets, r.to) {
				d.routes = append(d.routes, r)
			}
		}
		return len(d.routes) > 0
	}
	return len(d.able()) > 0
}

// able lists what the kind may strike under the share's limits. The list is valid until the next
// call.
func (d *drawing) able(roles ...string) []string {
	if len(d.share.Targets) > 0 {
		roles = d.share.Targets
	}
	if len(roles) == 0 {
		return d.targets
	}
	d.kept = d.kept[:0]
	for _, name := range d.targets {
		if slices.Contains(roles, name) || slices.Contains(roles, roleOf(d.topology, name)) {
			d.kept = append(d.kept, name)
		}
	}
	return d.kept
}

// target draws what to strike: of the given roles or names, or of those that suit a kind of fault
// that strikes processes.
func (d *drawing) target(roles ...string) string {
	able := d.able(roles...)
	if len(roles) == 0 && roleOf(d.topology, able[0]) != "" {
		able = d.able(processRoles...)
	}
	return d.oneOf(d.ofOneRole(able))
}

// ofOneRole keeps one role's names, so that who is alone in its role is struck as often as all of a
// larger one together. Stores count as one role.
func (d *drawing) ofOneRole(names []string) []string {
	d.roles, d.names = d.roles[:0], d.names[:0]
	for _, name := range names {
		if role := roleOf(d.topology, name); !slices.Contains(d.roles, role) {
			d.roles = append(d.roles, role)
		}
	}
	role := d.oneOf(d.roles)
	for _, name := range names {
		if roleOf(d.topology, name) == role {
			d.names = append(d.names, name)
		}
	}
	return d.names
}

func (d *drawing) below(n int) int { return int(d.rand.Int63n(int64(n))) }

func (d *drawing) chance(percent int64) bool { return d.rand.Int63n(100) < percent }

func (d *drawing) oneOf(names []string) string { return names[d.below(len(names))] }

func (d *drawing) number(table []int64) int64 { return table[d.below(len(table))] }

// duration draws from a table, give or take a third.
func (d *drawing) duration(table []time.Duration) time.Duration {
	typical := table[d.below(len(table))]
	around := typical*2/3 + time.Duration(d.rand.Int63n(int64(typical)*2/3))
	return around.Round(time.Millisecond)
}

// moment draws a time to strike.
func (d *drawing) moment() time.Duration {
	return time.Duration(d.rand.Int63n(int64(d.limits.Window))).Truncate(time.Millisecond)
}

// nth draws which of a row of events to wait for.
func (d *drawing) nth() int { return 1 + d.below(max(d.limits.Payouts, 1)) }
