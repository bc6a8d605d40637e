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
	"dlsim/scenarios"
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
	for _, name := range []string{"everything-sql", "testdata/contended.yaml"} {
		t.Run(strings.TrimPrefix(name, "testdata/"), func(t *testing.T) { agree(t, scenario(t, name)) })
	}
}

func agree(t *testing.T, s *runner.Scenario) {
	server := real(t)
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
		t.Errorf("seed %d: history %s on PostgreSQL differs from %s on the model: %s", seed, found, wanted, parting(want, got))
	}
	c := server.Counts()
	t.Logf("SEED=%d COUNT=%d: %d runs of %s agree, in %v: %d statements, of which %d waited for a lock, and %d sessions terminated",
		first, count, agreed, s.Name, time.Since(began).Round(time.Millisecond), c.Statements, c.Waits, c.Ended)
	if c.Statements < 100*int(count) {
		t.Errorf("%d runs sent %d statements to PostgreSQL", count, c.Statements)
	}
	if count >= 50 && (c.Waits == 0 || c.Ended == 0) {
		t.Error("no statement waited, or no session was terminated: nothing is shown about that")
	}
}

// Every scenario that leaves paydb itself in peace, broken designs included.
func TestScenariosAgreeWhateverTheDesign(t *testing.T) {
	server := real(t)
	model, inLoop := runner.NewWorker(runner.Virtual), runner.NewWorker(runner.VirtualOver(server))
	defer model.Close()
	defer inLoop.Close()
	names := []string{"fencing-off", "gc-pause", "proxy-restart"}
	if os.Getenv("COUNT") != "" {
		names = scenarios.Names()
	}
	first, agreed, refused := number(t, "SEED", 1), 0, 0
	for _, name := range names {
		s := scenario(t, name)
		job, err := s.Job(first)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := inLoop.Run(job, nil); err != nil {
			if !strings.Contains(err.Error(), ": a real paydb ") {
				t.Errorf("%s: %v", name, err)
				continue
			}
			t.Logf("%s is refused: %v", name, err)
			refused++
			continue
		}
		for seed := first; seed < first+3; seed++ {
			want, wanted := run(t, model, s, seed)
			got, found := run(t, inLoop, s, seed)
			if wanted != found {
				t.Errorf("%s, seed %d: history %s on PostgreSQL differs from %s on the model: %s", name, seed, found, wanted, parting(want, got))
				continue
			}
			agreed++
		}
	}
	t.Logf("SEED=%d: %d runs agree, %d of %d scenarios are refused", first, agreed, refused, len(names))
	if agreed < 9 {
		t.Errorf("only %d runs agree", agreed)
	}
}

func TestWhatWouldTakePaydbAwayIsRefused(t *testing.T) {
	server := real(t)
	w := runner.NewWorker(runner.VirtualOver(server))
	defer w.Close()
	for name, why := range map[string]string{
		"paydb-failover": "cannot be struck by failover",
		"everything":     "paydb.lock_timeout must be 0",
	} {
		job, err := scenario(t, name).Job(1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Run(job, nil); !errors.Is(err, runner.ErrWorld) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", name, err)
		}
	}
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
