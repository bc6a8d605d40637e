package nemesis

import (
	"slices"
	"strings"

	"dlsim/sim"
)

// Symbols that stand for a process until the fault strikes.
const (
	// Holder is the executor that holds the lock of the account which the trigger's event names,
	// or any lock at all. Where nobody holds one, the strike waits until somebody does.
	Holder = "holder"
	// Leader is the etcd node that leads.
	Leader = "leader"
	// Actor is the process that recorded the trigger's event.
	Actor       = "actor"
	AnyProxy    = "any-proxy"
	AnyExecutor = "any-executor"
	AnyLockd    = "any-lockd"

	// Everyone is every process and store, at one end of a link.
	Everyone = "*"
)

var symbols = []string{Holder, Leader, Actor, AnyProxy, AnyExecutor, AnyLockd}

// symbolRoles gives the role of the processes that a symbol can stand for, where there is one.
var symbolRoles = map[string]string{
	Holder: sim.RoleExecutor, AnyProxy: sim.RoleProxy, AnyExecutor: sim.RoleExecutor, AnyLockd: sim.RoleLockd,
}

// names reports whether an end of the fault is this symbol.
func (f *Fault) names(symbol string) bool {
	return f.Target == symbol || f.From == symbol || f.To == symbol || f.Client == symbol
}

func isSymbol(name string) bool {
	for _, s := range symbols {
		if s == name {
			return true
		}
	}
	return false
}

func exists(t sim.Topology, name string) bool {
	for _, p := range t.Processes {
		if p.Name == name {
			return true
		}
	}
	for _, s := range t.Stores {
		if s.Name == name {
			return true
		}
	}
	return false
}

func namesOf(t sim.Topology) []string {
	names := make([]string, 0, len(t.Processes)+len(t.Stores))
	for _, p := range t.Processes {
		names = append(names, p.Name)
	}
	for _, s := range t.Stores {
		names = append(names, s.Name)
	}
	return names
}

// withRole lists the processes of the given roles, in start order; no role means all processes.
func withRole(t sim.Topology, roles ...string) []string {
	names := make([]string, 0, len(t.Processes))
	for _, p := range t.Processes {
		if len(roles) == 0 {
			names = append(names, p.Name)
		}
		for _, r := range roles {
			if p.Role == r {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

// storesOf lists the stores of one kind.
func storesOf(t sim.Topology, kind string) []string {
	names := make([]string, 0, len(t.Stores))
	for _, s := range t.Stores {
		if s.Kind == kind {
			names = append(names, s.Name)
		}
	}
	return names
}

// isGroup reports whether name stands for several at once: a role, or all nodes of etcd.
func isGroup(t sim.Topology, name string) bool {
	if name == sim.Etcd {
		return slices.ContainsFunc(t.Stores, func(s sim.Store) bool { return s.Kind == sim.Etcd })
	}
	return name != "" && slices.ContainsFunc(t.Processes, func(p sim.Process) bool { return p.Role == name })
}

func members(t sim.Topology, group string) []string {
	if group == sim.Etcd {
		return storesOf(t, sim.Etcd)
	}
	if group == "" {
		return nil
	}
	return withRole(t, group)
}

func roleOf(t sim.Topology, process string) string {
	for _, p := range t.Processes {
		if p.Name == process {
			return p.Role
		}
	}
	return ""
}

func listed(names []string) string { return strings.Join(names, ", ") }

// resolve makes a name of what a fault calls its target. ok is false where nobody fits now.
func (s *strike) resolve(name, purpose string) (string, bool) {
	switch name {
	case Holder:
		held := s.n.watch.holders(s.event.Account, s.n.world.Elapsed())
		if len(held) == 0 {
			return "", false
		}
		return held[s.pick(purpose, len(held))], true
	case Actor:
		if p := s.n.watch.ownerProcess(&s.event); p != "" {
			return p, true
		}
		return s.event.Process, true
	case AnyProxy, AnyExecutor, AnyLockd:
		names := withRole(s.n.topology, symbolRoles[name])
		return names[s.pick(purpose, len(names))], true
	}
	return name, true
}
