package link

import (
	"sync"
	"sync/atomic"
)

// connection is what the two streams of a connection share.
type connection struct {
	pair    *pair
	streams [2]stream     // requests, replies
	turn    atomic.Int32  // the way of the last bytes, plus one
	halted  chan struct{} // closed when the pair stops
	broken  chan struct{} // closed when the connection breaks
	once    sync.Once
}

func newConnection(p *pair) *connection {
	c := &connection{pair: p, halted: p.halted, broken: make(chan struct{})}
	for i := range c.streams {
		c.streams[i] = stream{conn: c, way: &p.ways[i], index: i, finished: make(chan struct{})}
	}
	return c
}

// reset breaks the connection: nothing more is delivered and both ends find it closed.
func (c *connection) reset() { c.once.Do(func() { close(c.broken) }) }

// open reports whether the connection is neither broken nor stopped.
func (c *connection) open() bool {
	select {
	case <-c.broken:
		return false
	case <-c.halted:
		return false
	default:
		return true
	}
}
