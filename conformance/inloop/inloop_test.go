package inloop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dlsim/history"
	"dlsim/nemesis"
	"dlsim/runner"
	"dlsim/sim"
	"dlsim/sim/live/pgcluster"
	"dlsim/sim/live/pgloop"
)

// most is how many seeds make conformance takes, whatever its COUNT: a run takes about a second.
const most = 200

func number(t *testing.T, name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func real(t *testing.T) *pgloop.Server {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := pgloop.Start(ctx)
	var missing *pgcluster.NotFoundError
	if errors.As(err, &missing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func scenario(t *testing.T, name string, sets ...string) *runner.Scenario {
	s, err := runner.Load(name, sets...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// history of a seed's run, which is valid as long as nobody else uses it.
func run(t *testing.T, w *runner.Worker, s *runner.Scenario, seed uint64) (events []history.Event, hash string) {
	job, err := s.Job(seed)
	if err != nil {
		t.Fatal(err)
	}
	result, err := w.Run(job, func(o sim.Outcome, _ []nemesis.Result) error {
		events = slices.Clone(o.Events)
		return nil
	})
	if err != nil {
		t.Errorf("seed %d: %v", seed, err)
		return events, ""
	}
	return events, result.Outcome.Hash
}

func TestRunsOnARealPaydbAreTheRunsOnTheModel(t *testing.T) {
	server := real(t)
	s := scenario(t, "everything-sql")
	model, inLoop := runner.NewWorker(runner.Virtual), runner.NewWorker(runner.VirtualOver(server))
	defer model.Close()
	defer inLoop.Close()
	first, count := number(t, "SEED", 1), min(number(t, "COUNT", 5), most)
	began := time.Now()
	agreed := 0
	for seed := first; seed < first+count; seed++ {
		want, wanted := run(t, model, s, seed)
		got, found := run(t, inLoop, s, seed)
		if wanted == found {
			agreed++
			continue
		}
		t.Errorf("seed %d: history %s on PostgreSQL, %s on the model: %s", seed, found, wanted, parting(want, got))
	}
	t.Logf("SEED=%d COUNT=%d: %d runs of %s agree, in %v", first, count, agreed, s.Name, time.Since(began).Round(time.Millisecond))
}

// parting shows where two histories part, and what came before.
func parting(want, got []history.Event) string {
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "they part at event %d of %d and %d", i+1, len(want), len(got))
	for j := max(0, i-6); j < i; j++ {
		fmt.Fprintf(&b, "\n  both   %+v", want[j])
	}
	for j := i; j < i+2; j++ {
		if j < len(want) {
			fmt.Fprintf(&b, "\n  model  %+v", want[j])
		}
		if j < len(got) {
			fmt.Fprintf(&b, "\n  server %+v", got[j])
		}
	}
	return b.String()
}
