package shrink

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dlsim/nemesis"
	"dlsim/results"
	"dlsim/runner"
	"dlsim/scenarios"
)

// Errors of a stored run that cannot be shrunk.
var (
	ErrDiffers = errors.New("the run does not come out as it is stored")
	ErrNothing = errors.New("the run violates nothing")
)

// FromStored repeats a stored run and makes a case of it. What does not come out the same, hashes
// and violations, is refused: a smaller run of something else explains nothing.
func FromStored(launch runner.Launch, s *runner.Scenario, stored *results.Stored) (Case, error) {
	repeat, err := runner.Replay(launch, s, stored)
	if err != nil {
		return Case{}, err
	}
	was, is := &stored.Judgement, repeat.Done.Judgement
	switch {
	case !repeat.Same():
		return Case{}, fmt.Errorf("%w: history %s was %s: dlsim replay %s names the first step that differs", ErrDiffers, is.Hash, was.Hash, stored.Path)
	case !slices.Equal(was.Violations(), is.Violations()):
		return Case{}, fmt.Errorf("%w: it violates %s, stored is %s", ErrDiffers, listing(is.Violations()), listing(was.Violations()))
	}
	stored.Judgement = *is
	return Explicit(s.Scenario, was.Seed)
}

// Explicit settles whatever a scenario leaves to the seed.
func Explicit(s *scenarios.Scenario, seed uint64) (Case, error) {
	resolved, err := s.Resolve(seed)
	if err != nil {
		return Case{}, err
	}
	return Case{resolved.Scenario, seed}, nil
}

func listing(ids []string) string {
	if len(ids) == 0 {
		return "nothing"
	}
	return strings.Join(ids, ", ")
}

// Choose names what of a judged run is to be kept. wish is an invariant, one with its kind
// ("INV-05/stale-submission-admitted") or an observation; empty takes what matters most to money, or
// else the first observation that the scenario expects.
func Choose(j *results.Judgement, s *scenarios.Scenario, wish string) (string, error) {
	if wish == "" {
		if v := j.Main(); v != nil {
			return v.Name(), nil
		}
		for _, name := range s.Expect.Violated {
			if j.Observations[name] > 0 {
				return name, nil
			}
		}
		return "", fmt.Errorf("%w: there is nothing to keep while making it smaller", ErrNothing)
	}
	id, kind, _ := strings.Cut(wish, "/")
	for i := range j.Verdicts {
		v := &j.Verdicts[i]
		switch {
		case v.ID != id:
		case v.Value != results.Violated:
			return "", fmt.Errorf("%w of %s: it violates %s", ErrNothing, id, listing(j.Violations()))
		case kind == "":
			return v.Name(), nil
		case slices.Contains(v.Kinds, kind):
			return wish, nil
		default:
			return "", fmt.Errorf("%w of %s: %s was violated by %s", ErrNothing, wish, id, strings.Join(v.Kinds, ", "))
		}
	}
	if j.Observations[wish] > 0 {
		return wish, nil
	}
	if _, known := j.Observations[wish]; known {
		return "", fmt.Errorf("%w: %s was not observed", ErrNothing, wish)
	}
	names := []string{}
	for i := range j.Verdicts {
		names = append(names, j.Verdicts[i].ID)
	}
	for name := range j.Observations {
		names = append(names, name)
	}
	slices.Sort(names)
	return "", fmt.Errorf("no invariant or observation is called %q%s", wish, nemesis.DidYouMean(wish, names))
}
