package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dlsim/results"
	"dlsim/runner"
)

// cli runs one command line in a fresh folder and returns what it left.
func cli(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return cliWith(t, t.Context(), nil, args...)
}

func cliWith(t *testing.T, ctx context.Context, change func(*app), args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	a := newApp(&out, &err)
	if change != nil {
		change(a)
	}
	code = a.execute(ctx, args)
	return code, out.String(), err.String()
}

// write puts a file below a fresh folder and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const small = `name: small
description: one payout
topology: {executors: 1, proxies: 1, lockds: 1}
lock: {backend: postgres}
workload: {accounts: 1, payouts: 1}
`

func TestBadInputIsOneClearLine(t *testing.T) {
	t.Chdir(t.TempDir())
	good := write(t, "good.yaml", small)
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"an unknown command", []string{"rum"}, exitUsage, "did you mean run"},
		{"no scenario", []string{"run"}, exitUsage, "a scenario's name or file"},
		{"two scenarios", []string{"run", "a", "b"}, exitUsage, "got 2 arguments"},
		{"an unknown flag", []string{"run", good, "--sed", "1"}, exitUsage, "--sed"},
		{"a seed that is no number", []string{"run", good, "--seed", "x"}, exitUsage, `--seed wants a whole number from 0 to 18446744073709551615, not "x"`},
		{"a negative seed", []string{"run", good, "--seed=-1"}, exitUsage, `not "-1"`},
		{"a switch that is neither", []string{"run", good, "--json=maybe"}, exitUsage, `--json wants true or false, not "maybe"`},
		{"a sweep's folder in use", []string{"sweep", good, "--seeds", "1..100000000", "--out", filepath.Dir(good)}, exitNoWorld, "not empty"},
		{"a horizon that is too short", []string{"run", good, "--set", "reconciler.horizon=1s"}, exitUsage, "--set: reconciler.horizon: 1s does not exceed"},
		{"more than a machine holds", []string{"run", good, "--set", "workload.accounts=1000000000"}, exitUsage, "is more than 10000"},
		{"an unknown scenario", []string{"run", "fencing-of"}, exitUsage, "fencing-off"},
		{"a file that is not there", []string{"run", "nope.yaml"}, exitUsage, "nope.yaml"},
		{"a folder for a file", []string{"run", "."}, exitUsage, "is a folder"},
		{"an unknown key", []string{"run", write(t, "k.yaml", small+"worklod: {}\n")}, exitUsage, "k.yaml:6: unknown key"},
		{"an empty file", []string{"run", write(t, "e.yaml", "")}, exitUsage, "empty"},
		{"no YAML", []string{"run", write(t, "n.yaml", "a: [\n")}, exitUsage, "n.yaml"},
		{"a contradictory topology", []string{"run", write(t, "t.yaml", strings.Replace(small, "executors: 1", "executors: 0", 1))}, exitUsage, "executors"},
		{"a fault on nobody", []string{"run", write(t, "f.yaml", small+"faults:\n  - {kind: pause, target: executor-9, for: 1s}\n")}, exitUsage, "executor-9"},
		{"a setting that is none", []string{"run", good, "--set", "lock.tll=1s"}, exitUsage, "ttl"},
		{"a setting without value", []string{"run", good, "--set", "lock.ttl"}, exitUsage, "lock.ttl"},
		{"a setting of another type", []string{"run", good, "--set", "lock.ttl=soon"}, exitUsage, "lock.ttl"},
		{"seeds that are no range", []string{"sweep", good, "--seeds", "1-9"}, exitUsage, "1..1000"},
		{"seeds turned around", []string{"sweep", good, "--seeds", "9..1"}, exitUsage, "1..9"},
		{"a shard that is none", []string{"sweep", good, "--seeds", "1..9", "--shard", "0/2"}, exitUsage, "i/n"},
		{"no run to replay", []string{"replay", "nope"}, exitNoWorld, "nope"},
		{"another folder to replay", []string{"replay", "."}, exitNoWorld, "build.json is missing"},
		{"no sweep to report", []string{"report", "nope"}, exitNoWorld, "nope"},
		{"nothing to report", []string{"report"}, exitUsage, "folders"},
		{"a results folder in use", []string{"run", good, "--out", filepath.Dir(good)}, exitNoWorld, "not empty"},
		{"a results folder that is a file", []string{"run", good, "--out", good}, exitNoWorld, "good.yaml"},
		{"a results folder below a file", []string{"sweep", good, "--seeds", "1", "--out", good + "/x"}, exitNoWorld, "good.yaml"},
	} {
		code, _, stderr := cli(t, c.args...)
		if code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: status %d, %q; want %d and %q", c.name, code, stderr, c.code, c.says)
		}
		if strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "Usage") || !strings.HasPrefix(stderr, "dlsim: ") {
			t.Errorf("%s: not one line:\n%s", c.name, stderr)
		}
	}
}

func TestTheReadmeNamesEveryCommand(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range newApp(os.Stdout, os.Stderr).root().Commands() {
		if !cmd.Hidden && cmd.Name() != "help" && !strings.Contains(string(text), "\ndlsim "+cmd.Name()) {
			t.Errorf("it does not name dlsim %s", cmd.Name())
		}
	}
}

func TestLintPrintsProblemsOneALine(t *testing.T) {
	bad := write(t, "bad.yaml", small+"worklod: {}\n")
	code, stdout, stderr := cli(t, "lint", bad, write(t, "good.yaml", small))
	if code != exitUsage || strings.Count(stdout, "\n") != 1 || !strings.HasPrefix(stdout, bad+":6: ") || stderr != "" {
		t.Errorf("status %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, _ := cli(t, "lint"); code != exitMet || !strings.Contains(stdout, "no problems") {
		t.Errorf("the shipped scenarios: status %d\n%s", code, stdout)
	}
}

// noWorld fails to start every world, or panics.
type noWorld struct{ panics bool }

func (noWorld) Close() {}
func (n noWorld) Launch(runner.Setup) (runner.World, error) {
	if n.panics {
		panic("a defect\nof two lines")
	}
	return nil, errors.New("port 5432 is taken")
}

func TestAWorldThatCannotStartIsStatusThree(t *testing.T) {
	t.Chdir(t.TempDir())
	good := write(t, "good.yaml", small)
	for _, panics := range []bool{false, true} {
		launch := func(a *app) {
			a.launch = runner.Launch{World: "virtual", New: func() runner.Launcher { return noWorld{panics} }}
		}
		for _, args := range [][]string{{"run", good}, {"sweep", good, "--seeds", "1..5"}} {
			code, stdout, stderr := cliWith(t, t.Context(), launch, args...)
			if code != exitNoWorld || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "world") {
				t.Errorf("%v: status %d\n%s%s", args, code, stdout, stderr)
			}
		}
	}
	if _, err := os.Stat("results"); !errors.Is(err, os.ErrNotExist) {
		t.Error("a run that never began left a folder")
	}
}

// fullOutput is a standard output that takes nothing.
type fullOutput struct{}

func (fullOutput) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: errors.New("no space left on device")}
}

func TestAnOutputThatCannotBeWrittenIsStatusThree(t *testing.T) {
	t.Chdir(t.TempDir())
	good := write(t, "good.yaml", small)
	full := func(a *app) { a.stdout = fullOutput{} }
	for _, args := range [][]string{{"run", good}, {"run", good, "--json"}, {"sweep", good, "--seeds", "1..2"}, {"list"}, {"lint"}} {
		code, _, stderr := cliWith(t, t.Context(), full, args...)
		if code != exitNoWorld || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "the output is cut short") {
			t.Errorf("%v: status %d, %q", args, code, stderr)
		}
	}
}

func TestExitStatusFollowsTheExpectation(t *testing.T) {
	for value, want := range map[string]int{results.Met: exitMet, results.NotMet: exitNotMet, results.Inconclusive: exitUnknown} {
		if code, line := codeOf(expectation(value)); code != want || line != "" {
			t.Errorf("%s: status %d, %q", value, code, line)
		}
	}
}
