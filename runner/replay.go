package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dlsim/checker"
	"dlsim/history"
	"dlsim/results"
)

// Repeat is what became of repeating a stored run.
type Repeat struct {
	Done   *Done
	Stored *results.Stored
	// Step is the first step of the trace that differs, nil when none does or none was stored.
	Step *results.Difference
	// Event is the place, from 1, of the first event of the history that differs; 0 when none does.
	Event int
	// Verdicts names the invariants that are judged otherwise than they are stored, in order.
	Verdicts []string
}

// Same says whether the run came out as it is stored: both hashes, which cover every step, and
// what the checker made of it.
func (r *Repeat) Same() bool {
	return r.Done.Hash == r.Stored.Judgement.Hash && r.Done.TraceHash == r.Stored.Judgement.TraceHash &&
		r.Step == nil && r.Event == 0 && len(r.Verdicts) == 0
}

// Replay carries out s with the stored run's seed and compares. It writes nothing.
func Replay(launch Launch, s *Scenario, stored *results.Stored) (*Repeat, error) {
	job, err := s.Job(stored.Judgement.Seed)
	if err != nil {
		return nil, err
	}
	compare, file, err := storedTrace(stored)
	if err != nil {
		return nil, err
	}
	if compare != nil {
		defer file.Close()
		var line []byte
		job.Setup.Trace = func(step, at int64, what string) {
			line = traceLine(line[:0], step, at, what)
			_, _ = compare.Write(line) // it tells at the end
		}
	}
	job.Params.Second = checker.Always
	w := NewWorker(launch)
	defer w.Close()
	result, err := w.Run(job, nil)
	if err != nil {
		return nil, err
	}
	r := &Repeat{Done: w.judge(s, job, &result), Stored: stored, Event: firstEvent(stored.Events, result.Outcome.Events)}
	for _, rule := range results.Rules {
		if r.Done.Invariants[rule.ID] != stored.Judgement.Invariants[rule.ID] {
			r.Verdicts = append(r.Verdicts, rule.ID)
		}
	}
	if compare != nil {
		if r.Step, err = compare.Result(); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", results.ErrFolder, file.Name(), err)
		}
		if r.Step != nil && r.Done.TraceHash == stored.Judgement.TraceHash {
			return nil, fmt.Errorf("%w: %s is damaged: its step %d is not that of the run, whose trace hash is %s as stored",
				results.ErrFolder, file.Name(), r.Step.Step, r.Done.TraceHash)
		}
	}
	return r, nil
}

// storedTrace opens the trace of a stored run; nil when the run has none.
func storedTrace(stored *results.Stored) (*results.Comparer, *os.File, error) {
	file, err := os.Open(filepath.Join(stored.Path, results.TraceFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", results.ErrFolder, err)
	}
	compare, err := results.NewComparer(file)
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%w: %s: %w", results.ErrFolder, file.Name(), err)
	}
	return compare, file, nil
}

func firstEvent(a, b []history.Event) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i + 1
		}
	}
	return 0
}
