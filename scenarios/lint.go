package scenarios

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"dlsim/checker"
	"dlsim/nemesis"
	"dlsim/sim"
	"dlsim/system/config"
)

// Problem is something wrong with a scenario.
type Problem struct {
	File    string
	Line    int    // 0 where the file does not say
	Path    string // of the setting
	Message string
}

// String is the problem in one line.
func (p Problem) String() string {
	at := p.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	if p.Path != "" {
		return fmt.Sprintf("%s: %s: %s", at, p.Path, p.Message)
	}
	return at + ": " + p.Message
}

// problem reports what is wrong with the setting at path, at the nearest line that the file has.
func (s *Scenario) problem(path, format string, args ...any) Problem {
	p := Problem{File: s.file, Path: path, Message: fmt.Sprintf(format, args...)}
	for near := path; ; {
		switch p.Line = s.lines[near]; {
		case p.Line == fromSet:
			p.File, p.Line = "--set", 0
			return p
		case p.Line > 0 || near == "":
			return p
		}
		cut := strings.LastIndexByte(near, '.')
		near = near[:max(cut, 0)]
	}
}

// Lint reports everything that is wrong with a scenario that could be read: what cannot be run, and
// what would run and prove nothing.
func Lint(s *Scenario) []Problem {
	problems := s.contradictions()
	if len(problems) > 0 {
		return problems
	}
	return append(problems, s.doubts()...)
}

// contradictions are what no world can make of the scenario.
func (s *Scenario) contradictions() []Problem {
	if p, over := s.excess(); over {
		return []Problem{p}
	}
	for _, d := range []struct {
		path         string
		value, least time.Duration
	}{
		{"bound", s.Bound, 1}, {"heal_by", s.HealBy, 1}, {"progress", s.Progress, 0},
		{"network.latency", s.Network.Latency, 0}, {"network.message_lifetime", s.Network.MessageLifetime, 0},
		{"workload.spread", s.Workload.Spread, 0},
	} {
		if d.value < d.least {
			return []Problem{s.problem(d.path, "%s is too short", nemesis.FormatDuration(d.value))}
		}
	}
	if s.HealBy > s.Bound {
		return []Problem{s.problem("heal_by", "%s is after the run's bound %s", nemesis.FormatDuration(s.HealBy), nemesis.FormatDuration(s.Bound))}
	}
	for _, w := range []struct {
		path  string
		wrong bool
		what  string
	}{
		{"workload.accounts", s.Workload.Accounts < 1, "there is no account"},
		{"workload.payouts", s.Workload.Payouts < 1, "there is no payout"},
		{"workload.amount_min", s.Workload.AmountMin < 1, "a payout must move money"},
		{"workload.amount_max", s.Workload.AmountMax < s.Workload.AmountMin, "is below amount_min"},
		{"workload.opening", s.Workload.Opening < 0, "is negative"},
	} {
		if w.wrong {
			return []Problem{s.problem(w.path, "%s", w.what)}
		}
	}
	if problem, ok := s.contradictionOfList(); ok {
		return []Problem{problem}
	}
	for _, name := range s.MustExercise {
		if !slices.Contains(checker.ExerciseNames(), name) {
			return []Problem{s.problem("must_exercise", "nothing is called %q among what a run can exercise%s",
				name, nemesis.DidYouMean(name, checker.ExerciseNames()))}
		}
	}
	expect := s.Expectation()
	if err := expect.Check(); err != nil {
		return []Problem{s.problem("expect", "%s", strings.TrimPrefix(err.Error(), "expect: "))}
	}
	for _, id := range s.Expect.Waived {
		if !slices.Contains(checker.Invariants[:], id) {
			return []Problem{s.problem("expect.waived", "there is no invariant %q", id)}
		}
	}
	for _, b := range s.Breaks {
		if !slices.Contains([]string{NothingLost, HorizonCovers, OnlyTheProxies}, b) {
			return []Problem{s.problem("breaks", "%q is no assumption, want a, b or c", b)}
		}
	}
	return s.contradictionsOfDraws()
}

// contradictionsOfDraws judges every system that the scenario's draws can come to.
func (s *Scenario) contradictionsOfDraws() []Problem {
	variants, err := s.variants()
	if err != nil {
		return []Problem{s.problem("draw", "%v", err)}
	}
	rates := s.Random.Rates()
	names := make([]string, 0, len(rates.Kinds))
	for name := range rates.Kinds {
		names = append(names, name)
	}
	sort.Strings(names)
	able := map[string]bool{}
	for _, v := range variants {
		if err := v.Config.Validate(); err != nil {
			path, message, _ := strings.Cut(err.Error(), ": ")
			if _, drawn := s.Draw[path]; drawn {
				path = "draw." + path
			}
			return []Problem{s.problem(path, "%s", message)}
		}
		if p, over := v.excess(); over {
			return []Problem{p}
		}
		t := Topology(v.Config)
		for i, f := range v.Faults {
			if err := f.Validate(t); err != nil {
				return []Problem{s.problem(fmt.Sprintf("faults.%d", i), "%v", err)}
			}
			if f.At > s.HealBy {
				return []Problem{s.problem(fmt.Sprintf("faults.%d", i), "%s: strikes at %s, after heal_by %s",
					f.Kind, nemesis.FormatDuration(f.At), nemesis.FormatDuration(s.HealBy))}
			}
		}
		for _, name := range names {
			kind, err := nemesis.KindNamed(name)
			if err != nil {
				return []Problem{s.problem("random."+name, "%v", err)}
			}
			able[name] = able[name] || kind.Possible(t)
		}
		if _, err := nemesis.NewGenerator(t, v.limits(), rates, v.Faults); err != nil {
			return []Problem{s.problem("random", "%v", err)}
		}
	}
	for _, name := range names {
		if !able[name] {
			return []Problem{s.problem("random."+name, "nothing in this topology can have it")}
		}
	}
	return nil
}

// ShortHorizon reports a horizon that assumption b does not hold with, where the scenario does not
// say that it breaks it. A run of it would end in a verdict about nothing that anyone claims.
func (s *Scenario) ShortHorizon() (Problem, bool) {
	v, way := s.closest()
	if v.Reconciler.Horizon > way || s.breaks(HorizonCovers) {
		return Problem{}, false
	}
	return s.problem("reconciler.horizon",
		"%s does not exceed %s, the longest way from an intent to its money (assumption b): raise it, or say breaks: [b]",
		nemesis.FormatDuration(v.Reconciler.Horizon), nemesis.FormatDuration(way)), true
}

// closest is the system, of all that the draws can come to, whose horizon leaves least over the
// longest way from an intent to its money, and that way.
func (s *Scenario) closest() (*Scenario, time.Duration) {
	variants, _ := s.variants() // judged when it was read
	v, way := variants[0], time.Duration(0)
	for i, w := range variants {
		if d := w.LongestWay(w.Plan()); i == 0 || d-w.Reconciler.Horizon > way-v.Reconciler.Horizon {
			v, way = w, d
		}
	}
	return v, way
}

// doubts are what would run and prove nothing, or something else than it says.
func (s *Scenario) doubts() []Problem {
	var problems []Problem
	if short, ok := s.ShortHorizon(); ok {
		problems = append(problems, short)
	}
	v, way := s.closest()
	if v.Reconciler.Horizon > way && s.breaks(HorizonCovers) && len(s.Random) == 0 {
		problems = append(problems, s.problem("breaks", "the horizon %s exceeds %s: assumption b is not broken",
			nemesis.FormatDuration(v.Reconciler.Horizon), nemesis.FormatDuration(way)))
	}
	for i, f := range s.Faults {
		if f.Kind == "rail-late" && f.Way != nemesis.WayReplies && f.Extra > v.Rail.MaxDelay {
			problems = append(problems, s.problem(fmt.Sprintf("faults.%d", i), "rail-late: the rail pays at most rail.max_delay %s late, not %s",
				nemesis.FormatDuration(v.Rail.MaxDelay), nemesis.FormatDuration(f.Extra)))
		}
	}
	kinds := s.Random.Rates().Kinds
	asked := func(kind, target string) bool {
		share, random := kinds[kind]
		random = random && (target == "" || len(share.Targets) == 0 || slices.Contains(share.Targets, target))
		return random || slices.ContainsFunc(s.Faults, func(f nemesis.Fault) bool {
			return f.Kind == kind && (target == "" || f.Target == target)
		})
	}
	for _, a := range []struct {
		assumption, kind, target, what string
	}{
		{NothingLost, "failover", sim.Paydb, "paydb forgets commits that it acknowledged"},
		{OnlyTheProxies, "operator-pay", "", "a person pays with the rail's credential"},
	} {
		if a.kind == "operator-pay" && v.Operator.Door != config.DoorDirect {
			continue // through the proxy a person is one more submitter
		}
		if asked(a.kind, a.target) && !s.breaks(a.assumption) {
			problems = append(problems, s.problem("breaks", "%s (%s) and the scenario does not say breaks: [%s]", a.what, a.kind, a.assumption))
		}
	}
	if need := s.HealBy + v.Reconciler.Horizon + s.Progress; need > s.Bound {
		problems = append(problems, s.problem("bound", "%s ends the run before heal_by, the horizon and progress have passed (%s): nothing could be called stuck",
			nemesis.FormatDuration(s.Bound), nemesis.FormatDuration(need)))
	}
	if s.Description == "" {
		problems = append(problems, s.problem("description", "the scenario does not say what it shows"))
	}
	if len(s.Expect.Violated) > 0 && s.Tells == "" {
		problems = append(problems, s.problem("tells", "a scenario that expects a violation says what falls and what still holds"))
	}
	return problems
}
