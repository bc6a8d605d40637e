package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dlsim/sim/live/etcdnode"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
)

// Server is a real node of one and a client of it. It runs one program at a time.
type Server struct {
	node   *etcdnode.Node
	client *clientv3.Client
	origin time.Time // when the node once looked for expired leases; zero until measured
	agreed int       // measurements that agree with it
	runs   int
}

// timing of the nodes: short ticks, so that the shortest lease is one second.
const (
	tick     = 20 * time.Millisecond
	election = 200 * time.Millisecond
)

// NewServer starts one in this process, with its data below dir.
func NewServer(ctx context.Context, dir string) (*Server, error) {
	n, err := etcdnode.Single(ctx, dir, etcdnode.Config{Tick: tick, Election: election, NoFsync: true})
	if err != nil {
		return nil, err
	}
	c, err := etcdnode.DialWith([]grpc.DialOption{grpc.WithChainUnaryInterceptor(chooseLease)}, n.Client())
	if err != nil {
		n.Stop()
		return nil, err
	}
	return &Server{node: n, client: c}, nil
}

// Stop ends it.
func (s *Server) Stop() {
	s.client.Close()
	s.node.Stop()
}

// compactEvery is how many programs may pass before the server's past is thrown away.
const compactEvery = 200

// begin clears the server and returns a world whose revisions count from here.
func (s *Server) begin(ctx context.Context) (*world, error) {
	leases, err := s.client.Leases(ctx)
	if err != nil {
		return nil, fmt.Errorf("clear the server: %w", err)
	}
	for _, l := range leases.Leases {
		// One of a timed program may have expired since.
		if _, err := s.client.Revoke(ctx, l.ID); err != nil && !errors.Is(err, rpctypes.ErrLeaseNotFound) {
			return nil, fmt.Errorf("clear the server: %w", err)
		}
	}
	// A revision of its own sets the program apart from what the last one compacted.
	if _, err := s.client.Put(ctx, "z", ""); err != nil {
		return nil, fmt.Errorf("clear the server: %w", err)
	}
	r, err := s.client.Delete(ctx, "\x00", clientv3.WithRange("\x00"))
	if err != nil {
		return nil, fmt.Errorf("clear the server: %w", err)
	}
	if s.runs++; s.runs%compactEvery == 0 {
		if _, err := s.client.Compact(ctx, r.Header.Revision-1); err != nil {
			return nil, fmt.Errorf("clear the server: %w", err)
		}
	}
	return newWorld(s.client, s.client, r.Header.Revision-1), nil
}
