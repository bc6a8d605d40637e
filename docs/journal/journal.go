// Package journal is a lock backend on one append-only file: the example of
// docs/bring-your-own-lock.md. One lock service may stand before it, not several.
package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"dlsim/history"
	"dlsim/system/host"
	"dlsim/system/lock"
)

// entry is the last thing that happened to a key. Entries are appended and never changed, so the
// tokens of a key go on rising after a restart.
type entry struct {
	Key, Owner string
	Token      int64
	TTL        time.Duration
	Over       bool          // released or expired
	since      time.Duration // on the monotonic clock; not written: clocks do not survive a restart
}

// Backend implements lock.Backend.
type Backend struct {
	h    host.Host
	log  host.Log
	mu   host.Mutex // held from the decision to its durability
	last map[string]entry
}

// Open reads the file back. A lease found there counts anew from its full time: that may keep a
// lock longer than was asked for, never shorter.
func Open(h host.Host) (*Backend, error) {
	log, err := h.Log("locks")
	if err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	records, err := log.Records()
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	b := &Backend{h: h, log: log, mu: h.NewMutex(), last: map[string]entry{}}
	for i, r := range records {
		e := entry{since: h.Monotonic()}
		if err := json.Unmarshal(r, &e); err != nil {
			return nil, fmt.Errorf("journal, record %d: %w", i, err)
		}
		b.last[e.Key] = e
	}
	return b, nil
}

// Acquire implements lock.Backend.
func (b *Backend) Acquire(_ context.Context, key, owner string, ttl time.Duration) (lock.Grant, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.last[key]
	if b.inForce(before) {
		return lock.Grant{}, lock.ErrHeld
	}
	if before.Token != 0 && !before.Over {
		before.Over = true
		b.keep(before, history.LockExpired, 0)
	}
	e := entry{Key: key, Owner: owner, Token: before.Token + 1, TTL: ttl}
	if err := b.append(e); err != nil {
		// It may be in the file all the same, though nobody was told: the token is spent.
		e.Over = true
		b.last[key] = e
		return lock.Grant{}, err
	}
	b.keep(e, history.LockGranted, before.Token)
	return b.grant(b.last[key]), nil
}

// Renew implements lock.Backend. A restart counts anew anyway, so there is nothing to write.
func (b *Backend) Renew(_ context.Context, key, owner string, token int64) (lock.Grant, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.last[key]
	if e.Owner != owner || e.Token != token || !b.inForce(e) {
		return lock.Grant{}, lock.ErrLost
	}
	b.keep(e, history.LockRenewed, 0)
	return b.grant(b.last[key]), nil
}

// Release implements lock.Backend.
func (b *Backend) Release(_ context.Context, key, owner string, token int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.last[key]
	if e.Owner != owner || e.Token != token || !b.inForce(e) {
		return lock.ErrLost
	}
	e.Over = true
	if err := b.append(e); err != nil {
		return err
	}
	b.keep(e, history.LockReleased, 0)
	return nil
}

// Holder implements lock.Backend.
func (b *Backend) Holder(_ context.Context, key string) (lock.Grant, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.last[key]; b.inForce(e) {
		return b.grant(e), nil
	}
	return lock.Grant{}, nil
}

func (b *Backend) inForce(e entry) bool {
	return e.Token != 0 && !e.Over && b.h.Monotonic()-e.since < e.TTL
}

func (b *Backend) append(e entry) error {
	text, err := json.Marshal(e)
	if err == nil {
		err = b.log.Append(text)
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err) // not lock.ErrNoEffect: it may be there
	}
	return nil
}

func (b *Backend) grant(e entry) lock.Grant {
	left := e.TTL - (b.h.Monotonic() - e.since)
	return lock.Grant{Owner: e.Owner, Token: e.Token, TTL: e.TTL, Expires: b.h.Now().Add(left)}
}

// keep makes e what holds for its key from now on, and records the truth of it. For etcd and
// PostgreSQL the world does the recording.
func (b *Backend) keep(e entry, op history.Op, prior int64) {
	e.since = b.h.Monotonic()
	b.last[e.Key] = e
	now := b.h.Now()
	event := history.Event{Kind: history.OK, Op: op, Truth: true, Account: e.Key, Owner: e.Owner, Token: e.Token, PriorToken: prior, Clock: now.UnixNano()}
	if !e.Over {
		event.Expires = now.Add(e.TTL).UnixNano()
	}
	b.h.Record(event)
}
