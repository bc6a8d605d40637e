package reconciler

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/proxy"
	"dlsim/system/rail"
	"dlsim/system/wire"
)

// compensating starts a reconciler before a proxy that has this statement and gives voids these
// answers, by status, one after another. It returns the references asked for so far.
func compensating(t *testing.T, compensation string, st *rail.Statement, answers ...int) (*Reconciler, *testhost.Net, *[]string) {
	net := testhost.New()
	h := net.Host("reconciler")
	h.Databases["paydb"] = testhost.NewScript(t)
	asked := &[]string{}
	_ = net.Host("proxy-1").Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == proxy.StatementPath {
			if st == nil {
				wire.Refuse(w, http.StatusBadGateway, "RAIL_UNAVAILABLE")
				return
			}
			wire.Reply(w, http.StatusOK, st)
			return
		}
		var q struct {
			Reference string `json:"rail_reference"`
		}
		wire.Decode(w, r, &q)
		*asked = append(*asked, q.Reference)
		status := answers[0]
		answers = answers[1:]
		if status == http.StatusOK {
			wire.Reply(w, status, map[string]string{"rail_reference": "void-1"})
			return
		}
		wire.Refuse(w, status, proxy.CodeNotVoided)
	}))
	cfg := config.Defaults()
	cfg.Rail.Void, cfg.Reconciler.Compensation = true, compensation
	return New(h, cfg, nil, []string{"http://proxy-1"}), net, asked
}

func payment(reference, memo string) rail.Payment {
	return rail.Payment{Memo: memo, Account: "a-1", Amount: 7, Reference: reference}
}

func TestWhatIsTakenBackAndHowOftenItIsAskedFor(t *testing.T) {
	twice := rail.Statement{CutoffMs: 1, ClockMs: 2, Payments: []rail.Payment{payment("rail-1", "p-1"), payment("rail-2", "q-1"), payment("rail-3", "p-1")}}
	mended := twice
	mended.Voids = []rail.Void{{Voids: "rail-3"}}
	for _, c := range []struct {
		what         string
		compensation string
		statement    *rail.Statement
		answers      []int
		asked        string
		last         string
		acted        bool // in the second round
	}{
		{"the later payment, until the statement shows it", config.CompensateUntilShown, &twice, []int{200, 200}, "rail-3 rail-3", "ok reconcile.void", true},
		{"a lost answer is asked for again", config.CompensateUntilShown, &twice, []int{502, 200}, "rail-3 rail-3", "ok reconcile.void", true},
		{"a refusal too", config.CompensateUntilShown, &twice, []int{409, 409}, "rail-3 rail-3", "fail reconcile.void", true},
		{"once, whatever comes of it", config.CompensateOnce, &twice, []int{502}, "rail-3", "info reconcile.void", false},
		{"nothing where it is taken back", config.CompensateUntilShown, &mended, nil, "", "", false},
		{"nothing without a statement", config.CompensateUntilShown, nil, nil, "", "", false},
	} {
		r, net, asked := compensating(t, c.compensation, c.statement, c.answers...)
		r.mend(context.Background())
		if acted := r.mend(context.Background()); acted != c.acted {
			t.Errorf("%s: acted is %v", c.what, acted)
		}
		last := ""
		if ops := net.Ops(); len(ops) > 0 {
			last = ops[len(ops)-1]
		}
		if got := strings.Join(*asked, " "); got != c.asked || last != c.last {
			t.Errorf("%s: asked %q, last %q", c.what, got, last)
		}
	}
}

func TestTheDesignAsksForNoStatementToMendAnything(t *testing.T) {
	w := start(t)
	w.statement = listed
	if w.reconciler.mend(context.Background()) || slices.Contains(w.calls, "statement") {
		t.Error(w.calls)
	}
}
