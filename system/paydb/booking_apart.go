package paydb

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const (
	sqlDebitPlain = `UPDATE account SET balance_minor = balance_minor - $2, fence = $3 WHERE account_id = $1`

	sqlLedgerOnce = `INSERT INTO ledger_entry (payout_id, account_id, direction, amount_minor, token)
VALUES ($1, $2, 'DEBIT', $4, $5), ($1, $3, 'CREDIT', $4, $5)
ON CONFLICT (payout_id, account_id, direction) DO NOTHING`
)

// separately keeps ledger and balance as two owners would: payout and entries in one transaction,
// and then the balance in another, which nothing ties to the first (field report F22).
type separately struct {
	debit string
	tries int // a debit without an answer is sent again, as some drivers do (F20)
}

func (b separately) post(ctx context.Context, s *Store, p Payout, token int64, flip func(tx pgx.Tx) error) (Fate, error) {
	fate, err := s.transact(ctx, func(tx pgx.Tx) error {
		if err := flip(tx); err != nil {
			return err
		}
		return enterLedger(ctx, tx, sqlLedger, p, token)
	})
	if fate != Done {
		return fate, err
	}
	for range b.tries {
		if fate, err = s.exec(ctx, b.debit, p.Account, p.Amount, token); fate == Done {
			break
		}
	}
	return fate, err
}

// checkThenBook reads the state, and books when it is not POSTED yet; that the row is still as it
// was read is taken for granted (field report F23).
type checkThenBook struct{}

func (checkThenBook) post(ctx context.Context, s *Store, p Payout, token int64, _ func(tx pgx.Tx) error) (Fate, error) {
	_, state, err := s.Read(ctx, p.ID)
	switch {
	case err != nil:
		return Undone, err
	case state == Posted:
		return Undone, ErrNotTaken
	}
	return s.transact(ctx, func(tx pgx.Tx) error {
		if err := enterLedger(ctx, tx, sqlLedgerOnce, p, token); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, sqlDebitPlain, p.Account, p.Amount, token); err != nil {
			return err
		}
		return must(ctx, tx, ErrNotTaken, sqlSetPosted, p.ID, token)
	})
}

const sqlSetPosted = `UPDATE payout SET state = 'POSTED', fence = $2 WHERE payout_id = $1`
