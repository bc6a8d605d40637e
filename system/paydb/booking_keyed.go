package paydb

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const sqlBooked = `INSERT INTO balance_booked (payout_id, token) VALUES ($1, $2) ON CONFLICT (payout_id) DO NOTHING`

// balanceFirst is what it takes when ledger and balance have two owners (ADR-004 A4.5: a third fencing
// point). The balance is booked before the payout is flipped, so whoever dies in between leaves a payout
// that is not POSTED, and the next grant does it all again; the balance's owner knows the payouts that it
// has booked, so the second time changes nothing; and its fence refuses who is late.
type balanceFirst struct{}

func (balanceFirst) post(ctx context.Context, s *Store, p Payout, token int64, flip func(tx pgx.Tx) error) (Fate, error) {
	fate, err := s.transact(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sqlBooked, p.ID, token)
		if err != nil || tag.RowsAffected() == 0 {
			return err // it was booked before
		}
		return must(ctx, tx, ErrNotTaken, s.writes.debit, p.Account, p.Amount, token)
	})
	if fate != Done {
		return Undone, err // of the posting: nothing says POSTED
	}
	return s.transact(ctx, func(tx pgx.Tx) error {
		if err := flip(tx); err != nil {
			return err
		}
		return enterLedger(ctx, tx, sqlLedger, p, token)
	})
}
