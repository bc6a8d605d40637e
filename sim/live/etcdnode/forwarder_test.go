package etcdnode

import (
	"io"
	"net"
	"sync"
)

// forwarder is a proxy for one ordered pair of nodes.
type forwarder struct {
	listen, to string

	mu       sync.Mutex
	listener net.Listener
	conns    []net.Conn
}

func (f *forwarder) open() error {
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.listener = l
	f.mu.Unlock()
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", f.to)
			if err != nil {
				in.Close()
				continue
			}
			f.mu.Lock()
			f.conns = append(f.conns, in, out)
			f.mu.Unlock()
			for _, way := range [2][2]net.Conn{{in, out}, {out, in}} {
				go func() {
					_, _ = io.Copy(way[0], way[1])
					way[0].Close()
				}()
			}
		}
	}()
	return nil
}

func (f *forwarder) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listener != nil {
		f.listener.Close()
	}
	for _, c := range f.conns {
		c.Close()
	}
	f.conns = nil
}
