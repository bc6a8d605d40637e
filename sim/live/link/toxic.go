package link

import (
	"time"

	toxistream "github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// toxicType is the name under which the toxic is registered with Toxiproxy.
const toxicType = "dlsim"

// toxic is the one toxic of a way. Toxiproxy runs Pipe once for each connection.
type toxic struct {
	pair *pair
	way  int
}

// NewState makes the stream of a connection. Toxiproxy calls it for the requests and then for the
// replies of a connection, from the one goroutine that accepts; that is how the two find each other.
func (t *toxic) NewState() any {
	p := t.pair
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.way == requests {
		p.opening = newConnection(p)
	}
	p.mesh.pipes.Add(1)
	return &p.opening.streams[t.way]
}

// Pipe carries one way of a connection until that has ended or broken.
func (t *toxic) Pipe(stub *toxics.ToxicStub) {
	defer t.pair.mesh.pipes.Done()
	s := stub.State.(*stream)
	s.carry(stub)
	stub.Close() // closes the socket that this way leads to
	if !s.ended {
		discard(stub.Input, s.conn.halted)
	}
}

// discard takes what the reader of a socket still brings, which else would wait for ever for
// somebody to take it. Sockets are closed when the pair stops: readers end soon after.
func discard(input <-chan *toxistream.StreamChunk, halted <-chan struct{}) {
	var late <-chan time.Time
	for {
		select {
		case c := <-input:
			if c == nil {
				return
			}
		case <-halted:
			halted, late = nil, time.After(farewell)
		case <-late:
			return
		}
	}
}
