package rail_test

import (
	"context"
	"testing"
	"time"

	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/rail"
	"dlsim/system/wire"
)

func TestWhatARailRefusesByItself(t *testing.T) {
	type order struct {
		memo, account string
		token         int64
		status        int
		reference     string
	}
	for accepts, orders := range map[string][]order{
		config.AcceptAll:     {{"p", "a", 5, 200, "rail-1"}, {"p", "a", 4, 200, "rail-2"}},
		config.AcceptOnce:    {{"p", "a", 0, 200, "rail-1"}, {"p", "a", 0, 200, "rail-1"}, {"q", "a", 0, 200, "rail-2"}},
		config.AcceptByToken: {{"p", "a", 5, 200, "rail-1"}, {"q", "a", 5, 409, ""}, {"p", "a", 4, 409, ""}, {"p", "b", 4, 200, "rail-2"}, {"p", "a", 6, 200, "rail-3"}},
	} {
		net := testhost.New()
		cfg := config.Defaults().Rail
		cfg.Latency, cfg.MaxDelay, cfg.Accepts = 0, time.Millisecond, accepts
		s, err := rail.NewService(net.Host("rail"), cfg, secret)
		if err != nil {
			t.Fatal(err)
		}
		h := net.Host("rail")
		_ = h.Serve(s)
		client := wire.NewClient(net.Host("proxy-1"))
		for i, o := range orders {
			var a rail.Answer
			status, err := client.Do(context.Background(), wire.Call{Method: "POST", Base: "http://rail", Path: "/payments", Bearer: secret.Reveal(),
				Body: &rail.Order{Memo: o.memo, Account: o.account, Amount: 5, Token: o.token}}, &a)
			if status != o.status || a.Reference != o.reference || err != nil || (status == 409) != (a.Error == rail.Stale) {
				t.Errorf("%s, order %d: %d %+v %v", accepts, i+1, status, a, err)
			}
		}
	}
}
