package results

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dlsim/history"
)

// storedRun writes a small whole run and returns its folder.
func storedRun(t *testing.T) string {
	t.Helper()
	folder, err := NewFolder(Disk, filepath.Join(t.TempDir(), Name("a/../b", "7")))
	if err != nil {
		t.Fatal(err)
	}
	events := []history.Event{
		{ID: 1, Time: 1, Process: "executor-1", Op: history.LockAcquire, Account: "a", Owner: "executor-1"},
		{ID: 2, Time: 2, Process: "executor-1", Kind: history.OK, Op: history.LockAcquire, Call: 1, Account: "a", Owner: "executor-1", Token: 3},
	}
	j := &Judgement{Run: Run{Scenario: "x", World: "virtual", Seed: 7, Events: 2}, Verdicts: []Verdict{{ID: "INV-01", Value: Holds, Witness: []int64{1}}}}
	for _, err := range []error{
		folder.WriteJSON(BuildFile, ThisBuild()), folder.WriteHistory(events), folder.WriteJudged(j, Metrics{}, []string{"once"}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder.Path
}

func TestAStoredRunReadsBack(t *testing.T) {
	path := storedRun(t)
	if base := filepath.Base(path); base != "a____b-7" {
		t.Errorf("the folder is called %s", base)
	}
	s, err := ReadRun(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Judgement.Seed != 7 || len(s.Events) != 2 || s.Events[1].Token != 3 || ThisBuild().Differs(s.Build) != "" ||
		!reflect.DeepEqual(s.Judgement.Verdicts, []Verdict{{ID: "INV-01", Value: Holds, Witness: []int64{1}}}) {
		t.Errorf("got %+v", s)
	}
}

func TestADamagedFolderIsOneClearLine(t *testing.T) {
	cut := func(name string, keep int) func(string) error {
		return func(path string) error {
			file := filepath.Join(path, name)
			raw, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			return os.WriteFile(file, raw[:len(raw)*keep/100], 0o644)
		}
	}
	for _, c := range []struct {
		name   string
		damage func(path string) error
		says   string
	}{
		{"no folder", os.RemoveAll, "no such file"},
		{"no verdict", func(p string) error { return os.Remove(filepath.Join(p, VerdictFile)) }, "verdict.json is missing"},
		{"half a verdict", cut(VerdictFile, 50), "damaged"},
		{"half a history", cut(HistoryFile, 50), "history.jsonl:"},
		{"an empty history", cut(HistoryFile, 0), "cut short"},
		{"another run's history", func(p string) error {
			f := &Folder{Path: p, files: Disk}
			return f.WriteHistory([]history.Event{{ID: 1, Process: "x", Kind: history.Info, Op: history.AllHealed}})
		}, "not of one run"},
	} {
		path := storedRun(t)
		if err := c.damage(path); err != nil {
			t.Fatal(err)
		}
		_, err := ReadRun(path)
		if !errors.Is(err, ErrFolder) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want it to say %q", c.name, err, c.says)
		}
	}
}

func TestASweepReadsBackAndMergesWithoutMoving(t *testing.T) {
	folder, err := NewFolder(Disk, filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	want := evilSweep()
	if err := folder.WriteSweep(want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSweep(folder.Path)
	if err != nil {
		t.Fatal(err)
	}
	want.Results = folder.Path
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if _, err := ReadSweep(filepath.Join(folder.Path, "gone")); !errors.Is(err, ErrFolder) {
		t.Errorf("a missing sweep gave %v", err)
	}
}

func TestBuildsThatDifferAreNamed(t *testing.T) {
	a := Build{Schema: 1, Go: "go1", Dlsim: "v1"}
	for _, c := range []struct {
		other Build
		says  string
	}{
		{a, ""}, {Build{Schema: 2, Go: "go1", Dlsim: "v1"}, "schema 2"}, {Build{Schema: 1, Go: "go2", Dlsim: "v1"}, "go2"},
		{Build{Schema: 1, Go: "go1", Dlsim: "v2"}, "dlsim v2"},
	} {
		if got := a.Differs(c.other); c.says == "" != (got == "") || !strings.Contains(got, c.says) {
			t.Errorf("%+v differs from %+v: %q", c.other, a, got)
		}
	}
}
