package live

import (
	"io"
	"net"
	"sync"
)

// switchboard stands before a server that another can take the place of. Connections that there are
// stay with the server that they were made to; new ones go to the present one. Links cannot do that:
// they have one upstream, and lose their connections when it changes.
type switchboard struct {
	listener net.Listener
	all      sync.WaitGroup

	mu     sync.Mutex
	target string // "" refuses
	open   map[net.Conn]struct{}
	closed bool
}

func newSwitchboard(target string) (*switchboard, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &switchboard{listener: l, target: target, open: map[net.Conn]struct{}{}}
	s.all.Go(s.accept)
	return s, nil
}

func (s *switchboard) address() string { return s.listener.Addr().String() }

// connect has new connections go to target, or nowhere.
func (s *switchboard) connect(target string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.target = target
}

func (s *switchboard) accept() {
	for {
		client, err := s.listener.Accept()
		if err != nil {
			return // closed
		}
		s.all.Go(func() { s.serve(client) })
	}
}

// serve carries one connection until either end leaves. Neither end of PostgreSQL's protocol says
// anything after that.
func (s *switchboard) serve(client net.Conn) {
	defer s.drop(client)
	s.mu.Lock()
	target := s.target
	s.mu.Unlock()
	if target == "" || !s.keep(client) {
		return
	}
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer s.drop(server)
	if !s.keep(server) {
		return
	}
	var ways sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		ways.Go(func() {
			_, _ = io.Copy(way[0], way[1]) // that it ended is all there is to know
			client.Close()
			server.Close()
		})
	}
	ways.Wait()
}

// keep notes a connection to be closed with the board; false when that has been.
func (s *switchboard) keep(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.open[c] = struct{}{}
	return true
}

func (s *switchboard) drop(c net.Conn) {
	s.mu.Lock()
	delete(s.open, c)
	s.mu.Unlock()
	c.Close()
}

// close ends every connection and returns when nothing runs any more.
func (s *switchboard) close() {
	s.listener.Close()
	s.mu.Lock()
	s.closed = true
	for c := range s.open {
		c.Close()
	}
	s.mu.Unlock()
	s.all.Wait()
}
