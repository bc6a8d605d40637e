package virtual

import (
	"context"
	"time"

	"dlsim/sim/virtual/sched"
)

// vctx is a context over virtual time. Code under test waits for it only through its host, so it
// has no channel: Done is nil, which also keeps the standard library from starting a goroutine to
// watch it.
type vctx struct {
	parent   context.Context
	up       *vctx // nearest virtual ancestor, nil when none
	m        *machine
	deadline time.Time
	err      error
	timer    sched.Timer
	children []*vctx
	waiters  []parked
	room     [1]parked // for waiters: mostly there is one
	free     func()    // release, made once for the memory and kept from run to run
}

// parked is a task waiting in one of its parkings.
type parked struct {
	task *sched.Task
	turn uint64
}

type vctxKey struct{}

func virtualOf(ctx context.Context) *vctx {
	c, _ := ctx.Value(vctxKey{}).(*vctx)
	return c
}

func (m *machine) newContext(parent context.Context) *vctx {
	c := m.w.cache.contexts.Used()
	if c.free == nil {
		c.free = c.release
	}
	*c = vctx{parent: parent, up: virtualOf(parent), m: m, children: c.children[:0], free: c.free}
	c.waiters = c.room[:0]
	if c.up != nil {
		if c.up.err != nil {
			c.err = c.up.err
		} else {
			c.up.children = append(c.up.children, c)
		}
	}
	return c
}

func (m *machine) withTimeout(parent context.Context, d time.Duration) *vctx {
	c := m.newContext(parent)
	s := m.w.sched
	c.deadline = time.Unix(0, m.clock.wall(s.Now())).UTC().Add(d)
	if up, ok := parent.Deadline(); ok && up.Before(c.deadline) {
		c.deadline = up
	}
	if c.err != nil {
		return c
	}
	if d <= 0 {
		c.cancel(context.DeadlineExceeded)
		return c
	}
	s.Arm(&c.timer, s.Now()+m.clock.trueTime(int64(d)), m.node, false, c)
	return c
}

// Fire is the deadline.
func (c *vctx) Fire() { c.cancel(context.DeadlineExceeded) }

// IsDeadline implements sched.Deadline.
func (c *vctx) IsDeadline() {}

// Describe names the step for traces.
func (c *vctx) Describe() string { return "deadline" }

// cancel ends the context and its descendants and wakes who waits under them. The first error stays.
func (c *vctx) cancel(err error) {
	if c.err != nil {
		return
	}
	c.err = err
	c.m.w.sched.Stop(&c.timer)
	for _, p := range c.waiters {
		p.task.Wake(p.turn)
	}
	c.waiters = nil
	for _, child := range c.children {
		child.cancel(err)
	}
	c.children = c.children[:0]
}

// release is a CancelFunc: it cancels and lets the parent forget the context.
func (c *vctx) release() {
	if t := c.m.w.sched.Running(); t != nil && t.Killed() {
		return
	}
	c.cancel(context.Canceled)
	if c.up == nil {
		return
	}
	for i, child := range c.up.children {
		if child == c {
			last := len(c.up.children) - 1
			c.up.children[i] = c.up.children[last]
			c.up.children = c.up.children[:last]
			break
		}
	}
}

// Deadline is on the machine's wall clock as it was read when the context was made.
func (c *vctx) Deadline() (time.Time, bool) {
	if !c.deadline.IsZero() {
		return c.deadline, true
	}
	return c.parent.Deadline()
}

// Done is nil: see vctx.
func (c *vctx) Done() <-chan struct{} { return nil }

// Err says how the context ended, or nil.
func (c *vctx) Err() error { return c.err }

// Value finds the context itself for the world and asks the parent for anything else.
func (c *vctx) Value(key any) any {
	if _, ok := key.(vctxKey); ok {
		return c
	}
	return c.parent.Value(key)
}

// detached keeps a context's values and nothing else of it.
type detached struct{ context.Context }

func (detached) Deadline() (time.Time, bool) { return time.Time{}, false }
func (detached) Done() <-chan struct{}       { return nil }
func (detached) Err() error                  { return nil }
func (d detached) Value(key any) any {
	if _, ok := key.(vctxKey); ok {
		return nil
	}
	return d.Context.Value(key)
}

// park parks the running task until it is woken for the turn it took, or ctx ends; it returns
// ctx's error if ctx has ended.
func park(t *sched.Task, ctx context.Context) error {
	c := virtualOf(ctx)
	if c == nil {
		t.Park()
		return nil
	}
	if c.err != nil {
		return c.err
	}
	c.waiters = append(c.waiters, parked{t, t.Turn()})
	t.Park()
	if c.err == nil {
		// Woken by something else: the entry is stale, and keeping the last few is harmless, but a
		// context that many waits pass through must not grow.
		c.waiters = c.waiters[:len(c.waiters)-1]
	}
	return c.err
}
