package results

import (
	"fmt"
	"slices"
	"strings"

	"dlsim/history"
)

// StoryLines is the most a story has: more is a log, and a log is what history.jsonl is for.
const StoryLines = 25

// Story tells a violation in order: who held which token, what the faults did, which event broke
// the rule, and what the full design does differently there. It returns nil when no verdict is
// violated. Lines are safe for a terminal.
//
// It follows the payouts and accounts of the witness of one verdict, the first violated in the
// order that matters to money, and leaves out everything else that happened.
func Story(title string, events []history.Event, verdicts []Verdict) []string {
	return Tale{Title: title}.Tell(events, verdicts)
}

// Tale says what a story is about.
type Tale struct {
	Title string
	// About names the verdict to tell, or an observation given as one: "INV-05/equal-token-admitted".
	// What is not violated, or "", leaves the choice to the order that matters to money.
	About string
	// Design is what the full design does differently at the step that broke the rule; "" takes the
	// general answer to the kind of violation.
	Design string
}

// Tell is Story for a tale.
func (t Tale) Tell(events []history.Event, verdicts []Verdict) []string {
	main := mainViolation(verdicts)
	about, _, _ := strings.Cut(t.About, "/")
	for i := range verdicts {
		if v := &verdicts[i]; v.ID == about && v.Value == Violated {
			main = v
		}
	}
	if main == nil {
		return nil
	}
	head, tail := []string{Plain(t.Title)}, conclusion(main, verdicts)
	design := t.Design
	if design == "" {
		design = designFor(main)
	}
	if design != "" {
		tail = append(tail, OneLine("The full design: "+design))
	}
	told := subjectOf(events, main, verdicts).tell(events)
	told = shorten(told, StoryLines-len(head)-len(tail))

	lines := head
	for _, l := range told {
		lines = append(lines, l.text)
	}
	return append(lines, tail...)
}

// byMoney orders the invariants by what a reader must hear of first: money that moved wrongly,
// then guards that failed, then what merely stands wrong.
var byMoney = []string{"INV-02", "INV-07", "INV-06", "INV-05", "INV-03", "INV-04", "INV-01"}

func mainViolation(verdicts []Verdict) *Verdict {
	var first *Verdict
	best := len(byMoney) + 1
	for i := range verdicts {
		v := &verdicts[i]
		if v.Value != Violated {
			continue
		}
		rank := slices.Index(byMoney, v.ID)
		if rank < 0 {
			rank = len(byMoney)
		}
		if rank < best {
			first, best = v, rank
		}
	}
	return first
}

// conclusion names the rule that fell and, in a line each, what fell with it.
func conclusion(main *Verdict, verdicts []Verdict) []string {
	rule := RuleOf(main.ID)
	source := ""
	if rule.Source != "" {
		source = " (" + rule.Source + ")"
	}
	name := rule.ID
	if rule.Name != rule.ID {
		name += " " + rule.Name
	}
	lines := []string{OneLine(fmt.Sprintf("Broken: %s%s. %s", name, source, main.Sentence))}
	var also []string
	for i := range verdicts {
		if v := &verdicts[i]; v.Value == Violated && v.ID != main.ID {
			also = append(also, v.ID+" "+RuleOf(v.ID).Name)
		}
	}
	if len(also) > 0 {
		lines = append(lines, OneLine("Broken too: "+strings.Join(also, ", ")+"."))
	}
	return lines
}

// line is one told event and how dearly the story holds to it.
type line struct {
	text   string
	weight weight
}

// weight says what is left out first when a story is too long: the highest.
type weight int

const (
	must    weight = iota // the witness, money, the faults
	grants                // who held which token, admissions and forwards
	steps                 // what the holders did in between
	details               // asks, releases, bookkeeping
)

// shorten leaves out whole weights, heaviest first, then the earliest lines of the last one, and
// says how many lines are gone.
func shorten(lines []line, most int) []line {
	if len(lines) <= most {
		return lines
	}
	drop := len(lines) - most + 1 // one line says so
	gone := drop
	for w := details; w >= must && drop > 0; w-- {
		lines = slices.DeleteFunc(lines, func(l line) bool {
			if drop > 0 && l.weight == w {
				drop--
				return true
			}
			return false
		})
	}
	return append(lines, line{text: fmt.Sprintf("           (%d lesser events left out: see %s)", gone, HistoryFile)})
}
