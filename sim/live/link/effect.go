package link

import (
	"fmt"
	"slices"
	"sync"

	"dlsim/sim"
)

// Effect is a condition that stands on the links that it names, those made later included. It
// implements sim.Effect.
type Effect struct {
	mesh *Mesh
	link sim.Link
	c    sim.LinkCondition

	mu      sync.Mutex
	healed  bool
	felt    int
	holding []*stream
}

// Apply makes the links that l names misbehave until healed; "*" and aliases are understood.
// Conditions add up in the order in which they came: delays sum, and the first other one decides.
// When Apply has returned, no byte that enters the link escapes the condition.
func (m *Mesh) Apply(l sim.Link, c sim.LinkCondition) (*Effect, error) {
	switch c.Mode {
	case sim.Hold, sim.Drop, sim.Slow, sim.Reset:
	default:
		return nil, fmt.Errorf("link: there is no condition %q", c.Mode)
	}
	e := &Effect{mesh: m, link: l, c: c}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.conditions = append(m.conditions, e)
	m.rearrange(l)
	return e, nil
}

// Felt counts the messages that met the condition.
func (e *Effect) Felt() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.felt
}

// Heal takes the condition away. What it held arrives late, in order, unless another condition
// stands or its connection turns out to be broken (Options.ResetAtHeal). A connection that lost bytes
// stays silent, so that its client waits for its own deadline, and breaks when either end goes on
// talking. Healing twice does nothing.
func (e *Effect) Heal() { e.end(e.mesh.opts.ResetAtHeal) }

// Release is Heal for what the harness has held for purposes of its own: no connection is found
// broken by chance.
func (e *Effect) Release() { e.end(nil) }

func (e *Effect) end(broken func(sim.Link) bool) {
	m := e.mesh
	m.mu.Lock()
	defer m.mu.Unlock()
	e.mu.Lock()
	was, holding := e.healed, e.holding
	e.healed, e.holding = true, nil
	e.mu.Unlock()
	if was {
		return
	}
	var asked []*connection
	for _, s := range holding {
		if broken == nil || slices.Contains(asked, s.conn) || !s.conn.open() {
			continue
		}
		asked = append(asked, s.conn)
		if broken(s.conn.pair.link) {
			s.conn.reset()
		}
	}
	m.conditions = slices.DeleteFunc(m.conditions, func(o *Effect) bool { return o == e })
	m.rearrange(e.link)
}

func (m *Mesh) rearrange(l sim.Link) {
	for _, p := range m.order {
		if m.names(l, p.link) {
			m.arrange(p)
		}
	}
}

// about reports whether the condition is about a way.
func (e *Effect) about(way int) bool {
	if e.c.Requests == e.c.Replies {
		return true
	}
	return e.c.Requests == (way == requests)
}

// meets reports whether what comes next on s meets the condition, and counts a message once.
func (e *Effect) meets(s *stream, end bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.healed {
		return false
	}
	if !slices.Contains(s.met, e) {
		if e.c.Count > 0 && (end || e.felt >= e.c.Count) {
			return false
		}
		if !end {
			e.felt++
			s.met = append(s.met, e)
		}
	}
	if e.c.Mode == sim.Hold && !slices.Contains(e.holding, s) {
		e.holding = append(e.holding, s)
	}
	return true
}

// over reports whether the condition has been healed.
func (e *Effect) over() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.healed
}

// spent reports whether the condition meets nothing more.
func (e *Effect) spent() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.healed || e.c.Count > 0 && e.felt >= e.c.Count
}
