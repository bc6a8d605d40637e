package system

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"dlsim/history"
	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/paydb"
	"dlsim/system/wire"
)

func TestTheRailOpensForTheProxyAndForNobodyWithoutTheCredential(t *testing.T) {
	net := testhost.New()
	rail, proxy := net.Host("rail"), net.Host("proxy-1")
	proxy.Databases["paydb"] = testhost.NewScript(t,
		testhost.Step{SQL: "begin"}, testhost.Step{SQL: "rail_high_water", Affected: 1},
		testhost.Step{SQL: "rail_submission", Affected: 1}, testhost.Step{SQL: "commit"},
		testhost.Step{SQL: "UPDATE rail_submission", Affected: 1})
	cfg := config.Defaults()
	cfg.Rail.Latency = 0
	work := Work{Credential: "k3y"}
	for h, role := range map[*testhost.Host]string{rail: Rail, proxy: Proxy} {
		if err := Run(h, role, cfg, work); err != nil {
			t.Fatal(err)
		}
	}
	c := wire.NewClient(net.Host("executor-1"))
	submission := map[string]any{"payout_id": "p-1", "account_id": "a-1", "token": 5, "amount_minor": 7}
	var answer struct{ State string }
	if status, err := c.Do(context.Background(), wire.Call{Method: "POST", Base: "http://proxy-1", Path: "/v1/submissions", Body: submission}, &answer); status != 200 || err != nil || answer.State != paydb.Accepted {
		t.Error(status, answer, err)
	}
	order := map[string]any{"memo": "p-1", "account": "a-1", "amount_minor": 7}
	if status, err := c.Do(context.Background(), wire.Call{Method: "POST", Base: "http://rail", Path: "/payments", Body: order}, &answer); status != http.StatusUnauthorized || err != nil {
		t.Error(status, err)
	}
	payments := 0
	for _, e := range net.Events() {
		if e.Op == history.RailPaid {
			payments++
		}
	}
	if payments != 1 {
		t.Error(payments, "payments")
	}
}

func TestARoleThatCannotStartSaysWhy(t *testing.T) {
	h := testhost.New().Host("x")
	bad := config.Defaults()
	bad.Lock.Backend = "zookeeper"
	for role, word := range map[string]string{Lockd: "lock.backend", "janitor": "janitor"} {
		if err := Run(h, role, bad, Work{}); err == nil || !strings.Contains(err.Error(), word) {
			t.Error(role, err)
		}
	}
}

func TestEveryProcessOfARoleHasItsAddress(t *testing.T) {
	if got := strings.Join(urls(Proxy, 3), " "); got != "http://proxy-1 http://proxy-2 http://proxy-3" {
		t.Error(got)
	}
}
