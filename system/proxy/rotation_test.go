package proxy

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/rail"
	"dlsim/system/wire"
)

// rotatingRail takes in what shows the credential of its epoch, and begins the next one when told to.
type rotatingRail struct {
	epoch int64
	after string   // the path whose first request is followed by a rotation
	calls []string // method, path and credential
}

func (r *rotatingRail) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	key := strings.TrimPrefix(q.Header.Get("Authorization"), "Bearer ")
	r.calls = append(r.calls, q.Method+" "+q.URL.Path+" "+key)
	asks := q.Method == http.MethodGet && q.URL.Path == rail.CredentialPath
	switch {
	case r.epoch < 0:
		wire.Refuse(w, http.StatusInternalServerError, "INTERNAL")
	case !asks && key != rail.Credential("k3y").In(r.epoch).Reveal():
		wire.Refuse(w, http.StatusUnauthorized, rail.Unauthorized)
	case q.URL.Path == rail.CredentialPath:
		if !asks {
			r.epoch++
		}
		wire.Reply(w, http.StatusOK, &rail.Epoch{Number: r.epoch, ClockMs: 10 + r.epoch})
	case q.URL.Path == rail.StatementsPath:
		wire.Reply(w, http.StatusOK, &rail.Statement{CutoffMs: 1, ClockMs: 2})
	default:
		wire.Reply(w, http.StatusOK, &rail.Answer{Reference: "rail-9"})
	}
	if q.URL.Path == r.after {
		r.epoch, r.after = r.epoch+1, ""
	}
}

func rotating(t *testing.T, r *rotatingRail, retry string, steps ...testhost.Step) (*bench, *Client) {
	net := testhost.New()
	_ = net.Host("rail").Serve(r)
	h := net.Host("proxy-1")
	h.Databases["paydb"] = testhost.NewScript(t, steps...)
	cfg := config.Defaults()
	cfg.Rail.Credential, cfg.Rail.Proxy.Retry = config.CredentialRotated, retry
	b := &bench{net: net, proxy: NewService(h, cfg, "http://rail", "k3y", nil)}
	_ = h.Serve(b.proxy)
	return b, NewClient(net.Host("reconciler"), []string{"http://proxy-1"}, "test", config.RouteRandom)
}

func TestASubmissionShowsTheCredentialThatWasCurrentBeforeItsAdmission(t *testing.T) {
	for _, c := range []struct {
		what   string
		rail   rotatingRail
		retry  string
		status int
		body   string
		shown  []string // by payments
		last   string
	}{
		{"nothing was rotated", rotatingRail{}, config.RetryNever, 200, `{"state":"ACCEPTED","token":5,"rail_reference":"rail-9"}`, []string{"k3y"}, "ok rail.forward"},
		{"rotated long before", rotatingRail{epoch: 3}, config.RetryNever, 200, `{"state":"ACCEPTED","token":5,"rail_reference":"rail-9"}`, []string{"k3y.3"}, "ok rail.forward"},
		{"rotated since: refused, and not repeated", rotatingRail{epoch: 3, after: rail.CredentialPath}, config.RetryNever,
			200, `{"state":"REJECTED","token":5}`, []string{"k3y.3"}, "fail rail.forward"},
		{"on-401 undoes it", rotatingRail{epoch: 3, after: rail.CredentialPath}, config.RetryOn401,
			200, `{"state":"ACCEPTED","token":5,"rail_reference":"rail-9"}`, []string{"k3y.3", "k3y.4"}, "ok rail.forward"},
	} {
		b, _ := rotating(t, &c.rail, c.retry, append(slices.Clone(admit), outcome)...)
		w := b.do("POST", SubmissionsPath, submission)
		var shown []string
		for _, call := range c.rail.calls {
			if key, ok := strings.CutPrefix(call, "POST "+rail.PaymentsPath+" "); ok {
				shown = append(shown, key)
			}
		}
		if w.Code != c.status || w.Body.String() != c.body || !slices.Equal(shown, c.shown) || c.rail.calls[0] != "GET /credential k3y" {
			t.Errorf("%s: %d %s, %v", c.what, w.Code, w.Body, c.rail.calls)
		}
		if ops := b.net.Ops(); ops[1] != "ok proxy.admit" || ops[len(ops)-3] != c.last {
			t.Errorf("%s: %v", c.what, ops)
		}
	}
}

func TestWithoutACredentialNothingIsAdmitted(t *testing.T) {
	r := rotatingRail{epoch: -1}
	b, client := rotating(t, &r, config.RetryNever)
	if w := b.do("POST", SubmissionsPath, submission); w.Code != 502 || w.Body.String() != `{"error":"RAIL_UNAVAILABLE"}` || len(b.net.Ops()) != 0 {
		t.Error(w.Code, w.Body, b.net.Ops())
	}
	if _, err := client.Statement(context.Background()); err == nil {
		t.Error("a statement all the same")
	}
}

func TestARotationEndsTheEpochThatItNamesAndNoOther(t *testing.T) {
	r := rotatingRail{epoch: 3}
	b, client := rotating(t, &r, config.RetryNever)
	for _, c := range []struct {
		epoch int64
		began string
	}{
		{3, "{4 14} true"}, {3, "{0 0} false"}, {4, "{5 15} true"}, {6, "{0 0} false"},
	} {
		e, err := client.Rotate(context.Background(), c.epoch)
		if got := fmt.Sprint(e, err == nil); got != c.began {
			t.Errorf("from epoch %d: %s %v", c.epoch, got, err)
		}
	}
	if st, err := client.Statement(context.Background()); err != nil || st.ClockMs != 2 {
		t.Errorf("%+v %v", st, err)
	}
	if w := b.do("POST", RotationPath, `{"epoch":"3"}`); w.Code != 400 {
		t.Error(w.Code)
	}
}

func TestWhereTheCredentialStaysTheProxyHasNoRotation(t *testing.T) {
	b := start(t, paid, true)
	if w := b.do("POST", RotationPath, `{"epoch":0}`); w.Code != http.StatusNotFound || len(b.rail.asked) != 0 {
		t.Error(w.Code, b.rail.asked)
	}
}
