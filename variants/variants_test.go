package variants_test

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dlsim/checker"
	"dlsim/runner"
	"dlsim/scenarios"
	"dlsim/variants"
)

// shows reads testdata/shows.txt: for each row the seeds that together show all that it claims.
// Without a line seeds 1 to 3 are run.
func shows(t *testing.T) map[string][]uint64 {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "shows.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seeds := map[string][]uint64{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if variants.Named(words[0]) == nil {
			t.Errorf("testdata/shows.txt: no row is called %q", words[0])
		}
		for _, w := range words[1:] {
			n, err := strconv.ParseUint(w, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			seeds[words[0]] = append(seeds[words[0]], n)
		}
	}
	return seeds
}

// Each row shows what it says within a handful of known seeds, and the full design shows none of it
// under the same plans. Sweeps of many seeds are the matrix's business.
func TestEveryRowShowsWhatItSaysAndItsControlDoesNot(t *testing.T) {
	w := runner.NewWorker(runner.Virtual)
	defer w.Close()
	known := shows(t)
	for _, v := range variants.All() {
		t.Run(v.Name, func(t *testing.T) {
			s, err := v.Scenario()
			if err != nil {
				t.Fatal(err)
			}
			seeds := known[v.Name]
			if len(seeds) == 0 {
				seeds = []uint64{1, 2, 3}
			}
			shown := shownBy(t, w, s, seeds)
			for _, name := range v.Found {
				if !shown[name] {
					t.Errorf("seeds %d do not show %s", seeds, name)
				}
			}
			for _, name := range append(slices.Clone(v.Holds), v.Never...) {
				if shown[name] {
					t.Errorf("seeds %d show %s", seeds, name)
				}
			}
			c, err := v.Control()
			if err != nil {
				t.Fatal(err)
			}
			if c == nil {
				return
			}
			shown = shownBy(t, w, c, seeds)
			for _, name := range v.Found {
				if shown[name] {
					t.Errorf("its control shows %s under seeds %d", name, seeds)
				}
			}
		})
	}
}

// shownBy says what the seeds show together.
func shownBy(t *testing.T, w *runner.Worker, s *scenarios.Scenario, seeds []uint64) map[string]bool {
	t.Helper()
	prepared, err := runner.Prepare(s)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, seed := range seeds {
		job, err := prepared.Job(seed)
		if err != nil {
			t.Fatal(err)
		}
		r, err := w.Run(job, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Report.Invariants {
			j := &r.Report.Invariants[i]
			if j.Verdict == checker.Violated {
				shown[j.ID] = true
				for n := range j.Violations {
					shown[j.ID+"/"+j.Violations[n].Kind] = true
				}
			}
		}
		for i := range r.Report.Observations {
			if o := &r.Report.Observations[i]; o.Count > 0 {
				shown[o.Name] = true
			}
		}
	}
	return shown
}

func TestTheTableIsWhole(t *testing.T) {
	names, reports, letters := map[string]bool{}, map[string]bool{}, ""
	for _, v := range variants.All() {
		if names[v.Name] || v.Title == "" || v.Rule == "" || v.Plan == "" || v.Needs == "" || v.Design == "" || v.Seeds == 0 {
			t.Errorf("%s: named twice, or something is not said", v.Name)
		}
		names[v.Name] = true
		if (v.Report == "") != (v.Breaks == "") {
			t.Errorf("%s: a report and its letters come together", v.Name)
		}
		if v.Report != "" && v.Uncontrolled == "" {
			reports[v.Report] = true
			letters += " " + v.Breaks
		}
		expect := checker.Expect{Violated: v.Found, Holds: v.Holds, Never: v.Never}
		if err := expect.Check(); err != nil {
			t.Errorf("%s: %v", v.Name, err)
		}
	}
	if len(reports) < 15 {
		t.Errorf("%d field reports", len(reports))
	}
	for _, letter := range strings.Fields("MX DS LI LP SA SW TM") {
		if !strings.Contains(letters, letter) {
			t.Errorf("no planted report breaks %s", letter)
		}
	}
}
