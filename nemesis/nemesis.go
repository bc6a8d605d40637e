package nemesis

import (
	"fmt"
	"slices"
	"time"

	"dlsim/history"
	"dlsim/sim"
)

// Nemesis carries out one plan in one world. It is used from the world's own event loop.
type Nemesis struct {
	world    sim.World
	topology sim.Topology
	plan     Plan
	strikes  []strike
	seeing   []*strike // those that look at events once they have struck
	hearing  []*strike // those that may wait for an event, or for a holder
	watch    watch
	pending  int  // strikes that wait for an event, or for a holder
	open     int  // strikes not yet over
	closing  bool // the time of healing has come: nothing strikes any more
	healed   bool
}

// New makes a nemesis for a plan; the plan must be possible in the world.
func New(w sim.World, p Plan) (*Nemesis, error) {
	n := &Nemesis{}
	return n, n.Prepare(w, p)
}

// Prepare makes n the nemesis of another plan, which must be possible in the world. It uses the
// memory of the run before, which must be over.
func (n *Nemesis) Prepare(w sim.World, p Plan) error {
	t := w.Topology()
	plan := Plan{Faults: append(n.plan.Faults[:0], p.Faults...), HealBy: p.HealBy}
	number(plan.Faults)
	*n = Nemesis{world: w, topology: t, plan: plan,
		strikes: n.strikes[:0], seeing: n.seeing[:0], hearing: n.hearing[:0], watch: n.watch.again(t)}
	if err := plan.Validate(t); err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	n.strikes = slices.Grow(n.strikes, len(plan.Faults))[:len(plan.Faults)]
	for i := range n.strikes {
		s, f := &n.strikes[i], &plan.Faults[i]
		kind, err := KindNamed(f.Kind)
		if err != nil {
			return err
		}
		*s = strike{n: n, fault: f, resolved: *f, kind: kind, effects: s.effects[:0], grants: s.grants[:0]}
		if kind.see != nil || f.Until.Event != "" {
			n.seeing = append(n.seeing, s)
		}
		if !f.On.IsZero() || f.names(Holder) {
			n.hearing = append(n.hearing, s)
		}
	}
	return nil
}

// Start sets the plan going. Call it once, before the world runs.
func (n *Nemesis) Start() {
	n.open = len(n.strikes)
	if n.open == 0 {
		n.settle()
		return
	}
	n.watch.marking = true
	n.world.Observe(n.observe)
	for i := range n.strikes {
		s := &n.strikes[i]
		if s.fault.On.IsZero() {
			n.world.After(s.fault.At, func() { n.strike(s) })
		} else {
			n.pending++
		}
	}
	if n.plan.HealBy > 0 {
		n.world.After(n.plan.HealBy, n.healAll)
	}
}

// Healed reports whether every fault is over, so that progress may be demanded.
func (n *Nemesis) Healed() bool { return n.healed }

// observe sees every event. The process that recorded it takes no step until this has returned,
// so a strike made here comes before anything that the process does next.
func (n *Nemesis) observe(e *history.Event) {
	if e.Process == nemesisProcess {
		return
	}
	if !n.healed {
		n.watch.see(e)
	}
	for _, s := range n.seeing {
		if s.phase >= standing && s.kind.see != nil {
			s.kind.see(s, e)
		}
		if u := &s.fault.Until; u.Event != "" && u.matches(e, n) {
			if s.ends++; s.ends == max(u.Nth, 1) {
				s.heal() // does nothing unless it stands
			}
		}
	}
	if n.pending == 0 || n.closing {
		return
	}
	for _, s := range n.hearing {
		switch {
		case s.phase == waiting && s.fault.On.matches(e, n):
			s.seen++
			if s.seen < max(s.fault.On.Nth, 1) {
				continue
			}
			n.pending--
			s.event = *e
			if s.fault.After == 0 {
				n.strike(s)
				continue
			}
			s.phase = due
			n.world.After(s.fault.After, func() { n.strike(s) })
		case s.phase == seeking && e.Op == history.LockAcquire && e.Kind == history.OK:
			n.pending--
			s.phase = due
			n.strike(s)
		}
	}
}

// strike strikes, unless the fault has been given up meanwhile.
func (n *Nemesis) strike(s *strike) {
	if s.phase != waiting && s.phase != due || n.closing {
		return
	}
	if !s.bind() {
		s.phase = seeking
		n.pending++
		return
	}
	now := n.world.Elapsed()
	s.phase = standing
	s.begun = now
	if s.event.Op != "" {
		s.anchor = n.watch.anchorOn(&s.event, now)
	}
	if s.anchor.IsZero() {
		s.anchor = n.watch.anchor(s.target(), now)
	}
	s.grants = n.watch.appendHeldBy(s.grants, s.target(), now)
	s.busy = n.watch.busy(s.target())
	s.past = n.watch.past(s.target())
	s.annotate(history.FaultBegun, s.resolved.String())
	if s.err == nil {
		s.err = s.kind.strike(s)
	}
	switch {
	case s.err != nil || !s.takes(For) && !s.kind.lasts:
		s.heal()
	case s.takes(For):
		n.world.After(s.fault.For, s.heal)
	}
	n.watch.marking = n.toStrike()
}

// healAll ends every fault that stands and gives up every one that has not struck.
func (n *Nemesis) healAll() {
	n.closing = true
	for i := range n.strikes {
		if s := &n.strikes[i]; s.phase < standing {
			s.giveUp()
		}
	}
	for i := range n.strikes {
		n.strikes[i].heal()
	}
}

// giveUp ends a fault that has not struck. The history is told of it, since a listed fault that
// never struck leaves its run inconclusive.
func (s *strike) giveUp() {
	switch s.phase {
	case seeking:
		s.unstruck = "nobody held a lock for it to strike at"
	case due:
		s.unstruck = "its delay had not passed by the time of healing"
	default:
		s.unstruck = fmt.Sprintf("its trigger had come %d of %d times by the time of healing", s.seen, max(s.fault.On.Nth, 1))
		if s.fault.On.IsZero() {
			s.unstruck = "its time had not come by the time of healing"
		}
	}
	s.phase = over
	s.annotate(history.FaultEnded, "never struck: "+s.unstruck)
	s.n.settle()
}

// settle declares the healing once nothing stands and nothing is to come.
func (n *Nemesis) settle() {
	n.open = 0
	for i := range n.strikes {
		if n.strikes[i].phase != over {
			n.open++
		}
	}
	if n.open > 0 || n.healed {
		return
	}
	n.pending = 0
	if len(n.strikes) == 0 {
		n.declare()
		return
	}
	n.world.After(settling, n.declare)
}

// settling is how long after the last heal the healing is declared. Whoever stood still has then
// taken its first steps: what it was about to do when it was struck is under way and can be seen,
// and a run does not end before it.
const settling = 100 * time.Millisecond

func (n *Nemesis) declare() {
	if n.healed {
		return
	}
	n.healed = true
	n.world.Record(history.Event{Process: nemesisProcess, Kind: history.Info, Op: history.AllHealed})
}

func (n *Nemesis) toStrike() bool {
	for i := range n.strikes {
		if n.strikes[i].phase < standing {
			return true
		}
	}
	return false
}
