package checker

import (
	"slices"
	"time"

	"dlsim/history"
)

// Params says what a history is judged by.
type Params struct {
	// TTL is the lease that holders ask for. It stands in where a grant records no expiry, and is
	// the shortest standstill that counts as blocked.
	TTL time.Duration
	// Horizon is H of DESIGN 2.5: how long a submission may still come true unseen.
	Horizon time.Duration
	// Progress bounds the time from the last heal plus Horizon until every payout must be final.
	Progress time.Duration
	// InFlight bounds how long a request that was sent can still move money (longest life of a
	// message plus the rail's own delay). Where it is set, a payout that is final and unpaid is not
	// called safe while a request of it may still be under way. 0 leaves that out.
	InFlight time.Duration

	// Second says when Porcupine is asked too.
	Second When
	// Steps bounds its model steps in one partition; 0 means DefaultSteps.
	Steps int64

	// Waived names invariants that have no meaning in this variant, such as a mark where the rail
	// itself is idempotent. They are n/a.
	Waived []string
}

// When says when the second opinion is asked for.
type When uint8

// When Porcupine is asked.
const (
	OnViolation When = iota // only where the linear judge found a violation
	Always
	Never
)

// DefaultSteps is enough for 10,000 operations that overlap little.
const DefaultSteps = 2_000_000

// Check judges one history.
func Check(events []history.Event, p Params) Report {
	return New().Check(events, p)
}

// Checker judges one history after another and keeps its memory between them. It is not safe for
// concurrent use; a sweep has one a core.
type Checker struct {
	index
	params Params
	ops    []advance
	claims []claim // of the client's record, see unresolved.go
	waits  waits
	rows   rowChanges // of payouts, see answers.go

	answered []bool // by position, and
	lives    []life // by process, see leftopen.go
}

// New returns a Checker.
func New() *Checker { return &Checker{} }

// Check judges one history. The events are only read; their ids must be consecutive.
func (c *Checker) Check(events []history.Event, p Params) Report {
	if p.Steps == 0 {
		p.Steps = DefaultSteps
	}
	c.params = p
	c.index.build(events)

	var r Report
	for i, id := range Invariants {
		r.Invariants[i].ID = id
	}
	for i, name := range Observed {
		r.Observations[i].Name = name
	}
	c.exclusiveGrants(&r.Invariants[0])
	c.onePayment(&r.Invariants[1])
	c.trueLedger(&r.Invariants[2])
	c.nothingLost(&r.Invariants[3])
	c.noStaleWrite(&r.Invariants[4])
	c.intentFirst(&r.Invariants[5])
	c.guardOfItsOwn(&r.Invariants[6])
	c.askAgain(&r)
	for i := range r.Invariants {
		if j := &r.Invariants[i]; slices.Contains(p.Waived, j.ID) {
			*j = Judgement{ID: j.ID, Verdict: NA, Model: j.Model, Reason: "the scenario says that it has no meaning here"}
		}
	}
	c.observe(&r)
	c.measure(&r.Measures, r.Observation(RefusedWhileUp).Count)
	r.Coverage = c.coverage
	c.index.events = nil // a Checker kept for long should not keep histories alive
	return r
}
