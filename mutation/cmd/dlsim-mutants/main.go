// Command dlsim-mutants plants bugs in packages, one at a time, and has a program judge each: the
// sweeps of dlsim-judge, or a package's tests. It writes a table of what was not found.
//
//	dlsim-mutants [-most 300] [-seeds 500] [-cpu 10s] ./system/...
//	dlsim-mutants -test ./checker ./checker
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dlsim/mutation"
	"dlsim/mutation/which"
)

// told matches statements that only tell the history what happened: without them it is the record
// that is broken, not the system.
var told = regexp.MustCompile(`\.Record\(|^e\.|^e, `)

type options struct {
	most, jobs int
	seeds      uint64
	cpu        time.Duration
	test       string
	scenarios  string
	keep, only string
}

func main() {
	var o options
	flag.IntVar(&o.most, "most", 300, "mutants judged, spread evenly over all that are reached")
	flag.IntVar(&o.jobs, "jobs", 2, "judged side by side")
	flag.Uint64Var(&o.seeds, "seeds", 500, "seeds of each scenario")
	flag.DurationVar(&o.cpu, "cpu", 10*time.Second, "processor time for each mutant")
	flag.StringVar(&o.test, "test", "", "judge by the tests of this package instead of sweeps")
	flag.StringVar(&o.scenarios, "scenarios", "calm,declines,everything,everything-sql,stale-senders,late-writes,late-decision,late-locks,overslept,renewals,orphans,rail-timeout,rail-reborn,late-no,equal-payouts,forgetful-locks", "what the sweeps run")
	flag.StringVar(&o.keep, "work", "", "folder for the changed files and the program (default: a temporary one)")
	flag.StringVar(&o.only, "only", "", "judge these mutants only: numbers with commas")
	flag.Parse()
	if err := run(o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "dlsim-mutants:", err)
		os.Exit(1)
	}
}

func run(o options, patterns []string) error {
	work := o.keep
	if work == "" {
		var err error
		if work, err = os.MkdirTemp("", "dlsim-mutants"); err != nil {
			return err
		}
		defer os.RemoveAll(work)
	}
	skip := told
	if o.test != "" {
		skip = nil
	}
	planted, err := mutation.Plant(".", work, patterns, skip)
	if err != nil {
		return err
	}
	program := filepath.Join(work, "judge")
	args := []string{"build", "-overlay", planted.Overlay, "-o", program, "./mutation/cmd/dlsim-judge"}
	if o.test != "" {
		args = []string{"test", "-c", "-vet=off", "-overlay", planted.Overlay, "-o", program, o.test}
	}
	build := exec.Command("go", args...)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build with all mutants: %w", err)
	}
	j := &judge{options: o, program: program}
	mutants := planted.Mutants
	fmt.Printf("%d mutants of %s\n", len(mutants), strings.Join(patterns, " "))
	if mutants, err = j.worth(mutants); err != nil {
		return err
	}
	j.all(mutants)
	j.table(mutants)
	return nil
}

type judge struct {
	options
	program string
	mu      sync.Mutex
	results map[int]result
	digests []uint64 // of the original, after each run
}

// result is what became of one mutant.
type result struct {
	Found bool   `json:"found"`
	By    string `json:"by"`
	Kind  string `json:"kind"`
	Seeds int    `json:"seeds"`
	Reach []int  `json:"reached"`

	Digest  uint64   `json:"digest"`
	Digests []uint64 `json:"digests"`
	Same    bool     `json:"-"` // every run came out as the original's, step by step
}

// worth runs the original, which must be found clean, and keeps the mutants in places it reached.
func (j *judge) worth(mutants []mutation.Mutant) ([]mutation.Mutant, error) {
	if j.only != "" {
		return slices.DeleteFunc(mutants, func(m mutation.Mutant) bool {
			return !slices.Contains(strings.Split(j.only, ","), strconv.Itoa(m.ID))
		}), nil
	}
	original := j.ask(0, "-reached", "-cpu", "10m") // as many runs as the longest-lived mutant
	if original.Found {
		return nil, fmt.Errorf("the original is found as well: %s", original.By)
	}
	j.digests = original.Digests
	if j.test == "" {
		far := 0
		mutants = slices.DeleteFunc(mutants, func(m mutation.Mutant) bool {
			_, yes := slices.BinarySearch(original.Reach, m.ID)
			if !yes {
				far++
				fmt.Println("not reached:", m)
			}
			return !yes
		})
		fmt.Printf("%d stand in places that the original did not come by in %d runs\n", far, original.Seeds)
	}
	return mutation.Sample(mutants, j.most), nil
}

// all judges the mutants, so many side by side.
func (j *judge) all(mutants []mutation.Mutant) {
	j.results = map[int]result{}
	var running sync.WaitGroup
	next := make(chan mutation.Mutant)
	for range max(1, j.jobs) {
		running.Go(func() {
			for m := range next {
				r := j.ask(m.ID)
				r.Same = !r.Found && r.Seeds > 0 && r.Seeds <= len(j.digests) && r.Digest == j.digests[r.Seeds-1]
				j.mu.Lock()
				j.results[m.ID] = r
				word := "NOT FOUND"
				switch {
				case r.Found:
					word = "found by " + r.By + " " + r.Kind
				case r.Same:
					word = "CHANGES NOTHING"
				}
				fmt.Printf("%s after %d seeds: %s\n", word, r.Seeds, m)
				j.mu.Unlock()
			}
		})
	}
	for _, m := range mutants {
		next <- m
	}
	close(next)
	running.Wait()
}

// ask has one mutant judged. A program that does not end, or dies, has found it.
func (j *judge) ask(n int, more ...string) result {
	args := append([]string{"-seeds", strconv.FormatUint(j.seeds, 10), "-cpu", j.cpu.String()}, more...)
	args = append(args, strings.Split(j.scenarios, ",")...)
	if j.test != "" {
		args = []string{"-test.failfast", "-test.timeout", "60s"}
	}
	c := exec.Command("timeout", append([]string{"180", j.program}, args...)...)
	c.Env = append(os.Environ(), which.Variable+"="+strconv.Itoa(n))
	if j.test != "" {
		c.Dir = j.test
	}
	out, err := c.Output()
	if j.test != "" {
		return result{Found: err != nil, By: firstFailure(string(out))}
	}
	if err != nil {
		return result{Found: true, By: "crash or hang"}
	}
	var r result
	if err := json.Unmarshal(out, &r); err != nil {
		return result{Found: true, By: "no verdict"}
	}
	return r
}

func firstFailure(out string) string {
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); ok {
			return strings.Fields(name)[0]
		}
	}
	return ""
}

// table writes the score, who found how many, and what nobody found.
func (j *judge) table(mutants []mutation.Mutant) {
	if len(mutants) == 0 {
		return
	}
	by := map[string]int{}
	found, same := 0, 0
	for _, m := range mutants {
		switch r := j.results[m.ID]; {
		case r.Found:
			found++
			by[r.By]++
		case r.Same:
			same++
		}
	}
	fmt.Printf("\nscore: %d of %d found (%d %%)\n", found, len(mutants), 100*found/len(mutants))
	if j.test == "" {
		if other := len(mutants) - same; other > 0 {
			fmt.Printf("%d changed no step of any run; of the other %d, %d were found (%d %%)\n", same, other, found, 100*found/other)
		}
		names := make([]string, 0, len(by))
		for name := range by {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			fmt.Printf("  %-28s %d\n", name, by[name])
		}
	}
	fmt.Println("\n| not found | where | what | runs |\n| --- | --- | --- | --- |")
	for _, m := range mutants {
		if r := j.results[m.ID]; !r.Found {
			runs := "changed"
			if r.Same {
				runs = "as they were"
			}
			fmt.Printf("| %d | %s:%d %s | %s: `%s` → `%s` | %s |\n", m.ID, m.File, m.Line, m.Func, m.Operator,
				strings.ReplaceAll(m.From, "|", "\\|"), strings.ReplaceAll(m.To, "|", "\\|"), runs)
		}
	}
}
