package host

import (
	"context"
	"fmt"
	"time"

	"dlsim/sim/live/control"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
)

// endpoints sends each call to a node drawn for it, once. clientv3's own connection would repeat
// reads silently and try other nodes, and then no answer would say what had been sent how often.
type endpoints struct {
	conns []*grpc.ClientConn
	draw  func(n uint64) uint64
}

func dialEtcd(addrs []string, draw func(uint64) uint64) (*endpoints, error) {
	e := &endpoints{draw: draw}
	for _, a := range addrs {
		c, err := grpc.NewClient("passthrough:///"+a,
			grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableRetry(),
			grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: 10 * time.Millisecond, Multiplier: 1.2, MaxDelay: 100 * time.Millisecond},
				MinConnectTimeout: time.Second,
			}))
		if err != nil {
			return nil, fmt.Errorf("etcd at %s: %w", a, err)
		}
		e.conns = append(e.conns, c)
	}
	return e, nil
}

func (e *endpoints) pick() *grpc.ClientConn { return e.conns[e.draw(uint64(len(e.conns)))] }

// Invoke implements grpc.ClientConnInterface.
func (e *endpoints) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	return e.pick().Invoke(ctx, method, args, reply, opts...)
}

// NewStream implements grpc.ClientConnInterface.
func (e *endpoints) NewStream(ctx context.Context, d *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	return e.pick().NewStream(ctx, d, method, opts...)
}

// leases is clientv3's Lease with each call made once, and what was learnt told to the harness,
// which cannot see leases in a watch.
type leases struct {
	clientv3.Lease
	remote pb.LeaseClient
	tell   func(control.Lease)
}

func newLeases(e *endpoints, tell func(control.Lease)) *leases {
	remote := pb.NewLeaseClient(e)
	return &leases{Lease: clientv3.NewLeaseFromLeaseClient(remote, nil, time.Second), remote: remote, tell: tell}
}

// Grant implements clientv3.Lease.
func (l *leases) Grant(ctx context.Context, ttl int64) (*clientv3.LeaseGrantResponse, error) {
	r, err := l.Lease.Grant(ctx, ttl)
	if err == nil {
		l.tell(control.Lease{ID: int64(r.ID), TTL: time.Duration(r.TTL) * time.Second})
	}
	return r, err
}

// KeepAliveOnce implements clientv3.Lease. The library's own repeats itself until its context ends.
func (l *leases) KeepAliveOnce(ctx context.Context, id clientv3.LeaseID) (*clientv3.LeaseKeepAliveResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := l.remote.LeaseKeepAlive(ctx)
	if err != nil {
		return nil, clientv3.ContextError(ctx, err)
	}
	if err := stream.Send(&pb.LeaseKeepAliveRequest{ID: int64(id)}); err != nil {
		return nil, clientv3.ContextError(ctx, err)
	}
	r, err := stream.Recv()
	if err != nil {
		return nil, clientv3.ContextError(ctx, err)
	}
	if r.TTL <= 0 {
		return nil, rpctypes.ErrLeaseNotFound
	}
	l.tell(control.Lease{ID: int64(id), TTL: time.Duration(r.TTL) * time.Second, Renewed: true})
	return &clientv3.LeaseKeepAliveResponse{ResponseHeader: r.GetHeader(), ID: id, TTL: r.TTL}, nil
}
