package nemesis

import (
	"time"

	"dlsim/history"
	"dlsim/sim"
)

// Exposure is how far a plan stretches the time between an intent's commit and the money it
// announces: the terms of assumption (b) in DESIGN 2.5 that are a plan's doing, at their worst.
type Exposure struct {
	// ProxyPauses is the longest that any one proxy stands still, all its pauses together.
	ProxyPauses time.Duration
	// RailPauses is the same of the rail, its clock's steps included: either eats up the horizon.
	RailPauses time.Duration
	// Delays is what slow links add to the life of a message from a proxy to the rail.
	Delays time.Duration
	// DriftPPM is the largest rate error of one clock, all its drifts together.
	DriftPPM int64
}

// exposes reports whether a kind counts.
func exposes(kind string) bool {
	switch kind {
	case pause.Name, clockStep.Name, clockDrift.Name, slow.Name, delayRequest.Name:
		return true
	}
	return false
}

// Total is the time that the exposure takes out of the horizon, drift apart.
func (e Exposure) Total() time.Duration { return e.ProxyPauses + e.RailPauses + e.Delays }

// Exposure sums up the plan over topology t. A symbol counts for everything it can stand for.
func (p Plan) Exposure(t sim.Topology) Exposure {
	var e Exposure
	for _, process := range t.Processes {
		var paused time.Duration
		var drift int64
		for i := range p.Faults {
			f := &p.Faults[i]
			if !exposes(f.Kind) || !canBe(t, f, process) {
				continue
			}
			switch f.Kind {
			case pause.Name:
				paused += f.For
			case clockStep.Name:
				if process.Role == sim.RoleRail {
					paused += f.Step.Abs()
				}
			case clockDrift.Name:
				drift += max(f.DriftPPM, -f.DriftPPM)
			}
		}
		switch process.Role {
		case sim.RoleProxy:
			e.ProxyPauses = max(e.ProxyPauses, paused)
		case sim.RoleRail:
			e.RailPauses = max(e.RailPauses, paused)
		}
		e.DriftPPM = max(e.DriftPPM, drift)
	}
	for i := range p.Faults {
		f := &p.Faults[i]
		if (f.Kind == slow.Name || f.Kind == delayRequest.Name) && reachesRail(t, f) && f.Way != WayReplies {
			e.Delays += f.Extra
		}
	}
	return e
}

// canBe reports whether the fault may come to strike the process.
func canBe(t sim.Topology, f *Fault, process sim.Process) bool {
	switch f.Target {
	case process.Name:
		return true
	case Actor:
		return canRecord(t, f.On, process)
	}
	return symbolRoles[f.Target] == process.Role && process.Role != ""
}

// canRecord reports whether the process can be whom the trigger's event is about.
func canRecord(t sim.Topology, on Trigger, process sim.Process) bool {
	if on.Process != "" && (exists(t, on.Process) || isGroup(t, on.Process)) &&
		on.Process != process.Name && on.Process != process.Role {
		return false
	}
	switch on.Event {
	case history.ProcessStarted, history.ProcessKilled, history.ProcessPaused, history.ProcessResumed:
		return true
	case history.ProxyAdmit, history.RailForward, history.ProxyOutcome, history.RailVoid, history.DuplicateAttempted, history.PaydbUnavailable:
		return process.Role == sim.RoleProxy
	case history.RailReceived, history.RailPaid, history.RailVoided, history.RailRotated:
		return process.Role == sim.RoleRail
	}
	return process.Role != sim.RoleProxy && process.Role != sim.RoleRail
}

// reachesRail reports whether the fault's link can carry a proxy's request to the rail.
func reachesRail(t sim.Topology, f *Fault) bool {
	from := f.From == Everyone || f.From == sim.RoleProxy || f.From == AnyProxy || f.From == Actor ||
		roleOf(t, f.From) == sim.RoleProxy
	to := f.To == Everyone || f.To == sim.RoleRail || f.To == Actor || roleOf(t, f.To) == sim.RoleRail
	return from && to
}
