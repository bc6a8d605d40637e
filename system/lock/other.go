package lock

import (
	"context"
	"fmt"
	"strings"
	"time"

	"dlsim/system/config"
	"dlsim/system/host"

	"github.com/jackc/pgx/v5"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// NewBackend returns the backend that cfg names, or what cfg puts in its place. The error says that
// it names none.
func NewBackend(h host.Host, cfg config.Lock) (Backend, error) {
	switch cfg.Backend {
	case config.BackendPostgres:
		return newPostgres(h, cfg), nil
	case config.BackendEtcd:
		return newEtcd(h, cfg), nil
	}
	return nil, fmt.Errorf("lock.backend: %q is neither %s nor %s", cfg.Backend, config.BackendEtcd, config.BackendPostgres)
}

func newEtcd(h host.Host, cfg config.Lock) Backend {
	e := NewEtcd(h, cfg.Backing)
	if cfg.Release == config.ReleaseByName {
		return etcdByName{e}
	}
	return e
}

func newPostgres(h host.Host, cfg config.Lock) Backend {
	p := NewPostgres(h.DB("lockdb"))
	switch {
	case cfg.Release == config.ReleaseDelete:
		p.sql = deleted()
	case cfg.Release == config.ReleaseByName:
		return postgresByName{p}
	case cfg.Expiry == config.ExpiryClientClock:
		p.sql = byClientsClock(h)
	case cfg.Tokens == config.TokensClock:
		return tokensFromClock{p, h}
	case cfg.Tokens == config.TokensSequence:
		return unflushed{p}
	}
	return p
}

// deleted lets the row go with its release, so that the next token of the key is 1 again.
func deleted() *statements {
	s := inRow
	s.release = `DELETE FROM lock_grant WHERE lock_key = $1 AND owner = $2 AND token = $3 AND expires_at > clock_timestamp()`
	return &s
}

// byClientsClock judges every lease by the clock of the lock service that asks (field report F26).
func byClientsClock(h host.Host) *statements {
	with := func(sql, parameter string) string {
		return strings.ReplaceAll(sql, "clock_timestamp()", parameter+"::timestamptz")
	}
	return &statements{
		acquire: with(sqlAcquire, "$4"), renew: with(sqlRenew, "$4"), release: with(sqlRelease, "$4"), holder: with(sqlHolder, "$2"),
		more: func() []any { return []any{h.Now()} },
	}
}

// tokensFromClock numbers grants by the granting service's wall clock, in milliseconds (F33).
type tokensFromClock struct {
	*Postgres
	h host.Host
}

const sqlAcquireNumbered = `INSERT INTO lock_grant (lock_key, owner, token, ttl_ms, expires_at)
VALUES ($1, $2, $4, $3, clock_timestamp() + $3::bigint * interval '1 millisecond')
ON CONFLICT (lock_key) DO UPDATE SET owner = EXCLUDED.owner, token = EXCLUDED.token, ttl_ms = EXCLUDED.ttl_ms,
expires_at = clock_timestamp() + EXCLUDED.ttl_ms * interval '1 millisecond'
WHERE lock_grant.owner = '' OR lock_grant.expires_at <= clock_timestamp()
RETURNING token, expires_at`

// Acquire implements Backend.
func (c tokensFromClock) Acquire(ctx context.Context, key, owner string, ttl time.Duration) (Grant, error) {
	g := Grant{Owner: owner, TTL: ttl.Truncate(time.Millisecond)}
	err := c.db.QueryRow(ctx, sqlAcquireNumbered, key, owner, g.TTL.Milliseconds(), c.h.Now().UnixMilli()).Scan(&g.Token, &g.Expires)
	return g, answer("acquire", err, ErrHeld)
}

// unflushed answers before the grant is on disk: a crash forgets it, and its token is given again
// (F08).
type unflushed struct{ *Postgres }

// Acquire implements Backend.
func (u unflushed) Acquire(ctx context.Context, key, owner string, ttl time.Duration) (Grant, error) {
	g := Grant{Owner: owner, TTL: ttl.Truncate(time.Millisecond)}
	tx, err := u.db.BeginTx(ctx, pgx.TxOptions{})
	if err != nil {
		return g, answer("begin", err, nil)
	}
	if _, err = tx.Exec(ctx, "SET LOCAL synchronous_commit = off"); err == nil {
		err = tx.QueryRow(ctx, sqlAcquire, key, owner, g.TTL.Milliseconds()).Scan(&g.Token, &g.Expires)
	}
	if err != nil {
		_ = tx.Rollback(ctx)
		return g, answer("acquire", err, ErrHeld)
	}
	return g, answer("commit", tx.Commit(ctx), nil)
}

// postgresByName releases whoever holds the key (F17).
type postgresByName struct{ *Postgres }

// Release implements Backend.
func (p postgresByName) Release(ctx context.Context, key, _ string, _ int64) error {
	_, err := p.db.Exec(ctx, `UPDATE lock_grant SET owner = '', expires_at = clock_timestamp() WHERE lock_key = $1`, key)
	return answer("release", err, ErrLost)
}

// etcdByName is the same in etcd.
type etcdByName struct{ *Etcd }

// Release implements Backend.
func (e etcdByName) Release(ctx context.Context, key, _ string, _ int64) error {
	_, err := e.kv.Do(ctx, clientv3.OpDelete(EtcdPrefix+key))
	return err
}
