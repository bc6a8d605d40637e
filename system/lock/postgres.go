package lock

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"dlsim/system/dberr"
	"dlsim/system/host"

	"github.com/jackc/pgx/v5"
)

// Schema creates the lock table in an empty lockdb.
//
//go:embed schema.sql
var Schema string

// Each statement reads the database's clock by clock_timestamp(), after any wait for the row:
// now() would stand still from the start of the transaction (field reports F26, F27).
const (
	sqlAcquire = `INSERT INTO lock_grant (lock_key, owner, token, ttl_ms, expires_at)
VALUES ($1, $2, 1, $3, clock_timestamp() + $3::bigint * interval '1 millisecond')
ON CONFLICT (lock_key) DO UPDATE SET owner = EXCLUDED.owner, token = lock_grant.token + 1, ttl_ms = EXCLUDED.ttl_ms,
expires_at = clock_timestamp() + EXCLUDED.ttl_ms * interval '1 millisecond'
WHERE lock_grant.owner = '' OR lock_grant.expires_at <= clock_timestamp()
RETURNING token, expires_at`

	sqlRenew = `UPDATE lock_grant SET expires_at = clock_timestamp() + ttl_ms * interval '1 millisecond'
WHERE lock_key = $1 AND owner = $2 AND token = $3 AND expires_at > clock_timestamp()
RETURNING ttl_ms, expires_at`

	// The row stays, and with it the token (field report F17 is why owner and token are compared).
	sqlRelease = `UPDATE lock_grant SET owner = '', expires_at = clock_timestamp()
WHERE lock_key = $1 AND owner = $2 AND token = $3 AND expires_at > clock_timestamp()`

	sqlHolder = `SELECT owner, token, ttl_ms, expires_at FROM lock_grant
WHERE lock_key = $1 AND owner <> '' AND expires_at > clock_timestamp()`
)

// Postgres keeps one row a lock in lockdb.
type Postgres struct {
	db  host.DB
	sql *statements
}

// statements are the backend's, each with the arguments that it takes after the usual ones.
type statements struct {
	acquire, renew, release, holder string
	more                            func() []any
}

var inRow = statements{acquire: sqlAcquire, renew: sqlRenew, release: sqlRelease, holder: sqlHolder,
	more: func() []any { return nil }}

// NewPostgres returns the backend on db, whose schema is Schema.
func NewPostgres(db host.DB) *Postgres { return &Postgres{db: db, sql: &inRow} }

// Acquire implements Backend in one statement: the row lock that the upsert takes makes test and
// grant one step.
func (p *Postgres) Acquire(ctx context.Context, key, owner string, ttl time.Duration) (Grant, error) {
	g := Grant{Owner: owner, TTL: ttl.Truncate(time.Millisecond)}
	err := p.db.QueryRow(ctx, p.sql.acquire, p.args(key, owner, g.TTL.Milliseconds())...).Scan(&g.Token, &g.Expires)
	return g, answer("acquire", err, ErrHeld)
}

// Renew implements Backend.
func (p *Postgres) Renew(ctx context.Context, key, owner string, token int64) (Grant, error) {
	g := Grant{Owner: owner, Token: token}
	var ttl int64
	err := p.db.QueryRow(ctx, p.sql.renew, p.args(key, owner, token)...).Scan(&ttl, &g.Expires)
	g.TTL = time.Duration(ttl) * time.Millisecond
	return g, answer("renew", err, ErrLost)
}

// Release implements Backend.
func (p *Postgres) Release(ctx context.Context, key, owner string, token int64) error {
	tag, err := p.db.Exec(ctx, p.sql.release, p.args(key, owner, token)...)
	if err == nil && tag.RowsAffected() == 0 {
		return ErrLost
	}
	return answer("release", err, ErrLost)
}

// Holder implements Backend.
func (p *Postgres) Holder(ctx context.Context, key string) (Grant, error) {
	var g Grant
	var ttl int64
	err := p.db.QueryRow(ctx, p.sql.holder, p.args(key)...).Scan(&g.Owner, &g.Token, &ttl, &g.Expires)
	if errors.Is(err, pgx.ErrNoRows) {
		return Grant{}, nil
	}
	g.TTL = time.Duration(ttl) * time.Millisecond
	return g, answer("read", err, nil)
}

func (p *Postgres) args(args ...any) []any { return append(args, p.sql.more()...) }

// answer turns a statement's error into the Backend's terms; none is what "no row" means.
func answer(doing string, err, none error) error {
	switch {
	case err == nil:
		return nil
	case none != nil && errors.Is(err, pgx.ErrNoRows):
		return none
	case dberr.NoEffect(err):
		return fmt.Errorf("lockdb: %s: %w: %w", doing, ErrNoEffect, err)
	}
	return fmt.Errorf("lockdb: %s: %w", doing, err)
}
