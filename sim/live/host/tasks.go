package host

import (
	"context"
	"sync"
	"time"

	seam "dlsim/system/host"

	clientv3 "go.etcd.io/etcd/client/v3"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// Now implements host.Host.
func (h *Host) Now() time.Time { return h.clock.wall() }

// Monotonic implements host.Host.
func (h *Host) Monotonic() time.Duration { return h.clock.monotonic() }

// Sleep implements host.Host.
func (h *Host) Sleep(ctx context.Context, d time.Duration) error { return h.clock.sleep(ctx, d) }

// WithTimeout implements host.Host.
func (h *Host) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return h.clock.withTimeout(ctx, d)
}

// WithCancel implements host.Host.
func (h *Host) WithCancel(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}

// Detach implements host.Host.
func (h *Host) Detach(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

// NewMutex implements host.Host.
func (h *Host) NewMutex() seam.Mutex { return &sync.Mutex{} }

// Go implements host.Host.
func (h *Host) Go(_ string, f func()) seam.Task {
	t := task{ended: make(chan struct{})}
	go func() {
		defer close(t.ended)
		f()
	}()
	return t
}

type task struct{ ended chan struct{} }

// Wait implements host.Task.
func (t task) Wait(ctx context.Context) error {
	select {
	case <-t.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func newKV(e *endpoints) clientv3.KV { return clientv3.NewKVFromKVClient(pb.NewKVClient(e), nil) }
