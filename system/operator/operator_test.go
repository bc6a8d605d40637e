package operator

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"

	"dlsim/history"
	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/paydb"
	"dlsim/system/rail"
	"dlsim/system/wire"
)

func TestOnlyAPendingPayoutIsCancelled(t *testing.T) {
	for _, c := range []struct {
		what string
		step testhost.Step
		err  error
		kind history.Kind
	}{
		{"pending", testhost.Step{Affected: 1}, nil, history.OK},
		{"claimed", testhost.Step{}, paydb.ErrNotTaken, history.Fail},
		{"no answer", testhost.Step{Err: io.ErrUnexpectedEOF}, io.ErrUnexpectedEOF, history.Info},
	} {
		c.step.SQL = "AND state = 'PENDING'"
		net := testhost.New()
		h := net.Host("operator")
		h.Databases["paydb"] = testhost.NewScript(t, c.step)
		err := New(h, config.Defaults(), nil, nil).Cancel(context.Background(), "p-1")
		if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
			t.Errorf("%s: %v", c.what, err)
		}
		if e := net.Events(); len(e) != 2 || e[1].Kind != c.kind || e[1].Call != e[0].ID {
			t.Errorf("%s: %+v", c.what, e)
		}
	}
}

func TestPayingDirectlyGoesPastTheProxyAndSaysSo(t *testing.T) {
	for _, c := range []struct {
		status int
		body   rail.Answer
		kind   history.Kind
	}{
		{200, rail.Answer{Reference: "rail-1"}, history.OK},
		{422, rail.Answer{Error: rail.Declined}, history.Fail},
		{500, rail.Answer{Error: "INTERNAL"}, history.Info},
	} {
		net := testhost.New()
		h := net.Host("operator")
		h.Databases["paydb"] = testhost.NewScript(t, testhost.Step{SQL: "FROM payout", Rows: [][]any{{"a-1", 7, "CLAIMED"}}})
		asked := ""
		_ = net.Host("rail").Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = r.Header.Get("Authorization") + " " + r.Header.Get(wire.RequestIDHeader)
			wire.Reply(w, c.status, &c.body)
		}))
		cfg := config.Defaults()
		cfg.Operator.Door = config.DoorDirect
		err := New(h, cfg, nil, nil).PayByHand(context.Background(), "p-1", "http://rail", "k3y")
		if (err == nil) != (c.kind == history.OK) || asked != "Bearer k3y operator/p-1" {
			t.Errorf("%d: %v, asked %q", c.status, err, asked)
		}
		if e := net.Events(); len(e) != 2 || e[1].Kind != c.kind || e[1].Request != "operator/p-1" || e[1].Amount != 7 {
			t.Errorf("%d: %+v", c.status, e)
		}
	}
}

// By the design's door a person is a submitter like any other: under a token, and refused where the
// payout has been submitted.
func TestPayingByHandTakesTheLockAndGoesThroughTheProxy(t *testing.T) {
	net := testhost.New()
	h := net.Host("operator")
	h.Databases["paydb"] = testhost.NewScript(t, testhost.Step{SQL: "FROM payout", Rows: [][]any{{"a-1", 7, "CLAIMED"}}})
	_ = net.Host("lockd-1").Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"token":41,"ttl_ms":5000}`))
	}))
	asked := ""
	_ = net.Host("proxy-1").Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = r.Header.Get("Authorization") + string(body)
		wire.Refuse(w, http.StatusConflict, "DUPLICATE_SUBMISSION")
	}))
	err := New(h, config.Defaults(), []string{"http://lockd-1"}, []string{"http://proxy-1"}).
		PayByHand(context.Background(), "p-1", "http://rail", "k3y")
	if !errors.Is(err, paydb.ErrDuplicate) || asked != `{"payout_id":"p-1","account_id":"a-1","token":41,"amount_minor":7}` {
		t.Errorf("%v, asked %s", err, asked)
	}
	ops := net.Ops()
	if want := []string{"invoke lock.acquire", "ok lock.acquire", "invoke payout.submit", "fail payout.submit", "invoke lock.release", "ok lock.release"}; !slices.Equal(ops, want) {
		t.Errorf("%v", ops)
	}
}
