package checker

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"dlsim/history"
)

func TestTheSmallestWitnessOfAKindIsKept(t *testing.T) {
	var j Judgement
	for _, w := range [][]int64{{1, 2, 3}, {4, 5, 6}, {7, 8}, {9, 10}} {
		if v := j.found("k", w...); v != nil {
			v.Sentence = fmt.Sprint(w)
		}
	}
	j.found("other", 11)
	if len(j.Violations) != 2 || j.Violations[0].Count != 4 || j.Sentence() != "[7 8]" || len(j.Witness()) != 2 {
		t.Errorf("%+v", j)
	}
	if !j.Has("other") || j.Has("k2") {
		t.Error("kinds are confused")
	}
}

func TestReportNamesWhatItShows(t *testing.T) {
	r := report(map[string]Verdict{OnePayment: Violated}, LeaseOverrun)
	for name, want := range map[string]bool{
		OnePayment: true, TrueLedger: false, "INV-02/kind-of-INV-02": true, "INV-02/x": false,
		LeaseOverrun: true, SupersededClaim: false, "INV-99": false,
	} {
		if r.Shows(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	if r.Invariant("INV-99") != nil || r.Observation("x") != nil || r.Invariant(TrueLedger).Witness() != nil {
		t.Error("something is found that is not there")
	}
	text, err := json.Marshal(r.Invariants[1])
	if err != nil || !strings.Contains(string(text), `"verdict":"violated"`) || strings.Contains(string(text), "second") {
		t.Errorf("%s %v", text, err)
	}
}

func TestNamesAreNumberedInOrderOfUseHoweverMany(t *testing.T) {
	var n names
	for range 2 { // reset forgets
		n.reset()
		for i := range int32(3000) {
			s := fmt.Sprintf("payout-%d-of-a-long-name", i)
			if n.find(s) != -1 || n.number(s) != i || n.number(s) != i || n.find(s) != i {
				t.Fatalf("%s is not number %d", s, i)
			}
		}
	}
	if n.number("") != -1 || n.find("") != -1 {
		t.Error("the empty string has a number")
	}
}

// A history may be a part of a longer one: ids need not begin at 1.
func TestAPartOfAHistoryIsJudgedToo(t *testing.T) {
	s := tell(t)
	s.intake("p1", "a1", 100)
	s.whole("executor-1", "p1", 1)
	events := s.end()
	for i := range events {
		events[i].ID += 1000
		if events[i].Call != 0 {
			events[i].Call += 1000
		}
	}
	r := Check(events, params)
	if got := r.Violated(); got != nil || r.Invariant(OnePayment).Verdict != Holds {
		t.Errorf("%v", got)
	}
}

// Records that name nothing, or complete what never began, are no reason to fall over.
func TestOddEventsAreSurvived(t *testing.T) {
	var events []history.Event
	for _, op := range history.Ops {
		for kind := history.Invoke; kind <= history.Info; kind++ {
			for _, call := range []int64{0, -5, 3, 1 << 40} {
				for _, name := range []string{"", "x"} {
					events = append(events, history.Event{ID: int64(len(events) + 1), Process: "p", Kind: kind, Op: op, Call: call,
						Account: name, Payout: name, Owner: name, Request: name, Truth: call == 3, Note: map[bool]string{true: history.Lost}[call < 0]})
				}
			}
		}
	}
	r := Check(events, params)
	if r.Measures.Submissions == 0 {
		t.Error("nothing was read")
	}
	CoverageOf(events)
}

func ExampleCheck() {
	events := []history.Event{
		{ID: 1, Time: 10, Process: "lockdb", Kind: history.OK, Op: history.LockGranted, Truth: true,
			Account: "a1", Owner: "executor-1", Token: 1, Clock: 1000, Expires: 5_000_001_000},
		{ID: 2, Time: 20, Process: "lockdb", Kind: history.OK, Op: history.LockGranted, Truth: true,
			Account: "a1", Owner: "executor-2", Token: 2, Clock: 2_000_001_000, Expires: 7_000_001_000},
	}
	r := Check(events, Params{})
	for _, j := range r.Invariants {
		if j.Verdict == Violated {
			fmt.Println(j.ID, j.Violations[0].Kind, j.Witness())
			fmt.Println(j.Sentence())
		}
	}
	// Output:
	// INV-01 overlapping-grants [1 2]
	// lockdb granted the lock of a1 to executor-2 (token 2) while executor-1 still held it (token 1): not released, and 3.000 s of its lease left by the store's clock.
}
