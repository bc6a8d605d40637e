package scenarios

import "fmt"

// contradictionOfList judges the payouts that the scenario names one by one.
func (s *Scenario) contradictionOfList() (Problem, bool) {
	seen := map[string]bool{}
	for i, p := range s.Workload.List {
		path := fmt.Sprintf("workload.list.%d", i)
		switch {
		case p.ID == "" || p.Account == "":
			return s.problem(path, "a payout has an id and an account"), true
		case seen[p.ID]:
			return s.problem(path, "%s is listed twice", p.ID), true
		case p.Amount < 1:
			return s.problem(path, "a payout must move money"), true
		case p.Due < 0 || p.Due >= s.Bound:
			return s.problem(path, "%s does not arrive within the run", p.ID), true
		}
		seen[p.ID] = true
	}
	return Problem{}, false
}

// Check reports the first thing that keeps the scenario from being run, or nil. A scenario that was
// read has passed it; one that a program has changed may not.
func (s *Scenario) Check() error {
	if problems := s.contradictions(); len(problems) > 0 {
		return fmt.Errorf("%s", problems[0])
	}
	return nil
}
