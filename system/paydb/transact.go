// Package paydb holds the payout database: its schema, its statements and its transactions. It
// owns what must be true of the rows; who may act on a payout, and when, is the callers' affair.
package paydb

import (
	"context"
	"errors"
	"fmt"

	"dlsim/system/config"
	"dlsim/system/dberr"
	"dlsim/system/host"

	"github.com/jackc/pgx/v5"
)

// Fate is what became of a write.
type Fate uint8

const (
	// Undone: it certainly had no effect.
	Undone Fate = iota
	// Done: it certainly committed.
	Done
	// Unknown: no answer tells.
	Unknown
)

// Refusals: the write found the row in another state or under another fence than it wanted. The
// fate is Undone.
var (
	ErrNotTaken  = errors.New("no row was in the wanted state under the wanted fence")
	ErrFencedOut = errors.New("a token at least as high was admitted before")
	ErrDuplicate = errors.New("the payout has a submission")
)

// Refused reports whether err is a refusal of ours rather than a failure of the database.
func Refused(err error) bool {
	return errors.Is(err, ErrNotTaken) || errors.Is(err, ErrFencedOut) || errors.Is(err, ErrDuplicate)
}

// Store is paydb as one process uses it. Deadlines are the callers' contexts.
type Store struct {
	db          host.DB
	lockTimeout string // statement that bounds lock waits in a transaction; "" leaves them to the deadline
	writes      *writes
	booking     booking
}

// NewStore returns paydb over db as cfg has it written. A lock timeout of 0 waits for row locks
// until the deadline.
func NewStore(db host.DB, cfg config.Paydb) *Store {
	s := &Store{db: db, writes: writesOf(cfg.Writes), booking: bookingOf(cfg.Posting)}
	if cfg.LockTimeout > 0 {
		s.lockTimeout = fmt.Sprintf("SET LOCAL lock_timeout = %d", max(1, cfg.LockTimeout.Milliseconds()))
	}
	return s
}

// transact runs f in one READ COMMITTED transaction and commits it unless f fails.
//
// Whatever goes wrong before COMMIT is sent is Undone: a transaction that nobody commits never
// takes effect. Only COMMIT itself can have an unknown outcome (field report F21).
func (s *Store) transact(ctx context.Context, f func(tx pgx.Tx) error) (Fate, error) {
	tx, err := s.db.BeginTx(ctx, pgx.TxOptions{})
	if err != nil {
		return Undone, fmt.Errorf("begin: %w", err)
	}
	if s.lockTimeout != "" {
		_, err = tx.Exec(ctx, s.lockTimeout)
	}
	if err == nil {
		err = f(tx)
	}
	if err != nil {
		// If this fails the connection is lost and the server undoes the transaction by itself.
		_ = tx.Rollback(ctx)
		return Undone, err
	}
	if err := tx.Commit(ctx); err != nil {
		if dberr.NoEffect(err) {
			return Undone, fmt.Errorf("commit: %w", err)
		}
		return Unknown, fmt.Errorf("commit: %w", err)
	}
	return Done, nil
}

// exec runs one statement as its own transaction. No row affected is ErrNotTaken.
func (s *Store) exec(ctx context.Context, sql string, args ...any) (Fate, error) {
	tag, err := s.db.Exec(ctx, sql, args...)
	switch {
	case err == nil && tag.RowsAffected() == 0:
		return Undone, ErrNotTaken
	case err == nil:
		return Done, nil
	case dberr.NoEffect(err):
		return Undone, err
	}
	return Unknown, err
}

// must runs one statement of a transaction that has to affect a row; otherwise it fails with none.
func must(ctx context.Context, tx pgx.Tx, none error, sql string, args ...any) error {
	tag, err := tx.Exec(ctx, sql, args...)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return none
	}
	return nil
}
