package nemesis

import (
	"fmt"

	"dlsim/sim"
)

// The ways of a network fault.
const (
	WayBoth     = "both"
	WayRequests = "requests" // from the client to the server
	WayReplies  = "replies"  // back
)

// condition puts c on every link that the fault's ends name.
func (s *strike) condition(c sim.LinkCondition) error {
	switch s.resolved.Way {
	case WayRequests:
		c.Requests = true
	case WayReplies:
		c.Replies = true
	}
	c.Count = s.resolved.Count
	for _, from := range s.end(s.resolved.From) {
		for _, to := range s.end(s.resolved.To) {
			if from == to && from != Everyone {
				continue
			}
			if err := s.stand(s.n.world.Condition(sim.Link{From: from, To: to}, c)); err != nil {
				return fmt.Errorf("%s > %s: %w", from, to, err)
			}
		}
	}
	return nil
}

// end lists the names at one end of a link; a group gives all its members.
func (s *strike) end(name string) []string {
	if group := members(s.n.topology, name); len(group) > 0 {
		return group
	}
	return []string{name}
}

// route is a link that the system uses, by role at the client's end.
type route struct {
	from string // role
	to   string // role, store or group
}

// routes lists the links of the system that exist in t.
func routes(t sim.Topology) []route {
	all := []route{
		{sim.RoleExecutor, sim.RoleLockd}, {sim.RoleExecutor, sim.RoleProxy}, {sim.RoleExecutor, sim.Paydb},
		{sim.RoleProxy, sim.Paydb}, {sim.RoleProxy, sim.RoleRail},
		{sim.RoleLockd, sim.Etcd}, {sim.RoleLockd, sim.Lockdb},
		{sim.RoleReconciler, sim.RoleLockd}, {sim.RoleReconciler, sim.RoleProxy}, {sim.RoleReconciler, sim.Paydb},
	}
	there := all[:0]
	for _, r := range all {
		if isGroup(t, r.from) && (isGroup(t, r.to) || exists(t, r.to)) {
			there = append(there, r)
		}
	}
	return there
}

// link draws a link of the system: one client, or all of a role, and one server, or all.
func (d *drawing) link() Fault {
	r := d.routes[d.below(len(d.routes))]
	f := Fault{From: r.from, To: r.to}
	if d.chance(75) {
		f.From = d.oneOf(withRole(d.topology, r.from))
	}
	if servers := members(d.topology, r.to); len(servers) > 0 && d.chance(75) {
		f.To = d.oneOf(servers)
	}
	return f
}
