package postgres

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// section is one schema of a script file and the steps that follow it.
type section struct {
	file  string
	line  int
	ddl   string
	seeds []string
	steps []scripted
}

// scripted is one step with the lines that the file expects under it.
type scripted struct {
	line int
	step Step
	want []string
}

// readScripts parses a file of sim/virtual/postgres/testdata.
func readScripts(path string) ([]section, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(text), "\n")
	var out []section
	for i := 0; i < len(lines); i++ {
		what := lines[i]
		if what != "schema" && what != "run" {
			continue
		}
		at := i + 1
		var input, want []string
		for i++; i < len(lines) && lines[i] != "----"; i++ {
			input = append(input, lines[i])
		}
		for i++; i < len(lines) && lines[i] != ""; i++ {
			want = append(want, lines[i])
		}
		if what == "schema" {
			ddl, seeds, _ := strings.Cut(strings.Join(input, "\n"), "---\n")
			s := section{file: path, line: at, ddl: ddl}
			if seeds = strings.TrimSpace(seeds); seeds != "" {
				s.seeds = strings.Split(seeds, "\n")
			}
			out = append(out, s)
			continue
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("%s:%d: a run before any schema", path, at)
		}
		s := &out[len(out)-1]
		for n, line := range input {
			if len(want) == 0 || want[0] != line {
				return nil, fmt.Errorf("%s:%d: the answers are not those of %q", path, at+n+1, line)
			}
			st := scripted{line: at + n + 1, step: parseStep(line)}
			for want = want[1:]; len(want) > 0 && strings.HasPrefix(want[0], "  "); want = want[1:] {
				st.want = append(st.want, strings.TrimSpace(want[0]))
			}
			s.steps = append(s.steps, st)
		}
	}
	return out, nil
}

// settled brings lines to a form in which order does not count: neither that of the sessions that
// a step frees, nor that of those in the way.
func settled(lines []string) string {
	var out []string
	for _, line := range lines {
		if by, ok := strings.CutPrefix(line, "blocks on "); ok {
			names := strings.Split(by, ", ")
			slices.Sort(names)
			line = "blocks on " + strings.Join(names, ", ")
		}
		out = append(out, mask(line))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// beyond are the commands that no SQL can give to a real server.
var beyond = []string{"stall", "heal", "crash", "recover", "standby", "replicate", "promote", "diff"}

// inspection are the commands that only look into the model.
var inspection = []string{"commits", "heap"}
