package results

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"dlsim/history"

	"github.com/cockroachdb/datadriven"
)

// Each file under testdata/story is a hand-made history, a verdict and the story they must give.
func TestStoriesReadAsWritten(t *testing.T) {
	datadriven.Walk(t, "testdata/story", func(t *testing.T, path string) {
		var events []history.Event
		var verdicts []Verdict
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "history":
				events = readEvents(t, d.Input)
				return ""
			case "verdict":
				if err := json.Unmarshal([]byte(d.Input), &verdicts); err != nil {
					t.Fatal(err)
				}
				return ""
			case "story":
				lines := Story("a test", events, verdicts)
				if len(lines) > StoryLines {
					t.Errorf("%d lines, more than %d", len(lines), StoryLines)
				}
				return strings.Join(lines, "\n") + "\n"
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

// readEvents reads one event a line: seconds, process, kind, operation, then field=value.
func readEvents(t *testing.T, input string) []history.Event {
	var events []history.Event
	for id, l := range strings.Split(strings.TrimSpace(input), "\n") {
		words := strings.Fields(l)
		e := history.Event{ID: int64(id + 1), Process: words[1], Op: history.Op(words[3]), Truth: words[2] == "truth"}
		var seconds float64
		fmt.Sscan(words[0], &seconds)
		e.Time = int64(seconds * 1e9)
		for k := history.Invoke; k <= history.Info; k++ {
			if k.String() == words[2] || e.Truth && k == history.OK {
				e.Kind = k
			}
		}
		fields := map[string]any{}
		for _, w := range words[4:] {
			name, value, _ := strings.Cut(w, "=")
			var number int64
			if _, err := fmt.Sscan(value, &number); err == nil {
				fields[name] = number
			} else {
				fields[name] = strings.ReplaceAll(value, "~", " ")
			}
		}
		raw, err := json.Marshal(fields)
		if err == nil {
			err = json.Unmarshal(raw, &e)
		}
		if err != nil {
			t.Fatalf("line %d: %v", id+1, err)
		}
		events = append(events, e)
	}
	return events
}

func TestLongStoriesLoseTheirLesserLinesFirst(t *testing.T) {
	var events []history.Event
	add := func(e history.Event) {
		e.ID = int64(len(events) + 1)
		e.Time = e.ID * 1e6
		events = append(events, e)
	}
	for i := range 60 {
		add(history.Event{Process: fmt.Sprintf("executor-%d", i), Op: history.PayoutSubmit, Payout: "p1", Account: "a1", Token: int64(i + 1)})
	}
	for range 2 {
		add(history.Event{Process: "rail", Truth: true, Kind: history.OK, Op: history.RailPaid, Payout: "p1", Account: "a1", Amount: 1, Reference: "r"})
	}
	lines := Story("long", events, []Verdict{{ID: "INV-02", Value: Violated, Sentence: "Twice.", Witness: []int64{61, 62}}})
	if len(lines) != StoryLines {
		t.Fatalf("%d lines, want %d", len(lines), StoryLines)
	}
	all := strings.Join(lines, "\n")
	for _, want := range []string{"MONEY MOVES", "for the second time", "<== breaks INV-02", "lesser events left out", "executor-59 submits"} {
		if !strings.Contains(all, want) {
			t.Errorf("the story lacks %q:\n%s", want, all)
		}
	}
}

func TestNoViolationIsNoStory(t *testing.T) {
	if lines := Story("calm", nil, []Verdict{{ID: "INV-02", Value: Unknown}, {ID: "INV-01", Value: Holds}}); lines != nil {
		t.Fatalf("got %q", lines)
	}
}
