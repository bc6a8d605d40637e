package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/paydb"
	"dlsim/system/wire"

	"github.com/jackc/pgx/v5/pgconn"
)

// railStub counts what reaches it and answers as told.
type railStub struct {
	asked    []string // request ids
	key      string
	status   int
	body     string
	received func()
}

func (r *railStub) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.asked = append(r.asked, q.Header.Get(wire.RequestIDHeader))
	r.key = q.Header.Get("Authorization")
	if r.received != nil {
		r.received()
	}
	w.WriteHeader(r.status)
	_, _ = io.WriteString(w, r.body)
}

const submission = `{"payout_id":"p-1","account_id":"a-1","token":5,"amount_minor":7}`

var (
	admit = []testhost.Step{
		{SQL: "begin"},
		{SQL: "rail_high_water.token < EXCLUDED.token", Affected: 1},
		{SQL: "INSERT INTO rail_submission", Affected: 1},
		{SQL: "commit"},
	}
	outcome = testhost.Step{SQL: "AND state = 'INTENT'", Affected: 1}
	paid    = railStub{status: 200, body: `{"reference":"rail-9"}`}
)

type bench struct {
	net   *testhost.Net
	rail  *railStub
	proxy *Service
}

func start(t *testing.T, r railStub, fencing bool, steps ...testhost.Step) *bench {
	net := testhost.New()
	b := &bench{net: net, rail: &r}
	_ = net.Host("rail").Serve(b.rail)
	h := net.Host("proxy-1")
	h.Databases["paydb"] = testhost.NewScript(t, steps...)
	cfg := config.Defaults()
	cfg.Rail.Proxy.Fencing.Enabled = fencing
	cfg.Rail.Proxy.ForwardTimeout = 50 * time.Millisecond
	b.proxy = NewService(h, cfg, "http://rail", "k3y", nil)
	return b
}

func (b *bench) do(method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	b.proxy.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w
}

func TestASubmissionIsAdmittedThenForwardedThenWrittenDown(t *testing.T) {
	b := start(t, paid, true, append(slices.Clone(admit), outcome)...)
	w := b.do("POST", SubmissionsPath, submission)
	if w.Code != 200 || w.Body.String() != `{"state":"ACCEPTED","token":5,"rail_reference":"rail-9"}` {
		t.Error(w.Code, w.Body)
	}
	want := []string{"invoke proxy.admit", "ok proxy.admit", "invoke rail.forward", "ok rail.forward", "invoke proxy.outcome", "ok proxy.outcome"}
	if !slices.Equal(b.net.Ops(), want) {
		t.Error(b.net.Ops())
	}
	e := b.net.Events()
	if len(b.rail.asked) != 1 || b.rail.asked[0] != e[2].Request || e[3].Reference != "rail-9" || b.rail.key != "Bearer k3y" {
		t.Errorf("%v %+v", b.rail.asked, e[2:4])
	}
}

func TestARefusedOrUnsettledAdmissionForwardsNothing(t *testing.T) {
	broken := func(i int, err error) []testhost.Step {
		steps := slices.Clone(admit[:i+1])
		steps[i].Err = err
		return steps
	}
	none := func(i int) []testhost.Step {
		steps := slices.Clone(admit[:i+1])
		steps[i].Affected = 0
		return steps
	}
	conflict := &pgconn.PgError{Severity: "ERROR", Code: "40001"}
	for _, c := range []struct {
		what   string
		steps  []testhost.Step
		status int
		code   string
		ops    []string
	}{
		{"a token as high was seen", none(1), 409, CodeFencedOut, []string{"fail proxy.admit"}},
		{"the payout has a submission", none(2), 409, CodeDuplicate, []string{"fail proxy.admit", "info rail.duplicate.attempted"}},
		{"no connection", broken(0, io.ErrUnexpectedEOF), 503, CodePaydb, []string{"fail proxy.admit", "info paydb.unavailable"}},
		{"a broken statement", broken(2, io.ErrUnexpectedEOF), 503, CodePaydb, []string{"fail proxy.admit", "info paydb.unavailable"}},
		{"a refused commit", broken(3, conflict), 503, CodePaydb, []string{"fail proxy.admit", "info paydb.unavailable"}},
		{"a commit without answer", broken(3, io.ErrUnexpectedEOF), 503, CodePaydb, []string{"info proxy.admit", "info paydb.unavailable"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := start(t, paid, true, c.steps...)
			w := b.do("POST", SubmissionsPath, submission)
			if w.Code != c.status || w.Body.String() != `{"error":"`+c.code+`"}` {
				t.Error(w.Code, w.Body)
			}
			if got := b.net.Ops()[1:]; !slices.Equal(got, c.ops) {
				t.Error(got)
			}
			if len(b.rail.asked) != 0 {
				t.Error("the rail was called")
			}
		})
	}
}

func TestOnlyAClearYesOrNoOfTheRailIsAnOutcome(t *testing.T) {
	for _, c := range []struct {
		what   string
		rail   railStub
		status int
		body   string
		kind   history.Kind
		state  string
	}{
		{"paid", paid, 200, `{"state":"ACCEPTED","token":5,"rail_reference":"rail-9"}`, history.OK, paydb.Accepted},
		{"declined", railStub{status: 422, body: `{"error":"DECLINED"}`}, 200, `{"state":"REJECTED","token":5}`, history.Fail, paydb.Rejected},
		{"5xx", railStub{status: 500, body: `{"error":"INTERNAL"}`}, 409, `{"error":"RAIL_AMBIGUOUS"}`, history.Info, paydb.Timeout},
		{"refused for its credential", railStub{status: 401, body: `{"error":"UNAUTHORIZED"}`}, 200, `{"state":"REJECTED","token":5}`, history.Fail, paydb.Rejected},
		{"401 of somebody else", railStub{status: 401, body: `{}`}, 409, `{"error":"RAIL_AMBIGUOUS"}`, history.Info, paydb.Timeout},
		{"200 without reference", railStub{status: 200, body: `{}`}, 409, `{"error":"RAIL_AMBIGUOUS"}`, history.Info, paydb.Timeout},
		{"422 for another reason", railStub{status: 422, body: `{}`}, 409, `{"error":"RAIL_AMBIGUOUS"}`, history.Info, paydb.Timeout},
		{"garbage", railStub{status: 200, body: `<html>`}, 409, `{"error":"RAIL_AMBIGUOUS"}`, history.Info, paydb.Timeout},
		{"silence", railStub{status: 200, body: `{"reference":"rail-9"}`, received: func() { time.Sleep(80 * time.Millisecond) }},
			409, `{"error":"RAIL_AMBIGUOUS"}`, history.Info, paydb.Timeout},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := start(t, c.rail, true, append(slices.Clone(admit), outcome)...)
			w := b.do("POST", SubmissionsPath, submission)
			if w.Code != c.status || w.Body.String() != c.body {
				t.Error(w.Code, w.Body)
			}
			e := b.net.Events()
			if e[3].Op != history.RailForward || e[3].Kind != c.kind || e[4].Op != history.ProxyOutcome || e[4].State != c.state {
				t.Errorf("%+v", e[3:])
			}
		})
	}
}

func TestTheRailIsCalledOnceWhateverBecomesOfTheOutcome(t *testing.T) {
	lost := testhost.Step{SQL: "AND state = 'INTENT'", Err: io.ErrUnexpectedEOF}
	gone := testhost.Step{SQL: "AND state = 'INTENT'"}
	for _, c := range []struct {
		what  string
		steps []testhost.Step
		kind  history.Kind
	}{
		{"the second try goes through", []testhost.Step{lost, outcome}, history.OK},
		{"no try is answered", []testhost.Step{lost, lost, lost}, history.Info},
		{"the row was resolved meanwhile", []testhost.Step{gone}, history.Fail},
		{"the row is closed, perhaps by the first try", []testhost.Step{lost, gone}, history.Info},
	} {
		b := start(t, paid, true, append(slices.Clone(admit), c.steps...)...)
		if w := b.do("POST", SubmissionsPath, submission); w.Code != 200 {
			t.Errorf("%s: the rail's answer stands, but the proxy said %d %s", c.what, w.Code, w.Body)
		}
		e := b.net.Events()
		if len(b.rail.asked) != 1 || e[len(e)-1].Kind != c.kind {
			t.Errorf("%s: %d calls, %+v", c.what, len(b.rail.asked), e[len(e)-1])
		}
	}
}

func TestTheClientsLeavingCutsNothingShort(t *testing.T) {
	ctx, leave := context.WithCancel(context.Background())
	r := paid
	r.received = leave
	b := start(t, r, true, append(slices.Clone(admit), outcome)...)
	w := httptest.NewRecorder()
	b.proxy.ServeHTTP(w, httptest.NewRequest("POST", SubmissionsPath, strings.NewReader(submission)).WithContext(ctx))
	if w.Code != 200 {
		t.Error(w.Code, w.Body)
	}
}

func TestTheSwitchTurnsBothChecksOffAndKeepsTheTrace(t *testing.T) {
	unchecked := []testhost.Step{
		{SQL: "begin"},
		{SQL: "DO UPDATE SET token = EXCLUDED.token", Affected: 1},
		{SQL: "state = 'INTENT', rail_reference = ''", Affected: 1},
		{SQL: "commit"}, outcome,
	}
	b := start(t, paid, false, append(slices.Clone(unchecked), unchecked...)...)
	for range 2 {
		if w := b.do("POST", SubmissionsPath, submission); w.Code != 200 {
			t.Error(w.Code, w.Body)
		}
	}
	if len(b.rail.asked) != 2 || b.rail.asked[0] == b.rail.asked[1] {
		t.Error(b.rail.asked)
	}
}

func TestTheProxyRefusesWhatItCannotMean(t *testing.T) {
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", SubmissionsPath, `{"payout_id":"p-1","account_id":"a-1","amount_minor":7}`, 400},
		{"POST", SubmissionsPath, `{"payout_id":"p-1","account_id":"a-1","token":0,"amount_minor":7}`, 400},
		{"POST", SubmissionsPath, `{"payout_id":"p-1","account_id":"a-1","token":-5,"amount_minor":7}`, 400},
		{"POST", SubmissionsPath, `{"payout_id":"p-1","account_id":"a-1","token":"5","amount_minor":7}`, 400},
		{"POST", SubmissionsPath, `{"payout_id":"p-1","account_id":"a-1","token":5,"amount_minor":0}`, 400},
		{"POST", SubmissionsPath, `{"payout_id":"p-1","account_id":"a-1","token":5,"amount_minor":7.5}`, 400},
		{"POST", SubmissionsPath, `{"payout_id":"","account_id":"a-1","token":5,"amount_minor":7}`, 400},
		{"POST", SubmissionsPath, `{"payout_id":"p-1","token":5,"amount_minor":7}`, 400},
		{"POST", SubmissionsPath, `{"payout_id":"p-1","account_id":"a-1","token":99999999999999999999,"amount_minor":7}`, 400},
		{"GET", SubmissionsPath, ``, 405},
		{"POST", SubmissionsPath + "/p-1", ``, 405},
		{"GET", SubmissionsPath + "/", ``, 404},
		{"GET", SubmissionsPath + "/a/b", ``, 404},
		{"POST", StatementPath, ``, 405},
		{"GET", "/v1/elsewhere", ``, 404},
	} {
		b := start(t, paid, true)
		if w := b.do(c.method, c.path, c.body); w.Code != c.status {
			t.Errorf("%s %s %s: %d", c.method, c.path, c.body, w.Code)
		}
		if len(b.rail.asked) != 0 || len(b.net.Ops()) != 0 {
			t.Error("it acted all the same:", b.net.Ops())
		}
	}
}

func TestNoSubmissionIsAnAnswerAndNoAnswerIsNone(t *testing.T) {
	for _, c := range []struct {
		step  testhost.Step
		state string
	}{
		{testhost.Step{Rows: [][]any{{5, "TIMEOUT", ""}}}, paydb.Timeout},
		{testhost.Step{}, paydb.None},
		{testhost.Step{Err: io.ErrUnexpectedEOF}, ""},
	} {
		c.step.SQL = "FROM rail_submission"
		b := start(t, paid, true, c.step)
		server := b.net.Host("proxy-1")
		_ = server.Serve(b.proxy)
		state, err := NewClient(b.net.Host("executor-1"), []string{"http://proxy-1"}, "executor.proxy", "").Ask(context.Background(), paydb.Payout{ID: "p-1", Account: "a-1"})
		if state != c.state || (err == nil) != (c.state != "") {
			t.Errorf("%+v: %q %v", c.step, state, err)
		}
	}
}

func TestTheClientTellsDefiniteAnswersFromTheRest(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		state  string
		err    error
	}{
		{200, `{"state":"ACCEPTED","token":5}`, paydb.Accepted, nil},
		{200, `{"state":"REJECTED","token":5}`, paydb.Rejected, nil},
		{200, `{"state":"ACCEPTED","token":4}`, "", ErrUnanswered},
		{200, `{"state":"INTENT","token":5}`, "", ErrUnanswered},
		{200, `{}`, "", ErrUnanswered},
		{409, `{"error":"FENCED_OUT"}`, "", paydb.ErrFencedOut},
		{409, `{"error":"DUPLICATE_SUBMISSION"}`, "", paydb.ErrDuplicate},
		{409, `{"error":"RAIL_AMBIGUOUS"}`, "", ErrAmbiguous},
		{409, `{"error":"OTHER"}`, "", ErrUnanswered},
		{503, `{"error":"PAYDB_UNAVAILABLE"}`, "", ErrUnavailable},
		{503, `{"error":"FENCED_OUT"}`, "", ErrUnanswered},
		{502, `bad gateway`, "", ErrUnanswered},
	} {
		net := testhost.New()
		calls := 0
		_ = net.Host("proxy-1").Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			calls++
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		}))
		state, err := NewClient(net.Host("executor-1"), []string{"http://proxy-1"}, "x", "").
			Submit(context.Background(), paydb.Payout{ID: "p-1", Account: "a-1", Amount: 7}, 5)
		if state != c.state || !errors.Is(err, c.err) || calls != 1 {
			t.Errorf("%d %s: %q %v, %d calls", c.status, c.body, state, err, calls)
		}
	}
}

func TestAStatementComesThroughTheProxyWithTheProxysCredential(t *testing.T) {
	b := start(t, railStub{status: 200, body: `{"cutoff_ms":10,"clock_ms":20,"payments":[{"memo":"p-1","reference":"rail-1"}]}`}, true)
	_ = b.net.Host("proxy-1").Serve(b.proxy)
	c := NewClient(b.net.Host("reconciler"), []string{"http://proxy-1"}, "reconciler.proxy", "")
	st, err := c.Statement(context.Background())
	if err != nil || st.CutoffMs != 10 || st.ClockMs != 20 || len(st.Payments) != 1 || b.rail.key != "Bearer k3y" {
		t.Errorf("%+v %v", st, err)
	}
	for _, bad := range []railStub{{status: 500, body: `{}`}, {status: 200, body: `{}`}, {status: 200, body: `{"cutoff_ms":30,"clock_ms":20}`}} {
		*b.rail = bad
		if _, err := c.Statement(context.Background()); !errors.Is(err, ErrUnanswered) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
