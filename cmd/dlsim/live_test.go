package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dlsim/results"
	"dlsim/scenarios"
	"dlsim/sim/live"
	"dlsim/sim/live/pgcluster"
)

func TestMain(m *testing.M) {
	if status, ok := live.Child(os.Args); ok {
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// needPostgres skips a test where there is no PostgreSQL, but never in CI.
func needPostgres(t *testing.T) {
	t.Helper()
	var missing *pgcluster.NotFoundError
	if _, err := pgcluster.Find(); errors.As(err, &missing) && os.Getenv("CI") != "true" {
		t.Skip("SKIPPED, the live world is not tested here:", err)
	}
}

// shortPause is gc-pause with a short lease.
const shortPause = `name: short-pause
description: a paused holder wakes up after its short lease
topology: {executors: 2, proxies: 1, lockds: 1, etcd_nodes: 1}
lock: {backend: etcd, ttl: 2s, margin: 200ms}
workload: {accounts: 1, payouts: 3, spread: 0s}
heal_by: 15s
bound: 40s
faults:
  - {kind: pause, target: holder, on: {event: payout.submit, kind: invoke, nth: 1}, for: 5s}
must_exercise: [lease-lost, claim-taken-over, stale-token-presented]
`

func TestLiveAPausedHolderIsFencedOutAndWithoutTheFenceThePayoutIsPaidTwice(t *testing.T) {
	needPostgres(t)
	for _, c := range []struct {
		name, extra string
		paid        int
	}{
		{"fenced", "", 1},
		{"unfenced", "rail: {proxy: {fencing: {enabled: false}}}\nexpect: {violated: [INV-02, INV-05, INV-07], holds: [INV-01, INV-03]}\n", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "run")
			code, stdout, stderr := cli(t, "run", write(t, "s.yaml", shortPause+c.extra), "--world", "live", "--json", "--out", out)
			if code != exitMet {
				t.Fatalf("status %d\n%s%s", code, stdout, stderr)
			}
			var run results.Run
			if err := json.Unmarshal([]byte(stdout), &run); err != nil || run.World != "live" {
				t.Fatalf("%v, in %q\n%s", err, run.World, stdout)
			}
			book, err := os.ReadFile(filepath.Join(out, results.HistoryFile))
			if err != nil {
				t.Fatal(err)
			}
			most := 0
			for _, payout := range []string{"payout-1", "payout-2", "payout-3"} {
				n := 0
				for _, line := range strings.Split(string(book), "\n") {
					if strings.Contains(line, `"op":"rail.paid"`) && strings.Contains(line, `"payout":"`+payout+`"`) {
						n++
					}
				}
				most = max(most, n)
			}
			if most != c.paid {
				t.Errorf("the rail's book has %d payments of one payout, want %d", most, c.paid)
			}
		})
	}
}

// etcdClock asks for what no live world can do.
const etcdClock = `name: etcd-clock
description: etcd's clock runs fast
topology: {executors: 2, proxies: 1, lockds: 1, etcd_nodes: 1}
workload: {accounts: 1, payouts: 2, spread: 0s}
faults:
  - {kind: clock-drift, target: etcd-1, at: 100ms, for: 200ms, drift_ppm: 1000}
`

func TestLiveAFaultThatCannotBeDoneLeavesTheRunInconclusiveAndSaysWhy(t *testing.T) {
	needPostgres(t)
	code, stdout, stderr := cli(t, "run", write(t, "s.yaml", etcdClock), "--world", "live", "--json", "--out", filepath.Join(t.TempDir(), "run"))
	var run results.Run
	if err := json.Unmarshal([]byte(stdout), &run); err != nil {
		t.Fatalf("status %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if code != exitUnknown || !strings.Contains(run.Why, "clock-drift on etcd-1 never bit: the live world cannot do this: ") {
		t.Errorf("status %d, %s: %s", code, run.Expectation, run.Why)
	}
}

// unlike lists the shipped scenarios that cannot come to the virtual world's verdict, with the
// reason that docs/live.md gives.
var unlike = map[string]string{
	"forgetful-locks": "what it expects shows in some seeds of a sweep, and the live world makes one run at a time",
}

func TestLiveEveryShippedScenarioComesToTheVerdictOfTheVirtualWorld(t *testing.T) {
	needPostgres(t)
	if os.Getenv("DLSIM_LIVE") != "all" {
		t.Skip("SKIPPED: every shipped scenario as real processes takes minutes; make test-live runs them")
	}
	for _, name := range scenarios.Names() {
		t.Run(name, func(t *testing.T) {
			if why := unlike[name]; why != "" {
				t.Skip("SKIPPED:", why)
			}
			out := filepath.Join(t.TempDir(), "run")
			if code, stdout, stderr := cli(t, "run", name, "--world", "live", "--out", out); code != exitMet {
				t.Errorf("status %d\n%s%s", code, stdout, stderr)
			}
		})
	}
}

func TestDoctorSaysWhatALiveRunNeeds(t *testing.T) {
	needPostgres(t)
	code, stdout, stderr := cli(t, "doctor", "--json")
	var m machine
	if err := json.Unmarshal([]byte(stdout), &m); err != nil || code != exitMet {
		t.Fatalf("status %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if !m.Live || !m.Virtual || len(m.Found) < 5 {
		t.Errorf("found %+v", m)
	}
	if code, stdout, _ := cli(t, "doctor"); code != exitMet || !strings.Contains(stdout, "PostgreSQL") {
		t.Errorf("status %d\n%s", code, stdout)
	}
}

func TestAWorldWithoutPostgresIsOneClearLine(t *testing.T) {
	t.Setenv(pgcluster.BinVariable, t.TempDir())
	t.Chdir(t.TempDir())
	code, stdout, stderr := cli(t, "run", "gc-pause", "--world", "live")
	if code != exitNoWorld || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "apt-get install postgresql") {
		t.Errorf("status %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := cli(t, "run", "gc-pause", "--world", "mars"); code != exitUsage || !strings.Contains(stderr, "virtual and live") {
		t.Errorf("status %d, %s", code, stderr)
	}
}
