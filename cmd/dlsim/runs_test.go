package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dlsim/results"
)

// lastObject reads the JSON object of the last line of standard output.
func lastObject(t *testing.T, stdout string, into any) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), into); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
}

func TestARunIsShownStoredAndReplayed(t *testing.T) {
	t.Chdir(t.TempDir())
	code, stdout, stderr := cli(t, "run", "fencing-off", "--json")
	var run results.Run
	lastObject(t, stdout, &run)
	if code != exitMet || run.Invariants["INV-02"] != results.Violated || run.Expectation != results.Met ||
		run.Events == 0 || len(run.Hash) != 16 || len(run.TraceHash) != 16 || len(run.Faults) != 1 || !run.Faults[0].Bit {
		t.Fatalf("status %d, %+v\n%s", code, run, stderr)
	}
	if n := strings.Count(stderr, "\n"); n == 0 || n > results.StoryLines || !strings.Contains(stderr, "MONEY MOVES") {
		t.Errorf("the story has %d lines:\n%s", n, stderr)
	}
	for _, name := range []string{results.ScenarioFile, results.PlanFile, results.HistoryFile, results.EDNFile,
		results.VerdictFile, results.StoryFile, results.MetricsFile, results.BuildFile, results.TraceFile} {
		if info, err := os.Stat(filepath.Join(run.Results, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}

	code, stdout, stderr = cli(t, "run", "fencing-off")
	if code != exitMet || !strings.Contains(stdout, "breaks INV-02") || !strings.Contains(stdout, run.Hash) || strings.Contains(stdout, "\x1b") || stderr != "" {
		t.Errorf("status %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := cli(t, "replay", run.Results); code != exitMet || !strings.HasPrefix(stdout, "the same") || stderr != "" {
		t.Errorf("status %d\n%s%s", code, stdout, stderr)
	}

	// The stored scenario runs by itself and comes to the same history.
	var again results.Run
	if code, stdout, _ := cli(t, "run", filepath.Join(run.Results, results.ScenarioFile), "--json"); code != exitMet {
		t.Errorf("status %d", code)
	} else if lastObject(t, stdout, &again); again.Hash != run.Hash || again.TraceHash != run.TraceHash {
		t.Errorf("hashes %s %s, want %s %s", again.Hash, again.TraceHash, run.Hash, run.TraceHash)
	}
}

func TestAReplayThatDiffersNamesTheStep(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, stderr := cli(t, "run", "gc-pause", "--out", "r"); code != exitMet {
		t.Fatalf("status %d: %s", code, stderr)
	}
	file := filepath.Join("r", results.ScenarioFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "for: 12s", "for: 13s", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := cli(t, "replay", "r")
	if !strings.Contains(stderr, "scenario.yaml is not as the run left it") || strings.Count(stderr, "\n") != 1 {
		t.Error(stderr)
	}
	if code != exitNotMet || !strings.Contains(stdout, "NOT the same") || !strings.Contains(stdout, "the first step that differs is ") || !strings.Contains(stdout, "the first event that differs is ") {
		t.Errorf("status %d\n%s", code, stdout)
	}
	var object repeatObject
	code, stdout, _ = cli(t, "replay", "r", "--json")
	if lastObject(t, stdout, &object); code != exitNotMet || object.Same || object.Step == 0 || object.Event == 0 {
		t.Errorf("status %d, %+v", code, object)
	}
}

func TestAReplayRefusesWhatIsNotWholeAndWarnsOfOtherBuilds(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, stderr := cli(t, "run", "gc-pause", "--out", "r"); code != exitMet {
		t.Fatalf("status %d: %s", code, stderr)
	}
	if err := os.WriteFile(filepath.Join("r", results.BuildFile), []byte(`{"schema":1,"go":"go1.0","dlsim":"x"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := cli(t, "replay", "r"); code != exitMet || !strings.Contains(stderr, "warning") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("status %d: %s", code, stderr)
	}
	file := filepath.Join("r", results.HistoryFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text[:len(text)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := cli(t, "replay", "r"); code != exitNoWorld || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "cut short") {
		t.Errorf("status %d: %s%s", code, stdout, stderr)
	}
}

func TestAReplayTellsDamageFromADifference(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, stderr := cli(t, "run", "gc-pause", "--out", "r"); code != exitMet {
		t.Fatalf("status %d: %s", code, stderr)
	}
	for _, c := range []struct {
		name, file string
		spoil      func([]byte) []byte
		code       int
		says       string
	}{
		{"a trace that goes on", results.TraceFile, func(b []byte) []byte { return append(b, b...) }, exitNoWorld, "trace.gz is damaged"},
		{"a verdict that was another", results.VerdictFile, func(b []byte) []byte {
			return []byte(strings.Replace(string(b), `"INV-02": "holds"`, `"INV-02": "violated"`, 1))
		}, exitNotMet, `INV-02 is holds, stored as "violated"`},
		{"a verdict of no world", results.VerdictFile, func(b []byte) []byte {
			return []byte(strings.Replace(string(b), `"world": "virtual"`, `"world": ""`, 1))
		}, exitNoWorld, "verdict.json is damaged"},
	} {
		path := filepath.Join("r", c.file)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, c.spoil(bytes.Clone(whole)), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, stdout, stderr := cli(t, "replay", "r"); code != c.code || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%s: status %d\n%s%s", c.name, code, stdout, stderr)
		}
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestASweepCountsAndItsShardsAddUp(t *testing.T) {
	t.Chdir(t.TempDir())
	var whole, sum results.Sweep
	code, stdout, stderr := cli(t, "sweep", "fencing-off", "--seeds", "1..6", "--json")
	lastObject(t, stdout, &whole)
	if code != exitMet || whole.Seeds != 6 || whole.Violated["INV-02"] == 0 || whole.Coverage["lease-lost"] == 0 ||
		whole.SeedsPerS <= 0 || whole.EventsPerS <= 0 || whole.VirtualPerWall.P10 <= 0 || whole.VirtualPerWall.Median < whole.VirtualPerWall.P10 {
		t.Fatalf("status %d, %+v\n%s", code, whole, stderr)
	}
	for _, k := range whole.Kept {
		if code, _, stderr := cli(t, "replay", filepath.Join(whole.Results, k.Folder)); code != exitMet {
			t.Errorf("seed %d does not replay: %s", k.Seed, stderr)
		}
	}
	if code, _, stderr := cli(t, "replay", whole.Results); code != exitNoWorld || !strings.Contains(stderr, "is a sweep's folder") {
		t.Errorf("a sweep's folder: status %d %s", code, stderr)
	}
	for _, shard := range []string{"1/2", "2/2"} {
		if code, _, stderr := cli(t, "sweep", "fencing-off", "--seeds", "1..6", "--shard", shard); code != exitMet {
			t.Errorf("shard %s: status %d %s", shard, code, stderr)
		}
	}
	shards, err := filepath.Glob("results/sweeps/*-shard-*")
	if err != nil || len(shards) != 2 {
		t.Fatalf("%v %v", shards, err)
	}
	code, stdout, _ = cli(t, append([]string{"report", "--json"}, shards...)...)
	lastObject(t, stdout, &sum)
	if code != exitMet || sum.Seeds != whole.Seeds || sum.Violated["INV-02"] != whole.Violated["INV-02"] || sum.FirstSeed["INV-02"] != whole.FirstSeed["INV-02"] || sum.Events != whole.Events {
		t.Errorf("status %d\nsum   %+v\nwhole %+v", code, sum, whole)
	}
}

func TestWhatIsNotMetIsStatusOne(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, stdout, _ := cli(t, "run", "fencing-off", "--set", "expect.violated=[]", "--set", "expect.holds=[]"); code != exitNotMet || !strings.Contains(stdout, "not met") {
		t.Errorf("status %d\n%s", code, stdout)
	}
	if code, stdout, _ := cli(t, "run", "fencing-off", "--set", "faults.0.for=1ms"); code != exitUnknown || !strings.Contains(stdout, results.Inconclusive) {
		t.Errorf("a pause that bites nothing: status %d\n%s", code, stdout)
	}
}

func TestCtrlCKeepsWhatIsDone(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code, _, _ := cliWith(t, ctx, nil, "run", "gc-pause"); code != exitInterrupted {
		t.Errorf("run: status %d", code)
	}
	var sweep results.Sweep
	code, stdout, stderr := cliWith(t, ctx, nil, "sweep", "gc-pause", "--seeds", "1..1000000", "--json", "--out", "s")
	if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "interrupted: writing what is done") {
		t.Errorf("sweep says %q", stderr)
	}
	lastObject(t, stdout, &sweep)
	if code != exitInterrupted || !sweep.Interrupted || sweep.Expectation != results.Inconclusive {
		t.Errorf("sweep: status %d, %+v", code, sweep)
	}
	if _, err := results.ReadSweep("s"); err != nil {
		t.Error(err)
	}
}

// fullDisk takes a number of files and no more.
type fullDisk struct {
	results.Files
	files int
}

func (d *fullDisk) Create(path string) (io.WriteCloser, error) {
	if d.files--; d.files < 0 {
		return nil, &os.PathError{Op: "open", Path: path, Err: syscall.ENOSPC}
	}
	return d.Files.Create(path)
}

func TestAFullDiskIsStatusThreeAndKeepsTheHistory(t *testing.T) {
	t.Chdir(t.TempDir())
	full := func(a *app) { a.files = &fullDisk{results.Disk, 2} }
	code, stdout, stderr := cliWith(t, t.Context(), full, "run", "gc-pause", "--out", "r")
	if code != exitNoWorld || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "free some space") {
		t.Errorf("status %d\n%s%s", code, stdout, stderr)
	}
	if entries, err := os.ReadDir("r"); err != nil || len(entries) != 2 {
		t.Errorf("%v %v", entries, err)
	}
}

func TestTheListNamesWhatShips(t *testing.T) {
	var all []listed
	code, stdout, _ := cli(t, "list", "--json")
	if lastObject(t, stdout, &all); code != exitMet || len(all) == 0 || all[0].Description == "" {
		t.Errorf("status %d\n%s", code, stdout)
	}
	if code, stdout, _ := cli(t, "list"); code != exitMet || !strings.Contains(stdout, all[0].Name) {
		t.Errorf("status %d\n%s", code, stdout)
	}
}
