package scenarios

import (
	"slices"
	"time"

	"dlsim/nemesis"
	"dlsim/system/config"
)

// The assumptions of DESIGN 2.5, as breaks names them.
const (
	NothingLost    = "a" // paydb loses no acknowledged commit
	HorizonCovers  = "b" // the horizon exceeds the longest way from an intent to its money
	OnlyTheProxies = "c" // only the proxy holds the rail's credential
)

func (s *Scenario) breaks(assumption string) bool { return slices.Contains(s.Breaks, assumption) }

// LongestWay is the longest that money can take after its intent has committed, by the rail's
// clock, under the plan: what the horizon must exceed for assumption (b).
func (s *Scenario) LongestWay(p nemesis.Plan) time.Duration {
	return config.HorizonBound(s.Config, s.stretch(p.Exposure(Topology(s.Config))))
}

func (s *Scenario) stretch(e nemesis.Exposure) config.Stretch {
	return config.Stretch{
		ProxyPauses: e.ProxyPauses, RailPauses: e.RailPauses, DriftPPM: e.DriftPPM,
		MessageLife: s.Network.MessageLifetime + e.Delays,
	}
}

// driftLimit is how wrong the rate of a clock may be in random plans.
var driftLimit = config.DefaultStretch.DriftPPM

// budget is how much of the horizon the faults of a random plan may use up.
func (s *Scenario) budget() time.Duration {
	if s.breaks(HorizonCovers) {
		return s.Bound
	}
	straight := config.HorizonBound(s.Config, s.stretch(nemesis.Exposure{}))
	most := s.Reconciler.Horizon - s.Reconciler.Horizon/1e6*time.Duration(2*driftLimit+1)
	return max(0, most-straight-time.Millisecond)
}

func (s *Scenario) limits() nemesis.Limits {
	window := s.Workload.Spread + s.Lock.TTL
	return nemesis.Limits{
		Window: min(window, s.HealBy), HealBy: s.HealBy, Budget: s.budget(), DriftPPM: driftLimit,
		RailMaxDelay: s.Rail.MaxDelay, LeaseTTL: s.Lock.TTL, Payouts: s.Workload.Count(),
	}
}
