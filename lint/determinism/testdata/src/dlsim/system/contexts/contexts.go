package contexts

import (
	"context"
	"time"
)

type host interface {
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
}

func contexts(ctx context.Context, h host) {
	_, _ = context.WithCancel(ctx)                          // want `context\.WithCancel is not allowed here: use the host's WithTimeout, WithCancel or Detach`
	_, _ = context.WithCancelCause(ctx)                     // want `context\.WithCancelCause is not allowed here`
	_, _ = context.WithTimeout(ctx, 1)                      // want `context\.WithTimeout is not allowed here`
	_, _ = context.WithTimeoutCause(ctx, 1, nil)            // want `context\.WithTimeoutCause is not allowed here`
	_, _ = context.WithDeadline(ctx, time.Time{})           // want `context\.WithDeadline is not allowed here`
	_, _ = context.WithDeadlineCause(ctx, time.Time{}, nil) // want `context\.WithDeadlineCause is not allowed here`
	_ = context.WithoutCancel(ctx)                          // want `context\.WithoutCancel is not allowed here`
	_ = context.WithValue(ctx, "k", 1)                      // want `context\.WithValue is not allowed here`
	_ = context.AfterFunc(ctx, nil)                         // want `context\.AfterFunc is not allowed here`

	ctx, cancel := h.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = ctx.Err()
}
