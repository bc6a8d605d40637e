package proxy

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/paydb"
	"dlsim/system/wire"
)

// switched starts a proxy with a part of its configuration changed, over a script for each database.
func switched(t *testing.T, r railStub, change func(*config.Config), steps, standby []testhost.Step) *bench {
	net := testhost.New()
	b := &bench{net: net, rail: &r}
	_ = net.Host("rail").Serve(b.rail)
	h := net.Host("proxy-1")
	h.Databases["paydb"] = testhost.NewScript(t, steps...)
	h.Databases["paydb-standby"] = testhost.NewScript(t, standby...)
	cfg := config.Defaults()
	cfg.Rail.Proxy.ForwardTimeout = 50 * time.Millisecond
	change(&cfg)
	b.proxy = NewService(h, cfg, "http://rail", "k3y", []string{"http://lockd-1"})
	return b
}

func affects(sql string, n int) testhost.Step { return testhost.Step{SQL: sql, Affected: n} }

func TestEachAdmissionAsksWhatItsSettingSays(t *testing.T) {
	begin, commit := testhost.Step{SQL: "begin"}, testhost.Step{SQL: "commit"}
	setMark, setIntent := affects("SET token = EXCLUDED.token", 1), affects("state = 'INTENT', rail_reference = ''", 1)
	advance, intent := affects("rail_high_water.token < EXCLUDED.token", 1), affects("DO NOTHING", 1)
	unfenced := []testhost.Step{begin, setMark, setIntent, commit, outcome}
	for _, c := range []struct {
		what           string
		change         func(p *config.Proxy)
		steps, standby []testhost.Step
	}{
		{"the executor's guard", func(p *config.Proxy) { p.Guard = config.GuardExecutor }, unfenced, nil},
		{"downstream", func(p *config.Proxy) { p.Guard = config.GuardDownstream }, unfenced, nil},
		{"the key alone", func(p *config.Proxy) { p.Checks = config.ChecksDuplicate }, []testhost.Step{begin, setMark, intent, commit, outcome}, nil},
		{"the token alone", func(p *config.Proxy) { p.Checks = config.ChecksToken }, []testhost.Step{begin, advance, setIntent, commit, outcome}, nil},
		{"the key first", func(p *config.Proxy) { p.Order = config.DuplicateFirst }, []testhost.Step{begin, intent, advance, commit, outcome}, nil},
		{"a mark of the payout", func(p *config.Proxy) { p.Mark.Scope = config.ScopePayout }, []testhost.Step{begin, advance, intent, commit, outcome}, nil},
		{"a mark of the rail", func(p *config.Proxy) { p.Mark.Scope = config.ScopeRail }, []testhost.Step{begin, advance, intent, commit, outcome}, nil},
		{"equal tokens", func(p *config.Proxy) { p.Mark.Compare = config.CompareEqual },
			[]testhost.Step{begin, affects("<= EXCLUDED.token", 1), intent, commit, outcome}, nil},
		{"tokens as text", func(p *config.Proxy) { p.Mark.Compare = config.CompareText },
			[]testhost.Step{begin, affects("::text", 1), intent, commit, outcome}, nil},
		{"read, then write", func(p *config.Proxy) { p.Admission = config.AdmitReadThenWrite },
			[]testhost.Step{begin, {SQL: "SELECT token FROM rail_high_water"}, setMark, intent, commit, outcome}, nil},
		{"the claim too", func(p *config.Proxy) { p.Admission = config.AdmitClaim },
			[]testhost.Step{begin, {SQL: "FOR UPDATE", Rows: [][]any{{5}}}, advance, intent, commit, outcome}, nil},
		{"marks in memory", func(p *config.Proxy) { p.Mark.Store = config.MarkMemory }, unfenced, nil},
		{"both at the standby", func(p *config.Proxy) { p.Mark.Store = config.MarkStandby }, unfenced,
			[]testhost.Step{{SQL: "SELECT token FROM rail_high_water", Rows: [][]any{{4}}}, {SQL: "FROM rail_submission"}}},
	} {
		b := switched(t, paid, func(cfg *config.Config) { c.change(&cfg.Rail.Proxy) }, c.steps, c.standby)
		if w := b.do("POST", SubmissionsPath, submission); w.Code != 200 || len(b.rail.asked) != 1 {
			t.Errorf("%s: %d %s, rail asked %d times", c.what, w.Code, w.Body, len(b.rail.asked))
		}
	}
}

func TestMemoryRefusesWhatThisProcessHasSeen(t *testing.T) {
	m := NewMemory(testhost.New().Host("proxy-1"))
	for _, c := range []struct {
		payout string
		token  int64
		want   Verdict
	}{
		{"p-1", 5, Admitted}, {"p-2", 5, FencedOut}, {"p-2", 4, FencedOut}, {"p-1", 6, Duplicate}, {"p-2", 6, Admitted},
	} {
		if v, err := m.Judge(context.Background(), Submission{Payout: paydb.Payout{ID: c.payout, Account: "a-1"}, Token: c.token}); v != c.want || err != nil {
			t.Errorf("%s under %d: %d %v", c.payout, c.token, v, err)
		}
	}
}

func TestAStandbyAnswersByWhatItHas(t *testing.T) {
	down := errors.New("down")
	mark := func(n int) testhost.Step { return testhost.Step{SQL: "rail_high_water", Rows: [][]any{{n}}} }
	row := testhost.Step{SQL: "FROM rail_submission", Rows: [][]any{{3, "INTENT", ""}}}
	none := testhost.Step{SQL: "FROM rail_submission"}
	for _, c := range []struct {
		what  string
		steps []testhost.Step
		want  Verdict
	}{
		{"a lower mark", []testhost.Step{mark(4), none}, Admitted},
		{"the token itself", []testhost.Step{mark(5), none}, FencedOut},
		{"a submission", []testhost.Step{mark(4), row}, Duplicate},
		{"no mark to be had", []testhost.Step{{SQL: "rail_high_water", Err: down}}, Refused},
		{"no submission to be had", []testhost.Step{mark(4), {SQL: "FROM rail_submission", Err: down}}, Refused},
	} {
		s := Standby{paydb.NewStore(testhost.NewScript(t, c.steps...), config.Paydb{})}
		if v, _ := s.Judge(context.Background(), Submission{Payout: paydb.Payout{ID: "p-1", Account: "a-1"}, Token: 5}); v != c.want {
			t.Errorf("%s: %d", c.what, v)
		}
	}
}

func TestTheLockServiceIsAskedForTheHolder(t *testing.T) {
	for _, c := range []struct {
		what   string
		status int
		body   any
		code   int
	}{
		{"the submitter holds it", 200, map[string]any{"owner": "executor-1", "token": 5, "ttl_ms": 5000}, 200},
		{"somebody else does", 200, map[string]any{"owner": "executor-2", "token": 6, "ttl_ms": 5000}, 409},
		{"nobody answers", 503, wire.Refusal{Error: "BACKEND_UNAVAILABLE"}, 503},
	} {
		var steps []testhost.Step
		if c.code == 200 {
			steps = []testhost.Step{{SQL: "begin"}, affects("SET token", 1), affects("state = 'INTENT'", 1), {SQL: "commit"}, outcome}
		}
		b := switched(t, paid, func(cfg *config.Config) { cfg.Rail.Proxy.Guard = config.GuardLockService }, steps, nil)
		_ = b.net.Host("lockd-1").Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { wire.Reply(w, c.status, c.body) }))
		if w := b.do("POST", SubmissionsPath, submission); w.Code != c.code {
			t.Errorf("%s: %d %s", c.what, w.Code, w.Body)
		}
	}
}

func TestTheCoursesThatWereRejected(t *testing.T) {
	sent := testhost.Step{SQL: "INSERT INTO rail_sent", Affected: 1}
	body := slices.Clone(admit[:3])
	for _, c := range []struct {
		what   string
		change func(*config.Rail)
		steps  []testhost.Step
		ops    string // of the invocations
		asked  int
	}{
		{"pay, then record", func(r *config.Rail) { r.Proxy.Intent = config.IntentAfter }, append(slices.Clone(admit), outcome), "rail.forward proxy.admit proxy.outcome", 1},
		{"pay within the transaction", func(r *config.Rail) { r.Proxy.Intent = config.IntentSameTransaction },
			append(slices.Clone(body), outcome, testhost.Step{SQL: "commit"}), "proxy.admit rail.forward", 1},
		{"a table for a rail", func(r *config.Rail) { r.In = config.RailInPaydb },
			append(slices.Clone(body), sent, outcome, testhost.Step{SQL: "commit"}), "proxy.admit rail.forward", 0},
	} {
		b := switched(t, paid, func(cfg *config.Config) { c.change(&cfg.Rail) }, c.steps, nil)
		w := b.do("POST", SubmissionsPath, submission)
		var begun []string
		for _, op := range b.net.Ops() {
			if name, is := strings.CutPrefix(op, "invoke "); is {
				begun = append(begun, name)
			}
		}
		if got := strings.Join(begun, " "); w.Code != 200 || got != c.ops || len(b.rail.asked) != c.asked {
			t.Errorf("%s: %d, %s, asked %d times", c.what, w.Code, got, len(b.rail.asked))
		}
	}
}

func TestAForwardIsRepeatedOnlyWhereASettingSaysSo(t *testing.T) {
	for _, c := range []struct {
		retry  string
		status int
		asked  int
	}{
		{config.RetryNever, 500, 1}, {config.RetryOn5xx, 500, 2}, {config.RetryOnTimeout, 500, 2},
		{config.RetryOn5xx, 404, 1}, {config.RetryOnTimeout, 404, 2},
	} {
		b := switched(t, railStub{status: c.status, body: "{}"}, func(cfg *config.Config) { cfg.Rail.Proxy.Retry = c.retry },
			append(slices.Clone(admit), outcome), nil)
		if b.do("POST", SubmissionsPath, submission); len(b.rail.asked) != c.asked {
			t.Errorf("%s after %d: asked %d times", c.retry, c.status, len(b.rail.asked))
		}
	}
}

func TestOnlyARailThatComparesTokensIsToldOne(t *testing.T) {
	s := Submission{Payout: paydb.Payout{ID: "p-1", Account: "a-1", Amount: 7}, Token: 5}
	for accepts, token := range map[string]int64{config.AcceptAll: 0, config.AcceptOnce: 0, config.AcceptByToken: 5} {
		if o := orderOf(accepts)(s); o.Token != token || o.Memo != "p-1" || o.Amount != 7 {
			t.Errorf("%s: %+v", accepts, o)
		}
	}
}

func TestAnAdmissionThatIsTooOldIsNotSent(t *testing.T) {
	b := switched(t, paid, func(cfg *config.Config) { cfg.Rail.Proxy.SendWithin = 1 }, append(slices.Clone(admit), outcome), nil)
	if w := b.do("POST", SubmissionsPath, submission); w.Code != 200 || !strings.Contains(w.Body.String(), "REJECTED") || len(b.rail.asked) != 0 {
		t.Error(w.Code, w.Body, b.rail.asked)
	}
}
