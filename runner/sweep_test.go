package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"dlsim/checker"
	"dlsim/nemesis"
	"dlsim/results"
	"dlsim/scenarios"
)

var pauseOne = nemesis.Fault{Kind: "pause", Target: "executor-1", For: time.Second}

// timeless clears what a machine's speed decides.
func timeless(s *results.Sweep) *results.Sweep {
	c := *s
	c.SeedsPerS, c.EventsPerS, c.WallMS, c.VirtualPerWall, c.Ratios = 0, 0, 0, results.Rate{}, nil
	return &c
}

func sweepOf(t *testing.T, s *Scenario, seeds string, workers int) *results.Sweep {
	t.Helper()
	all, err := ParseSeeds(seeds)
	if err != nil {
		t.Fatal(err)
	}
	sweep, err := Sweep(t.Context(), fakeLaunch(), s, SweepOptions{Seeds: all, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return sweep
}

func TestASweepIsTheSameWhateverTheCores(t *testing.T) {
	s := fakeScenario(t, scenarios.Expect{Violated: []string{checker.OnePayment}}, nil)
	want := timeless(sweepOf(t, s, "1..6", 1))
	if want.Seeds != 6 || want.Violated[checker.OnePayment] != 2 || want.FirstSeed[checker.OnePayment] != 3 || want.Expectation != results.Met {
		t.Fatalf("got %+v", want)
	}
	for _, workers := range []int{2, 3, 6} {
		if got := timeless(sweepOf(t, s, "1..6", workers)); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers\ngot  %+v\nwant %+v", workers, got, want)
		}
	}
}

func TestWhatASweepMeets(t *testing.T) {
	payment := []string{checker.OnePayment}
	for _, c := range []struct {
		name     string
		expect   scenarios.Expect
		exercise []string
		faults   []nemesis.Fault
		seeds    string
		want     string
	}{
		{"a violation in any seed", scenarios.Expect{Violated: payment}, nil, nil, "1..6", results.Met},
		{"a violation that no seed shows", scenarios.Expect{Violated: payment}, nil, nil, "1..2", results.NotMet},
		{"a violation in every seed", scenarios.Expect{Violated: payment, In: checker.InEvery}, nil, nil, "1..6", results.NotMet},
		{"a violation in every seed there is", scenarios.Expect{Violated: payment, In: checker.InEvery}, nil, nil, "3..3", results.Met},
		{"a breach in one of many", scenarios.Expect{Never: payment}, nil, nil, "1..6", results.NotMet},
		{"a violation though some seeds' faults missed", scenarios.Expect{Violated: payment}, nil, []nemesis.Fault{pauseOne}, "1..6", results.Met},
		{"nothing, since every seed's fault missed", scenarios.Expect{Violated: payment}, nil, []nemesis.Fault{pauseOne}, "5..5", results.Inconclusive},
		{"nothing, since nothing was exercised", scenarios.Expect{Violated: payment}, []string{"failover"}, nil, "1..6", results.Inconclusive},
	} {
		if got := sweepOf(t, fakeScenario(t, c.expect, c.exercise, c.faults...), c.seeds, 2); got.Expectation != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, got.Expectation, got.Why, c.want)
		}
	}
	if got := sweepOf(t, fakeScenario(t, scenarios.Expect{Violated: payment}, nil, pauseOne), "1..6", 2); got.Inconclusive != 3 {
		t.Errorf("the fault missed in %d seeds, want 3", got.Inconclusive)
	}
}

func TestASweepKeepsItsViolatingRuns(t *testing.T) {
	base := filepath.Join(t.TempDir(), "sweep")
	all, _ := ParseSeeds("1..6")
	got, err := Sweep(t.Context(), fakeLaunch(), fakeScenario(t, scenarios.Expect{}, nil), SweepOptions{
		Seeds: all, Workers: 2,
		Folder: func() (*results.Folder, error) { return results.NewFolder(results.Disk, base) },
	})
	if err != nil || len(got.Kept) != 2 || got.Kept[1].Seed != 6 || got.Results != base {
		t.Fatalf("%v, %+v", err, got)
	}
	for _, name := range []string{"summary.json", "summary.md", "junit.xml", "3/verdict.json", "6/history.jsonl", "6/trace.gz", "6/story.txt"} {
		if info, err := os.Stat(filepath.Join(base, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if story := strings.Join(got.Kept[0].Story, "\n"); !strings.Contains(story, "for the second time") || !strings.Contains(story, "<== breaks") {
		t.Errorf("the story is\n%s", story)
	}
	stored, err := results.ReadRun(filepath.Join(base, "3"))
	if err != nil || stored.Judgement.Seed != 3 {
		t.Errorf("%v %+v", err, stored)
	}
}

func TestAnInterruptedSweepCountsWhatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	got, err := Sweep(ctx, fakeLaunch(), fakeScenario(t, scenarios.Expect{}, nil), SweepOptions{
		Seeds: Seeds{From: 1, To: 6}, Workers: 1,
		Step: func(bool) {
			if steps++; steps == 2 {
				cancel()
			}
		},
	})
	if err != nil || !got.Interrupted || got.Seeds != 2 || steps != 2 {
		t.Errorf("%v after %d steps: %+v", err, steps, got)
	}
}

func TestADefectNamesItsSeedAndKeepsTheRest(t *testing.T) {
	got, err := Sweep(t.Context(), fakeLaunch(), fakeScenario(t, scenarios.Expect{}, nil), SweepOptions{Seeds: Seeds{From: 1, To: 30}, Workers: 3})
	var bug *Bug
	if !errors.As(err, &bug) || bug.Seed != 7 || !errors.Is(err, ErrWorld) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	if got.Seeds != 6 || got.Expectation != results.Inconclusive {
		t.Errorf("got %+v", got)
	}
}

func TestWhatARunMeets(t *testing.T) {
	payment := []string{checker.OnePayment}
	for _, c := range []struct {
		name     string
		expect   scenarios.Expect
		exercise []string
		faults   []nemesis.Fault
		seed     uint64
		want     string
	}{
		{"a violation as expected", scenarios.Expect{Violated: payment}, nil, nil, 3, results.Met},
		{"no violation though expected", scenarios.Expect{Violated: payment}, nil, nil, 1, results.NotMet},
		{"no violation, the fault missed", scenarios.Expect{Violated: payment}, nil, []nemesis.Fault{pauseOne}, 1, results.Inconclusive},
		{"no violation, the fault bit", scenarios.Expect{Violated: payment}, nil, []nemesis.Fault{pauseOne}, 2, results.NotMet},
		{"a breach, the fault missed", scenarios.Expect{Never: payment}, nil, []nemesis.Fault{pauseOne}, 3, results.NotMet},
		{"a fault that never struck", scenarios.Expect{Violated: payment}, nil,
			[]nemesis.Fault{{Kind: "pause", Target: "executor-1", For: 1, On: nemesis.Trigger{Event: "payout.claim"}}}, 2, results.Inconclusive},
	} {
		w := NewWorker(fakeLaunch())
		done, err := w.Once(fakeScenario(t, c.expect, c.exercise, c.faults...), c.seed, nil)
		if err != nil || done.Expectation != c.want {
			t.Errorf("%s: %v, got %+v, want %s", c.name, err, done, c.want)
		}
	}
}

func TestAReplayNamesTheFirstStepThatDiffers(t *testing.T) {
	s := fakeScenario(t, scenarios.Expect{}, nil)
	w := NewWorker(fakeLaunch())
	done, err := w.Once(s, 3, func() (*results.Folder, error) {
		return results.NewFolder(results.Disk, filepath.Join(t.TempDir(), "run"))
	})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := results.ReadRun(done.Results)
	if err != nil {
		t.Fatal(err)
	}
	same, err := Replay(fakeLaunch(), s, stored)
	if err != nil || !same.Same() {
		t.Fatalf("%v %+v", err, same)
	}
	drift.Store(5)
	defer drift.Store(0)
	other, err := Replay(fakeLaunch(), s, stored)
	if err != nil || other.Same() || other.Step == nil || other.Step.Step != 1 || !strings.HasSuffix(other.Step.Stored, "paid0") || !strings.HasSuffix(other.Step.Repeat, "paid5") {
		t.Errorf("%v %+v", err, other)
	}
}
