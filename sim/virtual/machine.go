package virtual

import (
	"net/http"

	"dlsim/sim/virtual/sched"
)

// machine is where one process or one store's server runs: a node of the scheduler with clocks, a
// listener and connections.
type machine struct {
	w     *World
	name  string
	alias string // a second name clients know it by: the store's, for one of its servers
	role  string // of a process; "" for a store
	node  *sched.Node
	clock clock

	handler  http.Handler
	calls    []*call // sent and unanswered
	serving  []*call // arrived and unanswered
	sessions []*session
	pools    []*pool
	host     *host // nil for a store
	self     host

	directives []directive
	drawn      []purposeCount
	logs       []*diskLog
}

// directive is one standing instruction of the harness.
type directive struct {
	name, value string
	effect      *effect
}

// purposeCount counts the draws a process has made for one purpose of its own.
type purposeCount struct {
	purpose string
	key     uint64
	n       uint64
}

func (w *World) newMachine(name, role string) *machine {
	m := w.cache.machines.Used()
	*m = machine{w: w, name: name, role: role, node: w.sched.Node(name),
		calls: m.calls[:0], serving: m.serving[:0], sessions: m.sessions[:0], pools: m.pools[:0], drawn: m.drawn[:0]}
	w.machines[name] = m
	w.order = append(w.order, m)
	return m
}

// kill ends what runs here. The kernel, which lives on, closes its sockets: peers learn of it by
// message, as far as the network lets them.
func (m *machine) kill() {
	m.node.Kill()
	m.handler = nil
	calls, serving, sessions := m.calls, m.serving, m.sessions
	m.calls, m.serving, m.sessions, m.pools = nil, nil, nil, nil
	for _, c := range calls {
		c.clientGone()
	}
	for _, c := range serving {
		c.serverGone()
	}
	for _, s := range sessions {
		s.clientGone()
	}
}

// draw picks among n for the machine's next draw of a purpose the system named.
func (m *machine) draw(purpose string, n uint64) uint64 {
	for i := range m.drawn {
		if d := &m.drawn[i]; d.purpose == purpose {
			d.n++
			return m.w.sched.Pick(sched.System, d.key, d.n, n)
		}
	}
	m.drawn = append(m.drawn, purposeCount{purpose, sched.Mix(m.node.ID, sched.Place(purpose)), 0})
	return m.w.sched.Pick(sched.System, m.drawn[len(m.drawn)-1].key, 0, n)
}
