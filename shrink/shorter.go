package shrink

import (
	"time"

	"dlsim/nemesis"
	"dlsim/scenarios"
)

// shorterFaults makes every duration of every fault as short as it can be, and lets a fault that
// counts messages meet the first one only.
func (s *search) shorterFaults() bool {
	smaller := false
	for i := 0; i < len(s.best.Scenario.Faults) && s.err == nil; i++ {
		for _, field := range []func(*nemesis.Fault) *time.Duration{
			func(f *nemesis.Fault) *time.Duration { return &f.For },
			func(f *nemesis.Fault) *time.Duration { return &f.After },
			func(f *nemesis.Fault) *time.Duration { return &f.Extra },
			func(f *nemesis.Fault) *time.Duration { return &f.Loses },
			func(f *nemesis.Fault) *time.Duration { return &f.Every },
		} {
			smaller = s.shorter(i, field) || smaller
		}
		if s.best.Scenario.Faults[i].Count != 1 {
			smaller = s.try(s.with(func(t *scenarios.Scenario) { t.Faults[i].Count = 1 })) || smaller
		}
	}
	return smaller
}

// shorter searches by halves for the shortest duration, in steps that a person would write.
func (s *search) shorter(i int, field func(*nemesis.Fault) *time.Duration) bool {
	now := *field(&s.best.Scenario.Faults[i])
	unit := time.Millisecond
	switch {
	case now > 2*time.Second:
		unit = 100 * time.Millisecond
	case now > 200*time.Millisecond:
		unit = 10 * time.Millisecond
	}
	smaller := false
	for low, high := time.Duration(0), (now+unit-1)/unit; high-low > 1 && s.err == nil; {
		middle := (low + high) / 2
		if s.try(s.with(func(t *scenarios.Scenario) { *field(&t.Faults[i]) = middle * unit })) {
			high, smaller = middle, true
		} else {
			low = middle
		}
	}
	return smaller
}

// calmer takes the luck out of the network and of the scheduler.
func (s *search) calmer() bool {
	smaller := false
	for _, calm := range []func(*scenarios.Scenario) *bool{
		func(t *scenarios.Scenario) *bool { return &t.Network.Steady },
		func(t *scenarios.Scenario) *bool { return &t.Unpreempted },
	} {
		if !*calm(s.best.Scenario) {
			smaller = s.trySeeds(s.with(func(t *scenarios.Scenario) { *calm(t) = true })) || smaller
		}
	}
	return smaller
}
