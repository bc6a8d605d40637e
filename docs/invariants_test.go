package docs_test

import (
	"slices"
	"testing"

	"dlsim/checker"
)

// The tables of invariants.md have every name that a scenario may use, in the checker's order.
func TestInvariantTablesAreTrue(t *testing.T) {
	for _, tt := range []struct {
		head    string
		columns int
		quoted  bool
		want    []string
	}{
		{"id", 3, false, checker.Invariants[:]},
		{"observation", 2, true, checker.Observed[:]},
		{"`must_exercise`", 2, true, checker.ExerciseNames()},
	} {
		var got []string
		for _, r := range tableRows(t, "invariants.md", tt.head, tt.columns) {
			got = append(got, r[0])
		}
		want := tt.want
		if tt.quoted {
			want = nil
			for _, name := range tt.want {
				want = append(want, "`"+name+"`")
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the table headed %s has\n%q, want\n%q", tt.head, got, want)
		}
	}
	for i, r := range tableRows(t, "invariants.md", "id", 3) {
		if r[1] != checker.InvariantNames[i] {
			t.Errorf("%s is called %q, the checker says %q", r[0], r[1], checker.InvariantNames[i])
		}
	}
}
