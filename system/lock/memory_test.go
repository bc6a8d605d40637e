package lock_test

import (
	"context"
	"time"

	"dlsim/system/host"
	"dlsim/system/lock"
)

// memory is a third backend, to show how little one has to be. It is right as long as its process
// lives: it forgets its tokens with it, which is why it is a test's and nobody's lock store.
type memory struct {
	h     host.Host
	mu    host.Mutex
	locks map[string]lock.Grant
}

func newMemory(h host.Host) *memory {
	return &memory{h: h, mu: h.NewMutex(), locks: map[string]lock.Grant{}}
}

func (m *memory) Acquire(_ context.Context, key, owner string, ttl time.Duration) (lock.Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g := m.locks[key]
	if g.Owner != "" && m.h.Now().Before(g.Expires) {
		return lock.Grant{}, lock.ErrHeld
	}
	g = lock.Grant{Owner: owner, Token: g.Token + 1, TTL: ttl, Expires: m.h.Now().Add(ttl)}
	m.locks[key] = g
	return g, nil
}

// own returns the grant of token if it is in force.
func (m *memory) own(key, owner string, token int64) (lock.Grant, error) {
	g := m.locks[key]
	if g.Owner != owner || g.Token != token || !m.h.Now().Before(g.Expires) {
		return lock.Grant{}, lock.ErrLost
	}
	return g, nil
}

func (m *memory) Renew(_ context.Context, key, owner string, token int64) (lock.Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, err := m.own(key, owner, token)
	if err == nil {
		g.Expires = m.h.Now().Add(g.TTL)
		m.locks[key] = g
	}
	return g, err
}

func (m *memory) Release(_ context.Context, key, owner string, token int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, err := m.own(key, owner, token)
	if err == nil {
		g.Owner = "" // the token stays: the next grant counts on from it
		m.locks[key] = g
	}
	return err
}

func (m *memory) Holder(_ context.Context, key string) (lock.Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if g := m.locks[key]; g.Owner != "" && m.h.Now().Before(g.Expires) {
		return g, nil
	}
	return lock.Grant{}, nil
}
