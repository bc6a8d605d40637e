package etcd

import (
	"context"
	"fmt"
	"slices"
	"time"

	model "dlsim/sim/virtual/etcd"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
)

// bench is the model's surroundings: a clock that moves when it is told to, and its timers.
type bench struct {
	now     int64
	timers  []*timer
	elects  time.Duration
	cluster *model.Cluster
	// When the living leases end and for how many seconds they were granted, as the model tells.
	expires, granted map[int64]int64
}

type timer struct {
	at   int64
	f    func()
	gone bool
}

// newBench makes a model of so many nodes whose clocks start at now.
func newBench(now int64, o model.Options) *bench {
	b := &bench{now: now, elects: o.Election, expires: map[int64]int64{}, granted: map[int64]int64{}}
	b.cluster = model.NewClusterWith(b, o)
	return b
}

func (b *bench) Now() int64 { return b.now }

func (b *bench) After(d time.Duration, f func()) (cancel func()) {
	t := &timer{at: b.now + int64(d), f: f}
	b.timers = append(b.timers, t)
	return func() { t.gone = true }
}

func (b *bench) Changed(c model.Change) {
	switch c.Why {
	case model.LeaseGranted, model.LeaseRenewed, model.LeaseExtended:
		b.expires[c.Lease], b.granted[c.Lease] = c.Expires, c.TTL
	case model.LeaseRevoked, model.LeaseExpired:
		delete(b.expires, c.Lease)
		delete(b.granted, c.Lease)
	}
}

func (b *bench) Election() time.Duration { return b.elects }
func (b *bench) Lag(int) time.Duration   { return 0 }

// next takes the earliest timer that is due by end, the oldest of several.
func (b *bench) next(end int64) *timer {
	b.timers = slices.DeleteFunc(b.timers, func(t *timer) bool { return t.gone })
	var first *timer
	for _, t := range b.timers {
		if t.at <= end && (first == nil || t.at < first.at) {
			first = t
		}
	}
	return first
}

// to moves the clock to a time, running what is due.
func (b *bench) to(end int64) {
	for t := b.next(end); t != nil; t = b.next(end) {
		b.now, t.gone = max(b.now, t.at), true
		t.f()
	}
	b.now = max(b.now, end)
}

// Call serves a request at once; while it waits for something, the clock moves on. It is the wire
// beneath the model's clients.
func (b *bench) Call(ctx context.Context, req any) (resp any, err error) {
	if g, ok := req.(*pb.LeaseGrantRequest); ok {
		g.ID = leaseID(ctx)
	}
	done := false
	b.cluster.Handle(max(b.cluster.Leader(), 0), req, func(r any, e error) { resp, err, done = r, e, true })
	for limit := b.now + int64(time.Minute); !done; {
		t := b.next(limit)
		if t == nil {
			return nil, fmt.Errorf("the model does not answer %T", req)
		}
		b.to(t.at)
	}
	return resp, err
}

type leaseIDKey struct{}

// withLeaseID has the next grant ask for a lease of that id, on the model and on a real server.
func withLeaseID(ctx context.Context, id int64) context.Context {
	if id == 0 {
		return ctx
	}
	return context.WithValue(ctx, leaseIDKey{}, id)
}

func leaseID(ctx context.Context) int64 {
	id, _ := ctx.Value(leaseIDKey{}).(int64)
	return id
}

// chooseLease puts the chosen id into a grant on its way to a real server.
func chooseLease(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, o ...grpc.CallOption) error {
	if g, ok := req.(*pb.LeaseGrantRequest); ok {
		g.ID = leaseID(ctx)
	}
	return invoke(ctx, method, req, reply, cc, o...)
}
