package reconciler

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/rail"
	"dlsim/system/wire"
)

type world struct {
	net        *testhost.Net
	host       *testhost.Host
	reconciler *Reconciler
	statement  *rail.Statement // nil: the proxy has none
	calls      []string
}

func start(t *testing.T, steps ...testhost.Step) *world {
	w := &world{net: testhost.New()}
	w.host = w.net.Host("reconciler")
	w.host.Databases["paydb"] = testhost.NewScript(t, steps...)
	_ = w.net.Host("lockd-1").Serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.calls = append(w.calls, strings.TrimPrefix(r.URL.Path, "/v1/locks/"))
		wire.Reply(rw, http.StatusOK, map[string]int{"token": 9, "ttl_ms": 5000})
	}))
	_ = w.net.Host("proxy-1").Serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.calls = append(w.calls, "statement")
		if w.statement == nil {
			wire.Refuse(rw, http.StatusBadGateway, "RAIL_UNAVAILABLE")
			return
		}
		wire.Reply(rw, http.StatusOK, w.statement)
	}))
	cfg := config.Defaults()
	cfg.Reconciler.Horizon = 60 * time.Second
	w.reconciler = New(w.host, cfg, []string{"http://lockd-1"}, []string{"http://proxy-1"})
	return w
}

// found is the look that finds one payout.
func found(payoutState, rowState string, firstSeen int) testhost.Step {
	return testhost.Step{SQL: "JOIN rail_submission", Rows: [][]any{{"p-1", "a-1", 7, payoutState, 5, rowState, "", firstSeen}}}
}

var (
	begin   = testhost.Step{SQL: "begin"}
	payout  = testhost.Step{SQL: "state IN ('CLAIMED', 'RAIL_AMBIGUOUS')", Affected: 1}
	row     = testhost.Step{SQL: "UPDATE rail_submission SET state", Affected: 1}
	entries = testhost.Step{SQL: "ledger_entry", Affected: 2}
	balance = testhost.Step{SQL: "UPDATE account", Affected: 1}
	commit  = testhost.Step{SQL: "commit"}
	seen    = testhost.Step{SQL: "SET first_seen_rail_ms = $3", Affected: 1}

	absent = &rail.Statement{CutoffMs: 100_000, ClockMs: 105_000, Payments: []rail.Payment{{Memo: "other"}}}
	listed = &rail.Statement{CutoffMs: 100_000, ClockMs: 105_000, Payments: []rail.Payment{{Memo: "p-1", Reference: "rail-3"}}}
)

func TestWhatTheReconcilerDecidesAndFromWhat(t *testing.T) {
	for _, c := range []struct {
		what      string
		steps     []testhost.Step
		statement *rail.Statement
		calls     string
		decided   string
		acted     bool
	}{
		{"an accepted row is posted", []testhost.Step{found("RAIL_AMBIGUOUS", "ACCEPTED", 0), begin, payout, entries, balance, commit},
			nil, "a-1/acquire a-1/release", "ok POSTED row", true},
		{"a rejected row fails the payout", []testhost.Step{found("RAIL_AMBIGUOUS", "REJECTED", 0), begin, payout, commit},
			nil, "a-1/acquire a-1/release", "ok FAILED row", true},
		{"a listed payment is accepted and posted", []testhost.Step{found("RAIL_AMBIGUOUS", "TIMEOUT", 0), begin, payout, row, entries, balance, commit},
			listed, "statement a-1/acquire a-1/release", "ok POSTED statement", true},
		{"an absent one starts its horizon", []testhost.Step{found("RAIL_AMBIGUOUS", "INTENT", 0), seen}, absent, "statement", "", true},
		{"before the horizon nothing is decided", []testhost.Step{found("RAIL_AMBIGUOUS", "INTENT", 40_001)}, absent, "statement", "", false},
		{"past the horizon it is written off", []testhost.Step{found("RAIL_AMBIGUOUS", "INTENT", 40_000), begin, payout, row, commit},
			absent, "statement a-1/acquire a-1/release", "ok FAILED absent from statement past the horizon", true},
		{"without a statement nothing is decided", []testhost.Step{found("RAIL_AMBIGUOUS", "INTENT", 1)}, nil, "statement", "", false},
		{"a claimed payout's holder gets time", []testhost.Step{found("CLAIMED", "INTENT", 1)}, absent, "", "", false},
		{"a row that changed meanwhile is left for the next round", []testhost.Step{found("RAIL_AMBIGUOUS", "INTENT", 1), begin, payout,
			{SQL: "UPDATE rail_submission SET state"}}, absent, "statement a-1/acquire a-1/release", "fail FAILED absent from statement past the horizon", true},
		{"a commit without answer is not a decision", []testhost.Step{found("RAIL_AMBIGUOUS", "INTENT", 1), begin, payout, row,
			{SQL: "commit", Err: io.ErrUnexpectedEOF}}, absent, "statement a-1/acquire a-1/release", "info FAILED absent from statement past the horizon", true},
		{"nothing unresolved, nothing asked", []testhost.Step{{SQL: "JOIN rail_submission"}}, absent, "", "", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := start(t, c.steps...)
			w.statement = c.statement
			if acted := w.reconciler.round(context.Background()); acted != c.acted {
				t.Error("acted:", acted)
			}
			if got := strings.Join(w.calls, " "); got != c.calls {
				t.Error(got)
			}
			decided := ""
			for _, e := range w.net.Events() {
				if e.Op == history.ReconcileDecide && e.Kind != history.Invoke {
					decided = e.Kind.String() + " " + e.State + " " + e.Note
					if e.Token != 9 {
						t.Error("decided under", e.Token)
					}
				}
			}
			if decided != c.decided {
				t.Error(decided)
			}
		})
	}
}

func TestAClaimedPayoutIsTakenUpOnceItsRowHasBeenOpenForLong(t *testing.T) {
	w := start(t, found("CLAIMED", "INTENT", 0), found("CLAIMED", "INTENT", 0), found("CLAIMED", "INTENT", 0), seen)
	w.statement = absent
	stale := config.Defaults().Reconciler.Stale
	for i, want := range []bool{false, false, true} {
		if got := w.reconciler.round(context.Background()); got != want {
			t.Errorf("round %d acted: %v", i, got)
		}
		w.host.Push(stale * 3 / 5)
	}
}

func TestAnotherSubmissionOfThePayoutCountsAfresh(t *testing.T) {
	other := found("CLAIMED", "INTENT", 0)
	other.Rows = [][]any{{"p-1", "a-1", 7, "CLAIMED", 6, "INTENT", "", 0}}
	w := start(t, found("CLAIMED", "INTENT", 0), other)
	w.statement = absent
	w.reconciler.round(context.Background())
	w.host.Push(2 * config.Defaults().Reconciler.Stale)
	if w.reconciler.round(context.Background()) {
		t.Error("it took the age of one row for another's")
	}
}
