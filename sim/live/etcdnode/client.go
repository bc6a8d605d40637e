package etcdnode

import (
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
)

// ReadyKey is the key that Ready writes.
const ReadyKey = "dlsim/ready"

// Dial returns a client for the given addresses, host:port. It tries again sooner than clients
// commonly do: the servers are on this machine, and waiting a second for one that has just come up
// is waiting for nothing.
func Dial(addrs ...string) (*clientv3.Client, error) { return DialWith(nil, addrs...) }

// DialWith is Dial with more options for the connection.
func DialWith(more []grpc.DialOption, addrs ...string) (*clientv3.Client, error) {
	endpoints := make([]string, len(addrs))
	for i, a := range addrs {
		endpoints[i] = "http://" + a
	}
	c, err := clientv3.New(clientv3.Config{
		Endpoints: endpoints,
		Logger:    zap.NewNop(),
		DialOptions: append([]grpc.DialOption{grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 10 * time.Millisecond, Multiplier: 1.2, MaxDelay: 50 * time.Millisecond},
			MinConnectTimeout: 500 * time.Millisecond,
		})}, more...),
	})
	if err != nil {
		return nil, fmt.Errorf("etcdnode: client: %w", err)
	}
	return c, nil
}

// Ready waits until a put has been acknowledged. The server's own signal of readiness is worth
// less: it can come seconds late when its first proposal is lost.
func Ready(ctx context.Context, addrs ...string) error {
	c, err := Dial(addrs...)
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		try, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		_, err := c.Put(try, ReadyKey, "")
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("etcdnode: no put was acknowledged: %w", err)
		}
	}
}
