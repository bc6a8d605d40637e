package reconciler

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/proxy"
	"dlsim/system/rail"
	"dlsim/system/wire"
)

// rotating starts a reconciler that rotates before it writes off. Its rail has the given statement; a
// rotation is confirmed with confirms, or its answer is lost where that is the zero Epoch.
func rotating(t *testing.T, st *rail.Statement, confirms rail.Epoch, steps ...testhost.Step) *world {
	w := &world{net: testhost.New()}
	w.host = w.net.Host("reconciler")
	w.host.Databases["paydb"] = testhost.NewScript(t, steps...)
	_ = w.net.Host("lockd-1").Serve(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		wire.Reply(rw, http.StatusOK, map[string]int{"token": 9, "ttl_ms": 5000})
	}))
	_ = w.net.Host("proxy-1").Serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == proxy.StatementPath {
			wire.Reply(rw, http.StatusOK, st)
			return
		}
		var q struct{ Epoch int64 }
		wire.Decode(rw, r, &q)
		w.calls = append(w.calls, strconv.FormatInt(q.Epoch, 10))
		if confirms.Number == 0 {
			wire.Refuse(rw, http.StatusBadGateway, proxy.CodeRail)
			return
		}
		wire.Reply(rw, http.StatusOK, &confirms)
	}))
	cfg := config.Defaults()
	cfg.Reconciler.Horizon, cfg.Rail.Credential = 60*time.Second, config.CredentialRotated
	w.reconciler = New(w.host, cfg, []string{"http://lockd-1"}, []string{"http://proxy-1"})
	return w
}

// The payout was first seen at 40.000 on the rail's clock; 60 s later it would be written off.
func TestBeforeAWriteOffTheCredentialIsRotatedAndTheStatementLookedAtOnceMore(t *testing.T) {
	open := found("RAIL_AMBIGUOUS", "INTENT", 40_000)
	at := func(cutoff int64, epochs ...rail.Epoch) *rail.Statement {
		return &rail.Statement{CutoffMs: cutoff, ClockMs: cutoff + 5000, Epochs: epochs}
	}
	paid := at(162_000, rail.Epoch{Number: 1, ClockMs: 102_000})
	paid.Payments = []rail.Payment{{Memo: "p-1", Reference: "rail-3", ClockMs: 102_001}}
	for _, c := range []struct {
		what      string
		statement *rail.Statement
		steps     []testhost.Step
		rotated   []string // the epochs that it wanted to end
		decided   string
		acted     bool
	}{
		{"before the horizon nothing is rotated", at(99_999), []testhost.Step{open}, nil, "", false},
		{"past it, instead of the write-off", at(100_000), []testhost.Step{open}, []string{"0"}, "", true},
		{"a rotation that came before the payout was seen is none", at(100_000, rail.Epoch{Number: 7, ClockMs: 39_999}), []testhost.Step{open}, []string{"7"}, "", true},
		{"one that the statement tells of is not repeated", at(161_999, rail.Epoch{Number: 1, ClockMs: 102_000}), []testhost.Step{open}, nil, "", false},
		{"a horizon beyond it the statement decides", at(162_000, rail.Epoch{Number: 1, ClockMs: 102_000}),
			[]testhost.Step{open, begin, payout, row, commit}, nil, "ok FAILED absent from statement past the horizon", true},
		{"the first one counts, whatever is rotated for others", at(162_000, rail.Epoch{Number: 1, ClockMs: 102_000}, rail.Epoch{Number: 2, ClockMs: 161_000}),
			[]testhost.Step{open, begin, payout, row, commit}, nil, "ok FAILED absent from statement past the horizon", true},
		{"what was taken in before it is found", paid,
			[]testhost.Step{open, begin, payout, row, entries, balance, commit}, nil, "ok POSTED statement", true},
	} {
		for _, answered := range []rail.Epoch{{}, {Number: 8, ClockMs: 104_000}} {
			w := rotating(t, c.statement, answered, c.steps...)
			acted := w.reconciler.round(context.Background())
			decided := ""
			for _, e := range w.net.Events() {
				if e.Op == history.ReconcileDecide && e.Kind != history.Invoke {
					decided = strings.TrimSpace(e.Kind.String() + " " + e.State + " " + e.Note)
				}
			}
			if acted != c.acted || decided != c.decided || !slices.Equal(w.calls, c.rotated) {
				t.Errorf("%s: acted %v, decided %q, rotated %v", c.what, acted, decided, w.calls)
			}
		}
	}
}

func TestOneRotationServesAllPayoutsOfARound(t *testing.T) {
	two := found("RAIL_AMBIGUOUS", "INTENT", 40_000)
	two.Rows = append(two.Rows, []any{"p-2", "a-2", 7, "RAIL_AMBIGUOUS", 6, "TIMEOUT", "", 30_000})
	for confirmed, want := range map[rail.Epoch][]string{{Number: 1, ClockMs: 106_000}: {"0"}, {}: {"0", "0"}} {
		w := rotating(t, absent, confirmed, two)
		w.reconciler.round(context.Background())
		if !slices.Equal(w.calls, want) {
			t.Errorf("confirmed with %+v: %v", confirmed, w.calls)
		}
	}
}
