package checker

import "slices"

// Verdict is one of four values. Unknown is never green.
type Verdict uint8

// The four verdicts.
const (
	NA       Verdict = iota // nothing happened that could be judged
	Holds                   // judged, and true
	Violated                // judged, and false; there is a witness
	Unknown                 // could not be judged, and says why
)

var verdictNames = [...]string{"n/a", "holds", "violated", "unknown"}

// String is the verdict's name in every written form.
func (v Verdict) String() string { return verdictNames[v] }

// MarshalText writes a verdict by its name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// The invariants of DESIGN section 3.
const (
	ExclusiveGrants = "INV-01"
	OnePayment      = "INV-02"
	TrueLedger      = "INV-03"
	NothingLost     = "INV-04"
	NoStaleWrite    = "INV-05"
	IntentFirst     = "INV-06"
	GuardOfItsOwn   = "INV-07"
)

// Invariants lists the ids in order.
var Invariants = [...]string{
	ExclusiveGrants, OnePayment, TrueLedger, NothingLost, NoStaleWrite, IntentFirst, GuardOfItsOwn,
}

// InvariantNames says in three words what each of Invariants demands.
var InvariantNames = [...]string{
	"exclusive grants", "one payment a payout", "true ledger", "nothing lost or stuck",
	"no stale write", "intent before money", "a guard of its own",
}

// Violation is one way in which an invariant was broken.
type Violation struct {
	// Kind is a stable name; shrinking keeps it, so that the smallest run shows the same bug.
	Kind string `json:"kind"`
	// Witness holds the ids of the events that prove it, in order, no more than needed.
	Witness []int64 `json:"witness"`
	// Sentence names the payout or account, the tokens and the processes.
	Sentence string `json:"sentence"`
	// Count is how often this kind was found; the witness is of the smallest.
	Count int `json:"count"`
}

// Judgement is what became of one invariant.
type Judgement struct {
	ID      string  `json:"id"`
	Verdict Verdict `json:"verdict"`
	// Violations has at most one entry a kind, in the order in which the kinds were first found.
	Violations []Violation `json:"violations,omitempty"`
	// Reason says why a verdict is unknown or n/a.
	Reason string `json:"reason,omitempty"`
	// Model says what was taken to be legal, and which judges said so.
	Model string `json:"model"`
	// Judged counts what was looked at: grants, payments, payouts, writes.
	Judged int `json:"judged"`
	// Second is Porcupine's opinion; empty where it was not asked.
	Second Opinion `json:"second,omitzero"`
}

// Sentence is the judgement in one sentence: the first violation's, or the reason.
func (j *Judgement) Sentence() string {
	if j.Verdict == Violated {
		return j.Violations[0].Sentence
	}
	return j.Reason
}

// Witness is the first violation's witness, or nil.
func (j *Judgement) Witness() []int64 {
	if len(j.Violations) == 0 {
		return nil
	}
	return j.Violations[0].Witness
}

// Has says whether a violation of this kind was found.
func (j *Judgement) Has(kind string) bool {
	return slices.ContainsFunc(j.Violations, func(v Violation) bool { return v.Kind == kind })
}

// found counts a violation and returns the entry to describe it in, or nil when one with as small
// a witness is kept already.
func (j *Judgement) found(kind string, witness ...int64) *Violation {
	j.Verdict = Violated
	for i := range j.Violations {
		v := &j.Violations[i]
		if v.Kind != kind {
			continue
		}
		v.Count++
		if len(witness) >= len(v.Witness) {
			return nil
		}
		v.Witness = witness
		return v
	}
	j.Violations = append(j.Violations, Violation{Kind: kind, Witness: witness, Count: 1})
	return &j.Violations[len(j.Violations)-1]
}

// conclude gives the verdict of a judge that found nothing wrong.
func (j *Judgement) conclude(nothing string) {
	switch {
	case j.Verdict == Violated:
	case j.Judged == 0:
		j.Verdict, j.Reason = NA, nothing
	default:
		j.Verdict = Holds
	}
}

// Observation counts something worth seeing that breaks no invariant by itself.
type Observation struct {
	Name     string  `json:"name"`
	Count    int     `json:"count"`
	Witness  []int64 `json:"witness,omitempty"`  // of the first
	Sentence string  `json:"sentence,omitempty"` // of the first
}

func (o *Observation) seen(witness ...int64) *Observation {
	o.Count++
	if o.Count > 1 {
		return nil
	}
	o.Witness = witness
	return o
}

// Report is everything that is said about one history.
type Report struct {
	Invariants   [len(Invariants)]Judgement
	Observations [len(Observed)]Observation
	Measures     Measures
	Coverage     Coverage
}

// Invariant finds a judgement by its id, or returns nil.
func (r *Report) Invariant(id string) *Judgement {
	for i := range r.Invariants {
		if r.Invariants[i].ID == id {
			return &r.Invariants[i]
		}
	}
	return nil
}

// Observation finds an observation by its name, or returns nil.
func (r *Report) Observation(name string) *Observation {
	for i := range r.Observations {
		if r.Observations[i].Name == name {
			return &r.Observations[i]
		}
	}
	return nil
}

// Violated lists the ids of the violated invariants in order.
func (r *Report) Violated() []string {
	var ids []string
	for i := range r.Invariants {
		if r.Invariants[i].Verdict == Violated {
			ids = append(ids, r.Invariants[i].ID)
		}
	}
	return ids
}

// Shows says whether the history shows what name stands for: an invariant violated, an
// observation seen, or, with a violation's kind ("INV-04/written-off-then-paid"), that kind.
func (r *Report) Shows(name string) bool {
	if o := r.Observation(name); o != nil {
		return o.Count > 0
	}
	id, kind := splitKind(name)
	j := r.Invariant(id)
	return j != nil && j.Verdict == Violated && (kind == "" || j.Has(kind))
}
