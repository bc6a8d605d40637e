// Command dlsim-judge sweeps scenarios until one seed shows that something is wrong, and says so in
// one line of JSON. Built with the overlay of dlsim-mutants it judges the mutant that the
// environment names; built plainly it judges the original, and must find nothing.
//
//	dlsim-judge [-seeds n] [-cpu 10s] [-reached] scenario[:set=value]...
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"dlsim/checker"
	"dlsim/mutation/which"
	"dlsim/runner"
)

// verdict is what comes out.
type verdict struct {
	Found    bool   `json:"found"`
	By       string `json:"by,omitempty"` // invariant, observation, "unknown", "defect" or what was never exercised
	Kind     string `json:"kind,omitempty"`
	Scenario string `json:"scenario,omitempty"`
	Seed     uint64 `json:"seed,omitempty"`
	Why      string `json:"why,omitempty"`
	Seeds    int    `json:"seeds"` // judged, all scenarios together
	CPUMs    int64  `json:"cpu_ms"`
	Reached  []int  `json:"reached,omitempty"`
	// Digest covers history and trace of all runs that were judged: a mutant with the original's
	// changed none of them. Digests, with -reached, are those after each run.
	Digest  uint64   `json:"digest"`
	Digests []uint64 `json:"digests,omitempty"`
}

func main() {
	seeds := flag.Uint64("seeds", 1000, "seeds of each scenario")
	limit := flag.Duration("cpu", time.Minute, "processor time after which the search ends")
	reached := flag.Bool("reached", false, "list the mutants whose place was reached")
	flag.Parse()
	v, err := judge(flag.Args(), *seeds, *limit)
	if err != nil {
		fmt.Fprintln(os.Stderr, "dlsim-judge:", err)
		os.Exit(2)
	}
	v.CPUMs = spent().Milliseconds()
	if *reached {
		v.Reached = which.Reached()
	} else {
		v.Digests = nil
	}
	line, err := json.Marshal(v)
	if err != nil {
		fmt.Fprintln(os.Stderr, "dlsim-judge:", err)
		os.Exit(2)
	}
	fmt.Println(string(line))
}

// judge goes through the scenarios in turns, a share of the seeds each, so that an end by time is
// fair to all.
func judge(names []string, seeds uint64, limit time.Duration) (v verdict, err error) {
	worker := runner.NewWorker(runner.Virtual)
	defer worker.Close()
	scenarios := make([]*runner.Scenario, len(names))
	seen := make([]map[string]bool, len(names))
	for i, name := range names {
		parts := strings.Split(name, ":")
		if scenarios[i], err = runner.Load(parts[0], parts[1:]...); err != nil {
			return v, err
		}
		seen[i] = map[string]bool{}
	}
	const share = 50
	for from := uint64(1); from <= seeds; from += share {
		for i, s := range scenarios {
			for seed := from; seed < from+share && seed <= seeds; seed++ {
				if spent() > limit {
					return v, nil
				}
				v.Seeds++
				if one(&v, worker, s, seed, seen[i]); v.Found {
					v.Scenario, v.Seed = names[i], seed
					return v, nil
				}
			}
		}
	}
	if seeds < enough {
		return v, nil
	}
	for i, s := range scenarios {
		for _, name := range s.MustExercise {
			if !seen[i][name] {
				v.Found, v.By, v.Scenario = true, "never exercised: "+name, names[i]
				return v, nil
			}
		}
	}
	return v, nil
}

// enough seeds of each scenario show everything that it must exercise; fewer may miss what is rare.
const enough = 500

// one judges a seed.
func one(v *verdict, w *runner.Worker, s *runner.Scenario, seed uint64, seen map[string]bool) {
	job, err := s.Job(seed)
	if err != nil {
		v.Found, v.By, v.Why = true, "defect", err.Error()
		return
	}
	job.Params.Second = checker.OnViolation
	r, err := w.Run(job, nil)
	if err != nil {
		v.Found, v.By, v.Why = true, "defect", err.Error()
		return
	}
	digest := fnv.New64a()
	fmt.Fprintln(digest, v.Digest, r.Outcome.Hash, r.Outcome.TraceHash)
	v.Digest = digest.Sum64()
	v.Digests = append(v.Digests, v.Digest)
	expected := s.Expectation()
	r.Report.Coverage.Each(func(name string, count int64) {
		seen[name] = seen[name] || count > 0
		if count > 0 && slices.Contains(expected.Never, name) && !v.Found {
			v.Found, v.By = true, name
		}
	})
	for i := range r.Report.Invariants {
		j := &r.Report.Invariants[i]
		if j.Verdict == checker.Violated && !v.Found && !slices.Contains(expected.Violated, j.ID) {
			v.Found, v.By, v.Kind, v.Why = true, j.ID, j.Violations[0].Kind, j.Sentence()
		}
	}
	for i := range r.Report.Observations {
		if o := &r.Report.Observations[i]; o.Count > 0 && slices.Contains(expected.Never, o.Name) && !v.Found {
			v.Found, v.By = true, o.Name
		}
	}
	for i := range r.Report.Invariants {
		if j := &r.Report.Invariants[i]; j.Verdict == checker.Unknown && !v.Found {
			v.Found, v.By, v.Kind, v.Why = true, "unknown", j.ID, j.Sentence()
		}
	}
}

// spent is the processor time of this process so far.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
