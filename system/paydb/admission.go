package paydb

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Check is one step of an admission, inside its transaction: it refuses, or writes what it stands
// for. A refusal rolls everything back, the mark included.
type Check func(ctx context.Context, tx pgx.Tx, p Payout, token int64) error

// Admit runs the admission's checks in one transaction, in their order. ErrFencedOut and
// ErrDuplicate are the refusals.
func (s *Store) Admit(ctx context.Context, p Payout, token int64, checks ...Check) (Fate, error) {
	return s.transact(ctx, func(tx pgx.Tx) error {
		for _, check := range checks {
			if err := check(ctx, tx, p, token); err != nil {
				return err
			}
		}
		return nil
	})
}

// AdvanceMark is check 1: the token must be above the account's mark, which it becomes.
func AdvanceMark(ctx context.Context, tx pgx.Tx, p Payout, token int64) error {
	return must(ctx, tx, ErrFencedOut, sqlAdvanceMark, p.Account, token)
}

// WriteIntent is checks 2 and 3: the intent, unless the payout has one.
func WriteIntent(ctx context.Context, tx pgx.Tx, p Payout, token int64) error {
	return must(ctx, tx, ErrDuplicate, sqlIntent, p.ID, p.Account, token, p.Amount)
}
