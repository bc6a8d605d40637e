package runner

import (
	"fmt"
	"runtime/debug"
	"time"

	"dlsim/checker"
	"dlsim/nemesis"
	"dlsim/sim"
)

// Result is what one run came to.
type Result struct {
	Outcome sim.Outcome
	Faults  []nemesis.Result
	Report  checker.Report
	Wall    time.Duration // world and checker together
}

// Worker carries out one job after another and keeps buffers between them. It belongs to one
// goroutine.
type Worker struct {
	world   string
	worlds  Launcher
	checker *checker.Checker
	faults  nemesis.Nemesis
}

// NewWorker returns a worker whose worlds launch starts. Close it.
func NewWorker(launch Launch) *Worker {
	return &Worker{world: launch.World, worlds: launch.New(), checker: checker.New()}
}

// Close gives the worker's worlds back.
func (w *Worker) Close() { w.worlds.Close() }

// Ended is called between the end of a world and its judgement: the place to put the history on
// disk.
type Ended func(sim.Outcome, []nemesis.Result) error

// Run carries out one job. The result's events are valid until the next call.
func (w *Worker) Run(job *Job, ended Ended) (r Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Bug{Seed: job.Setup.Seed, Value: p, Stack: debug.Stack()}
		}
	}()
	begun := time.Now()
	world, err := w.worlds.Launch(job.Setup)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrWorld, err)
	}
	if err := w.faults.Prepare(world, job.Plan); err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrWorld, err)
	}
	w.faults.Start()
	r.Outcome = world.Run()
	r.Faults = w.faults.Report()
	r.Wall = time.Since(begun)
	if ended != nil {
		if err := ended(r.Outcome, r.Faults); err != nil {
			return Result{}, err
		}
	}
	if err := fell(world); err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrWorld, err)
	}
	begun = time.Now()
	r.Report = w.checker.Check(r.Outcome.Events, job.Params)
	r.Wall += time.Since(begun)
	return r, nil
}

// fell is why a world that can fall over did; what it has recorded until then is kept all the same.
func fell(w World) error {
	if able, ok := w.(interface{ Err() error }); ok {
		return able.Err()
	}
	return nil
}

// Bug is a panic of the world or the checker: a defect of dlsim, not of the scenario.
type Bug struct {
	Seed  uint64
	Value any
	Stack []byte
}

func (b *Bug) Error() string {
	return fmt.Sprintf("%v: seed %d: %v: a defect of dlsim (set DLSIM_STACK=1 to see where)", ErrWorld, b.Seed, b.Value)
}

// Unwrap makes a Bug an ErrWorld.
func (b *Bug) Unwrap() error { return ErrWorld }
