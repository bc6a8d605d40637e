package variants_test

import (
	"flag"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"dlsim/checker"
	"dlsim/runner"
	"dlsim/scenarios"
	"dlsim/variants"
)

var (
	searched = flag.String("rows", "", "print what a search of these rows finds, separated by commas; all means every row")
	budget   = flag.Uint64("seeds", 300, "how many seeds such a search runs")
	from     = flag.Uint64("from", 1, "its first seed")
)

// TestSearch prints, for whoever changes a row, in how many seeds variant and control show what.
func TestSearch(t *testing.T) {
	if *searched == "" {
		t.Skip("prints what -rows asks for and judges nothing")
	}
	for _, v := range variants.All() {
		if *searched != "all" && !strings.Contains(","+*searched+",", ","+v.Name+",") {
			continue
		}
		s, err := v.Scenario()
		if err != nil {
			t.Error(err)
			continue
		}
		line, seeds := tally(t, s, v.Found)
		fmt.Printf("%-28s %s\n", v.Name, line)
		if c, err := v.Control(); err != nil {
			t.Error(err)
		} else if c != nil {
			line, _ := tally(t, c, v.Found)
			fmt.Printf("%-28s %s\n", "  control", line)
		}
		fmt.Printf("SHOWS %s %s\n", v.Name, strings.Trim(fmt.Sprint(seeds), "[]"))
	}
}

// tally counts what the seeds show, and picks few that together show all of found.
func tally(t *testing.T, s *scenarios.Scenario, found []string) (line string, few []uint64) {
	t.Helper()
	prepared, err := runner.Prepare(s)
	if err != nil {
		t.Fatal(err)
	}
	counts, first := map[string]int{}, map[string]uint64{}
	all := uint64(0)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for part := range uint64(2) {
		wg.Go(func() {
			w := runner.NewWorker(runner.Virtual)
			defer w.Close()
			for seed := *from + part; seed < *from+*budget; seed += 2 {
				job, err := prepared.Job(seed)
				if err != nil {
					t.Error(err)
					return
				}
				job.Params.Second = checker.Never
				r, err := w.Run(job, nil)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				everything := len(found) > 0
				see := func(name string) {
					counts[name]++
					if f, ok := first[name]; !ok || seed < f {
						first[name] = seed
					}
				}
				for _, name := range found {
					everything = everything && r.Report.Shows(name)
				}
				if everything && (all == 0 || seed < all) {
					all = seed
				}
				for i := range r.Report.Invariants {
					j := &r.Report.Invariants[i]
					if j.Verdict == checker.Unknown {
						see(j.ID + "?")
					}
					if j.Verdict != checker.Violated {
						continue
					}
					see(j.ID)
					kinds := map[string]bool{}
					for n := range j.Violations {
						kinds[j.Violations[n].Kind] = true
					}
					for k := range kinds {
						see(j.ID + "/" + k)
					}
				}
				for i := range r.Report.Observations {
					if o := &r.Report.Observations[i]; o.Count > 0 {
						see(o.Name)
					}
				}
				if n, _ := r.Report.Coverage.Get("stale-token-presented"); n > 0 {
					see("(stale)")
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	var names []string
	for n := range counts {
		names = append(names, n)
	}
	sort.Strings(names)
	var b strings.Builder
	fmt.Fprintf(&b, "all at %d;", all)
	for _, n := range names {
		fmt.Fprintf(&b, " %s×%d@%d", n, counts[n], first[n])
	}
	if all > 0 {
		return b.String(), []uint64{all}
	}
	for _, name := range found {
		if seed, ok := first[name]; ok && !slices.Contains(few, seed) {
			few = append(few, seed)
		}
	}
	return b.String(), few
}
