package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"dlsim/sim/live/pgcluster"
)

// installed finds PostgreSQL, and skips the test where there is none, except in CI.
func installed(t *testing.T) pgcluster.Install {
	t.Helper()
	in, err := pgcluster.Find()
	var missing *pgcluster.NotFoundError
	if errors.As(err, &missing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// cluster starts a real server for many databases.
func cluster(t *testing.T) *pgcluster.Cluster {
	t.Helper()
	in := installed(t)
	c, err := NewCluster(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	t.Log(in.Version)
	return c
}

// number reads a setting of the run from the environment.
func number(t *testing.T, name string, otherwise int64) int64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestGeneratedPrograms compares model and server over programs of consecutive seeds: COUNT of
// them, from SEED on. It stops after DIFFERENCES different ones.
func TestGeneratedPrograms(t *testing.T) {
	t.Parallel()
	first, count := number(t, "SEED", 1), number(t, "COUNT", 300)
	most := number(t, "DIFFERENCES", 1)
	c := cluster(t)
	began := time.Now()
	var mu sync.Mutex
	var steps, blocked, found int64
	next := first
	take := func() (int64, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next >= first+count || found >= most {
			return 0, false
		}
		if done := next - first; done > 0 && done%5000 == 0 {
			t.Logf("%d programs begun, %d differences, %.0f s", done, found, time.Since(began).Seconds())
		}
		next++
		return next - 1, true
	}
	var all sync.WaitGroup
	for w := range runtime.NumCPU() + 1 {
		all.Go(func() {
			s, err := NewServer(context.Background(), c, fmt.Sprintf("w%d", w))
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			b := NewBench(s)
			for {
				seed, ok := take()
				if !ok {
					return
				}
				p := Generate(seed)
				model, real, err := b.traces(context.Background(), p)
				if err != nil {
					t.Errorf("seed %d: %v\n%s", seed, err, p.Script(nil))
					return
				}
				text := ""
				if real == nil {
					text = model.Tables[0]
				} else if text = differ(model, real); text == "" {
					mu.Lock()
					steps += int64(len(real.Steps))
					blocked += int64(real.blocked())
					mu.Unlock()
					continue
				}
				mu.Lock()
				found++
				mu.Unlock()
				small, again, err := b.Shrink(context.Background(), p)
				if err != nil {
					t.Errorf("seed %d: %v", seed, err)
					return
				}
				if again == "" {
					t.Errorf("seed %d: a difference that did not come again: %s\n%s", seed, text, p.Script(real))
					continue
				}
				_, real, err = b.traces(context.Background(), small)
				if err != nil {
					t.Errorf("seed %d: %v", seed, err)
					return
				}
				t.Errorf("seed %d: the model differs from the server in %s\n\nThe script, with the server's answers:\n\n%s", seed, again, small.Script(real))
			}
		})
	}
	all.Wait()
	t.Logf("%d programs from seed %d: %d steps, %d of them blocked or freed others, %d differences, %.1f s",
		next-first, first, steps, blocked, found, time.Since(began).Seconds())
	if found == 0 && blocked < count/4 {
		t.Errorf("only %d blocked steps: these programs prove little", blocked)
	}
}

func TestASeedGivesTheSameProgramAgain(t *testing.T) {
	for seed := range int64(50) {
		a, b := Generate(seed), Generate(seed)
		if a.Script(nil) != b.Script(nil) {
			t.Fatalf("seed %d", seed)
		}
		for _, step := range a.Steps {
			if got := parseStep(step.String()).String(); got != step.String() {
				t.Errorf("%q is read as %q", step, got)
			}
		}
	}
}

func TestAProgramReadsAsAScript(t *testing.T) {
	p := &Program{Schema: "keys", Seeds: []string{"insert into t values (1, 1, 'a')"}, Steps: []Step{parseStep("A: select $1 | int:5")}}
	text := p.Script(nil)
	for _, part := range []string{"schema\ncreate table t", "---\ninsert into t", "\nrun\nA: select $1 | int:5\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}
