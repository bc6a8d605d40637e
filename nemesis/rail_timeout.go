package nemesis

// railTimeout has the rail take requests and neither pay nor answer. Its callers cannot tell that
// from money moved in silence.
var railTimeout = Kind{
	Name:    "rail-timeout",
	Short:   "the rail does not answer",
	Colour:  "#884ea0",
	Params:  []Param{Target, For, Count},
	Needs:   []Param{For},
	Bites:   "It bites when a payment was asked for meanwhile.",
	targets: rails,
	strike:  func(s *strike) error { return s.instruct("timeout") },
	bit:     misanswered,
	draw:    misbehave,
	place:   aroundRail,
}
