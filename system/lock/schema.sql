-- lockdb: the lock service's PostgreSQL backend. A row is kept for ever, so that its token never
-- restarts. owner is empty while nobody holds the lock.

CREATE TABLE lock_grant (
    lock_key   text        PRIMARY KEY,
    owner      text        NOT NULL,
    token      bigint      NOT NULL CHECK (token > 0),
    ttl_ms     bigint      NOT NULL CHECK (ttl_ms > 0),
    expires_at timestamptz NOT NULL
);
