package link

// Messages counts the messages that went either way over all links from or to name, or one of those
// that it is an alias of, held and dropped ones included.
func (m *Mesh) Messages(name string) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	var n uint64
	for _, p := range m.order {
		if m.name(name, p.link.From) || m.name(name, p.link.To) {
			n += p.ways[requests].messages.Load() + p.ways[replies].messages.Load()
		}
	}
	return n
}

// Waiting counts the bytes of requests that are on their way to a server now: delayed, held back, or
// not taken by it yet.
func (m *Mesh) Waiting(server string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	var n int64
	for _, p := range m.order {
		if m.name(server, p.link.To) {
			n += p.ways[requests].waiting.Load()
		}
	}
	return n
}
