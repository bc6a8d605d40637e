package docs_test

import (
	"testing"

	"dlsim/nemesis"
)

// The table of live.md has each kind of fault, in order, and how it is done in each world.
func TestParityTableIsWhole(t *testing.T) {
	rows := tableRows(t, "live.md", "fault", 4)
	kinds := nemesis.Kinds()
	if len(rows) != len(kinds) {
		t.Fatalf("%d rows, %d kinds", len(rows), len(kinds))
	}
	for i, k := range kinds {
		if rows[i][0] != "`"+k.Name+"`" {
			t.Errorf("row %d is %s, the kind is %s", i+1, rows[i][0], k.Name)
		}
		for column, cell := range rows[i] {
			if cell == "" {
				t.Errorf("%s: column %d is empty", k.Name, column+1)
			}
		}
	}
}
