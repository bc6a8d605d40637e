package nemesis

import "time"

// Result is what became of one fault of the plan.
type Result struct {
	Fault    Fault         `json:"fault"`            // as planned
	Kind     string        `json:"kind"`             //
	Target   string        `json:"target,omitempty"` // with names for symbols; "from > to" for a link
	Struck   bool          `json:"struck"`
	Bit      bool          `json:"bit"`
	Why      string        `json:"why"` // on what it bit, or why it did not
	Anchor   Anchor        `json:"anchor,omitzero"`
	StruckAt time.Duration `json:"struck_at,omitempty"` // true time
	HealedAt time.Duration `json:"healed_at,omitempty"` // true time; 0 while it stands

	resolved Fault
}

// Report tells, in the plan's order, what became of each fault so far. At a run's end it is final.
func (n *Nemesis) Report() []Result {
	results := make([]Result, 0, len(n.strikes))
	for i := range n.strikes {
		s := &n.strikes[i]
		r := Result{Fault: *s.fault, Kind: s.fault.Kind, Target: s.name(), resolved: s.resolved}
		if s.phase < standing {
			r.Why = s.pendingReason()
			results = append(results, r)
			continue
		}
		r.Struck = s.unstruck == "" && s.err == nil
		r.Bit, r.Why = s.bit()
		r.Anchor, r.StruckAt, r.HealedAt = s.anchor, s.begun, s.ended
		results = append(results, r)
	}
	return results
}

func (s *strike) pendingReason() string {
	switch {
	case s.phase == seeking:
		return "nobody held a lock for it to strike at"
	case s.phase == due:
		return "the run ended before its delay had passed"
	case s.fault.On.IsZero():
		return "the run ended before its time"
	}
	return "its trigger never fired"
}

// Explicit is the fault as it really struck: names for symbols, and its anchor for a trigger. A
// fault that never struck stays as it was planned.
func (r Result) Explicit() Fault {
	if !r.Struck {
		return r.Fault
	}
	f := r.resolved
	f.At, f.On, f.After = r.StruckAt, Trigger{}, 0
	if !r.Anchor.IsZero() {
		f.At, f.On, f.After = 0, r.Anchor.Trigger(), r.Anchor.After
	}
	return f
}

// Explicit is the plan with every fault as it really struck, fit to be repeated in another world.
func (p Plan) Explicit(results []Result) Plan {
	faults := make([]Fault, len(results))
	for i, r := range results {
		faults[i] = r.Explicit()
	}
	p.Faults = faults
	return p
}
