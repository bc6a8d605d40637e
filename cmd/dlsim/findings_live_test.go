package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dlsim/results"
)

const findingsRoot = "../../results/findings"

// findings lists the committed findings by their folder's name, the ones inside another included.
func findings(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(findingsRoot, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == results.ScenarioFile {
			name, err := filepath.Rel(findingsRoot, filepath.Dir(path))
			names = append(names, name)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// virtualOnly reads from docs/live.md which findings the live world does not show, and why.
func virtualOnly(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/live.md")
	if err != nil {
		t.Fatal(err)
	}
	why, inside := map[string]string{}, false
	for _, l := range strings.Split(string(text), "\n") {
		cells := strings.Split(strings.Trim(l, "| "), " | ")
		switch {
		case len(cells) != 2 || strings.HasPrefix(cells[0], "---"):
			inside = inside && strings.HasPrefix(l, "|")
		case cells[0] == "finding":
			inside = true
		case inside:
			for _, name := range strings.Split(cells[0], ", ") {
				why[strings.Trim(name, "`")] = cells[1]
			}
		}
	}
	return why
}

func TestTheFindingsThatAreVirtualOnlyAreFindings(t *testing.T) {
	all, only := findings(t), virtualOnly(t)
	if len(only) == 0 || len(only) == len(all) {
		t.Errorf("%d of %d findings are virtual only", len(only), len(all))
	}
	for name := range only {
		if !slices.Contains(all, name) {
			t.Errorf("docs/live.md speaks of %q, which is no finding", name)
		}
	}
}

// Each finding is made in the virtual world and repeated in the live one by its anchors. What it hangs
// on besides, which proxy is asked or who is quicker, is luck there: one of three tries has to show it.
func TestLiveEveryFindingThatIsNotVirtualOnlyFallsThereToo(t *testing.T) {
	needPostgres(t)
	if os.Getenv("DLSIM_LIVE") != "all" {
		t.Skip("SKIPPED: every finding as real processes takes minutes; make test-live runs them")
	}
	only := virtualOnly(t)
	for _, name := range findings(t) {
		t.Run(name, func(t *testing.T) {
			if why := only[name]; why != "" {
				t.Skip("SKIPPED:", why)
			}
			seed, told := uint64(0), ""
			for try := range 3 {
				var run string
				run, seed = showsVirtually(t, name, seed)
				code, stdout, stderr := cli(t, "replay", run, "--world", "live", "--json", "--out", filepath.Join(t.TempDir(), "live"))
				var r results.Run
				if err := json.Unmarshal([]byte(stdout), &r); err != nil {
					t.Fatalf("status %d, %v\n%s%s", code, err, stdout, stderr)
				}
				if r.Expectation == "met" {
					t.Logf("try %d", try+1)
					return
				}
				told += "\n" + r.Expectation + ": " + r.Why
			}
			t.Error("three tries:" + told)
		})
	}
}

// showsVirtually runs a finding with the next seed after one with which it shows what it says.
func showsVirtually(t *testing.T, name string, after uint64) (folder string, seed uint64) {
	t.Helper()
	for seed = after + 1; seed <= after+500; seed++ {
		folder = filepath.Join(t.TempDir(), strconv.FormatUint(seed, 10))
		code, _, _ := cli(t, "run", filepath.Join(findingsRoot, name, results.ScenarioFile), "--seed", strconv.FormatUint(seed, 10), "--out", folder)
		if code == exitMet {
			return folder, seed
		}
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
	}
	t.Skipf("SKIPPED: no seed up to %d shows it in the virtual world, for which the test of the committed findings fails", seed)
	return "", 0
}
