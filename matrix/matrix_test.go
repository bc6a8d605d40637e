package matrix

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dlsim/results"
	"dlsim/runner"
	"dlsim/scenarios"
	"dlsim/shrink"
	"dlsim/variants"
)

func options(workers int) Options {
	return Options{Launch: runner.Virtual, Workers: workers, Searches: 2, Least: 8, Shrink: shrink.Options{Seeds: 6, Runs: 1000}}
}

func row(t *testing.T, name string) *variants.Variant {
	t.Helper()
	for _, v := range variants.All() {
		if v.Name == name {
			return v
		}
	}
	t.Fatalf("no variant %s", name)
	return nil
}

func run(t *testing.T, o Options, table ...*variants.Variant) *Matrix {
	t.Helper()
	m, err := Run(t.Context(), table, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range m.Variants { // what differs from machine to machine
		r.WallMS = 0
		for i := range r.Claims {
			r.Claims[i].ShrinkMS = 0
		}
	}
	return m
}

func TestARejectedDesignIsFoundAndItsControlIsClean(t *testing.T) {
	m := run(t, options(1), row(t, "fencing-off"))
	r := m.Variants[0]
	if !r.Confirmed || r.Control != Clean || r.Faults != 1 || r.Payouts != 1 || r.SeedsMedian < 1 || r.SeedsP90 < r.SeedsMedian || !m.Good() {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(r.Violated, []string{"INV-02", "INV-05", "INV-07"}) || !r.Claims[0].Minimal {
		t.Errorf("violated %v, claims %+v", r.Violated, r.Claims)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{`"variants":[{"name":"fencing-off"`, `"violated":["INV-02"`, `"observed":[`, `"confirmed":true`, `"seeds_median":`, `"faults":1`, `"control":"clean"`} {
		if !strings.Contains(string(text), field) {
			t.Errorf("the JSON lacks %s: %s", field, text)
		}
	}
}

func TestTheResultDependsOnTheSeedsAlone(t *testing.T) {
	table := []*variants.Variant{row(t, "intent-after-forward"), row(t, "fencing-off")}
	one, err := json.Marshal(run(t, options(1), table...))
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(table)
	m := run(t, options(3), table...)
	slices.Reverse(m.Variants)
	if three, _ := json.Marshal(m); !bytes.Equal(one, three) {
		t.Errorf("one worker:\n%s\nthree, in the other order:\n%s", one, three)
	}
}

func TestAHypothesisThatIsFalseIsSaidSo(t *testing.T) {
	wrong := *row(t, "fencing-off")
	wrong.Name, wrong.Found, wrong.Seeds = "wrong", []string{"INV-02", "INV-01"}, 10
	tooMuch := *row(t, "fencing-off")
	tooMuch.Name, tooMuch.Found, tooMuch.Holds = "too-much", []string{"INV-02"}, []string{"INV-05"}
	same := *row(t, "fencing-off")
	same.Name, same.Switch, same.Found, same.Seeds = "same", nil, nil, 10
	m := run(t, options(2), &wrong, &tooMuch, &same)
	if r := m.Variants[0]; r.Confirmed || !strings.Contains(r.Why, "INV-01 found in 0 of 2 searches of 10 seeds") || r.SeedsMedian != 0 || m.Good() {
		t.Errorf("%+v", r)
	}
	if r := m.Variants[1]; r.Confirmed || !strings.Contains(r.Why, "INV-05 must hold and fell with seed") {
		t.Errorf("%+v", r)
	}
	if r := m.Variants[2]; !r.Confirmed || r.Faults != -1 || len(r.Violated) != 0 || r.Control != Clean {
		t.Errorf("the design against itself: %+v", r)
	}
	if m.Confirmed != 1 {
		t.Errorf("%d confirmed", m.Confirmed)
	}
}

func TestAControlThatIsNotCleanIsSaidSo(t *testing.T) {
	v := *row(t, "fencing-off")
	v.Plan, v.Found, v.Switch = twoHolders, []string{"superseded-claim"}, nil // the full design shows it too
	m := run(t, options(1), &v)
	if r := m.Variants[0]; !r.Confirmed || !strings.Contains(r.Control, "superseded-claim with seed") || m.Good() {
		t.Errorf("%+v", r)
	}
}

// Question 3's remedy holds where the design does not, and one switch more undoes it.
func TestARotatedCredentialLeavesNothingOfQuestionThree(t *testing.T) {
	question := func(name string) variants.Variant {
		for _, v := range Questions() {
			if v.Name == name {
				return *v
			}
		}
		t.Fatalf("no question %s", name)
		return variants.Variant{}
	}
	remedy, without, repeated := question("question-3-rotation"), question("question-3-rotation"), question("question-3-rotation-repeated")
	without.Switch = nil
	m := run(t, options(1), &remedy, &without, &repeated)
	if r := m.Variants[0]; !r.Confirmed || len(r.Violated) != 0 || r.Seeds != 8 {
		t.Errorf("with it: %+v", r)
	}
	if r := m.Variants[1]; r.Confirmed || !strings.Contains(r.Why, "INV-04 must hold and fell") {
		t.Errorf("without it: %+v", r)
	}
	if r := m.Variants[2]; !r.Confirmed || r.Faults != 1 || !r.Claims[0].Minimal {
		t.Errorf("undone: %+v", r)
	}
}

func TestCtrlCKeepsTheRowsThatAreDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := options(1)
	o.Step = func(int, int, *Row) { cancel() }
	m, err := Run(ctx, []*variants.Variant{row(t, "intent-after-forward"), row(t, "fencing-off")}, o)
	if err != nil || len(m.Variants) != 1 || !m.Interrupted || m.Good() {
		t.Errorf("%+v %v", m, err)
	}
}

func TestFindingsRunByThemselves(t *testing.T) {
	t.Chdir(t.TempDir())
	m := run(t, options(1), row(t, "intent-after-forward"))
	if err := m.WriteFindings(results.Disk, "f"); err != nil {
		t.Fatal(err)
	}
	checkFindings(t, "f", 2) // without a fault, and with one that pays twice
	folder, err := results.UseFolder(results.Disk, "m")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Write(folder); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("m", MarkdownFile))
	if err != nil || !strings.Contains(string(text), "| intent-after-forward | 02 06") {
		t.Errorf("%v\n%s", err, text)
	}
	var plain bytes.Buffer
	if err := m.WriteText(&plain, results.Style{}); err != nil || !strings.Contains(plain.String(), "1 of 1 hypotheses confirmed") {
		t.Errorf("%v\n%s", err, plain.String())
	}
}

// checkFindings runs every finding below root by the command of its README, and compares what it
// shows and its story with what is stored.
func checkFindings(t *testing.T, root string, least int) {
	t.Helper()
	w := runner.NewWorker(runner.Virtual)
	defer w.Close()
	n := 0
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != results.ScenarioFile {
			return err
		}
		n++
		t.Run(filepath.Dir(path), func(t *testing.T) {
			file, seed := command(t, filepath.Join(filepath.Dir(path), "README.md"))
			if want := filepath.ToSlash(path); !strings.HasSuffix(want, file) {
				t.Errorf("the command runs %s, not %s", file, want)
			}
			s, err := scenarios.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			if short, is := s.ShortHorizon(); is {
				t.Errorf("dlsim run refuses it: %s", short)
			}
			prepared, err := runner.Prepare(s)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				renew(t, w, prepared, filepath.Dir(path), seed)
				_, seed = command(t, filepath.Join(filepath.Dir(path), "README.md"))
			}
			done, report, err := w.Reported(prepared, seed)
			if err != nil {
				t.Fatal(err)
			}
			if done.Expectation != results.Met || !report.Shows(s.Expect.Violated[0]) {
				t.Errorf("expectation %s: %s", done.Expectation, done.Why)
			}
			proveMinimal(t, w, s, filepath.Join(filepath.Dir(path), "README.md"), seed)
			story, err := os.ReadFile(filepath.Join(filepath.Dir(path), results.StoryFile))
			if err != nil {
				t.Fatal(err)
			}
			if have := strings.Join(done.Story, "\n") + "\n"; have != string(story) {
				t.Errorf("the story is now\n%s\nstored is\n%s", have, story)
			}
			if len(done.Story) > results.StoryLines || !strings.Contains(string(story), "The full design: ") {
				t.Errorf("a story of %d lines:\n%s", len(done.Story), story)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < least {
		t.Errorf("%d findings below %s, want %d", n, root, least)
	}
}
