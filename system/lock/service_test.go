package lock_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/lock"
)

// answering is a backend that answers everything the same way.
type answering struct {
	g   lock.Grant
	err error
}

func (a answering) Acquire(context.Context, string, string, time.Duration) (lock.Grant, error) {
	return a.g, a.err
}
func (a answering) Renew(context.Context, string, string, int64) (lock.Grant, error) {
	return a.g, a.err
}
func (a answering) Release(context.Context, string, string, int64) error { return a.err }
func (a answering) Holder(context.Context, string) (lock.Grant, error)   { return a.g, a.err }

func ask(b lock.Backend, method, path, body string) *httptest.ResponseRecorder {
	h := testhost.New().Host("lockd-1")
	w := httptest.NewRecorder()
	lock.NewService(h, config.Defaults().Lock, b).ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w
}

func TestTheServiceRefusesWhatItCannotMean(t *testing.T) {
	granted := answering{g: lock.Grant{Owner: "x", Token: 7, TTL: 5 * time.Second, Expires: time.Unix(100, 0).UTC()}}
	const acquire, renew, release = "/v1/locks/a/acquire", "/v1/locks/a/renew", "/v1/locks/a/release"
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", acquire, `{"owner":"x","ttl_ms":5000}`, 200},
		{"POST", acquire, `{"owner":"x"}`, 400},
		{"POST", acquire, `{"owner":"x","ttl_ms":0}`, 400},
		{"POST", acquire, `{"owner":"x","ttl_ms":-5}`, 400},
		{"POST", acquire, `{"owner":"x","ttl_ms":99999999999}`, 400},
		{"POST", acquire, `{"ttl_ms":5000}`, 400},
		{"POST", acquire, `nonsense`, 400},
		{"POST", renew, `{"owner":"x","token":7}`, 200},
		{"POST", renew, `{"owner":"x"}`, 400},
		{"POST", renew, `{"owner":"x","token":0}`, 400},
		{"POST", renew, `{"owner":"x","token":"7"}`, 400},
		{"POST", release, `{"owner":"x","token":7}`, 200},
		{"POST", release, `{"owner":"x","token":-1}`, 400},
		{"GET", "/v1/locks/a", ``, 200},
		{"POST", "/v1/locks/a", ``, 405},
		{"GET", acquire, ``, 405},
		{"POST", "/v1/locks//acquire", `{"owner":"x","ttl_ms":5000}`, 404},
		{"POST", "/v1/locks/a/steal", `{"owner":"x","token":7}`, 404},
		{"POST", "/v1/locks/a/acquire/x", `{"owner":"x","ttl_ms":5000}`, 404},
		{"GET", "/v1/locks/a/", ``, 404},
		{"GET", "/v2/locks/a", ``, 404},
	} {
		if w := ask(granted, c.method, c.path, c.body); w.Code != c.status {
			t.Errorf("%s %s %s: %d, want %d", c.method, c.path, c.body, w.Code, c.status)
		}
	}
}

func TestTheAnswerOfAnAcquireCarriesTheRecordedLease(t *testing.T) {
	w := ask(answering{g: lock.Grant{Owner: "x", Token: 7, TTL: 5 * time.Second, Expires: time.Unix(100, 0).UTC()}},
		"POST", "/v1/locks/a/acquire", `{"owner":"x","ttl_ms":4500}`)
	const want = `{"owner":"x","token":7,"ttl_ms":5000,"granted_at":"1970-01-01T00:01:35Z","expires_at":"1970-01-01T00:01:40Z"}`
	if w.Body.String() != want {
		t.Error(w.Body)
	}
}

func TestFailuresOfTheBackendSayWhetherTheyMayHaveTakenEffect(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		body   string
	}{
		{lock.ErrHeld, 409, `{"error":"LOCK_HELD"}`},
		{lock.ErrLost, 409, `{"error":"LOCK_LOST"}`},
		{fmt.Errorf("no: %w", lock.ErrNoEffect), 503, `{"error":"BACKEND_UNAVAILABLE"}`},
		{errors.New("cut off"), 503, `{"error":"BACKEND_UNAVAILABLE","unknown":true}`},
	} {
		w := ask(answering{err: c.err}, http.MethodPost, "/v1/locks/a/acquire", `{"owner":"x","ttl_ms":5000}`)
		if w.Code != c.status || w.Body.String() != c.body {
			t.Errorf("%v: %d %s", c.err, w.Code, w.Body)
		}
	}
}
