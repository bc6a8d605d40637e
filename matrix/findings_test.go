package matrix

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// command reads the one command of a finding's README.
func command(t *testing.T, readme string) (file string, seed uint64) {
	t.Helper()
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(text)) {
		if strings.HasPrefix(l, "    dlsim run ") {
			if _, err := fmt.Sscanf(l, "    dlsim run %s --seed %d", &file, &seed); err != nil {
				t.Fatalf("%s: %q: %v", readme, l, err)
			}
			return file, seed
		}
	}
	t.Fatalf("%s has no command", readme)
	return "", 0
}

// The committed findings: each runs from its file and tells the story that is stored beside it. After
// a change that means to change runs: dlsim matrix --findings results/findings.
func TestCommittedFindingsAreAsStored(t *testing.T) {
	checkFindings(t, "../results/findings", 9)
}
