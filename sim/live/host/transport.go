package host

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
)

// newTransport carries requests to the processes that their URLs name, through the harness's proxy
// of the pair. A request is sent at most once: each has a connection of its own, so the library has
// no stale one on which it would try again.
func newTransport(peers map[string]string) *http.Transport {
	return &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			name, _, err := net.SplitHostPort(addr)
			if err != nil {
				return nil, err
			}
			to, known := peers[name]
			if !known {
				return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}}
			}
			var d net.Dialer
			return d.DialContext(ctx, network, to)
		},
		DisableKeepAlives:  true,
		DisableCompression: true,
		ForceAttemptHTTP2:  false,
	}
}

// server answers requests once the system has given its handler; the socket is open before that
// only to learn the port, and serves nobody.
type server struct {
	listener net.Listener
	http     http.Server
	busy     atomic.Int64
	served   atomic.Int64
}

func listen(addr string) (*server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for requests: %w", err)
	}
	return &server{listener: l}, nil
}

func (s *server) serve(handler http.Handler) {
	s.http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.busy.Add(1)
		s.served.Add(1)
		defer s.busy.Add(-1)
		handler.ServeHTTP(w, r)
	})
	go func() { _ = s.http.Serve(s.listener) }() // it ends with the process
}
