package lock_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/lock"
)

// pair is a client and a service over a backend, with settings that are easy to reckon with.
func pair(b func(*testhost.Host) lock.Backend) (*testhost.Net, *testhost.Host, *lock.Client) {
	cfg := config.Defaults().Lock
	cfg.TTL, cfg.Margin, cfg.Timeout = 5*time.Second, 500*time.Millisecond, 200*time.Millisecond
	net := testhost.New()
	server, client := net.Host("lockd-1"), net.Host("executor-1")
	_ = server.Serve(lock.NewService(server, cfg, b(server)))
	return net, client, lock.NewClient(client, cfg, []string{"http://lockd-1"})
}

func inMemory(h *testhost.Host) lock.Backend { return newMemory(h) }

// near allows for the real time that a test takes.
func near(got, want time.Duration) bool { return got <= want && got > want-400*time.Millisecond }

func TestALeaseIsCountedFromBeforeItsRequestWasSent(t *testing.T) {
	_, h, c := pair(inMemory)
	h.AfterAnswer = func(*http.Response) error { h.Push(3 * time.Second); return nil } // a slow answer
	l, err := c.Acquire(context.Background(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Remaining(); !near(got, 1500*time.Millisecond) {
		t.Errorf("%v remain of 5s less 500ms less 3s", got)
	}
	if !l.Waning() {
		t.Error("less than half is left")
	}
	h.AfterAnswer = nil
	if err := c.Renew(context.Background(), l); err != nil || !near(l.Remaining(), 4500*time.Millisecond) || l.Waning() {
		t.Error("after renewal:", l.Remaining(), err)
	}
	h.Push(5 * time.Second)
	if l.Remaining() > 0 {
		t.Error("the lease has run out")
	}
}

func TestTheRecordedTTLCountsAndNotTheOneAskedFor(t *testing.T) {
	_, _, c := pair(func(*testhost.Host) lock.Backend {
		return answering{g: lock.Grant{Owner: "executor-1", Token: 3, TTL: 2 * time.Second}}
	})
	l, err := c.Acquire(context.Background(), "a")
	if err != nil || !near(l.Remaining(), 1500*time.Millisecond) {
		t.Error(l, err)
	}
}

func TestARenewalWithoutAnswerLeavesTheLeaseCounting(t *testing.T) {
	_, h, c := pair(inMemory)
	l, err := c.Acquire(context.Background(), "a")
	if err != nil {
		t.Fatal(err)
	}
	h.Push(2 * time.Second)
	h.AfterAnswer = func(*http.Response) error { return errors.New("cut off") }
	if err := c.Renew(context.Background(), l); !errors.Is(err, lock.ErrUnanswered) {
		t.Error(err)
	}
	if got := l.Remaining(); !near(got, 2500*time.Millisecond) {
		t.Errorf("%v remain", got)
	}
}

func TestALostLeaseIsOver(t *testing.T) {
	_, h, c := pair(inMemory)
	l, err := c.Acquire(context.Background(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Release(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	if err := c.Renew(context.Background(), l); !errors.Is(err, lock.ErrLost) || l.Remaining() > 0 {
		t.Error(err, l.Remaining())
	}
	_ = h
}

func TestTheHistorySaysWhatTheClientMayBelieve(t *testing.T) {
	for _, c := range []struct {
		what string
		err  error
		want error
		kind history.Kind
		code string
	}{
		{"granted", nil, nil, history.OK, ""},
		{"held", lock.ErrHeld, lock.ErrHeld, history.Fail, "LOCK_HELD"},
		{"certainly not executed", fmt.Errorf("x: %w", lock.ErrNoEffect), lock.ErrNoEffect, history.Fail, "BACKEND_UNAVAILABLE"},
		{"unknown", errors.New("cut off"), lock.ErrUnanswered, history.Info, "BACKEND_UNAVAILABLE"},
	} {
		net, _, client := pair(func(*testhost.Host) lock.Backend {
			return answering{g: lock.Grant{Owner: "executor-1", Token: 3, TTL: 2 * time.Second}, err: c.err}
		})
		_, err := client.Acquire(context.Background(), "a")
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v", c.what, err)
		}
		e := net.Events()
		if len(e) != 2 || e[0].Kind != history.Invoke || e[1].Call != e[0].ID {
			t.Fatalf("%s: %+v", c.what, e)
		}
		if e[1].Kind != c.kind || e[1].Error != c.code || (e[1].Token != 0) != (c.want == nil) {
			t.Errorf("%s: %+v", c.what, e[1])
		}
	}
}

func TestSilenceEndsAtTheClientsDeadline(t *testing.T) {
	net, h, c := pair(inMemory)
	_ = net.Host("lockd-1").Serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	if _, err := c.Acquire(context.Background(), "a"); !errors.Is(err, lock.ErrUnanswered) {
		t.Error(err)
	}
	h.BeforeSend = func(*http.Request) error { return errors.New("unreachable") }
	if _, err := c.Acquire(context.Background(), "a"); !errors.Is(err, lock.ErrUnanswered) {
		t.Error(err)
	}
	if want := []string{"invoke lock.acquire", "info lock.acquire", "invoke lock.acquire", "info lock.acquire"}; !slices.Equal(net.Ops(), want) {
		t.Error(net.Ops())
	}
}
