// Package testhost is a host for tests of one part of the system: real goroutines, real time that
// a test can push forward, and requests that are handed straight to the other process's handler.
// It judges nothing and fails nothing by itself; whole runs belong to the worlds.
package testhost

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"time"

	"dlsim/history"
	"dlsim/system/host"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Net is a set of processes that reach each other.
type Net struct {
	mu     sync.Mutex
	hosts  map[string]*Host
	events []history.Event
}

// New returns an empty net.
func New() *Net { return &Net{hosts: map[string]*Host{}} }

// Events returns what was recorded so far, in order.
func (n *Net) Events() []history.Event {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]history.Event(nil), n.events...)
}

// Ops returns the kind and operation of every event so far, e.g. "ok lock.acquire".
func (n *Net) Ops() []string {
	var ops []string
	for _, e := range n.Events() {
		ops = append(ops, e.Kind.String()+" "+string(e.Op))
	}
	return ops
}

// Host is one process.
type Host struct {
	net     *Net
	name    string
	handler http.Handler
	started time.Time
	pushed  time.Duration
	draws   uint64
	logs    map[string]*Log

	// Databases, KV and Lease are what DB and Etcd return.
	Databases map[string]host.DB
	KV        clientv3.KV
	Lease     clientv3.Lease
	// Directives are what Directive returns.
	Directives map[string]string
	// BeforeSend, when set, sees each request before it leaves; its error replaces the answer.
	BeforeSend func(*http.Request) error
	// AfterAnswer, when set, sees each answer before the caller does; its error replaces it.
	AfterAnswer func(*http.Response) error
}

var _ host.Host = (*Host)(nil)

// Host returns a new process of that name.
func (n *Net) Host(name string) *Host {
	h := &Host{net: n, name: name, started: time.Now(), logs: map[string]*Log{}, Databases: map[string]host.DB{}, Directives: map[string]string{}}
	n.mu.Lock()
	n.hosts[name] = h
	n.mu.Unlock()
	return h
}

// Restarted returns a new process with the name and the files of h.
func (h *Host) Restarted() *Host {
	next := h.net.Host(h.name)
	next.logs, next.Databases, next.KV, next.Lease = h.logs, h.Databases, h.KV, h.Lease
	return next
}

// Push moves the host's clocks forward by d.
func (h *Host) Push(d time.Duration) {
	h.net.mu.Lock()
	h.pushed += d
	h.net.mu.Unlock()
}

// Name implements host.Host.
func (h *Host) Name() string { return h.name }

// Now implements host.Host.
func (h *Host) Now() time.Time { return h.started.Add(h.Monotonic()).UTC() }

// Monotonic implements host.Host.
func (h *Host) Monotonic() time.Duration {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	return time.Since(h.started) + h.pushed
}

// Sleep implements host.Host.
func (h *Host) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// WithTimeout implements host.Host.
func (h *Host) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

// WithCancel implements host.Host.
func (h *Host) WithCancel(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}

// Detach implements host.Host.
func (h *Host) Detach(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

type task chan struct{}

func (t task) Wait(ctx context.Context) error {
	select {
	case <-t:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Go implements host.Host.
func (h *Host) Go(_ string, f func()) host.Task {
	t := make(task)
	go func() {
		defer close(t)
		f()
	}()
	return t
}

// NewMutex implements host.Host.
func (h *Host) NewMutex() host.Mutex { return &sync.Mutex{} }

// Serve implements host.Host.
func (h *Host) Serve(handler http.Handler) error {
	h.net.mu.Lock()
	h.handler = handler
	h.net.mu.Unlock()
	return nil
}

// Transport implements host.Host.
func (h *Host) Transport() http.RoundTripper { return transport{h} }

type transport struct{ h *Host }

// RoundTrip runs the handler beside the caller, who may leave first: its request's context is
// then cancelled, as net/http does it.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if f := t.h.BeforeSend; f != nil {
		if err := f(r); err != nil {
			return nil, err
		}
	}
	t.h.net.mu.Lock()
	server := t.h.net.hosts[r.URL.Host]
	var handler http.Handler
	if server != nil {
		handler = server.handler
	}
	t.h.net.mu.Unlock()
	if handler == nil {
		return nil, syscall.ECONNREFUSED
	}
	answer := make(chan *http.Response, 1)
	go func() {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r.Clone(r.Context()))
		answer <- w.Result()
	}()
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case resp := <-answer:
		if f := t.h.AfterAnswer; f != nil {
			if err := f(resp); err != nil {
				return nil, err
			}
		}
		return resp, nil
	}
}

// DB implements host.Host.
func (h *Host) DB(store string) host.DB { return h.Databases[store] }

// Etcd implements host.Host.
func (h *Host) Etcd() (clientv3.KV, clientv3.Lease) { return h.KV, h.Lease }

// Log is a file that lives as long as the test.
type Log struct {
	mu      sync.Mutex
	records [][]byte
	// Fail, when set, is asked before each append. With stays the record is kept all the same.
	Fail func(record []byte) (err error, stays bool)
}

// Append implements host.Log.
func (l *Log) Append(record []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	stays := true
	if l.Fail != nil {
		err, stays = l.Fail(record)
	}
	if err == nil || stays {
		l.records = append(l.records, append([]byte(nil), record...))
	}
	return err
}

// Records implements host.Log.
func (l *Log) Records() ([][]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([][]byte(nil), l.records...), nil
}

// File returns the host's file of that name.
func (h *Host) File(name string) *Log {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	if h.logs[name] == nil {
		h.logs[name] = &Log{}
	}
	return h.logs[name]
}

// Log implements host.Host.
func (h *Host) Log(name string) (host.Log, error) { return h.File(name), nil }

// Uint64n implements host.Host. It counts up, so that every choice comes by turns.
func (h *Host) Uint64n(_ string, n uint64) uint64 {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.draws++
	return h.draws % n
}

// Record implements host.Host.
func (h *Host) Record(e history.Event) int64 {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	e.ID = int64(len(h.net.events)) + 1
	e.Process = h.name
	h.net.events = append(h.net.events, e)
	return e.ID
}

// Directive implements host.Host.
func (h *Host) Directive(name string) string {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	return h.Directives[name]
}

// Direct sets what Directive returns for name.
func (h *Host) Direct(name, value string) {
	h.net.mu.Lock()
	h.Directives[name] = value
	h.net.mu.Unlock()
}
