package link

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/rs/zerolog"

	"dlsim/sim"
)

// Options are the settings of a mesh. The zero value is a network that adds nothing of its own.
type Options struct {
	// MessageLifetime is the longest that a held message can wait and still arrive; the connection
	// of one that waits longer is broken. 0 is no limit.
	MessageLifetime time.Duration
	// Latency, where set, is what the nth message of a link takes beyond the machine's own time,
	// whatever conditions stand. It is called from many goroutines and must be a function of its
	// arguments alone for a run to be repeatable.
	Latency func(l sim.Link, reply bool, nth uint64) time.Duration
	// ResetAtHeal, where set, decides for each connection that holds messages at a heal whether it
	// turns out to be broken. It is called by Heal, for the connections in the order in which the
	// condition met them.
	ResetAtHeal func(l sim.Link) bool
}

// Mesh is a set of proxies and the conditions that stand on them. Its methods may be called from
// any goroutine.
type Mesh struct {
	opts   Options
	server *toxiproxy.ApiServer
	pipes  sync.WaitGroup // running toxics

	mu         sync.Mutex
	closed     bool
	hosts      addresses
	pairs      map[sim.Link]*pair
	order      []*pair // as made
	down       map[string]bool
	aliases    map[string][]string
	conditions []*Effect
}

var once sync.Once

// NewMesh returns a mesh without any link. It silences zerolog for the whole process, since
// Toxiproxy writes to the global logger whatever logger it is given.
func NewMesh(opts Options) *Mesh {
	once.Do(func() {
		zerolog.SetGlobalLevel(zerolog.Disabled)
		toxics.Register(toxicType, new(toxic))
	})
	return &Mesh{
		opts:    opts,
		server:  toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
		pairs:   map[sim.Link]*pair{},
		down:    map[string]bool{},
		aliases: map[string][]string{},
	}
}

// Alias makes name stand for the given servers or clients, besides its own self, in conditions.
func (m *Mesh) Alias(name string, members ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.aliases[name] = append(m.aliases[name], members...)
	for _, p := range m.order {
		m.arrange(p)
	}
}

// Host is the loopback address at which all servers are found by a client, each at its own port.
func (m *Mesh) Host(client string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hosts.host(client)
}

// Port is the port at which every client finds a server.
func (m *Mesh) Port(server string) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hosts.port(server)
}

// Pair makes the link from client to server, which really listens at upstream (host:port), and
// returns the address, host:port, that the client must dial. The link refuses connections while
// its server is stopped. There is one link a pair.
//
// Whatever way a connection ends, the other end finds it reset once it has read what had arrived.
// Messages larger than what a socket holds (some 100 kB) that are followed at once by the end of
// their connection can be cut short by that: use PairBulk for such links.
func (m *Mesh) Pair(client, server, upstream string) (string, error) {
	return m.add(sim.Link{From: client, To: server}, upstream, false)
}

// PairBulk is Pair for a link that carries much, as between etcd members and to a standby: its
// connections end in the ordinary way, and a reset is an end of file.
func (m *Mesh) PairBulk(client, server, upstream string) (string, error) {
	return m.add(sim.Link{From: client, To: server}, upstream, true)
}

func (m *Mesh) add(l sim.Link, upstream string, bulk bool) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return "", errors.New("link: the mesh is closed")
	}
	if m.pairs[l] != nil {
		return "", fmt.Errorf("link: %s to %s exists", l.From, l.To)
	}
	p, err := m.newPair(l, upstream, bulk)
	if err != nil {
		return "", fmt.Errorf("link: %s to %s: %w", l.From, l.To, err)
	}
	m.pairs[l] = p
	m.order = append(m.order, p)
	return p.listen, nil
}

// SetUpstream says where a server really listens from now on, for the clients that l.From names.
// Connections that there are break.
func (m *Mesh) SetUpstream(l sim.Link, upstream string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.order {
		if !m.names(l, p.link) {
			continue
		}
		p.halt()
		p.proxy.Upstream = upstream
		if !m.down[p.link.To] {
			if err := p.run(); err != nil {
				return fmt.Errorf("link: %s to %s: %w", p.link.From, p.link.To, err)
			}
		}
	}
	return nil
}

// Stop makes every link to a server refuse connections, and breaks those that there are: to be
// called when the server has been killed.
func (m *Mesh) Stop(server string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down[server] = true
	for _, p := range m.order {
		if p.link.To == server {
			p.halt()
		}
	}
}

// Start undoes Stop.
func (m *Mesh) Start(server string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return errors.New("link: the mesh is closed")
	}
	delete(m.down, server)
	for _, p := range m.order {
		if p.link.To == server {
			if err := p.run(); err != nil {
				return fmt.Errorf("link: %s to %s: %w", p.link.From, p.link.To, err)
			}
		}
	}
	return nil
}

// Close breaks all connections, frees all ports and returns when no toxic runs any more.
func (m *Mesh) Close() {
	m.mu.Lock()
	m.closed = true
	for _, p := range m.order {
		p.halt()
	}
	m.hosts.release()
	m.mu.Unlock()
	m.pipes.Wait()
}

// names reports whether a link of a condition covers a pair. The caller holds m.mu.
func (m *Mesh) names(l, of sim.Link) bool {
	return m.name(l.From, of.From) && m.name(l.To, of.To)
}

func (m *Mesh) name(name, of string) bool {
	return name == "*" || name == of || slices.Contains(m.aliases[name], of)
}
