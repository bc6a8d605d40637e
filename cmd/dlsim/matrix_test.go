package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dlsim/matrix"
)

func TestTheMatrixIsShownAndStored(t *testing.T) {
	t.Chdir(t.TempDir())
	var m matrix.Matrix
	code, stdout, stderr := cli(t, "matrix", "fencing-off", "--json", "--findings", "found")
	lastObject(t, stdout, &m)
	if code != exitMet || len(m.Variants) != 1 || !m.Variants[0].Confirmed || m.Variants[0].Control != matrix.Clean || m.Variants[0].Faults != 1 {
		t.Fatalf("status %d, %s\n%s", code, stdout, stderr)
	}
	if strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "1 of 1: fencing-off: as the table says") {
		t.Errorf("%s", stderr)
	}
	for _, file := range []string{filepath.Join(m.Results, matrix.JSONFile), filepath.Join(m.Results, matrix.MarkdownFile), "found/README.md",
		"found/fencing-off/scenario.yaml", "found/fencing-off/story.txt", "found/fencing-off/README.md"} {
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
	text, err := os.ReadFile("found/fencing-off/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(text)) {
		if words := strings.Fields(l); len(words) > 1 && words[0] == "dlsim" {
			if code, stdout, _ := cli(t, words[1:]...); code != exitMet {
				t.Errorf("%s: status %d\n%s", l, code, stdout)
			}
		}
	}
}

func TestAMatrixThatIsInterruptedOrMisspelt(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, stderr := cli(t, "matrix", "fencing-of"); code != exitUsage || !strings.Contains(stderr, "did you mean") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("status %d: %s", code, stderr)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var m matrix.Matrix
	code, stdout, _ := cliWith(t, ctx, nil, "matrix", "--json", "--out", "m")
	if lastObject(t, stdout, &m); code != exitInterrupted || !m.Interrupted || len(m.Variants) != 0 {
		t.Errorf("status %d: %s", code, stdout)
	}
}
