package paydb

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// ClaimByID claims a payout whatever state it is in (field report F24).
func (s *Store) ClaimByID(ctx context.Context, payout string, token int64) (Fate, error) {
	return s.exec(ctx, sqlClaimByID, payout, token)
}

// PutBack makes a payout PENDING again whatever state it is in (F07).
func (s *Store) PutBack(ctx context.Context, payout string) (Fate, error) {
	return s.exec(ctx, sqlPutBack, payout)
}

// Reopen forgets a payout's submission and makes the payout PENDING again (F02).
func (s *Store) Reopen(ctx context.Context, payout string) (Fate, error) {
	return s.transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlForgetSubmission, payout); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, sqlPutBack, payout)
		return err
	})
}

// CancelClaimed cancels a payout that is PENDING or CLAIMED. The claimed one may have been paid.
func (s *Store) CancelClaimed(ctx context.Context, payout string) (Fate, error) {
	return s.exec(ctx, sqlCancelClaimed, payout)
}

// Withdraw moves a PENDING payout's money to another account within this database: what needs no lock
// (ADR-004 A4.1). Where there is not enough, or the payout is not PENDING, it is ErrNotTaken.
func (s *Store) Withdraw(ctx context.Context, p Payout, to string) (Fate, error) {
	return s.transact(ctx, func(tx pgx.Tx) error {
		if err := must(ctx, tx, ErrNotTaken, sqlPostPending, p.ID); err != nil {
			return err
		}
		if err := must(ctx, tx, ErrNotTaken, sqlWithdraw, p.Account, p.Amount); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, sqlLedger, p.ID, p.Account, to, p.Amount, 0)
		return err
	})
}

// What no part of the design does.
const (
	sqlPostPending = `UPDATE payout SET state = 'POSTED' WHERE payout_id = $1 AND state = 'PENDING'`
	sqlWithdraw    = `UPDATE account SET balance_minor = balance_minor - $2 WHERE account_id = $1 AND balance_minor >= $2`

	sqlClaimByID        = `UPDATE payout SET state = 'CLAIMED', fence = $2 WHERE payout_id = $1`
	sqlPutBack          = `UPDATE payout SET state = 'PENDING' WHERE payout_id = $1`
	sqlForgetSubmission = `DELETE FROM rail_submission WHERE payout_id = $1 AND state IN ('INTENT', 'TIMEOUT')`
	sqlCancelClaimed    = `UPDATE payout SET state = 'CANCELLED' WHERE payout_id = $1 AND state IN ('PENDING', 'CLAIMED')`
)
