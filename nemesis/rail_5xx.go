package nemesis

// railExecute5xx has the rail move the money and answer that it failed.
var railExecute5xx = Kind{
	Name:    "rail-execute-then-5xx",
	Short:   "the rail pays and says it failed",
	Colour:  "#9b59b6",
	Params:  []Param{Target, For, Count},
	Needs:   []Param{For},
	Bites:   "It bites when a payment was asked for meanwhile.",
	targets: rails,
	strike:  func(s *strike) error { return s.instruct("execute-then-5xx") },
	bit:     misanswered,
	draw:    misbehave,
	place:   aroundRail,
}
