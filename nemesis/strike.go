package nemesis

import (
	"fmt"
	"time"

	"dlsim/history"
	"dlsim/sim"
)

// strike is one fault of the plan on its way: waiting, standing, or over.
type strike struct {
	n     *Nemesis
	fault *Fault // of the plan
	kind  *Kind
	phase phase
	seen  int           // events so far that the trigger matched
	ends  int           // and events that it may heal on
	event history.Event // the one that it struck on; zero for a strike at a time

	resolved Fault // with names for its symbols, once it has struck
	anchor   Anchor
	begun    time.Duration
	ended    time.Duration
	err      error // why the world would not have it
	unstruck string

	effects []sim.Effect
	grants  []*grant // that the target held when it was struck
	busy    int      // calls that the target had begun then
	past    int      // events that it had recorded by then
	lost    int      // rows that a store has forgotten since
	acted   bool     // an operator's act went through
	verdict bool     // whether it bit, where that was settled at heal
	why     string
	settled bool
}

type phase uint8

const (
	waiting  phase = iota // for its time or its event
	due                   // the event has come, the delay runs
	seeking               // due, but nobody holds a lock to be struck at
	standing              // struck, not healed
	over                  // healed, or never to come
)

// pick draws from n for a purpose of this fault, by its ID.
func (s *strike) pick(purpose string, n int) int {
	if n == 1 {
		return 0
	}
	return int(s.n.world.Pick(fmt.Sprintf("nemesis.%d.%s", s.fault.ID, purpose), uint64(n)))
}

// stand takes up the result of a call of the world.
func (s *strike) stand(e sim.Effect, err error) error {
	if err == nil && e != nil {
		s.effects = append(s.effects, e)
	}
	return err
}

func (s *strike) felt() int {
	n := 0
	for _, e := range s.effects {
		n += e.Felt()
	}
	return n
}

// target is the process or store that the fault strikes; for a link, its client end.
func (s *strike) target() string {
	switch {
	case s.resolved.Target != "":
		return s.resolved.Target
	case s.resolved.From != "":
		return s.resolved.From
	}
	return s.resolved.Client
}

// name describes the target as reports do.
func (s *strike) name() string {
	if s.resolved.From != "" || s.resolved.To != "" {
		return s.resolved.From + " > " + s.resolved.To
	}
	if s.resolved.Target == "" && s.resolved.Payout != "" {
		return s.resolved.Payout
	}
	return s.resolved.Target
}

// bind replaces the fault's symbols by names. It reports false where nobody fits now.
func (s *strike) bind() bool {
	s.resolved = *s.fault
	f := &s.resolved
	for _, end := range [...]struct {
		purpose string
		name    *string
	}{{"target", &f.Target}, {"from", &f.From}, {"to", &f.To}, {"client", &f.Client}} {
		name, ok := s.resolve(*end.name, end.purpose)
		if !ok {
			s.resolved = *s.fault
			return false
		}
		*end.name = name
	}
	if f.Target == "" && s.kind == &etcdLeaderLoss {
		f.Target = Leader
	}
	if f.Target == "" && s.kind.targets != nil {
		f.Target = s.kind.targets(s.n.topology)[0]
	}
	if s.fault.Target == Actor && !s.able(f.Target) {
		s.err = fmt.Errorf("cannot strike %q, who recorded the event", f.Target)
	}
	if f.Payout == "" && s.kind.targets == nil && s.takes(Payout) {
		f.Payout = s.event.Payout
		if f.Payout == "" {
			f.Payout = s.n.watch.payout
		}
	}
	return true
}

func (s *strike) able(name string) bool {
	for _, t := range s.kind.targets(s.n.topology) {
		if t == name {
			return true
		}
	}
	return false
}

func (s *strike) takes(p Param) bool {
	for _, q := range s.kind.Params {
		if q == p {
			return true
		}
	}
	return false
}

// bit is whether the fault has bitten by now, and on what or why not.
func (s *strike) bit() (bool, string) {
	switch {
	case s.unstruck != "":
		return false, s.unstruck
	case s.err != nil:
		return false, s.err.Error()
	case s.settled:
		return s.verdict, s.why
	}
	return s.kind.bit(s)
}

// heal takes the fault's effects away and says so in the history. A fault without duration is over
// at once and leaves nothing to undo, but its effect may go on being met.
func (s *strike) heal() {
	if s.phase != standing {
		return
	}
	s.phase = over
	if s.takes(For) {
		// What happens after the heal is no longer this fault's doing.
		s.verdict, s.why = s.bit()
		s.settled = !s.kind.LosesData && s.resolved.Loses == 0
	}
	if s.takes(For) {
		for _, e := range s.effects {
			e.Heal()
		}
	}
	s.ended = s.n.world.Elapsed()
	s.annotate(history.FaultEnded, s.endNote())
	s.n.settle()
}

func (s *strike) endNote() string {
	bit, why := s.bit()
	switch {
	case bit:
		return "bit: " + why
	case !s.takes(For) && s.err == nil:
		return "over; whether it bit shows later"
	}
	return "did not bite: " + why
}

func (s *strike) annotate(op history.Op, note string) {
	s.n.world.Record(history.Event{
		Process: nemesisProcess, Kind: history.Info, Op: op,
		State: s.fault.Kind, Owner: s.name(), Note: note,
	})
}
