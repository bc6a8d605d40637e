package nemesis

// railDecline has the rail refuse: no money moves, and it says so.
var railDecline = Kind{
	Name:    "rail-decline",
	Short:   "the rail declines",
	Colour:  "#d2b4de",
	Params:  []Param{Target, For, Count},
	Needs:   []Param{For},
	Bites:   "It bites when a payment was asked for meanwhile.",
	targets: rails,
	strike:  func(s *strike) error { return s.instruct("decline") },
	bit:     misanswered,
	draw:    misbehave,
	place:   aroundRail,
}
