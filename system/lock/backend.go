// Package lock is the lock service: leases with fencing tokens over HTTP, on a store of choice,
// and its client.
package lock

import (
	"context"
	"errors"
	"time"
)

// Backend is a store that can grant leases. Every method makes one attempt and never waits for a
// lock to become free.
//
// Errors: ErrHeld and ErrLost are answers of the store; an error that wraps ErrNoEffect certainly
// changed nothing; after any other error the call may have taken effect.
type Backend interface {
	// Acquire grants key to owner for ttl unless somebody holds it. Tokens of one key strictly
	// increase in the order of its grants.
	Acquire(ctx context.Context, key, owner string, ttl time.Duration) (Grant, error)
	// Renew gives the grant of token its full TTL again, counted from now.
	Renew(ctx context.Context, key, owner string, token int64) (Grant, error)
	// Release ends the grant of token, and no other.
	Release(ctx context.Context, key, owner string, token int64) error
	// Holder returns the grant in force; Token is 0 when there is none.
	Holder(ctx context.Context, key string) (Grant, error)
}

// Grant is one lease.
type Grant struct {
	Owner   string
	Token   int64
	TTL     time.Duration // as recorded by the store; it may be longer than what was asked for
	Expires time.Time     // on the granting side's clock; for people, not for decisions
}

var (
	// ErrHeld: somebody else holds the lock.
	ErrHeld = errors.New("lock is held")
	// ErrLost: the grant is not, or no longer, in force.
	ErrLost = errors.New("lock is lost")
	// ErrNoEffect marks a failure that certainly changed nothing.
	ErrNoEffect = errors.New("not executed")
)
