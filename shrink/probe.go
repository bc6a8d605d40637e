package shrink

import (
	"dlsim/checker"
	"dlsim/runner"
)

// Probing returns a probe that runs cases on w and looks for name, in the words of expectations:
// "INV-02/two-payments", "INV-02" or "lease-overrun".
func Probing(w *runner.Worker, name string) Probe {
	return func(c Case) (Seen, error) {
		prepared, err := runner.Prepare(c.Scenario)
		if err != nil {
			return Seen{}, err
		}
		job, err := prepared.Job(c.Seed)
		if err != nil {
			return Seen{}, err
		}
		job.Params.Second = checker.Never
		r, err := w.Run(job, nil)
		if err != nil {
			return Seen{}, err
		}
		return Seen{Shows: r.Report.Shows(name), Faults: r.Faults}, nil
	}
}
