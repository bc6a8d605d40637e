package executor

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/lock"
	"dlsim/system/paydb"
	"dlsim/system/wire"
)

type refusal struct {
	status int
	body   any
}

// world is an executor before a lock service and a proxy that answer as told.
type world struct {
	net      *testhost.Net
	executor *Executor
	host     *testhost.Host
	held     string // account whose lock somebody holds
	ask      refusal
	submit   refusal
	calls    []string // what the lock service and the proxy were asked, in order
}

func start(t *testing.T, steps ...testhost.Step) *world {
	w := &world{net: testhost.New()}
	w.host = w.net.Host("executor-1")
	w.host.Databases["paydb"] = testhost.NewScript(t, steps...)
	_ = w.net.Host("lockd-1").Serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.calls = append(w.calls, strings.TrimPrefix(r.URL.Path, "/v1/locks/"))
		if r.URL.Path == "/v1/locks/"+w.held+"/acquire" {
			wire.Refuse(rw, http.StatusConflict, lock.Held)
			return
		}
		wire.Reply(rw, http.StatusOK, map[string]int{"token": 5, "ttl_ms": 5000})
	}))
	_ = w.net.Host("proxy-1").Serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		a := w.submit
		if r.Method == http.MethodGet {
			a = w.ask
		}
		w.calls = append(w.calls, r.Method)
		wire.Reply(rw, a.status, a.body)
	}))
	w.executor = New(w.host, config.Defaults(), []string{"http://lockd-1"}, []string{"http://proxy-1"})
	return w
}

func state(s string) refusal { return refusal{200, map[string]any{"state": s, "token": 5}} }

func refused(status int, code string) refusal { return refusal{status, wire.Refusal{Error: code}} }

func claim(before string) []testhost.Step {
	return []testhost.Step{
		{SQL: "IN ('PENDING', 'CLAIMED') ORDER BY", Rows: [][]any{{"p-1", "a-1", 7}}},
		{SQL: "begin"}, {SQL: "FOR UPDATE", Rows: [][]any{{before}}}, {SQL: "SET state = 'CLAIMED'", Affected: 1}, {SQL: "commit"},
	}
}

var (
	post = []testhost.Step{
		{SQL: "begin"}, {SQL: "SET state = 'POSTED'", Affected: 1}, {SQL: "ledger_entry", Affected: 2},
		{SQL: "UPDATE account", Affected: 1}, {SQL: "commit"},
	}
	mark = []testhost.Step{{SQL: "SET state = $3", Affected: 1}}
)

func TestWhatFollowsFromEachAnswerOfTheProxy(t *testing.T) {
	none := state(paydb.None)
	for _, c := range []struct {
		what        string
		before      string
		ask, submit refusal
		then        []testhost.Step
		calls       string
		last        string // the last event before the release
		again       bool   // look again at once
	}{
		{"a fresh payout is submitted without asking", paydb.Pending, none, state(paydb.Accepted), post, "POST", "ok payout.post", true},
		{"one claimed before is asked about first", paydb.Claimed, none, state(paydb.Accepted), post, "GET POST", "ok payout.post", true},
		{"accepted before: posted, not submitted", paydb.Claimed, state(paydb.Accepted), none, post, "GET", "ok payout.post", true},
		{"rejected before: failed", paydb.Claimed, state(paydb.Rejected), none, mark, "GET", "ok payout.mark", true},
		{"never executed: failed", paydb.Claimed, state(paydb.NotExecuted), none, mark, "GET", "ok payout.mark", true},
		{"intent: ambiguous", paydb.Claimed, state(paydb.Intent), none, mark, "GET", "info payout.ambiguous", true},
		{"timeout: ambiguous", paydb.Claimed, state(paydb.Timeout), none, mark, "GET", "info payout.ambiguous", true},
		{"unheard of: left alone", paydb.Claimed, state("PAID_TWICE"), none, nil, "GET", "ok submission.ask", false},
		{"no answer to the question: stop", paydb.Claimed, refused(503, "PAYDB_UNAVAILABLE"), none, nil, "GET", "fail submission.ask", false},
		{"declined: failed", paydb.Pending, none, state(paydb.Rejected), mark, "POST", "ok payout.mark", true},
		{"ambiguous: marked so", paydb.Pending, none, refused(409, "RAIL_AMBIGUOUS"), mark, "POST", "info payout.ambiguous", true},
		{"fenced out: counted, left claimed", paydb.Pending, none, refused(409, "FENCED_OUT"), nil, "POST", "info lock.fenced.out", false},
		{"duplicate: left claimed", paydb.Pending, none, refused(409, "DUPLICATE_SUBMISSION"), nil, "POST", "fail payout.submit", false},
		{"no paydb: left claimed", paydb.Pending, none, refused(503, "PAYDB_UNAVAILABLE"), nil, "POST", "info payout.submit", false},
		{"anything else: left claimed", paydb.Pending, none, refused(500, "OOPS"), nil, "POST", "info payout.submit", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := start(t, append(claim(c.before), c.then...)...)
			w.ask, w.submit = c.ask, c.submit
			wait := w.executor.look(context.Background())
			if (wait == 0) != c.again {
				t.Error("waits", wait)
			}
			if got := strings.Join(w.calls, " "); got != "a-1/acquire "+c.calls+" a-1/release" {
				t.Error(got)
			}
			ops := w.net.Ops()
			if ops[len(ops)-3] != c.last {
				t.Error(ops)
			}
		})
	}
}

func TestAClaimThatIsNotCertainStopsTheWork(t *testing.T) {
	for what, spoil := range map[string]func([]testhost.Step) []testhost.Step{
		"taken by somebody else": func(s []testhost.Step) []testhost.Step { s[3].Affected = 0; return s[:4] },
		"gone":                   func(s []testhost.Step) []testhost.Step { s[2].Rows = nil; return s[:3] },
		"without answer":         func(s []testhost.Step) []testhost.Step { s[4].Err = io.ErrUnexpectedEOF; return s },
	} {
		w := start(t, spoil(claim(paydb.Pending))...)
		if wait := w.executor.look(context.Background()); wait == 0 {
			t.Error(what, "and it looks again at once")
		}
		if got := strings.Join(w.calls, " "); got != "a-1/acquire a-1/release" {
			t.Error(what, got)
		}
	}
}

func TestAHeldLockSendsTheExecutorToAnotherAccount(t *testing.T) {
	steps := claim(paydb.Pending)
	steps[0].Rows = [][]any{{"p-1", "a-1", 7}, {"p-2", "a-1", 7}, {"p-3", "a-2", 7}}
	w := start(t, append(steps, post...)...)
	w.held, w.submit = "a-1", state(paydb.Accepted)
	if wait := w.executor.look(context.Background()); wait != 0 {
		t.Error(wait)
	}
	if n := len(w.calls); n > 4 || !slices.Contains(w.calls, "a-2/release") {
		t.Error(w.calls)
	}
}

func TestWhenEveryLockIsHeldItWaitsAndTakesNone(t *testing.T) {
	w := start(t, claim(paydb.Pending)[0])
	w.held = "a-1"
	if wait := w.executor.look(context.Background()); wait != config.Defaults().Lock.Retry {
		t.Error(wait)
	}
}

func TestTheLongerEveryLockIsHeldTheRarerItAsksUpToThePollInterval(t *testing.T) {
	found := claim(paydb.Pending)[0]
	steps := append([]testhost.Step{found, found, found, found}, claim(paydb.Pending)...)
	w := start(t, append(append(steps, post...), found)...)
	w.submit = state(paydb.Accepted)
	var waits []time.Duration
	for _, held := range []string{"a-1", "a-1", "a-1", "a-1", "", "a-1"} {
		w.held = held
		waits = append(waits, w.executor.look(context.Background())/time.Millisecond)
	}
	if !slices.Equal(waits, []time.Duration{250, 500, 1000, 1000, 0, 250}) {
		t.Error(waits)
	}
}

func TestALeaseThatHasRunOutStopsTheNextStep(t *testing.T) {
	w := start(t, claim(paydb.Claimed)...)
	w.ask = state(paydb.None)
	w.host.AfterAnswer = func(r *http.Response) error {
		if len(w.calls) == 2 { // the question has been answered, and then the process slept
			w.host.Push(config.Defaults().Lock.TTL)
		}
		return nil
	}
	w.executor.look(context.Background())
	if slices.Contains(w.calls, "POST") {
		t.Error("it submitted without a lease:", w.calls)
	}
	found := false
	for _, e := range w.net.Events() {
		found = found || e.Op == history.LeaseRanOut && e.Token == 5
	}
	if !found {
		t.Error(w.net.Ops())
	}
}

func TestALeaseThatIsHalfOverIsRenewedBeforeTheSubmission(t *testing.T) {
	w := start(t, append(claim(paydb.Claimed), post...)...)
	w.ask, w.submit = state(paydb.None), state(paydb.Accepted)
	w.host.AfterAnswer = func(r *http.Response) error {
		if len(w.calls) == 2 {
			w.host.Push(3 * config.Defaults().Lock.TTL / 5)
		}
		return nil
	}
	w.executor.look(context.Background())
	if got := strings.Join(w.calls, " "); got != "a-1/acquire GET a-1/renew POST a-1/release" {
		t.Error(got)
	}
}

func TestAnExecutorWithoutWorkLooksLessAndLessOften(t *testing.T) {
	empty := testhost.Step{SQL: "FROM payout"}
	w := start(t, empty, empty, empty, empty, empty, testhost.Step{SQL: "FROM payout", Err: io.ErrUnexpectedEOF})
	poll := config.Defaults().Executor.Poll
	for _, want := range []int{1, 2, 3, 4, 4, 1} {
		if got := w.executor.look(context.Background()); int(got/poll) != want {
			t.Errorf("waits %v, want %d polls", got, want)
		}
	}
}
