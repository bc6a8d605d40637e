package matrix

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dlsim/results"
	"dlsim/runner"
	"dlsim/scenarios"
	"dlsim/shrink"
)

var update = flag.Bool("update", false, "write the stories of the committed findings anew, with other seeds where it takes them")

// renew finds the seed with which a finding still shows what it showed, and writes its story anew.
func renew(t *testing.T, w *runner.Worker, s *runner.Scenario, folder string, was uint64) {
	t.Helper()
	show := s.Expect.Violated[0]
	for try := range uint64(500) {
		seed := try // 0 stands for the seed that was
		if try == 0 {
			seed = was
		}
		done, report, err := w.Reported(s, seed)
		if err != nil {
			t.Fatal(err)
		}
		if !report.Shows(show) {
			continue
		}
		rewrite(t, filepath.Join(folder, results.StoryFile), func(string) string { return strings.Join(done.Story, "\n") + "\n" })
		for _, name := range []string{results.ScenarioFile, "README.md", entryFile} {
			rewrite(t, filepath.Join(folder, name), func(text string) string {
				return strings.NewReplacer(
					fmt.Sprintf("--seed %d", was), fmt.Sprintf("--seed %d", seed),
					fmt.Sprintf("seed %d and", was), fmt.Sprintf("seed %d and", seed),
					fmt.Sprintf(`"seed": %d`, was), fmt.Sprintf(`"seed": %d`, seed),
				).Replace(text)
			})
		}
		return
	}
	t.Fatalf("no seed below 500 shows %s any more: dlsim matrix --findings", show)
}

var tried = regexp.MustCompile(`seeds 1\.\.(\d+)\.`)

// proveMinimal holds a finding to what its README says: without any one of its faults, none of the
// seeds shows it.
func proveMinimal(t *testing.T, w *runner.Worker, s *scenarios.Scenario, readme string, own uint64) {
	t.Helper()
	if len(s.Faults) == 0 {
		return
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	match := tried.FindStringSubmatch(string(text))
	if match == nil {
		t.Fatalf("%s does not say with which seeds it was tried", readme)
	}
	last, err := strconv.ParseUint(match[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	probe := shrink.Probing(w, s.Expect.Violated[0])
	numbered := s.Plan().Faults
	for i := range numbered {
		without := *s
		without.Faults = slices.Delete(slices.Clone(numbered), i, i+1)
		for n := range last + 1 {
			seed := n
			if n == 0 {
				seed = own
			}
			seen, err := probe(shrink.Case{Scenario: &without, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if seen.Shows {
				t.Errorf("seed %d shows it without %s", seed, numbered[i])
			}
		}
	}
}

func rewrite(t *testing.T, file string, change func(string) string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(change(string(text))), 0o644); err != nil {
		t.Fatal(err)
	}
}

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
// a change that means to change runs: go test ./matrix -run Committed -update, or all anew with
// dlsim matrix --findings results/findings.
func TestCommittedFindingsAreAsStored(t *testing.T) {
	checkFindings(t, "../results/findings", 9)
}
