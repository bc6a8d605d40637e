package nemesis

import "time"

// railLate has the rail move the money later than its caller waits; with way replies it moves the
// money at once and only answers late.
var railLate = Kind{
	Name:    "rail-late",
	Short:   "the rail pays late",
	Colour:  "#af7ac5",
	Params:  []Param{Target, For, Extra, Way, Count},
	Needs:   []Param{For, Extra},
	Bites:   "It bites when a payment was asked for meanwhile.",
	targets: rails,
	strike: func(s *strike) error {
		how := "late "
		if s.resolved.Way == WayReplies {
			how = "slow "
		}
		return s.instruct(how + FormatDuration(s.resolved.Extra))
	},
	bit: misanswered,
	draw: func(d *drawing) Fault {
		f := misbehave(d)
		f.Extra = min(d.duration(delays)*4, d.limits.RailMaxDelay)
		f.Extra = max(f.Extra, time.Millisecond)
		f.Way = d.oneOf([]string{"", WayReplies})
		return f
	},
	place: aroundRail,
}
