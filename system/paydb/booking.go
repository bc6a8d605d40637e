package paydb

import (
	"context"

	"dlsim/system/config"

	"github.com/jackc/pgx/v5"
)

// Post books a payout that the rail has accepted and that is still the holder's own. The
// conditional flip comes first, so only who flips the row books (field report F23).
func (s *Store) Post(ctx context.Context, p Payout, token int64) (Fate, error) {
	return s.booking.post(ctx, s, p, token, func(tx pgx.Tx) error {
		return must(ctx, tx, ErrNotTaken, s.writes.post, p.ID, token)
	})
}

// booking is how a payout that was paid comes into ledger and balance: flip takes it to POSTED.
type booking interface {
	post(ctx context.Context, s *Store, p Payout, token int64, flip func(tx pgx.Tx) error) (Fate, error)
}

func bookingOf(name string) booking {
	switch name {
	case config.PostingSeparate:
		return separately{sqlDebitPlain, 1}
	case config.PostingSeparateFenced:
		return separately{fenced.debit, 1}
	case config.PostingSeparateKeyed:
		return balanceFirst{}
	case config.PostingRetried:
		return separately{sqlDebitPlain, 3}
	case config.PostingCheckThenBook:
		return checkThenBook{}
	}
	return together{}
}

// together is the design: flip, two ledger rows and the balance in one transaction, all under one
// fence (field report F22).
type together struct{}

func (together) post(ctx context.Context, s *Store, p Payout, token int64, flip func(tx pgx.Tx) error) (Fate, error) {
	return s.transact(ctx, func(tx pgx.Tx) error {
		if err := flip(tx); err != nil {
			return err
		}
		if err := enterLedger(ctx, tx, sqlLedger, p, token); err != nil {
			return err
		}
		return must(ctx, tx, ErrNotTaken, s.writes.debit, p.Account, p.Amount, token)
	})
}

// enterLedger writes the two ledger rows with the statement sql.
func enterLedger(ctx context.Context, tx pgx.Tx, sql string, p Payout, token int64) error {
	_, err := tx.Exec(ctx, sql, p.ID, p.Account, ClearingAccount, p.Amount, token)
	return err
}
