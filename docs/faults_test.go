// Package docs_test keeps the documents true where a program can tell.
package docs_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"dlsim/nemesis"
)

// The table of faults.md has each kind of fault, in order, with its parameters and its rule.
func TestFaultTableIsTrue(t *testing.T) {
	rows := tableRows(t, "faults.md", "kind", 4)
	kinds := nemesis.Kinds()
	if len(rows) != len(kinds) {
		t.Errorf("%d rows, %d kinds", len(rows), len(kinds))
	}
	for i, k := range kinds[:min(len(kinds), len(rows))] {
		var params []string
		for _, p := range k.Params {
			cell := fmt.Sprintf("`%s`", p)
			if !slices.Contains(k.Needs, p) {
				cell = "[" + cell + "]"
			}
			params = append(params, cell)
		}
		name := "`" + k.Name + "`"
		if k.LosesData {
			name += "*"
		}
		for column, want := range map[int]string{0: name, 1: strings.Join(params, ", "), 3: k.Bites} {
			if got := rows[i][column]; got != want {
				t.Errorf("row %d, column %d:\n got %s\nwant %s", i+1, column+1, got, want)
			}
		}
		if rows[i][2] == "" {
			t.Errorf("row %d does not say what happens", i+1)
		}
	}
}

// tableRows returns the rows of the table in file whose first heading is head and which has the
// given number of columns.
func tableRows(t *testing.T, file, head string, columns int) [][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	inside := false
	for _, l := range strings.Split(string(text), "\n") {
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(l, "| "), " |"), " | ")
		switch {
		case !strings.HasPrefix(l, "| "):
			inside = false
		case cells[0] == head && len(cells) == columns:
			inside = true
		case inside && !strings.HasPrefix(cells[0], "---"):
			if len(cells) != columns {
				t.Fatalf("%s: %d columns in %q", file, len(cells), l)
			}
			rows = append(rows, cells)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("%s: no table headed %q with %d columns", file, head, columns)
	}
	return rows
}
