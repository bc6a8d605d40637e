package runner

import (
	"testing"

	"dlsim/checker"
)

// A seed whose listed fault met nothing proves nothing by being clean. What it shows, it shows.
func TestAnIdleSeedCountsForWhatItBroke(t *testing.T) {
	e := checker.Expect{FaultsListed: true, Never: []string{checker.FalseAnswer}}
	report := func(seen int) *checker.Report {
		r := checker.New().Check(nil, checker.Params{})
		if seen > 0 {
			o := r.Observation(checker.FalseAnswer)
			o.Count, o.Sentence = seen, "somebody was told a lie."
		}
		return &r
	}
	const idle = "pause on executor-1 never bit: the run was over"
	for _, c := range []struct {
		name string
		seen int
		idle string
		want checker.Result
	}{
		{"a clean seed", 0, "", checker.Met},
		{"a clean idle seed", 0, idle, checker.Inconclusive},
		{"a seed that shows what must not be", 1, "", checker.NotMet},
		{"an idle seed that shows what must not be", 1, idle, checker.NotMet},
	} {
		t.Run(c.name, func(t *testing.T) {
			tally := newSweepTally(e)
			tally.add(report(c.seen), c.idle)
			if got, why := tally.result(); got != c.want {
				t.Errorf("a sweep of it is %s (%s), want %s", got, why, c.want)
			}
			if got, why := judgeRun(&e, report(c.seen), c.idle); c.idle != "" && got != c.want {
				t.Errorf("the run is %s (%s), want %s", got, why, c.want)
			}
		})
	}
}
