package checker

import (
	"fmt"
	"slices"
	"strings"
)

// Expect is a scenario's expectation. Names are invariants ("INV-02"), an invariant's kind of
// violation ("INV-04/written-off-then-paid") or observations ("lease-overrun"); in Never they may be
// of what a run can exercise, too ("lease-lost").
type Expect struct {
	// Violated must be shown: by any seed of a sweep, or by every one (In). An observation listed
	// here must be seen.
	Violated []string
	// Holds must hold in every run.
	Holds []string
	// Never must not be seen in any run.
	Never []string
	// In is "any" (also when empty) or "every".
	In string
	// MustExercise names what a run (with FaultsListed) or a sweep must have exercised.
	MustExercise []string
	// FaultsListed says that the scenario lists its faults, or wants none: each run is then judged by
	// whether they bit and by MustExercise. Random plans are judged so per sweep.
	FaultsListed bool
}

// Words for In.
const (
	InAny   = "any"
	InEvery = "every"
)

// Result is whether an expectation was met.
type Result uint8

// The results. Nothing is met by nothing: see Inconclusive.
const (
	Met Result = iota
	NotMet
	Inconclusive // a verdict is missing, or what should have been exercised was not
)

var resultNames = [...]string{"met", "not met", "inconclusive"}

// String is the result's name in every written form.
func (r Result) String() string { return resultNames[r] }

// Check refuses an expectation that names what does not exist.
func (e *Expect) Check() error {
	for _, list := range [][]string{e.Violated, e.Holds, e.Never} {
		for _, name := range list {
			id, _ := splitKind(name)
			if !slices.Contains(Invariants[:], id) && !slices.Contains(Observed[:], name) && !e.neverExercised(name) {
				return fmt.Errorf("expect: there is no invariant or observation %q", name)
			}
		}
	}
	for _, name := range e.Holds {
		if !slices.Contains(Invariants[:], name) {
			return fmt.Errorf("expect: only an invariant can hold, %q is none", name)
		}
	}
	for _, name := range e.Violated {
		id, _ := splitKind(name)
		if slices.Contains(e.Holds, id) || slices.Contains(e.Never, name) {
			return fmt.Errorf("expect: %s cannot be found and not be found", name)
		}
	}
	for _, name := range e.MustExercise {
		if !slices.Contains(exerciseNames[:], name) {
			return fmt.Errorf("expect: nothing is called %q among what a run can exercise", name)
		}
	}
	if e.In != "" && e.In != InAny && e.In != InEvery {
		return fmt.Errorf("expect: in is %q, not any or every", e.In)
	}
	return nil
}

// neverExercised says whether name is listed as something that no run may exercise.
func (e *Expect) neverExercised(name string) bool {
	return slices.Contains(exerciseNames[:], name) && slices.Contains(e.Never, name)
}

// Evaluate says whether one run by itself meets the expectation, and why not in one sentence.
func (e *Expect) Evaluate(r *Report) (Result, string) {
	t := Tally{Expect: *e}
	t.Add(r)
	return t.result(e.FaultsListed)
}

// Tally folds the runs of a sweep into one result. The zero value with its Expect set is empty.
type Tally struct {
	Expect Expect
	Runs   int
	// Exercised counts in how many runs each thing was exercised.
	Exercised [exercises]int

	breach  string // the first run that did what must not be
	doubt   string // the first that leaves something open
	missed  string // the first whose listed faults or duties came to nothing
	shown   []int  // by place in Expect.Violated: in how many runs
	unclear []int  // by place in Expect.Violated: in how many runs it cannot be said
}

// Add folds one run in.
func (t *Tally) Add(r *Report) {
	e := &t.Expect
	t.Runs++
	if t.shown == nil {
		t.shown, t.unclear = make([]int, len(e.Violated)), make([]int, len(e.Violated))
	}
	for x, n := range r.Coverage.counts {
		if n > 0 {
			t.Exercised[x]++
		}
	}
	if e.FaultsListed {
		note(&t.missed, missedBy(e, r))
	}
	for i, name := range e.Violated {
		id, _ := splitKind(name)
		if r.Shows(name) {
			t.shown[i]++
		} else if j := r.Invariant(id); j != nil && j.Verdict == Unknown {
			t.unclear[i]++
		}
	}
	for _, name := range e.Never {
		id, _ := splitKind(name)
		if n, ok := r.Coverage.Get(name); ok {
			if n > 0 {
				note(&t.breach, fmt.Sprintf("%s was exercised %d times and must never be", name, n))
			}
		} else if r.Shows(name) {
			note(&t.breach, fmt.Sprintf("%s was seen and must never be: %s", name, sentenceOf(r, name)))
		} else if j := r.Invariant(id); j != nil && j.Verdict == Unknown {
			note(&t.doubt, fmt.Sprintf("%s is unknown: %s", id, j.Reason))
		}
	}
	for i := range r.Invariants {
		j := &r.Invariants[i]
		listed := slices.Contains(e.Holds, j.ID)
		if !listed && (len(e.Violated) > 0 || slices.ContainsFunc(e.Never, func(n string) bool { return n == j.ID })) {
			continue
		}
		switch {
		case j.Verdict == Violated:
			note(&t.breach, fmt.Sprintf("%s must hold and is violated: %s", j.ID, j.Sentence()))
		case j.Verdict == Unknown:
			note(&t.doubt, fmt.Sprintf("%s must hold and is unknown: %s", j.ID, j.Reason))
		case j.Verdict == NA && listed:
			note(&t.doubt, fmt.Sprintf("%s must hold and could not be judged: %s", j.ID, j.Reason))
		}
	}
}

// Result says whether the runs so far meet the expectation, and why not in one sentence.
func (t *Tally) Result() (Result, string) { return t.result(true) }

// result weighs a fact above a doubt: what must not be and was seen stands whatever else was not
// exercised, whereas what was not found proves nothing where nothing was tried.
func (t *Tally) result(exercise bool) (Result, string) {
	e := &t.Expect
	switch {
	case t.Runs == 0:
		return Inconclusive, "nothing ran"
	case t.breach != "":
		return NotMet, t.breach
	case t.missed != "":
		return Inconclusive, t.missed
	}
	if exercise {
		for x, name := range exerciseNames {
			if t.Exercised[x] == 0 && slices.Contains(e.MustExercise, name) {
				return Inconclusive, fmt.Sprintf("%s was not exercised in any of %d runs", name, t.Runs)
			}
		}
	}
	for i, name := range e.Violated {
		need := 1
		if e.In == InEvery {
			need = t.Runs
		}
		if t.shown[i] >= need {
			continue
		}
		if t.shown[i]+t.unclear[i] >= need {
			return Inconclusive, fmt.Sprintf("%s was expected and is unknown in %d of %d runs", name, t.unclear[i], t.Runs)
		}
		if t.Runs == 1 {
			return NotMet, name + " was expected and was not found"
		}
		return NotMet, fmt.Sprintf("%s was expected in %s run and was found in %d of %d", name, orAny(e.In), t.shown[i], t.Runs)
	}
	if t.doubt != "" {
		return Inconclusive, t.doubt
	}
	return Met, ""
}

// missedBy says what a run with listed faults left untried.
func missedBy(e *Expect, r *Report) string {
	if n := r.Coverage.Count(FaultMissed); n > 0 {
		return fmt.Sprintf("%d of %d faults met nothing", n, n+r.Coverage.Count(FaultBit))
	}
	for _, name := range e.MustExercise {
		if n, _ := r.Coverage.Get(name); n == 0 {
			return name + " was not exercised"
		}
	}
	return ""
}

func sentenceOf(r *Report, name string) string {
	if o := r.Observation(name); o != nil {
		return o.Sentence
	}
	id, kind := splitKind(name)
	j := r.Invariant(id)
	for i := range j.Violations {
		if v := &j.Violations[i]; v.Kind == kind {
			return v.Sentence
		}
	}
	return j.Sentence()
}

// splitKind takes "INV-04/stuck" apart.
func splitKind(name string) (id, kind string) {
	id, kind, _ = strings.Cut(name, "/")
	return id, kind
}

func note(first *string, sentence string) {
	if *first == "" {
		*first = sentence
	}
}

func orAny(in string) string {
	if in == InEvery {
		return InEvery
	}
	return InAny
}
