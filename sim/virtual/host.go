package virtual

import (
	"context"
	"net/http"
	"time"

	"dlsim/history"
	system "dlsim/system/host"

	"dlsim/sim/virtual/sched"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// host is the virtual machine's side of the seam. Every call is a decision point: the task can be
// preempted before it takes effect and after.
type host struct{ *machine }

var _ system.Host = (*host)(nil)

// enter is the decision point before a host call takes effect.
func (h *host) enter() *sched.Task {
	t := h.w.sched.Current()
	t.Alive()
	h.preempt(t)
	return t
}

// leave is the decision point after a host call took effect.
func (h *host) leave(t *sched.Task) { h.preempt(t) }

// Preemption: one decision point in preemptOften loses the processor for a moment, and one in
// preemptOften*preemptRarely for long enough that others overtake by whole round trips.
const (
	preemptOften  = 32
	preemptRarely = 16
	shortPreempt  = 2_000_000  // ns, at most
	longPreempt   = 80_000_000 // ns, at most
)

// MaxPreempt is the longest one decision point can keep a task waiting. From the intent's commit to
// the money at most 25 are passed, at the proxy and the rail together: config.Scheduling covers
// them all being drawn longest.
const MaxPreempt = time.Duration(longPreempt)

func (h *host) preempt(t *sched.Task) {
	if h.w.options.Unpreempted {
		return
	}
	r := h.node.Draw(sched.Preempt, preemptOften*preemptRarely)
	if r >= preemptRarely {
		return
	}
	bound := uint64(shortPreempt)
	if r == 0 {
		bound = longPreempt
	}
	t.Sleep(h.w.sched.Now() + 1 + int64(h.node.Draw(sched.PreemptFor, bound)))
	t.Alive()
}

func (h *host) Name() string { return h.name }

func (h *host) Now() time.Time {
	h.enter()
	return time.Unix(0, h.clock.wall(h.w.sched.Now())).UTC()
}

func (h *host) Monotonic() time.Duration {
	h.enter()
	return time.Duration(h.clock.monotonic(h.w.sched.Now()))
}

func (h *host) Sleep(ctx context.Context, d time.Duration) error {
	t := h.enter()
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	s := h.w.sched
	var err error
	if c := virtualOf(ctx); c != nil {
		c.waiters = append(c.waiters, parked{t, t.Turn()})
		t.Sleep(s.Now() + h.clock.trueTime(int64(d)))
		if err = c.err; err == nil {
			c.waiters = c.waiters[:len(c.waiters)-1]
		}
	} else {
		t.Sleep(s.Now() + h.clock.trueTime(int64(d)))
	}
	t.Alive()
	return err
}

func (h *host) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	h.w.sched.Current().Alive()
	c := h.withTimeout(ctx, d)
	return c, c.free
}

func (h *host) WithCancel(ctx context.Context) (context.Context, context.CancelFunc) {
	h.w.sched.Current().Alive()
	c := h.newContext(ctx)
	return c, c.free
}

func (h *host) Detach(ctx context.Context) context.Context { return detached{ctx} }

func (h *host) Go(name string, f func()) system.Task {
	t := h.enter()
	started := h.node.Go(name, f)
	h.leave(t)
	return &handle{h, started}
}

// handle is a started task as its starter sees it.
type handle struct {
	h    *host
	task *sched.Task
}

func (t *handle) Wait(ctx context.Context) error {
	self := t.h.enter()
	for !t.task.Ended() {
		t.task.Joined(self, self.Turn())
		if err := park(self, ctx); err != nil {
			return err
		}
	}
	self.Alive()
	return nil
}

func (h *host) NewMutex() system.Mutex { return &mutex{h: h} }

// mutex parks the task that finds it locked; waiters get it in the order they came.
type mutex struct {
	h       *host
	locked  bool
	waiting []parked
}

func (m *mutex) Lock() {
	t := m.h.enter()
	if !m.locked {
		m.locked = true
		return
	}
	m.waiting = append(m.waiting, parked{t, t.Turn()})
	t.Park() // whoever unlocks hands it over
	t.Alive()
}

func (m *mutex) Unlock() {
	if t := m.h.w.sched.Running(); t != nil && t.Killed() {
		return
	}
	if !m.locked {
		panic("virtual: unlock of an unlocked mutex")
	}
	if len(m.waiting) == 0 {
		m.locked = false
		return
	}
	next := m.waiting[0]
	m.waiting = m.waiting[1:]
	next.task.Wake(next.turn)
}

func (h *host) Transport() http.RoundTripper { return transport{h} }

func (h *host) Serve(handler http.Handler) error {
	h.enter()
	h.handler = handler
	return nil
}

func (h *host) DB(store string) system.DB {
	h.w.sched.Current().Alive()
	return h.pool(store)
}

func (h *host) Etcd() (clientv3.KV, clientv3.Lease) {
	h.w.sched.Current().Alive()
	return h.etcdClient()
}

func (h *host) Uint64n(purpose string, n uint64) uint64 {
	h.w.sched.Current().Alive()
	return h.draw(purpose, n)
}

func (h *host) Record(e history.Event) int64 {
	t := h.enter()
	e.Process = h.name
	id := h.w.record(&e)
	t.Alive()
	h.leave(t)
	return id
}

func (h *host) Directive(name string) string {
	h.w.sched.Current().Alive()
	for i := range h.directives {
		if d := &h.directives[i]; d.name == name {
			d.effect.felt++
			return d.value
		}
	}
	return ""
}
