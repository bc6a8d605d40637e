package host

import (
	"context"
	"time"
)

// timed is a context that ends by the process's own clock. It names no Deadline: whoever reads one
// compares it with the machine's clock, which is not this process's, and would find it passed after
// a pause although its timer has not fired.
type timed struct{ context.Context }

// Deadline is not told.
func (timed) Deadline() (time.Time, bool) { return time.Time{}, false }

// Err is the context's end, as context.WithTimeout has it.
func (t timed) Err() error {
	err := t.Context.Err()
	if err != nil && context.Cause(t.Context) == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}

func (c *clock) withTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	if d <= 0 {
		cancel(context.DeadlineExceeded)
		return timed{ctx}, func() {}
	}
	stop := c.after(d, func() { cancel(context.DeadlineExceeded) })
	return timed{ctx}, func() {
		stop()
		cancel(context.Canceled)
	}
}
