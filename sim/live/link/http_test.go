package link_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dlsim/sim"
	"dlsim/sim/live/link"
)

// patience bounds waits for what must happen; nothing waits this long when all is well.
const patience = 10 * time.Second

// web is a server that executes what it is asked to and says so.
type web struct {
	addr     string
	executed atomic.Int64
	done     chan struct{} // one for each request executed
	server   *http.Server
}

func newWeb(t *testing.T, addr string) *web {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	w := &web{addr: l.Addr().String(), done: make(chan struct{}, 1000)}
	w.server = &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.executed.Add(1)
		_, _ = io.WriteString(rw, "done")
		w.done <- struct{}{}
	})}
	go func() { _ = w.server.Serve(l) }()
	t.Cleanup(func() { w.server.Close() })
	return w
}

func newMesh(t *testing.T, opts link.Options) *link.Mesh {
	t.Helper()
	m := link.NewMesh(opts)
	t.Cleanup(m.Close)
	return m
}

func pair(t *testing.T, m *link.Mesh, client, server, upstream string) string {
	t.Helper()
	addr, err := m.Pair(client, server, upstream)
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

func apply(t *testing.T, m *link.Mesh, l sim.Link, c sim.LinkCondition) *link.Effect {
	t.Helper()
	e, err := m.Apply(l, c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// caller is an HTTP client with a transport of its own.
func caller(t *testing.T) *http.Client {
	tr := &http.Transport{MaxIdleConnsPerHost: 8}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func post(c *http.Client, addr string, deadline time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", "http://"+addr, strings.NewReader("please"))
	if err != nil {
		return err
	}
	resp, err := c.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

// await waits for an execution.
func (w *web) await(t *testing.T) {
	t.Helper()
	select {
	case <-w.done:
	case <-time.After(patience):
		t.Fatal("the request was not executed")
	}
}

// felt waits until an effect has met n messages.
func felt(t *testing.T, e *link.Effect, n int) {
	t.Helper()
	for end := time.Now().Add(patience); e.Felt() < n; {
		if time.Now().After(end) {
			t.Fatalf("felt %d, want %d", e.Felt(), n)
		}
		time.Sleep(100 * time.Microsecond)
	}
}

func broke(err error) bool { return errors.Is(err, syscall.ECONNRESET) }

func timedOut(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

var oneLink = sim.Link{From: "executor-1", To: "lockd-1"}

// What each condition does to a POST, on a connection that there was before and on a new one.
func TestAConditionMeetsAPost(t *testing.T) {
	const short = 60 * time.Millisecond
	for _, tc := range []struct {
		name     string
		c        sim.LinkCondition
		deadline time.Duration
		executed bool // before the heal
		late     bool // after it
		client   func(error) bool
	}{
		{"held both ways it arrives at heal", sim.LinkCondition{Mode: sim.Hold}, short, false, true, timedOut},
		{"a held request arrives at heal", sim.LinkCondition{Mode: sim.Hold, Requests: true}, short, false, true, timedOut},
		{"a held reply leaves the client waiting", sim.LinkCondition{Mode: sim.Hold, Replies: true}, short, true, false, timedOut},
		{"dropped both ways it never arrives", sim.LinkCondition{Mode: sim.Drop}, short, false, false, timedOut},
		{"a dropped request never arrives", sim.LinkCondition{Mode: sim.Drop, Requests: true}, short, false, false, timedOut},
		{"a dropped reply leaves the client waiting", sim.LinkCondition{Mode: sim.Drop, Replies: true}, short, true, false, timedOut},
		{"slowed it takes its time", sim.LinkCondition{Mode: sim.Slow, Extra: 20 * time.Millisecond}, patience, true, false, nil},
		{"a request slower than its deadline arrives all the same", sim.LinkCondition{Mode: sim.Slow, Requests: true, Extra: 2 * short}, short, true, false, timedOut},
		{"reset both ways it never arrives", sim.LinkCondition{Mode: sim.Reset}, patience, false, false, broke},
		{"a reset request never arrives", sim.LinkCondition{Mode: sim.Reset, Requests: true}, patience, false, false, broke},
		{"a reset reply was executed", sim.LinkCondition{Mode: sim.Reset, Replies: true}, patience, true, false, broke},
	} {
		for _, reused := range []bool{true, false} {
			name := tc.name + ", new connection"
			if reused {
				name = tc.name + ", kept connection"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := newMesh(t, link.Options{})
				w := newWeb(t, "127.0.0.1:0")
				addr := pair(t, m, "executor-1", "lockd-1", w.addr)
				c := caller(t)
				if reused {
					if err := post(c, addr, patience); err != nil {
						t.Fatal(err)
					}
					w.await(t)
				}
				e := apply(t, m, oneLink, tc.c)
				start := time.Now()
				err := post(c, addr, tc.deadline)
				if tc.client == nil && err != nil || tc.client != nil && !tc.client(err) {
					t.Errorf("client: %v", err)
				}
				if d := time.Since(start); tc.c.Mode == sim.Slow && err == nil && d < 2*tc.c.Extra {
					t.Errorf("took %v", d)
				}
				felt(t, e, 1)
				if tc.executed {
					w.await(t)
				}
				before := w.executed.Load()
				e.Heal()
				e.Heal()
				if tc.late {
					w.await(t)
				}
				if err := post(c, addr, patience); err != nil {
					t.Errorf("after the heal: %v", err)
				}
				w.await(t)
				want := before + 1
				if tc.late {
					want++
				}
				if got := w.executed.Load(); got != want {
					t.Errorf("executed %d, want %d", got, want)
				}
				if !tc.executed && before != 0 && !reused {
					t.Errorf("executed %d while the condition stood", before)
				}
			})
		}
	}
}
