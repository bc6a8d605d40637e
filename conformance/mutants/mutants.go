// Package mutants proves that a conformance suite can fail: it puts one deliberate error at a time
// into a model and runs the suite on it. The model's file is not touched; the go command is told to
// read another in its place (-overlay).
package mutants

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Setting is the environment variable that has Kill run; without it the list is only checked.
const Setting = "MUTANTS"

// Mutant is one deliberate error: in File, named from the module's root, Old becomes New.
type Mutant struct {
	Name     string
	File     string
	Old, New string
	// Run names the test that must fail, and Count on how many programs; 0 leaves that to env.
	Run   string
	Count int
}

// Kill checks the list, and if Setting is set runs the suite of a package on each mutant: every run
// must fail, and not for failing to build. env is added to the suite's environment.
func Kill(t *testing.T, pkg string, list []Mutant, env ...string) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		t.Run(m.Name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, m.File))
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(text), m.Old); n != 1 {
				t.Fatalf("%s has the text to replace %d times, not once:\n%s", m.File, n, m.Old)
			}
			if os.Getenv(Setting) == "" {
				return
			}
			out, err := run(t.TempDir(), root, pkg, m, strings.Replace(string(text), m.Old, m.New, 1), env)
			switch {
			case err == nil:
				t.Errorf("survives %s", m.Run)
			case !strings.Contains(out, "--- FAIL"):
				t.Errorf("was not judged:\n%s", out)
			default:
				t.Log(firstDifference(out))
			}
		})
	}
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}

func run(dir, root, pkg string, m Mutant, text string, env []string) (string, error) {
	changed := filepath.Join(dir, "changed.go")
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, m.File): changed}})
	if err != nil {
		return "", err
	}
	listed := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(listed, overlay, 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "test", "-count=1", "-vet=off", "-overlay", listed, "-run", m.Run, pkg)
	cmd.Dir = root
	cmd.Env = append(append(os.Environ(), env...), Setting+"=")
	if m.Count > 0 {
		cmd.Env = append(cmd.Env, "COUNT="+strconv.Itoa(m.Count))
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// firstDifference is what the suite says first, which tells how the mutant was found.
func firstDifference(out string) string {
	lines := strings.Split(out, "\n")
	for i, l := range lines {
		if strings.Contains(l, "differs") {
			return strings.TrimSpace(strings.Join(lines[i:min(i+3, len(lines))], "\n"))
		}
	}
	return strings.TrimSpace(out)
}
