package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dlsim/results"
)

func TestAShrunkRunShowsTheSameAndRunsByItself(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, stderr := cli(t, "run", "fencing-off", "--seed", "5", "--out", "r"); code != exitMet {
		t.Fatalf("status %d: %s", code, stderr)
	}
	var o shrunkObject
	code, stdout, stderr := cli(t, "shrink", "r", "--out", "small", "--json")
	lastObject(t, stdout, &o)
	if code != exitMet || o.Violation != "INV-02/two-payments" || o.Before.Payouts != 12 || o.After.Payouts != 1 || o.After.Faults != 1 ||
		!o.Minimal || o.After.Processes >= o.Before.Processes || o.Results != "small" || !strings.Contains(stderr, "MONEY MOVES") {
		t.Fatalf("status %d, %+v\n%s", code, o, stderr)
	}
	again := strings.Fields(o.Again)
	if code, stdout, stderr := cli(t, again[1:]...); code != exitMet || !strings.Contains(stdout, "breaks INV-02") {
		t.Errorf("%s: status %d\n%s%s", o.Again, code, stdout, stderr)
	}
	if code, _, stderr := cli(t, "replay", "small"); code != exitMet {
		t.Errorf("status %d: %s", code, stderr)
	}
	if code, stdout, _ := cli(t, "lint", "small/scenario.yaml"); code != exitMet {
		t.Errorf("status %d: %s", code, stdout)
	}

	// Shrinking it again gives it back, for people and in comments that only tell where it came from.
	code, stdout, _ = cli(t, "shrink", "small", "--out", "smaller")
	if code != exitMet || !strings.Contains(stdout, "Without its one fault INV-02/two-payments is lost") || !strings.Contains(stdout, "again    dlsim run smaller/scenario.yaml --seed ") {
		t.Errorf("status %d\n%s", code, stdout)
	}
	if a, b := uncommented(t, "small"), uncommented(t, "smaller"); a != b {
		t.Errorf("shrunk again:\n%s\nwas\n%s", b, a)
	}
}

func uncommented(t *testing.T, folder string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, results.ScenarioFile))
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for l := range strings.Lines(string(text)) {
		if !strings.HasPrefix(l, "#") {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "")
}

func TestWhatCannotBeShrunkIsOneClearLine(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, scenario := range map[string]string{"bad": "fencing-off", "good": "gc-pause", "cut": "fencing-off", "edited": "fencing-off", "lost": "fencing-off"} {
		if code, _, stderr := cli(t, "run", scenario, "--out", name); code != exitMet {
			t.Fatalf("status %d: %s", code, stderr)
		}
	}
	rewrite := func(file string, change func(string) string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(change(string(text))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rewrite("cut/history.jsonl", func(s string) string { return s[:len(s)/2] })
	rewrite("edited/scenario.yaml", func(s string) string { return strings.Replace(s, "for: 12s", "for: 13s", 1) })
	if err := os.Remove("lost/scenario.yaml"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no folder", []string{"shrink"}, exitUsage, "the folder of a run"},
		{"a folder that is not there", []string{"shrink", "nope"}, exitNoWorld, "nope"},
		{"another folder", []string{"shrink", "."}, exitNoWorld, "build.json is missing"},
		{"a run that violated nothing", []string{"shrink", "good"}, exitUsage, "violates nothing"},
		{"an invariant that held", []string{"shrink", "bad", "--keep", "INV-01"}, exitUsage, "it violates INV-02"},
		{"a kind that was not seen", []string{"shrink", "bad", "--keep", "INV-05/equal-token-admitted"}, exitUsage, "stale-submission-admitted"},
		{"an observation that was not made", []string{"shrink", "good", "--keep", "token-regress"}, exitUsage, "not observed"},
		{"a name that is none", []string{"shrink", "bad", "--keep", "INV-20"}, exitUsage, "did you mean"},
		{"a truncated history", []string{"shrink", "cut"}, exitNoWorld, "cut short"},
		{"a folder without its scenario", []string{"shrink", "lost"}, exitUsage, "scenario.yaml"},
		{"a run that comes out otherwise", []string{"shrink", "edited"}, exitNotMet, "does not come out as it is stored"},
		{"a folder in use", []string{"shrink", "bad", "--out", "good"}, exitNoWorld, "not empty"},
	} {
		code, stdout, stderr := cli(t, c.args...)
		if code != c.code || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != 1 || stdout != "" {
			t.Errorf("%s: status %d, %q; want %d and %q\n%s", c.name, code, stderr, c.code, c.says, stdout)
		}
	}
}
