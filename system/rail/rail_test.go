package rail_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

func TestADirectiveReadsBackAsItWasWritten(t *testing.T) {
	for _, s := range []string{"", "timeout", "late 3s", "slow 800ms next=2", "execute-then-5xx payout=p-1",
		"decline next=1 payout=payout-7"} {
		d, err := rail.ParseDirective(s)
		if err != nil || d.String() != s {
			t.Errorf("%q became %q, %v", s, d, err)
		}
	}
}

func TestADirectiveThatIsNoneNamesItsWrongWord(t *testing.T) {
	for s, word := range map[string]string{
		"late":              "delay",
		"timeout 3s":        "delay",
		"late 0s":           `"0s"`,
		"late -1s":          `"-1s"`,
		"late soon":         `"soon"`,
		"late 1s 2s":        `"2s"`,
		"explode":           `"explode"`,
		"decline next=0":    `"next=0"`,
		"decline next=x":    `"next=x"`,
		"decline payout=":   `"payout="`,
		"decline account=a": `"account=a"`,
	} {
		if _, err := rail.ParseDirective(s); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

const secret = rail.Credential("k3y")

type bench struct {
	t    *testing.T
	net  *testhost.Net
	rail *testhost.Host
	wire *wire.Client

	reversible bool // the rail takes payments back
	rotating   bool // its credential can be rotated
}

func newBench(t *testing.T) *bench {
	net := testhost.New()
	return &bench{t: t, net: net, rail: net.Host("rail"), wire: wire.NewClient(net.Host("proxy-1"))}
}

func start(t *testing.T) *bench {
	b := newBench(t)
	b.serve()
	return b
}

func (b *bench) serve() {
	cfg := config.Defaults().Rail
	cfg.Latency, cfg.MaxDelay, cfg.StatementDelay, cfg.Void = 0, 60*time.Millisecond, 0, b.reversible
	if b.rotating {
		cfg.Credential, cfg.MaxDelay = config.CredentialRotated, 300*time.Millisecond
	}
	s, err := rail.NewService(b.rail, cfg, secret)
	if err != nil {
		b.t.Fatal(err)
	}
	_ = b.rail.Serve(s)
}

func (b *bench) pay(ctx context.Context, memo string) (int, rail.Answer, error) {
	var a rail.Answer
	status, err := b.wire.Do(ctx, wire.Call{Method: "POST", Base: "http://rail", Path: "/payments", Bearer: secret.Reveal(),
		RequestID: "r-" + memo, Body: &rail.Order{Memo: memo, Account: "a", Amount: 5}}, &a)
	return status, a, err
}

func (b *bench) paid() (refs []string) {
	for _, e := range b.net.Events() {
		if e.Op == history.RailPaid {
			refs = append(refs, e.Reference+" "+e.Payout+e.Note)
		}
	}
	return refs
}

func TestTheRailPaysEveryTimeItIsAsked(t *testing.T) {
	b := start(t)
	for range 2 {
		if status, a, err := b.pay(context.Background(), "p"); status != 200 || a.Reference == "" || a.ClockMs == 0 || err != nil {
			t.Error(status, a, err)
		}
	}
	if got := fmt.Sprint(b.paid()); got != "[rail-1 p rail-2 p]" {
		t.Error(got)
	}
	for _, e := range b.net.Events() {
		if !e.Truth || e.Kind != history.OK || e.Request != "r-p" || e.Amount != 5 || e.Op == history.RailPaid && e.Clock == 0 {
			t.Errorf("%+v", e)
		}
	}
}

func TestNobodyIsPaidWithoutTheCredentialOrAnAmount(t *testing.T) {
	b := start(t)
	for _, c := range []struct {
		key    string
		o      rail.Order
		status int
	}{
		{"", rail.Order{Memo: "p", Account: "a", Amount: 5}, 401},
		{"wrong", rail.Order{Memo: "p", Account: "a", Amount: 5}, 401},
		{"k3y", rail.Order{Memo: "p", Account: "a"}, 400},
		{"k3y", rail.Order{Memo: "p", Account: "a", Amount: -5}, 400},
		{"k3y", rail.Order{Account: "a", Amount: 5}, 400},
	} {
		var a rail.Answer
		if status, err := b.wire.Do(context.Background(), wire.Call{Method: "POST", Base: "http://rail", Path: "/payments", Bearer: c.key, Body: &c.o}, &a); status != c.status || err != nil {
			t.Errorf("%+v: %d %v", c, status, err)
		}
	}
	if len(b.paid()) != 0 {
		t.Error(b.paid())
	}
}

func TestMisbehavioursDoWhatTheirNamesSay(t *testing.T) {
	for _, c := range []struct {
		directive string
		status    int // 0: the caller gave up
		paid      bool
	}{
		{"timeout", 0, false},
		{"late 40ms", 0, true},
		{"slow 40ms", 0, true},
		{"execute-then-5xx", 500, true},
		{"decline", 422, false},
		{"decline payout=other", 200, true},
	} {
		b := start(t)
		b.rail.Direct(rail.DirectiveName, c.directive)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		status, a, err := b.pay(ctx, "p")
		cancel()
		if status != c.status || (err == nil) == (c.status == 0) || (status == 422) != (a.Error == rail.Declined) {
			t.Errorf("%s: %d %+v %v", c.directive, status, a, err)
		}
		time.Sleep(100 * time.Millisecond) // past every delay the rail allows itself
		if got := len(b.paid()) == 1; got != c.paid {
			t.Errorf("%s: paid %v", c.directive, b.paid())
		}
	}
}

func TestNextCountsPaymentsUnderOneInstruction(t *testing.T) {
	b := start(t)
	b.rail.Direct(rail.DirectiveName, "decline next=2 payout=p")
	got := ""
	for _, memo := range []string{"q", "p", "p", "p"} {
		status, _, _ := b.pay(context.Background(), memo)
		got += fmt.Sprint(status, " ")
	}
	b.rail.Direct(rail.DirectiveName, "")
	b.pay(context.Background(), "q")
	b.rail.Direct(rail.DirectiveName, "decline next=2 payout=p")
	status, _, _ := b.pay(context.Background(), "p")
	if got += fmt.Sprint(status); got != "200 422 422 200 422" {
		t.Error(got)
	}
}

func (b *bench) statement() (s rail.Statement) {
	status, err := b.wire.Do(context.Background(), wire.Call{Method: "GET", Base: "http://rail", Path: "/statements", Bearer: secret.Reveal()}, &s)
	if status != http.StatusOK || err != nil {
		b.t.Fatal(status, err)
	}
	return s
}

func TestAStatementIsCompleteUpToItsCutOffAndNoFurther(t *testing.T) {
	b := start(t)
	b.pay(context.Background(), "p")
	b.rail.Push(time.Second)
	b.pay(context.Background(), "q")
	s := b.statement()
	for _, p := range s.Payments {
		if p.ClockMs > s.CutoffMs {
			t.Errorf("%+v is past the cut-off %d", p, s.CutoffMs)
		}
	}
	if s.CutoffMs >= s.ClockMs {
		t.Error("a payment of this very millisecond could be missing:", s.CutoffMs, s.ClockMs)
	}
	b.rail.Push(time.Second)
	if s := b.statement(); len(s.Payments) != 2 || s.Payments[0].Memo != "p" || s.Payments[1].Memo != "q" {
		t.Errorf("%+v", s)
	}
}

func TestTheBookOutlivesTheRailAndItsClockDoesNotFallBehindIt(t *testing.T) {
	b := start(t)
	b.rail.Push(time.Hour) // the clock was wrong, and is put right by the restart
	_, before, _ := b.pay(context.Background(), "p")
	b.rail = b.rail.Restarted()
	b.serve()
	_, after, _ := b.pay(context.Background(), "p")
	if after.Reference != "rail-2" || after.ClockMs <= before.ClockMs {
		t.Errorf("%+v then %+v", before, after)
	}
	if got := fmt.Sprint(b.paid()); got != "[rail-1 p rail-2 p]" {
		t.Error(got)
	}
}

func TestAPaymentThatTheRailDiedTooSoonToTellIsToldAfterwards(t *testing.T) {
	b := start(t)
	record, _ := json.Marshal(rail.Payment{Memo: "p", Account: "a", Amount: 5, Reference: "rail-1", ClockMs: 1})
	_ = b.rail.File("rail-book").Append(record)
	b.rail = b.rail.Restarted()
	b.serve()
	b.rail = b.rail.Restarted()
	b.serve()
	if got := fmt.Sprint(b.paid()); got != "[rail-1 precovered]" {
		t.Error(got)
	}
}

func TestWhenTheBookCannotBeWrittenOnlyTheBookKnows(t *testing.T) {
	for _, stays := range []bool{false, true} {
		b := start(t)
		failed := false
		b.rail.File("rail-book").Fail = func([]byte) (error, bool) {
			if failed {
				return nil, true
			}
			failed = true
			return errors.New("disk"), stays
		}
		if status, _, _ := b.pay(context.Background(), "p"); status != 500 {
			t.Error(status)
		}
		if got := len(b.paid()) == 1; got != stays {
			t.Errorf("the record stays: %v; told: %v", stays, b.paid())
		}
		_, a, _ := b.pay(context.Background(), "q")
		if want := map[bool]string{false: "rail-1", true: "rail-2"}[stays]; a.Reference != want {
			t.Errorf("the record stays: %v; next reference %s", stays, a.Reference)
		}
	}
}

func TestACredentialDoesNotPrint(t *testing.T) {
	j, _ := json.Marshal(struct{ C rail.Credential }{secret})
	if s := fmt.Sprintf("%v %s %+v %#v %q %s", secret, secret, secret, secret, secret, j); strings.Contains(s, "k3y") {
		t.Error(s)
	}
}
