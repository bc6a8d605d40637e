package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/live/control"
	"dlsim/sim/live/pgcluster"
	"dlsim/system/config"
)

// harnessArgument makes the test binary a harness that is to be killed.
const harnessArgument = "live-test-harness"

func TestMain(m *testing.M) {
	if status, ok := Child(os.Args); ok {
		os.Exit(status)
	}
	if len(os.Args) > 1 && os.Args[1] == harnessArgument {
		os.Exit(harness())
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

func calm(backend string) Options {
	c := config.Defaults()
	c.Lock.Backend = backend
	c.Topology = config.Topology{Executors: 2, Proxies: 1, Lockds: 1, EtcdNodes: 1}
	c.Executor.Poll = 200 * time.Millisecond
	return Options{
		Seed: 1, System: c, Bound: 30 * time.Second,
		Workload: sim.Workload{Accounts: 2, Payouts: 6, Opening: 100_000, AmountMin: 100, AmountMax: 400},
		Network:  sim.Network{MessageLifetime: 5 * time.Second},
	}
}

func TestACalmWorldPaysEveryPayoutOnceAndItsHistoryIsInOrder(t *testing.T) {
	needPostgres(t)
	for _, backend := range []string{config.BackendEtcd, config.BackendPostgres} {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			w, err := New(t.Context(), calm(backend))
			if err != nil {
				t.Fatal(err)
			}
			w.Record(history.Event{Process: "nemesis", Kind: history.Info, Op: history.AllHealed})
			out := w.Run()
			if err := w.Err(); err != nil {
				t.Fatal(err)
			}
			if !out.Quiescent {
				t.Error("it did not come to rest")
			}
			paid := map[string]int{}
			for i, e := range out.Events {
				if e.ID != int64(i)+1 || i > 0 && e.Time < out.Events[i-1].Time {
					t.Errorf("event %d is out of order: %+v", i+1, e)
				}
				if e.Op == history.RailPaid {
					paid[e.Payout]++
				}
				if e.Kind == history.OK && e.Call != 0 {
					wantTruth(t, out.Events, e)
				}
			}
			if len(paid) != 6 {
				t.Errorf("%d of 6 payouts were paid", len(paid))
			}
			for payout, n := range paid {
				if n != 1 {
					t.Errorf("%s was paid %d times", payout, n)
				}
			}
		})
	}
}

// wantTruth wants the store's own record of what a client was told between its call and its answer.
func wantTruth(t *testing.T, events []history.Event, answer history.Event) {
	t.Helper()
	var fits func(e *history.Event) bool
	switch answer.Op {
	case history.LockAcquire:
		fits = func(e *history.Event) bool { return e.Op == history.LockGranted && e.Token == answer.Token }
	case history.LockRelease:
		fits = func(e *history.Event) bool { return e.Op == history.LockReleased && e.Token == answer.Token }
	case history.PayoutClaim, history.PayoutPost:
		fits = func(e *history.Event) bool {
			return e.Op == history.PayoutWritten && e.Payout == answer.Payout && e.Token == answer.Token
		}
	case history.ProxyAdmit:
		fits = func(e *history.Event) bool {
			return e.Op == history.SubmissionWritten && e.Payout == answer.Payout && e.PriorState == ""
		}
	case history.RailForward:
		fits = func(e *history.Event) bool { return e.Op == history.RailPaid && e.Request == answer.Request }
	default:
		return
	}
	for i := answer.Call; i < answer.ID; i++ {
		if e := &events[i-1]; e.Truth && (e.Account == answer.Account || e.Account == "") && fits(e) {
			return
		}
	}
	t.Errorf("no truth between call and answer of %+v", answer)
}

// harness starts a world, stops a process and PostgreSQL, tells what there is, and waits to be killed.
func harness() int {
	w, err := New(context.Background(), calm(config.BackendEtcd))
	if err != nil {
		fmt.Println("failed", err)
		return 1
	}
	w.running = true
	if _, err := w.Pause("executor-1"); err != nil {
		fmt.Println("failed", err)
		return 1
	}
	w.paydb.cluster.Pause()
	pids := []int{w.guard.cmd.Process.Pid}
	for _, p := range w.processes {
		pids = append(pids, p.cmd.Process.Pid)
	}
	for _, n := range w.etcd.nodes {
		pids = append(pids, n.process.PID())
	}
	pids = append(pids, w.paydb.cluster.PIDs()...)
	for _, pid := range pids {
		fmt.Println("pid", pid)
	}
	fmt.Println("folder", w.folder)
	fmt.Println("folder", filepath.Dir(w.paydb.cluster.Data()))
	fmt.Println("done")
	select {}
}

func TestNothingOutlivesAHarnessThatIsKilledEvenWhatIsPaused(t *testing.T) {
	needPostgres(t)
	cmd := exec.Command("/proc/self/exe", harnessArgument)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	var folders []string
	lines := bufio.NewScanner(out)
	for done := false; !done && lines.Scan(); {
		what, rest, _ := strings.Cut(lines.Text(), " ")
		switch what {
		case "pid":
			pid, err := strconv.Atoi(rest)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		case "folder":
			folders = append(folders, rest)
		case "failed":
			t.Fatal(rest)
		case "done":
			done = true
		}
	}
	if len(pids) < 10 || len(folders) != 2 {
		t.Fatalf("the harness told of %d processes and folders %v", len(pids), folders)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed, as it says
	left := func() []string {
		var left []string
		for _, pid := range pids {
			if s := stateOf(pid); s != 0 && s != 'Z' {
				left = append(left, fmt.Sprintf("process %d (%c)", pid, s))
			}
		}
		for _, dir := range folders {
			if _, err := os.Stat(dir); err == nil {
				left = append(left, dir)
			}
		}
		return left
	}
	for end := time.Now().Add(10 * time.Second); len(left()) > 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if l := left(); len(l) > 0 {
		t.Errorf("left behind: %s", strings.Join(l, ", "))
	}
}

func TestAKilledProcessLosesNothingThatItWroteDown(t *testing.T) {
	dir := t.TempDir()
	w := &World{queue: newQueue(), picks: map[string]uint64{}, paydb: &database{name: sim.Paydb}}
	p := &process{w: w, name: "executor-1", folder: dir, generation: 2, taken: 1}
	lines := `{"generation":1,"seq":7,"event":{"process":"executor-1","op":"payout.claim"}}
{"generation":2,"seq":1,"event":{"process":"executor-1","op":"payout.claim"}}
{"generation":2,"seq":2,"event":{"process":"executor-1","op":"payout.submit","payout":"queued"}}
{"generation":2,"seq":3,"event":{"process":"executor-1","op":"payout.submit","payout":"in the file only"}}
{"generation":2,"seq":4,"event":{"process":"exec`
	if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	written, err := p.written()
	if err != nil {
		t.Fatal(err)
	}
	w.queue.add(item{from: p, generation: 2, up: &control.Up{Seq: written[2].Seq, Event: &written[2].Event}})
	p.takeUp()
	if w.failure != nil {
		t.Fatal(w.failure)
	}
	var took []string
	for _, e := range w.events {
		took = append(took, e.Payout)
	}
	if want := []string{"queued", "in the file only"}; !slices.Equal(took, want) {
		t.Errorf("took up %q, want %q", took, want)
	}
}
