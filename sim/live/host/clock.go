package host

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"dlsim/sim/live/control"
)

// million is what rate errors are counted in.
const million = 1_000_000

// clock is the process's pair of clocks: the machine's, with the offset and the rate error that the
// harness has set. The machine's own clocks are never touched.
type clock struct {
	mu    sync.Mutex
	state control.Clock
	epoch time.Time // the machine's clocks when this one started
	since time.Time // the last change of rate
	mono  time.Duration
	reads atomic.Int64
}

func newClock(state control.Clock) *clock {
	now := time.Now()
	return &clock{state: state, epoch: now, since: now}
}

// set changes offset and rate from now on.
func (c *clock) set(state control.Clock) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.mono, c.since, c.state = c.at(now), now, state
}

func (c *clock) at(now time.Time) time.Duration {
	d := now.Sub(c.since)
	return c.mono + d + d/million*time.Duration(c.state.DriftPPM) + d%million*time.Duration(c.state.DriftPPM)/million
}

func (c *clock) monotonic() time.Duration {
	c.reads.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at(time.Now())
}

func (c *clock) wall() time.Time {
	c.reads.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch.Round(0).Add(c.at(time.Now()) + c.state.Offset).UTC()
}

// trueTime is how much true time passes while this clock measures d.
func (c *clock) trueTime(d time.Duration) time.Duration {
	c.reads.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	rate := time.Duration(million + c.state.DriftPPM)
	return d/rate*million + d%rate*million/rate
}

// Late timers. A timer that is overdue by more than lateness tells that the process stood still.
// It then fires grace later: what was runnable when the process stopped runs first, as it does in
// the virtual world. Without that, whether a stopped sender still sends would be chance.
const (
	lateness = 100 * time.Millisecond
	grace    = 100 * time.Millisecond
)

// after calls f once d has passed on the process's clock.
func (c *clock) after(d time.Duration, f func()) (stop func()) {
	d = c.trueTime(d)
	due := time.Now().Add(d)
	var again atomic.Pointer[time.Timer]
	first := time.AfterFunc(d, func() {
		if time.Since(due) < lateness {
			f()
			return
		}
		again.Store(time.AfterFunc(grace, f))
	})
	return func() {
		first.Stop()
		if t := again.Load(); t != nil {
			t.Stop()
		}
	}
}

// sleep waits for d on the process's clock or until ctx ends.
func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	over := make(chan struct{})
	stop := c.after(d, func() { close(over) })
	defer stop()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
