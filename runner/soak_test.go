package runner

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dlsim/results"
)

func folderIn(dir string) func() (*results.Folder, error) {
	return func() (*results.Folder, error) { return results.UseFolder(results.Disk, dir) }
}

func TestASoakRunsOneSeedAfterAnotherAndAddsUp(t *testing.T) {
	s, err := Load("fencing-off")
	if err != nil {
		t.Fatal(err)
	}
	var seeds []uint64
	soak, err := RunFor(t.Context(), Virtual, s, 5, 50*time.Millisecond, folderIn(t.TempDir()), func(d *Done) {
		seeds = append(seeds, d.Seed)
	})
	if err != nil {
		t.Fatal(err)
	}
	if soak.Runs == 0 || soak.Runs != len(seeds) || seeds[0] != 5 || !slices.IsSorted(seeds) {
		t.Errorf("%d runs, of seeds %v", soak.Runs, seeds)
	}
	if soak.Violated["INV-02"] == 0 || soak.Bit == 0 || soak.Payments <= soak.Payouts || soak.Expectation != results.Met {
		t.Errorf("counted %+v", soak)
	}
}

func TestARunRepeatedByItsAnchorsBreaksTheSame(t *testing.T) {
	s, err := Load("fencing-off")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	w := NewWorker(Virtual)
	defer w.Close()
	if _, err := w.Once(s, 3, folderIn(dir)); err != nil {
		t.Fatal(err)
	}
	stored, err := results.ReadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load(filepath.Join(dir, results.ScenarioFile))
	if err != nil {
		t.Fatal(err)
	}
	e, err := RepeatElsewhere(Virtual, again, stored, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !e.Again() || len(e.Done.Violations()) == 0 {
		t.Errorf("missing %v, more %v of %v", e.Missing, e.More, stored.Judgement.Violations())
	}
	for _, f := range e.Done.Faults {
		if !f.Bit {
			t.Errorf("%s on %s did not bite: %s", f.Kind, f.Target, f.Note)
		}
	}
}
