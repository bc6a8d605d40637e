package runner

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"dlsim/scenarios"
)

var update = flag.Bool("update", false, "write testdata/hashes.txt anew")

// pair is one run to be repeated.
type pair struct {
	scenario *Scenario
	seed     uint64
}

func (p pair) String() string { return fmt.Sprintf("%s %d", p.scenario.Name, p.seed) }

// pairs are two seeds of every scenario that ships, and some more of those that draw the most.
func pairs(t *testing.T) []pair {
	t.Helper()
	var all []pair
	for _, name := range scenarios.Names() {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		seeds := uint64(2)
		if len(s.Random) > 0 {
			seeds = 4
		}
		for seed := range seeds {
			all = append(all, pair{s, seed + 1})
		}
	}
	return all
}

// hashes runs the pairs one after another on one worker.
func hashes(t *testing.T, pairs []pair) map[string]string {
	t.Helper()
	w := NewWorker(Virtual)
	defer w.Close()
	out := map[string]string{}
	for _, p := range pairs {
		job, err := p.scenario.Job(p.seed)
		if err != nil {
			t.Fatal(err)
		}
		r, err := w.Run(job, nil)
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		out[p.String()] = r.Outcome.Hash + " " + r.Outcome.TraceHash
	}
	return out
}

// The same scenario and seed give the same two hashes whatever ran before in the process, beside
// it, and on how many cores, and on every processor: the golden file is one for all of them.
func TestDeterminism(t *testing.T) {
	all := pairs(t)
	want := hashes(t, all)
	compare := func(t *testing.T, got map[string]string) {
		t.Helper()
		for _, p := range all {
			if h, ok := got[p.String()]; ok && h != want[p.String()] {
				t.Errorf("%v: %s, at first %s", p, h, want[p.String()])
			}
		}
	}
	t.Run("after other seeds", func(t *testing.T) {
		reversed := slices.Clone(all)
		slices.Reverse(reversed)
		compare(t, hashes(t, reversed))
	})
	for _, cores := range []int{1, 2} {
		t.Run(fmt.Sprintf("side by side on %d cores", cores), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			var running sync.WaitGroup
			for part := range slices.Chunk(all, (len(all)+2)/3) {
				running.Go(func() { compare(t, hashes(t, part)) })
			}
			running.Wait()
		})
	}
	t.Run("as on every processor", func(t *testing.T) {
		golden := filepath.Join("testdata", "hashes.txt")
		var b strings.Builder
		for _, p := range all {
			fmt.Fprintf(&b, "%v %s\n", p, want[p.String()])
		}
		if *update {
			if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		was, is := strings.Split(string(have), "\n"), strings.Split(b.String(), "\n")
		for i := range max(len(was), len(is)) {
			if i >= len(was) || i >= len(is) || was[i] != is[i] {
				t.Fatalf("line %d of %s differs: after a change that means to change runs, write it anew with go test ./runner -run Determinism -update\nhave %q\nwant %q",
					i+1, golden, slices.Concat(is, []string{""})[min(i, len(is))], slices.Concat(was, []string{""})[min(i, len(was))])
			}
		}
	})
}
