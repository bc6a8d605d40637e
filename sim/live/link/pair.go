package link

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"

	"dlsim/sim"
)

// pair is one link: a proxy, and what stands on each of its ways.
type pair struct {
	mesh   *Mesh
	link   sim.Link
	listen string
	proxy  *toxiproxy.Proxy
	ways   [2]way // requests, replies

	mu      sync.Mutex
	halted  chan struct{} // closed when the proxy stops
	opening *connection   // one whose second stream is still to come
}

const (
	requests = 0
	replies  = 1
)

// way is one direction of a pair.
type way struct {
	standing atomic.Pointer[standing]
	messages atomic.Uint64
	waiting  atomic.Int64 // bytes that are on it now
}

// standing is what stands on a way, until changed is closed.
type standing struct {
	conditions []*Effect
	changed    chan struct{}
}

// newPair makes a link and starts it unless its server is stopped. The caller holds m.mu.
func (m *Mesh) newPair(l sim.Link, upstream string, bulk bool) (*pair, error) {
	host, err := m.hosts.host(l.From)
	if err != nil {
		return nil, err
	}
	port, err := m.hosts.port(l.To)
	if err != nil {
		return nil, err
	}
	p := &pair{mesh: m, link: l, listen: fmt.Sprintf("%s:%d", host, port)}
	for i := range p.ways {
		p.ways[i].standing.Store(&standing{changed: make(chan struct{})})
	}
	m.arrange(p)
	p.proxy = toxiproxy.NewProxy(m.server, l.From+">"+l.To, p.listen, upstream)
	for i, direction := range []string{"upstream", "downstream"} {
		if !bulk {
			// Toxiproxy's own toxic for resets never acts, at toxicity 0. But a proxy that has it
			// closes its sockets by RST, and that cannot be had for one connection, or from now on.
			// It comes first: where it is last it waits for ever on a writer that has given up.
			if _, err := p.install("reset_peer", direction, 0); err != nil {
				return nil, err
			}
		}
		wrapper, err := p.install(toxicType, direction, 1)
		if err != nil {
			return nil, err
		}
		t := wrapper.Toxic.(*toxic)
		t.pair, t.way = p, i
	}
	if m.down[l.To] {
		return p, nil
	}
	return p, p.run()
}

// install adds a toxic to a proxy that has never run.
func (p *pair) install(kind, direction string, toxicity int) (*toxics.ToxicWrapper, error) {
	return p.proxy.Toxics.AddToxicJson(strings.NewReader(fmt.Sprintf(
		`{"name":"%s %s","type":%q,"stream":%q,"toxicity":%d,"attributes":{}}`, kind, direction, kind, direction, toxicity)))
}

// run starts the proxy if it does not run.
func (p *pair) run() error {
	p.mu.Lock()
	if p.halted != nil {
		p.mu.Unlock()
		return nil
	}
	p.halted = make(chan struct{})
	p.mu.Unlock()
	if err := p.proxy.Start(); err != nil {
		p.mu.Lock()
		p.halted = nil
		p.mu.Unlock()
		return err
	}
	return nil
}

// halt stops the proxy if it runs. Its connections are closed.
func (p *pair) halt() {
	p.mu.Lock()
	halted := p.halted
	p.mu.Unlock()
	if halted == nil {
		return
	}
	p.proxy.Stop() // returns when no further connection can be accepted
	p.mu.Lock()
	close(halted)
	p.halted = nil
	p.mu.Unlock()
}

// arrange puts in force what of the mesh's conditions is about p. The caller holds m.mu.
func (m *Mesh) arrange(p *pair) {
	for i := range p.ways {
		next := &standing{changed: make(chan struct{})}
		for _, c := range m.conditions {
			if c.about(i) && m.names(c.link, p.link) {
				next.conditions = append(next.conditions, c)
			}
		}
		close(p.ways[i].standing.Swap(next).changed)
	}
}
