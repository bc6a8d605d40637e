package etcdnode

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"go.etcd.io/etcd/server/v3/embed"
)

// Node is an etcd server in this process.
type Node struct {
	config Config
	server *embed.Etcd
	client string
	stop   sync.Once
}

// Start starts a server in this process and returns once it listens; Ready says when it serves.
func Start(c Config) (*Node, error) {
	if len(c.Hosts) > 0 {
		return nil, errors.New("etcdnode: Hosts is for a node in a process of its own")
	}
	return start(c)
}

func start(c Config) (*Node, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("etcdnode: data directory: %w", err)
	}
	if err := os.Chmod(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("etcdnode: data directory: %w", err)
	}
	n := &Node{config: c}
	e, err := embed.StartEtcd(c.server())
	if err != nil {
		n.removeData()
		return nil, fmt.Errorf("etcdnode: start %s: %w", c.Name, err)
	}
	n.server, n.client = e, e.Clients[0].Addr().String()
	return n, nil
}

// Single starts a cluster of one in this process, waits until it serves, and is what tests want
// most of the time. The server's data lies in a new directory below dir ("" is the system's own
// place for such).
func Single(ctx context.Context, dir string, c Config) (*Node, error) {
	data, err := os.MkdirTemp(dir, "etcd-")
	if err != nil {
		return nil, fmt.Errorf("etcdnode: data directory: %w", err)
	}
	c.Dir = data
	n, err := Start(c)
	if err != nil {
		return nil, err
	}
	if err := Ready(ctx, n.Client()); err != nil {
		n.Stop()
		return nil, err
	}
	return n, nil
}

// Client is the address, host:port, that the server really serves clients at.
func (n *Node) Client() string { return n.client }

// Leads reports whether the node takes itself for the leader.
func (n *Node) Leads() bool { return n.server.Server.Leader() == n.server.Server.MemberID() }

// HandOver has the leader pass its leadership on to the member that started as other.
func (n *Node) HandOver(ctx context.Context, other *Node) error {
	s := n.server.Server
	return s.MoveLeader(ctx, uint64(s.MemberID()), uint64(other.server.Server.MemberID()))
}

// Stop ends the server and removes its data.
func (n *Node) Stop() {
	n.stop.Do(func() {
		n.server.Close()
		n.removeData()
	})
}

func (n *Node) removeData() {
	if !n.config.Keep {
		_ = os.RemoveAll(n.config.Dir) // what cannot be removed is the caller's directory's business
	}
}

// FreeAddresses finds n loopback addresses with a free port each, distinct while they are unused.
// The kernel hands out the ports, so another process can take one before it is listened on.
func FreeAddresses(n int) ([]string, error) {
	var open []net.Listener
	defer func() {
		for _, l := range open {
			l.Close()
		}
	}()
	addrs := make([]string, n)
	for i := range addrs {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("etcdnode: find a free port: %w", err)
		}
		open = append(open, l)
		addrs[i] = l.Addr().String()
	}
	return addrs, nil
}
