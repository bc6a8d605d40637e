-- paydb: the payout database. One file for every world.
-- Money is integer minor units. fence and token are fencing tokens: the highest that has written.

CREATE TABLE account (
    account_id    text   PRIMARY KEY,
    balance_minor bigint NOT NULL,
    fence         bigint NOT NULL DEFAULT 0
);

CREATE TABLE payout (
    payout_id    text   PRIMARY KEY,
    account_id   text   NOT NULL,
    amount_minor bigint NOT NULL CHECK (amount_minor > 0),
    state        text   NOT NULL CHECK (state IN ('PENDING', 'CLAIMED', 'POSTED', 'RAIL_AMBIGUOUS', 'FAILED', 'CANCELLED')),
    fence        bigint NOT NULL DEFAULT 0
);

CREATE TABLE ledger_entry (
    payout_id    text   NOT NULL,
    account_id   text   NOT NULL,
    direction    text   NOT NULL CHECK (direction IN ('DEBIT', 'CREDIT')),
    amount_minor bigint NOT NULL CHECK (amount_minor > 0),
    token        bigint NOT NULL,
    PRIMARY KEY (payout_id, account_id, direction)
);

-- The mark (ADR-007 D2): per account, as the lock is.
CREATE TABLE rail_high_water (
    account_id text   PRIMARY KEY,
    token      bigint NOT NULL CHECK (token > 0)
);

-- What counts as sent where the rail is a table (rail.in); no part of the design writes to it.
CREATE TABLE rail_sent (
    request      text   PRIMARY KEY,
    payout_id    text   NOT NULL,
    account_id   text   NOT NULL,
    amount_minor bigint NOT NULL CHECK (amount_minor > 0)
);

-- What the balance's owner has booked, where it is another than the ledger's (paydb.posting); no part of
-- the design writes to it.
CREATE TABLE balance_booked (
    payout_id text   PRIMARY KEY,
    token     bigint NOT NULL
);

-- The intent and what became of it. first_seen_rail_ms is the rail's clock as the reconciler
-- read it after it had seen the row unresolved; null until then.
CREATE TABLE rail_submission (
    payout_id          text   PRIMARY KEY,
    account_id         text   NOT NULL,
    token              bigint NOT NULL CHECK (token > 0),
    amount_minor       bigint NOT NULL CHECK (amount_minor > 0),
    state              text   NOT NULL CHECK (state IN ('INTENT', 'ACCEPTED', 'REJECTED', 'TIMEOUT', 'NOT_EXECUTED')),
    rail_reference     text   NOT NULL DEFAULT '',
    first_seen_rail_ms bigint
);
