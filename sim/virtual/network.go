package virtual

import (
	"dlsim/sim"
	"dlsim/sim/virtual/sched"
)

// kind is what a message is to its connection.
type kind uint8

const (
	request  kind = iota // client → server
	response             // server → client
	leave                // client → server: the client has gone away (FIN)
	refuse               // server → client: nobody listens, or the connection is unknown (RST)
	cancel               // client → server, on a connection of its own: PostgreSQL's cancel request
)

func (k kind) String() string {
	return [...]string{"request", "response", "leave", "refuse", "cancel"}[k]
}

// toServer says which way a message of this kind travels.
func (k kind) toServer() bool { return k == request || k == leave || k == cancel }

// carrier is a connection as the network sees it.
type carrier interface {
	// arrive hands over a message at its destination.
	arrive(m *message)
	// broken tells the connection that m will never arrive and the connection is reset.
	broken(m *message)
}

// message is one message on its way. Requests and replies travel apart.
type message struct {
	sched.Timer
	net     *network
	wire    *wire
	carrier carrier
	kind    kind
	expired bool
	heldBy  *condition
	payload any
}

// wire is a connection's place in the network: who talks to whom, and what arrived last each way,
// since a byte stream keeps its order.
type wire struct {
	client, server *machine
	link           *link
	lastRequest    int64
	lastResponse   int64
}

// link is an ordered pair of client and server with its own sequence of latency draws.
type link struct {
	id   uint64
	sent uint64
}

// network carries messages between machines.
type network struct {
	w          *World
	links      map[[2]*machine]*link
	conditions []*condition
	inFlight   int // messages sent and neither arrived nor lost
	spare      []*message
}

// condition is a sim.LinkCondition that stands.
type condition struct {
	net    *network
	link   sim.Link
	c      sim.LinkCondition
	held   []*message
	felt   int
	healed bool
}

func (n *network) wire(client, server *machine) wire {
	key := [2]*machine{client, server}
	l := n.links[key]
	if l == nil {
		l = &link{id: sched.Mix(client.node.ID, server.node.ID)}
		n.links[key] = l
	}
	return wire{client: client, server: server, link: l}
}

// send puts a message on its way.
func (n *network) send(c carrier, w *wire, k kind, payload any) {
	n.inFlight++
	var m *message
	if last := len(n.spare) - 1; last >= 0 {
		m = n.spare[last]
		n.spare = n.spare[:last]
	} else {
		m = n.w.cache.messages.New()
		m.net = n
	}
	m.wire, m.carrier, m.kind, m.payload = w, c, k, payload
	n.route(m)
}

func (n *network) route(m *message) {
	l := m.wire.link
	l.sent++
	s := n.w.sched
	luck := uint64(typicalLuck)
	if !n.w.options.Network.Steady {
		luck = s.Pick(sched.Latency, l.id, l.sent, latencies)
	}
	at := s.Now() + latencyOf(n.w.options.Network.Latency, luck)
	for _, c := range n.conditions {
		if !c.matches(m) {
			continue
		}
		c.felt++
		mode := c.c.Mode
		if mode == sim.Drop && m.kind != request && m.kind != response {
			mode = sim.Hold // a lost FIN or RST is sent again until it arrives
		}
		switch mode {
		case sim.Slow:
			at += int64(c.c.Extra)
			continue
		case sim.Drop:
			s.Note(noteDrop, l.id, l.sent)
			n.inFlight--
			return
		case sim.Reset:
			s.Note(noteReset, l.id, l.sent)
			m.expired = true
			s.Arm(&m.Timer, at, nil, true, m)
			return
		case sim.Hold:
			s.Note(noteHold, l.id, l.sent)
			m.heldBy = c
			c.held = append(c.held, m)
			m.expired = true // if its lifetime passes before the heal
			s.Arm(&m.Timer, s.Now()+int64(n.w.options.Network.MessageLifetime), nil, true, m)
			return
		}
	}
	last := &m.wire.lastResponse
	to := m.wire.client
	if m.kind.toServer() {
		last, to = &m.wire.lastRequest, m.wire.server
	}
	if m.kind != cancel {
		if at <= *last {
			at = *last + 1
		}
		*last = at
	}
	s.Arm(&m.Timer, at, to.node, true, m)
}

// Fire is the message's arrival, or the end of its life.
func (m *message) Fire() {
	m.net.inFlight--
	if m.expired {
		if c := m.heldBy; c != nil {
			c.forget(m)
		}
		m.carrier.broken(m)
	} else {
		m.carrier.arrive(m)
	}
	m.wire, m.carrier, m.payload, m.heldBy, m.expired = nil, nil, nil, nil, false
	m.net.spare = append(m.net.spare, m)
}

// Describe names the step for traces.
func (m *message) Describe() string {
	what := "gets " + m.kind.String()
	if m.expired {
		what = "loses " + m.kind.String()
	}
	return what + " " + m.wire.client.name + "→" + m.wire.server.name
}

func (c *condition) matches(m *message) bool {
	if c.c.Count > 0 && c.felt >= c.c.Count {
		return false
	}
	if c.c.Requests != c.c.Replies { // one direction only
		if m.kind.toServer() != c.c.Requests {
			return false
		}
	}
	return (c.link.From == "*" || c.link.From == m.wire.client.name) &&
		(c.link.To == "*" || c.link.To == m.wire.server.name || c.link.To == m.wire.server.alias)
}

func (c *condition) forget(m *message) {
	for i, held := range c.held {
		if held == m {
			c.held = append(c.held[:i], c.held[i+1:]...)
			return
		}
	}
}

// Felt counts the messages that met the condition.
func (c *condition) Felt() int { return c.felt }

// Heal takes the condition away. What it held arrives late, in order, or finds its connection
// reset: a stale request that arrives late is the point of the exercise.
func (c *condition) Heal() {
	if c.healed {
		return
	}
	c.healed = true
	n := c.net
	for i, other := range n.conditions {
		if other == c {
			n.conditions = append(n.conditions[:i:i], n.conditions[i+1:]...)
			break
		}
	}
	s := n.w.sched
	held := c.held
	c.held = nil
	for _, m := range held {
		s.Stop(&m.Timer)
		m.heldBy = nil
		if s.Pick(sched.HealOrReset, m.wire.link.id, m.wire.link.sent, 4) == 0 {
			s.Arm(&m.Timer, s.Now(), nil, true, m) // expired stays set: reset
			m.wire.link.sent++
			continue
		}
		m.expired = false
		n.route(m)
	}
}
