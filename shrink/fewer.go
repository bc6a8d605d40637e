package shrink

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dlsim/nemesis"
	"dlsim/scenarios"
	"dlsim/sim"
)

// fewest removes from items what still does without: halves first, then ever smaller runs of
// neighbours, until no single item can go.
func fewest[T any](items []T, still func([]T) bool) []T {
	for size := (len(items) + 1) / 2; size >= 1; {
		removed := false
		for at := 0; at < len(items); {
			rest := slices.Delete(slices.Clone(items), at, min(at+size, len(items)))
			if still(rest) {
				items, removed = rest, true
			} else {
				at += size
			}
		}
		if size > 1 {
			size = (size + 1) / 2
		} else if !removed {
			break
		}
	}
	return items
}

// fewerFaults takes faults away: none at all if that will do, else group by group with the same
// luck, then one by one with any.
func (s *search) fewerFaults() bool {
	before := len(s.best.Scenario.Faults)
	set := func(try func(*scenarios.Scenario) bool) func([]nemesis.Fault) bool {
		return func(faults []nemesis.Fault) bool {
			return try(s.with(func(t *scenarios.Scenario) { t.Faults = faults }))
		}
	}
	if before == 0 || set(s.trySeeds)(nil) {
		return before > 0
	}
	fewest(s.best.Scenario.Faults, set(s.try))
	for i := 0; i < len(s.best.Scenario.Faults) && s.err == nil; {
		if !set(s.trySeeds)(slices.Delete(slices.Clone(s.best.Scenario.Faults), i, i+1)) {
			i++
		}
	}
	return len(s.best.Scenario.Faults) < before
}

// plainNumbers numbers the faults from 1, which moves the draws of symbols and nothing else.
func (s *search) plainNumbers() bool {
	for i, f := range s.best.Scenario.Faults {
		if f.ID != i+1 {
			return s.try(s.with(func(t *scenarios.Scenario) {
				for i := range t.Faults {
					t.Faults[i].ID = i + 1
				}
			}))
		}
	}
	return false
}

// fewerProcesses takes processes and nodes of stores away, of each role as many as will do.
func (s *search) fewerProcesses() bool {
	smaller := false
	for _, role := range []struct {
		name  string
		count func(*scenarios.Scenario) *int
	}{
		{sim.RoleExecutor, func(t *scenarios.Scenario) *int { return &t.Topology.Executors }},
		{sim.RoleProxy, func(t *scenarios.Scenario) *int { return &t.Topology.Proxies }},
		{sim.RoleLockd, func(t *scenarios.Scenario) *int { return &t.Topology.Lockds }},
		{sim.Etcd, func(t *scenarios.Scenario) *int { return &t.Topology.EtcdNodes }},
	} {
		for n := 1; n < *role.count(s.best.Scenario) && s.err == nil; n++ {
			if s.leave(role.name, n, role.count) {
				smaller = true
				break
			}
		}
	}
	for _, standby := range []func(*scenarios.Scenario) *bool{
		func(t *scenarios.Scenario) *bool { return &t.Topology.PaydbStandby },
		func(t *scenarios.Scenario) *bool { return &t.Topology.LockdbStandby },
	} {
		if *standby(s.best.Scenario) && s.trySeeds(s.with(func(t *scenarios.Scenario) { *standby(t) = false })) {
			smaller = true
		}
	}
	return smaller
}

// leave tries n processes of a role. Faults on those that go strike those that stay: all the last
// one, or, where there are several, the first.
func (s *search) leave(role string, n int, count func(*scenarios.Scenario) *int) bool {
	for _, heir := range []int{n, 1} {
		if s.trySeeds(s.with(func(t *scenarios.Scenario) {
			*count(t) = n
			for i := range t.Faults {
				bequeath(&t.Faults[i], role, n, heir)
			}
		})) {
			return true
		}
		if n == 1 {
			break
		}
	}
	return false
}

// bequeath renames every process of the role whose number is above n to that of the heir.
func bequeath(f *nemesis.Fault, role string, n, heir int) {
	for _, name := range []*string{&f.Target, &f.From, &f.To, &f.Client, &f.On.Process, &f.On.Owner} {
		number, ok := strings.CutPrefix(*name, role+"-")
		if k, err := strconv.Atoi(number); ok && err == nil && k > n {
			*name = fmt.Sprintf("%s-%d", role, heir)
		}
	}
}

// fewerPayouts takes payouts away.
func (s *search) fewerPayouts() bool {
	before := s.best.Scenario.Workload.Count()
	set := func(try func(*scenarios.Scenario) bool) func([]sim.Payout) bool {
		return func(list []sim.Payout) bool {
			return len(list) > 0 && try(s.with(func(t *scenarios.Scenario) { listed(t, list) }))
		}
	}
	if len(s.best.Scenario.Workload.List) == 0 {
		return false
	}
	for i := 0; i < before && before > 1 && s.err == nil; i++ { // one alone will often do
		if set(s.trySeeds)(s.best.Scenario.Workload.List[i : i+1]) {
			return true
		}
	}
	fewest(s.best.Scenario.Workload.List, set(s.try))
	for i := 0; i < len(s.best.Scenario.Workload.List) && s.err == nil; {
		if !set(s.trySeeds)(slices.Delete(slices.Clone(s.best.Scenario.Workload.List), i, i+1)) {
			i++
		}
	}
	return len(s.best.Scenario.Workload.List) < before
}

// listed makes list the workload, and the counts beside it true.
func listed(t *scenarios.Scenario, list []sim.Payout) {
	t.Workload.List = list
	t.Workload.Payouts, t.Workload.Accounts = len(list), len(t.Workload.AccountNames())
}

// fewerAccounts has all payouts drawn on one account.
func (s *search) fewerAccounts() bool {
	w := &s.best.Scenario.Workload
	if len(w.List) == 0 || len(w.AccountNames()) == 1 {
		return false
	}
	return s.trySeeds(s.with(func(t *scenarios.Scenario) {
		for i := range t.Workload.List {
			t.Workload.List[i].Account = t.Workload.List[0].Account
		}
		listed(t, t.Workload.List)
	}))
}

// earlierPayouts has payouts there from the start.
func (s *search) earlierPayouts() bool {
	smaller := false
	for i := range s.best.Scenario.Workload.List {
		if s.best.Scenario.Workload.List[i].Due > 0 {
			smaller = s.try(s.with(func(t *scenarios.Scenario) { t.Workload.List[i].Due = 0 })) || smaller
		}
	}
	return smaller
}
