package shrink

import (
	"slices"

	"dlsim/history"
	"dlsim/nemesis"
	"dlsim/scenarios"
	"dlsim/sim"
)

// plainerTriggers looks, fault by fault, for a plainer word on when it strikes: an event rather than
// a time, nothing after it, the first such event of anyone, and whoever recorded it as the target.
func (s *search) plainerTriggers() bool {
	smaller := false
	for i := 0; i < len(s.best.Scenario.Faults) && s.err == nil; i++ {
		for s.plainer(i) && s.err == nil {
			smaller = true
		}
	}
	return smaller
}

func (s *search) plainer(i int) bool {
	f := s.best.Scenario.Faults[i]
	candidates := s.rewordings(f)
	slices.SortStableFunc(candidates, func(a, b nemesis.Fault) int { return wordy(a) - wordy(b) })
	for n, c := range candidates {
		if wordy(c) >= wordy(f) || slices.Contains(candidates[:n], c) {
			continue
		}
		if s.tryFew(s.with(func(t *scenarios.Scenario) { t.Faults[i] = c })) {
			return true
		}
	}
	return false
}

// wordy weighs what a person has to take in to know when and whom a fault strikes.
func wordy(f nemesis.Fault) int {
	w := 0
	if f.On.IsZero() && f.At > 0 {
		w += 100 // a time means nothing elsewhere
	}
	if f.After > 0 {
		w += 20
	}
	for _, set := range []bool{f.On.Process != "", f.On.Owner != "", f.On.Account != "", f.On.Payout != "", f.On.State != ""} {
		if set {
			w += 3
		}
	}
	if f.On.Nth > 1 {
		w += f.On.Nth
	}
	if !f.On.IsZero() {
		w++
	}
	switch f.Target {
	case "", nemesis.Actor, nemesis.Holder:
	default:
		w += 2
	}
	return w
}

// telling are the events that most violations hang on, by the role of who records them.
var telling = []struct {
	role string
	on   nemesis.Trigger
}{
	{sim.RoleExecutor, at(history.PayoutSubmit, history.Invoke)},
	{sim.RoleExecutor, at(history.PayoutClaim, history.OK)},
	{sim.RoleExecutor, at(history.LockAcquire, history.OK)},
	{sim.RoleExecutor, at(history.PayoutPost, history.Invoke)},
	{sim.RoleProxy, at(history.ProxyAdmit, history.OK)},
	{sim.RoleProxy, at(history.RailForward, history.Invoke)},
	{sim.RoleProxy, at(history.RailForward, history.OK)},
}

func at(op history.Op, kind history.Kind) nemesis.Trigger {
	return nemesis.Trigger{Event: op, Kind: kind.String()}
}

// rewordings are other ways to say when f strikes, plainer or not.
func (s *search) rewordings(f nemesis.Fault) []nemesis.Fault {
	var all []nemesis.Fault
	add := func(change func(*nemesis.Fault)) {
		g := f
		change(&g)
		all = append(all, g)
	}
	struck := s.struck(f.ID)
	if f.On.IsZero() && struck != nil {
		add(func(g *nemesis.Fault) { g.At = 0 })
		if e := struck.Explicit(); !e.On.IsZero() {
			for _, after := range []bool{false, true} {
				g := f
				g.At, g.On = 0, e.On
				if after {
					g.After = e.After
				}
				all = append(all, g, generally(g, struck.Target))
			}
		}
	}
	role := ""
	if struck != nil {
		role = roleOf(s.best.Scenario, struck.Target)
	}
	for _, m := range telling {
		if f.Target == "" || m.role == role {
			add(func(g *nemesis.Fault) {
				g.At, g.After, g.On = 0, 0, m.on
				if f.Target != "" {
					g.Target = nemesis.Actor
				}
			})
		}
	}
	if f.On.IsZero() {
		return all
	}
	add(func(g *nemesis.Fault) { g.After = 0 })
	for n := 1; n < f.On.Nth; n++ {
		add(func(g *nemesis.Fault) { g.On.Nth = n })
	}
	add(func(g *nemesis.Fault) { g.On.Process = "" })
	add(func(g *nemesis.Fault) { g.On.Process, g.On.Nth = "", 0 })
	add(func(g *nemesis.Fault) { g.On.Owner, g.On.Account, g.On.Payout, g.On.State = "", "", "", "" })
	if struck != nil {
		all = append(all, generally(f, struck.Target))
	}
	for i := range all {
		if all[i].On.Nth == 1 {
			all[i].On.Nth = 0 // the first needs no number
		}
	}
	return all
}

// generally strikes whoever records the event, where that is the target.
func generally(f nemesis.Fault, target string) nemesis.Fault {
	if f.Target != "" && f.On.Process == target {
		f.Target, f.On.Process = nemesis.Actor, ""
	}
	return f
}

// struck is what became of a fault in the best run, or nil if it did not strike.
func (s *search) struck(id int) *nemesis.Result {
	for i := range s.seen.Faults {
		if r := &s.seen.Faults[i]; r.Fault.ID == id && r.Struck {
			return r
		}
	}
	return nil
}

func roleOf(s *scenarios.Scenario, process string) string {
	for _, p := range scenarios.Topology(s.Config).Processes {
		if p.Name == process {
			return p.Role
		}
	}
	return ""
}
