package link

import (
	"sync/atomic"
	"time"

	toxistream "github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"

	"dlsim/sim"
)

const (
	// windowBytes is how much one way of a connection takes in before it has got rid of any; what
	// is beyond waits in the sockets, and in the end the writer waits.
	windowBytes = 4 << 20
	// farewell is how long bytes can wait for somebody to take them when the other way has ended.
	farewell = time.Second
)

// stream is one way of a connection. Its fields belong to the goroutine of its toxic, but for those
// that say otherwise.
type stream struct {
	conn  *connection
	way   *way
	index int

	queue []packet  // a stream keeps its order: only the first can leave
	bytes int       // in queue
	seen  *standing // what the queue was last looked through for
	nth   uint64    // the message under way, among all of the pair's
	met   []*Effect // what has counted it
	ended bool      // the sender has closed, or its connection is gone
	hole  bool      // bytes are missing: what follows must not arrive, and breaks the connection after the heal
	// thief is the condition that took the missing bytes. The other way reads it too.
	thief atomic.Pointer[Effect]
	// finished is closed when this way carries nothing any more.
	finished chan struct{}
}

// packet is a chunk of bytes on its way, or an event in the order of the stream.
type packet struct {
	chunk   *toxistream.StreamChunk // nil: the end of the stream
	reset   bool                    // breaks the connection when it is due
	due     time.Time
	holder  *Effect   // keeps it back
	expires time.Time // when a packet that is kept back dies; zero is never
}

// carry moves packets from the stub's input to its output until the stream has ended or broken.
func (s *stream) carry(stub *toxics.ToxicStub) {
	defer close(s.finished)
	defer func() { s.hold(-s.bytes) }() // what is left goes nowhere
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	for {
		standing := s.way.standing.Load()
		now := time.Now()
		if standing != s.seen {
			s.seen = standing
			s.release(now)
		}
		wake := s.nextExpiry()
		if !wake.IsZero() && !now.Before(wake) {
			s.conn.reset() // the sender's TCP has given up
		}
		if !s.conn.open() {
			return
		}
		input := stub.Input
		if s.ended || s.bytes >= windowBytes {
			input = nil
		}
		var output chan<- *toxistream.StreamChunk
		var chunk *toxistream.StreamChunk
		var peer <-chan struct{} // wakes us when the other way finishes
		if len(s.queue) > 0 && s.queue[0].holder == nil {
			switch head := &s.queue[0]; {
			case head.due.After(now):
				wake = earlier(wake, head.due)
			case head.reset:
				s.conn.reset()
				return
			case head.chunk == nil:
				return
			default:
				output, chunk, peer = stub.Output, head.chunk, s.conn.streams[1-s.index].finished
				select {
				case <-peer: // both ends may be gone, and with them whoever takes the output
					peer, wake = nil, now.Add(farewell)
				default:
				}
			}
		}
		var rings <-chan time.Time
		if !wake.IsZero() {
			alarm.Reset(wake.Sub(now))
			rings = alarm.C
		}
		select {
		case <-standing.changed:
		case <-s.conn.broken:
		case <-s.conn.halted:
		case <-peer:
		case c := <-input:
			s.arrive(c)
		case output <- chunk:
			s.hold(-len(chunk.Data))
			s.queue[0] = packet{}
			s.queue = s.queue[1:]
		case <-rings:
			if output != nil && peer == nil {
				return
			}
		}
	}
}

// hold counts bytes that have come, or with a minus gone.
func (s *stream) hold(n int) {
	s.bytes += n
	s.way.waiting.Add(int64(n))
}

// arrive takes in what the sender has sent; nil is its end.
func (s *stream) arrive(c *toxistream.StreamChunk) {
	if c == nil {
		s.ended = true
	} else if turn := int32(s.index + 1); s.conn.turn.Swap(turn) != turn {
		s.met = s.met[:0]
		s.nth = s.way.messages.Add(1)
		if thief := s.conn.streams[1-s.index].thief.Load(); thief != nil && thief.spent() {
			s.conn.reset() // the other end talks on over an answer that it will never get
			return
		}
	}
	if s.hole && c != nil {
		if s.thief.Load().over() {
			s.conn.reset()
		}
		return
	}
	now := time.Now()
	if p, lost := s.route(packet{chunk: c}, now); !lost {
		s.queue = append(s.queue, p)
		if c != nil {
			s.hold(len(c.Data))
		}
	}
}

// route decides by what stands on the way at this moment when a packet is due, and whether it is.
func (s *stream) route(p packet, now time.Time) (_ packet, lost bool) {
	p.due, p.holder, p.expires = now, nil, time.Time{}
	m := s.conn.pair.mesh
	if f := m.opts.Latency; f != nil {
		p.due = p.due.Add(f(s.conn.pair.link, s.index == replies, s.nth))
	}
decided:
	for _, e := range s.way.standing.Load().conditions {
		if !e.meets(s, p.chunk == nil) {
			continue
		}
		switch e.c.Mode {
		case sim.Slow:
			p.due = p.due.Add(e.c.Extra)
			continue
		case sim.Reset:
			p.reset = true
			break decided
		case sim.Drop:
			if p.chunk != nil {
				s.hole = true
				s.thief.Store(e)
				return p, true
			}
			// The end of a stream is sent again until it arrives.
		}
		p.holder = e
		if m.opts.MessageLifetime > 0 {
			p.expires = now.Add(m.opts.MessageLifetime)
		}
		break decided
	}
	return p, false
}

// release sends on, after a change of what stands, the packets whose holder has been healed.
func (s *stream) release(now time.Time) {
	kept, torn := s.queue[:0], false
	for _, p := range s.queue {
		lost := torn && p.chunk != nil // bytes behind lost ones are of no use
		if !lost && p.holder != nil && p.holder.over() {
			p, lost = s.route(p, now)
		}
		if lost {
			torn = true
			s.hold(-len(p.chunk.Data))
			continue
		}
		kept = append(kept, p)
	}
	clear(s.queue[len(kept):])
	s.queue = kept
}

// nextExpiry is when the first packet that is kept back dies; zero is never. Lifetimes are equal, so
// the first in the queue dies first.
func (s *stream) nextExpiry() time.Time {
	for i := range s.queue {
		if s.queue[i].holder != nil {
			return s.queue[i].expires
		}
	}
	return time.Time{}
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}
