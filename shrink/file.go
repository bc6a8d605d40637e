package shrink

import (
	"fmt"
	"strings"

	"dlsim/results"
	"dlsim/runner"
	"dlsim/scenarios"
)

// Suffix ends the names of scenarios that were made smaller.
const Suffix = "-shrunk"

// Expecting is the result's scenario as a finding: it expects what it shows, and says so. why is the
// violation in a sentence, "" before that is known.
func (r *Result) Expecting(show, why string) *scenarios.Scenario {
	s := *r.Scenario
	s.Name = strings.TrimSuffix(s.Name, Suffix) + Suffix
	if why != "" {
		s.Tells = why
	}
	s.Expect = scenarios.Expect{Violated: []string{show}, Waived: s.Expect.Waived}
	s.MustExercise = nil
	s.DrawnFrom = nil
	if !r.Bites { // what nothing met is needed all the same, and must not make the run inconclusive
		seed := r.Seed
		s.DrawnFrom = &seed
	}
	return &s
}

// Proof says in one sentence how small the result is.
func (r *Result) Proof(show string, seeds uint64) string {
	switch {
	case len(r.Scenario.Faults) == 0:
		return "It takes no fault at all."
	case !r.Minimal:
		return "The search was ended early: there may be a smaller run."
	case len(r.Scenario.Faults) == 1:
		return fmt.Sprintf("Without its one fault %s is lost: tried with seed %d and seeds 1..%d.", show, r.Seed, seeds)
	}
	return fmt.Sprintf("Without any one of its %d faults %s is lost: tried with seed %d and seeds 1..%d.", len(r.Scenario.Faults), show, r.Seed, seeds)
}

// Write runs the result once more and leaves it in a folder: everything that a run's folder has,
// with a scenario that begins by saying what it shows. path is how its reader will reach the file.
func (r *Result) Write(launch runner.Launch, show string, seeds uint64, from string, newFolder func() (*results.Folder, error)) (*runner.Done, error) {
	w := runner.NewWorker(launch)
	defer w.Close()
	first, err := once(w, r.Expecting(show, ""), r.Seed, nil)
	if err != nil {
		return nil, err
	}
	s := r.Expecting(show, sentenceOf(first.Judgement, show))
	var folder *results.Folder
	done, err := once(w, s, r.Seed, func() (*results.Folder, error) {
		var err error
		folder, err = newFolder()
		return folder, err
	})
	if err != nil {
		return nil, err
	}
	head := []string{
		"Shows " + show + ".",
		r.Proof(show, seeds),
		fmt.Sprintf("Made smaller from %s: %s; now %s.", from, r.Before, r.After),
		fmt.Sprintf("Again: dlsim run %s/%s --seed %d", folder.Path, results.ScenarioFile, r.Seed),
	}
	text, err := Commented(s, head)
	if err != nil {
		return nil, err
	}
	return done, folder.WriteText(results.ScenarioFile, string(text))
}

func once(w *runner.Worker, s *scenarios.Scenario, seed uint64, newFolder func() (*results.Folder, error)) (*runner.Done, error) {
	prepared, err := runner.Prepare(s)
	if err != nil {
		return nil, err
	}
	return w.Once(prepared, seed, newFolder)
}

// sentenceOf says in one sentence what the run shows of name.
func sentenceOf(j *results.Judgement, name string) string {
	id, _, _ := strings.Cut(name, "/")
	for i := range j.Verdicts {
		if v := &j.Verdicts[i]; v.ID == id {
			return v.Sentence
		}
	}
	return fmt.Sprintf("%s is seen %d times", name, j.Observations[name])
}

// Commented is the scenario as a short file under a head of comments, checked to read back.
func Commented(s *scenarios.Scenario, head []string) ([]byte, error) {
	brief, err := s.Brief()
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, line := range head {
		fmt.Fprintf(&b, "# %s\n", results.Plain(line))
	}
	b.Write(brief)
	if _, err := scenarios.Parse(s.Name+".yaml", []byte(b.String())); err != nil {
		return nil, fmt.Errorf("the smaller scenario does not read back: %w", err)
	}
	return []byte(b.String()), nil
}

// String is the counts in words.
func (c Counts) String() string {
	return fmt.Sprintf("%s, %s, %s on %s", plural(c.Faults, "fault"), plural(c.Processes, "process"), plural(c.Payouts, "payout"), plural(c.Accounts, "account"))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "s") {
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}
