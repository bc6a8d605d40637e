package etcd

import (
	"bytes"
	"context"
	"errors"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Wire carries one request over the network to some node of the cluster and parks the calling task
// until an answer comes. What goes wrong on the way arrives as a gRPC status error: Unavailable for
// a lost connection, DeadlineExceeded or Canceled when ctx is done. The request is not touched by
// the client after the call, nor the response by the server.
type Wire interface {
	Call(ctx context.Context, req any) (resp any, err error)
}

// ErrKeepAliveStream is what Lease.KeepAlive answers: it lives on channels and goroutines.
var ErrKeepAliveStream = errors.New("etcd: KeepAlive is not available here, renew with KeepAliveOnce")

// NewKV returns clientv3's own KV on top of a wire. It makes one call a request and never retries:
// the retries of a real client come from its interceptors, which are not in the way here.
func NewKV(w Wire) clientv3.KV { return clientv3.NewKVFromKVClient(&kvClient{w}, nil) }

func ask[T any](ctx context.Context, w Wire, req any) (T, error) {
	resp, err := w.Call(ctx, req)
	if err != nil {
		var none T
		return none, err
	}
	return resp.(T), nil
}

// kvClient gives each request bytes of its own: clientv3's operations hand out theirs.
type kvClient struct{ wire Wire }

func (c *kvClient) Range(ctx context.Context, r *pb.RangeRequest, _ ...grpc.CallOption) (*pb.RangeResponse, error) {
	ownRange(r)
	return ask[*pb.RangeResponse](ctx, c.wire, r)
}

func (c *kvClient) Put(ctx context.Context, r *pb.PutRequest, _ ...grpc.CallOption) (*pb.PutResponse, error) {
	ownPut(r)
	return ask[*pb.PutResponse](ctx, c.wire, r)
}

func (c *kvClient) DeleteRange(ctx context.Context, r *pb.DeleteRangeRequest, _ ...grpc.CallOption) (*pb.DeleteRangeResponse, error) {
	ownDelete(r)
	return ask[*pb.DeleteRangeResponse](ctx, c.wire, r)
}

func (c *kvClient) Txn(ctx context.Context, r *pb.TxnRequest, _ ...grpc.CallOption) (*pb.TxnResponse, error) {
	ownTxn(r)
	return ask[*pb.TxnResponse](ctx, c.wire, r)
}

func (c *kvClient) Compact(ctx context.Context, r *pb.CompactionRequest, _ ...grpc.CallOption) (*pb.CompactionResponse, error) {
	return ask[*pb.CompactionResponse](ctx, c.wire, r)
}

func (c *kvClient) RangeStream(context.Context, *pb.RangeRequest, ...grpc.CallOption) (grpc.ServerStreamingClient[pb.RangeStreamResponse], error) {
	return nil, status.Error(codes.Unimplemented, "etcd model: RangeStream is not supported")
}

func ownRange(r *pb.RangeRequest) {
	r.Key, r.RangeEnd = bytes.Clone(r.Key), bytes.Clone(r.RangeEnd)
}

func ownPut(r *pb.PutRequest) { r.Key, r.Value = bytes.Clone(r.Key), bytes.Clone(r.Value) }

func ownDelete(r *pb.DeleteRangeRequest) {
	r.Key, r.RangeEnd = bytes.Clone(r.Key), bytes.Clone(r.RangeEnd)
}

func ownTxn(r *pb.TxnRequest) {
	// Comparisons are cloned by clientv3 itself.
	for _, branch := range [2][]*pb.RequestOp{r.Success, r.Failure} {
		for _, op := range branch {
			switch o := op.Request.(type) {
			case *pb.RequestOp_RequestRange:
				ownRange(o.RequestRange)
			case *pb.RequestOp_RequestPut:
				ownPut(o.RequestPut)
			case *pb.RequestOp_RequestDeleteRange:
				ownDelete(o.RequestDeleteRange)
			case *pb.RequestOp_RequestTxn:
				ownTxn(o.RequestTxn)
			}
		}
	}
}

// NewLease returns a clientv3.Lease on top of a wire. Errors are converted as clientv3 does.
// KeepAliveOnce makes one call: a real client repeats it at once, and for as long as its context
// lasts, when the transport reports Unavailable or Internal. KeepAlive is refused.
func NewLease(w Wire) clientv3.Lease { return &leaseClient{w} }

type leaseClient struct{ wire Wire }

func (c *leaseClient) Grant(ctx context.Context, ttl int64) (*clientv3.LeaseGrantResponse, error) {
	resp, err := ask[*pb.LeaseGrantResponse](ctx, c.wire, &pb.LeaseGrantRequest{TTL: ttl})
	if err != nil {
		return nil, clientv3.ContextError(ctx, err)
	}
	return &clientv3.LeaseGrantResponse{
		ResponseHeader: resp.Header, ID: clientv3.LeaseID(resp.ID), TTL: resp.TTL, Error: resp.Error,
	}, nil
}

func (c *leaseClient) Revoke(ctx context.Context, id clientv3.LeaseID) (*clientv3.LeaseRevokeResponse, error) {
	resp, err := ask[*pb.LeaseRevokeResponse](ctx, c.wire, &pb.LeaseRevokeRequest{ID: int64(id)})
	if err != nil {
		return nil, clientv3.ContextError(ctx, err)
	}
	return (*clientv3.LeaseRevokeResponse)(resp), nil
}

func (c *leaseClient) TimeToLive(ctx context.Context, id clientv3.LeaseID, opts ...clientv3.LeaseOption) (*clientv3.LeaseTimeToLiveResponse, error) {
	// The option's field is private; WithAttachedKeys is the only option there is.
	var op clientv3.LeaseOp
	for _, opt := range opts {
		opt(&op)
	}
	resp, err := ask[*pb.LeaseTimeToLiveResponse](ctx, c.wire, &pb.LeaseTimeToLiveRequest{
		ID: int64(id), Keys: op != clientv3.LeaseOp{},
	})
	if err != nil {
		return nil, clientv3.ContextError(ctx, err)
	}
	return &clientv3.LeaseTimeToLiveResponse{
		ResponseHeader: resp.Header, ID: clientv3.LeaseID(resp.ID),
		TTL: resp.TTL, GrantedTTL: resp.GrantedTTL, Keys: resp.Keys,
	}, nil
}

func (c *leaseClient) Leases(ctx context.Context) (*clientv3.LeaseLeasesResponse, error) {
	resp, err := ask[*pb.LeaseLeasesResponse](ctx, c.wire, &pb.LeaseLeasesRequest{})
	if err != nil {
		return nil, clientv3.ContextError(ctx, err)
	}
	out := &clientv3.LeaseLeasesResponse{ResponseHeader: resp.Header, Leases: make([]clientv3.LeaseStatus, len(resp.Leases))}
	for i, l := range resp.Leases {
		out.Leases[i].ID = clientv3.LeaseID(l.ID)
	}
	return out, nil
}

// KeepAlive refuses: see ErrKeepAliveStream.
func (c *leaseClient) KeepAlive(context.Context, clientv3.LeaseID) (<-chan *clientv3.LeaseKeepAliveResponse, error) {
	return nil, ErrKeepAliveStream
}

func (c *leaseClient) KeepAliveOnce(ctx context.Context, id clientv3.LeaseID) (*clientv3.LeaseKeepAliveResponse, error) {
	resp, err := ask[*pb.LeaseKeepAliveResponse](ctx, c.wire, &pb.LeaseKeepAliveRequest{ID: int64(id)})
	if err != nil {
		return nil, clientv3.ContextError(ctx, err)
	}
	out := &clientv3.LeaseKeepAliveResponse{ResponseHeader: resp.Header, ID: clientv3.LeaseID(resp.ID), TTL: resp.TTL}
	if resp.TTL <= 0 {
		return out, rpctypes.ErrLeaseNotFound // the response comes along, as it does from clientv3
	}
	return out, nil
}

func (c *leaseClient) Close() error { return nil }
