package docs_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"dlsim/results"
	"dlsim/runner"
)

var update = flag.Bool("update", false, "write the README's run anew")

// The README shows what the first command prints, at a hundred columns. Left out are the table of
// numbers, what differs from machine to machine, and where the results went.
func TestTheReadmeShowsTheRunAsItIs(t *testing.T) {
	const file, begin, end = "../README.md", "<!-- the run, by go test ./docs -run Readme -update -->\n```text\n", "```\n"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(raw), begin)
	have, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s does not show the run", file)
	}
	want := shownRun(t)
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have != want {
		t.Errorf("%s shows another run than dlsim run fencing-off: go test ./docs -run Readme -update\nhave\n%s\nwant\n%s", file, have, want)
	}
}

func shownRun(t *testing.T) string {
	t.Helper()
	s, err := runner.Load("fencing-off")
	if err != nil {
		t.Fatal(err)
	}
	w := runner.NewWorker(runner.Virtual)
	defer w.Close()
	done, err := w.Once(s, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	done.Observations, done.Measures = nil, nil
	var b strings.Builder
	if err := results.WriteRun(&b, results.Style{Width: 100}, []string{s.Description, s.Tells}, done.Judgement, done.Story); err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, "history      ") && !strings.HasPrefix(line, "hashes       ") {
			shown.WriteString(line)
		}
	}
	return shown.String()
}
