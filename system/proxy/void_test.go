package proxy

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/rail"
)

func reversible(t *testing.T, r railStub) (*bench, *Client) {
	net := testhost.New()
	b := &bench{net: net, rail: &r}
	_ = net.Host("rail").Serve(b.rail)
	h := net.Host("proxy-1")
	h.Databases["paydb"] = testhost.NewScript(t)
	cfg := config.Defaults()
	cfg.Rail.Void, cfg.Rail.Proxy.ForwardTimeout = true, 50*time.Millisecond
	b.proxy = NewService(h, cfg, "http://rail", "k3y", nil)
	_ = h.Serve(b.proxy)
	return b, NewClient(net.Host("reconciler"), []string{"http://proxy-1"}, "test", config.RouteRandom)
}

func TestAVoidIsPassedOnOnceAndItsAnswerTold(t *testing.T) {
	for _, c := range []struct {
		what  string
		rail  railStub
		err   error
		event string
	}{
		{"taken back", railStub{status: 200, body: `{"reference":"void-1"}`}, nil, "ok rail.void"},
		{"declined", railStub{status: 422, body: `{"error":"DECLINED"}`}, ErrNotVoided, "fail rail.void"},
		{"unknown to the rail", railStub{status: 404, body: `{"error":"NO_SUCH_PAYMENT"}`}, ErrNotVoided, "fail rail.void"},
		{"an error says nothing", railStub{status: 500, body: `{"error":"INTERNAL"}`}, ErrUnanswered, "info rail.void"},
		{"a yes without a reference is none", railStub{status: 200, body: `{}`}, ErrUnanswered, "info rail.void"},
	} {
		b, client := reversible(t, c.rail)
		err := client.Void(context.Background(), &rail.Payment{Memo: "p-1", Account: "a-1", Amount: 7, Reference: "rail-2"})
		if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) || len(b.rail.asked) != 1 || b.rail.key != "Bearer k3y" {
			t.Errorf("%s: %v, asked %d times", c.what, err, len(b.rail.asked))
		}
		if want := []string{"invoke rail.void", c.event}; !slices.Equal(b.net.Ops(), want) {
			t.Errorf("%s: %v", c.what, b.net.Ops())
		}
		if e := b.net.Events()[1]; e.Payout != "p-1" || e.Account != "a-1" || e.Amount != 7 || e.Reference != "rail-2" || e.Request != b.rail.asked[0] || e.Op != history.RailVoid {
			t.Errorf("%s: %+v", c.what, e)
		}
	}
}

func TestWhereTheRailCannotTakeBackTheProxyHasNoSuchOperation(t *testing.T) {
	b := start(t, paid, true)
	if w := b.do("POST", VoidsPath, `{"rail_reference":"rail-2"}`); w.Code != http.StatusNotFound || len(b.rail.asked) != 0 {
		t.Error(w.Code, b.rail.asked)
	}
}
