package operator

import (
	"context"
	"errors"
	"io"
	"net/http"
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
		err := New(h, config.Defaults()).Cancel(context.Background(), "p-1")
		if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
			t.Errorf("%s: %v", c.what, err)
		}
		if e := net.Events(); len(e) != 2 || e[1].Kind != c.kind || e[1].Call != e[0].ID {
			t.Errorf("%s: %+v", c.what, e)
		}
	}
}

func TestPayingByHandGoesPastTheProxyAndSaysSo(t *testing.T) {
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
		err := New(h, config.Defaults()).PayByHand(context.Background(), "p-1", "http://rail", "k3y")
		if (err == nil) != (c.kind == history.OK) || asked != "Bearer k3y operator/p-1" {
			t.Errorf("%d: %v, asked %q", c.status, err, asked)
		}
		if e := net.Events(); len(e) != 2 || e[1].Kind != c.kind || e[1].Request != "operator/p-1" || e[1].Amount != 7 {
			t.Errorf("%d: %+v", c.status, e)
		}
	}
}
