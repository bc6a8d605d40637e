package runner

import (
	"fmt"
	"slices"
	"strconv"

	"dlsim/checker"
	"dlsim/nemesis"
	"dlsim/results"
)

// Done is one run with all that is written and shown of it.
type Done struct {
	*results.Judgement
	Metrics results.Metrics
	Story   []string // nil without a violation
}

// Once carries out one run and leaves it in the folder that newFolder makes; the folder is made
// only when the world has started. With a nil newFolder nothing is written. The second opinion is
// always asked.
func (w *Worker) Once(s *Scenario, seed uint64, newFolder func() (*results.Folder, error)) (*Done, error) {
	done, _, err := w.once(s, seed, newFolder)
	return done, err
}

func (w *Worker) once(s *Scenario, seed uint64, newFolder func() (*results.Folder, error)) (*Done, *Result, error) {
	job, err := s.Job(seed)
	if err != nil {
		return nil, nil, err
	}
	job.Params.Second = checker.Always
	rec := &recording{job: job, newFolder: newFolder}
	if newFolder != nil {
		job.Setup.Trace = rec.step
	}
	result, err := w.Run(job, rec.ended)
	if err != nil {
		return nil, nil, err
	}
	done := w.judge(s, job, &result)
	if rec.folder == nil {
		return done, &result, nil
	}
	done.Results = rec.folder.Path
	return done, &result, rec.folder.WriteJudged(done.Judgement, done.Metrics, done.Story)
}

// Reported carries out one run, writes nothing, and returns the checker's own report besides.
func (w *Worker) Reported(s *Scenario, seed uint64) (*Done, *checker.Report, error) {
	job, err := s.Job(seed)
	if err != nil {
		return nil, nil, err
	}
	job.Params.Second = checker.Always
	result, err := w.Run(job, nil)
	if err != nil {
		return nil, nil, err
	}
	return w.judge(s, job, &result), &result.Report, nil
}

// judge puts a result into words.
func (w *Worker) judge(s *Scenario, job *Job, r *Result) *Done {
	value, why := judgeRun(&s.expect, &r.Report, idleFault(&s.expect, r.Faults))

	virtual := float64(r.Outcome.Elapsed) / 1e6
	wall := float64(r.Wall) / 1e6
	j := &results.Judgement{
		Run: results.Run{
			Scenario: s.Name, Seed: job.Setup.Seed, World: w.world,
			Hash: r.Outcome.Hash, TraceHash: r.Outcome.TraceHash,
			Events: len(r.Outcome.Events), VirtualMS: virtual, WallMS: wall,
			Invariants: map[string]string{}, Observations: map[string]int64{}, Measures: map[string]float64{},
			Faults: []results.Fault{}, Expectation: value.String(), Why: why,
		},
		Quiescent: r.Outcome.Quiescent,
	}
	for i := range r.Report.Invariants {
		v := &r.Report.Invariants[i]
		j.Invariants[v.ID] = v.Verdict.String()
		verdict := results.Verdict{
			ID: v.ID, Value: v.Verdict.String(), Model: v.Model, Sentence: v.Sentence(), Witness: v.Witness(),
		}
		for k := range v.Violations {
			if v.ID+"/"+v.Violations[k].Kind == s.about() { // the scenario is about this one: tell it first
				verdict.Sentence, verdict.Witness = v.Violations[k].Sentence, v.Violations[k].Witness
				verdict.Kinds = append([]string{v.Violations[k].Kind}, verdict.Kinds...)
				continue
			}
			verdict.Kinds = append(verdict.Kinds, v.Violations[k].Kind)
		}
		j.Verdicts = append(j.Verdicts, verdict)
	}
	for i := range r.Report.Observations {
		o := &r.Report.Observations[i]
		j.Observations[o.Name] = int64(o.Count)
	}
	r.Report.Measures.Each(func(name string, value float64) { j.Measures[name] = value })
	coverage := map[string]int64{}
	r.Report.Coverage.Each(func(name string, count int64) { coverage[name] = count })
	for i := range r.Faults {
		f := &r.Faults[i]
		j.Faults = append(j.Faults, results.Fault{Kind: f.Kind, Target: f.Target, Bit: f.Bit, Note: f.Why, Anchor: anchor(f.Anchor)})
	}
	told := j.Verdicts
	if o := r.Report.Observation(s.about()); o != nil && o.Count > 0 {
		told = append(slices.Clone(told), results.Verdict{ID: o.Name, Value: results.Violated, Sentence: o.Sentence, Witness: o.Witness})
	}
	title := fmt.Sprintf("%s, seed %d: what happened", s.Name, job.Setup.Seed)
	return &Done{
		Judgement: j,
		Metrics: results.Metrics{
			Events: j.Events, Steps: r.Outcome.Steps, VirtualMS: virtual, WallMS: wall,
			Observations: j.Observations, Measures: j.Measures, Coverage: coverage,
		},
		Story: results.Tale{Title: title, About: s.about(), Design: s.Design}.Tell(r.Outcome.Events, told),
	}
}

// about is what the scenario's stories tell: the one thing that it expects, or "" where it expects
// nothing or several.
func (s *Scenario) about() string {
	if len(s.Expect.Violated) == 1 {
		return s.Expect.Violated[0]
	}
	return ""
}

func anchor(a nemesis.Anchor) string {
	if a.IsZero() {
		return ""
	}
	return fmt.Sprintf("%v after the %s of %s %s", a.After, nth(a.Nth), a.Process, a.Event)
}

func nth(n int) string {
	switch {
	case n%100/10 == 1:
	case n%10 == 1:
		return strconv.Itoa(n) + "st"
	case n%10 == 2:
		return strconv.Itoa(n) + "nd"
	case n%10 == 3:
		return strconv.Itoa(n) + "rd"
	}
	return strconv.Itoa(n) + "th"
}
