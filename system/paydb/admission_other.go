package paydb

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// The checks of the alternatives that were rejected. Where a check is off its row is still written,
// so that what was let through can be seen.
const (
	sqlSetMark = `INSERT INTO rail_high_water (account_id, token) VALUES ($1, $2)
ON CONFLICT (account_id) DO UPDATE SET token = EXCLUDED.token`

	sqlSetIntent = `INSERT INTO rail_submission (payout_id, account_id, token, amount_minor, state) VALUES ($1, $2, $3, $4, 'INTENT')
ON CONFLICT (payout_id) DO UPDATE SET account_id = EXCLUDED.account_id, token = EXCLUDED.token,
amount_minor = EXCLUDED.amount_minor, state = 'INTENT', rail_reference = '', first_seen_rail_ms = NULL`

	sqlAdvanceMarkOrEqual = `INSERT INTO rail_high_water (account_id, token) VALUES ($1, $2)
ON CONFLICT (account_id) DO UPDATE SET token = EXCLUDED.token WHERE rail_high_water.token <= EXCLUDED.token`

	sqlAdvanceMarkAsText = `INSERT INTO rail_high_water (account_id, token) VALUES ($1, $2)
ON CONFLICT (account_id) DO UPDATE SET token = EXCLUDED.token WHERE rail_high_water.token::text < EXCLUDED.token::text`

	sqlReadMark = `SELECT token FROM rail_high_water WHERE account_id = $1`

	sqlClaimHeld = `SELECT fence FROM payout WHERE payout_id = $1 AND state = 'CLAIMED' FOR UPDATE`
)

// SetMark is check 1 switched off: the mark becomes the token, whatever it was.
func SetMark(ctx context.Context, tx pgx.Tx, p Payout, token int64) error {
	_, err := tx.Exec(ctx, sqlSetMark, p.Account, token)
	return err
}

// SetIntent is check 2 switched off: the payout's row becomes this submission's.
func SetIntent(ctx context.Context, tx pgx.Tx, p Payout, token int64) error {
	_, err := tx.Exec(ctx, sqlSetIntent, p.ID, p.Account, token, p.Amount)
	return err
}

// AdvanceMarkOrEqual takes the mark's own token for a fresh one (ADR-007 D3 wants it greater).
func AdvanceMarkOrEqual(ctx context.Context, tx pgx.Tx, p Payout, token int64) error {
	return must(ctx, tx, ErrFencedOut, sqlAdvanceMarkOrEqual, p.Account, token)
}

// AdvanceMarkAsText compares tokens digit by digit (field report F32).
func AdvanceMarkAsText(ctx context.Context, tx pgx.Tx, p Payout, token int64) error {
	return must(ctx, tx, ErrFencedOut, sqlAdvanceMarkAsText, p.Account, token)
}

// AdvanceMarkOfPayout keeps a mark a payout (ADR-007 D5 says why that fences nothing).
func AdvanceMarkOfPayout(ctx context.Context, tx pgx.Tx, p Payout, token int64) error {
	return must(ctx, tx, ErrFencedOut, sqlAdvanceMark, p.ID, token)
}

// AdvanceMarkOfRail keeps a mark for each account and rail, as there is a lock for each (ADR-007 7.5).
func AdvanceMarkOfRail(ctx context.Context, tx pgx.Tx, p Payout, token int64) error {
	return must(ctx, tx, ErrFencedOut, sqlAdvanceMark, p.AccountAndRail(), token)
}

// AccountAndRail names the account together with the one of two rails that a payout goes by.
func (p Payout) AccountAndRail() string {
	if p.ID[len(p.ID)-1]%2 == 1 {
		return p.Account + ".rail-1"
	}
	return p.Account + ".rail-2"
}

// ReadThenSetMark compares in this process and writes afterwards (field report F12).
func ReadThenSetMark(ctx context.Context, tx pgx.Tx, p Payout, token int64) error {
	mark, err := readMark(tx.QueryRow(ctx, sqlReadMark, p.Account))
	switch {
	case err != nil:
		return err
	case token <= mark:
		return ErrFencedOut
	}
	return SetMark(ctx, tx, p, token)
}

// HoldClaim refuses a submitter whose claim has been replaced. The row lock keeps it from being
// replaced before the intent has committed.
func HoldClaim(ctx context.Context, tx pgx.Tx, p Payout, token int64) error {
	fence, err := readMark(tx.QueryRow(ctx, sqlClaimHeld, p.ID))
	switch {
	case err != nil:
		return err
	case fence != token:
		return ErrFencedOut
	}
	return nil
}

// Highest reads an account's mark, 0 where there is none.
func (s *Store) Highest(ctx context.Context, account string) (int64, error) {
	return readMark(s.db.QueryRow(ctx, sqlReadMark, account))
}

func readMark(row pgx.Row) (token int64, err error) {
	if err = row.Scan(&token); errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return token, err
}

const sqlSend = `INSERT INTO rail_sent (request, payout_id, account_id, amount_minor) VALUES ($1, $2, $3, $4)`

// Send counts the payout as sent, by a row that a ROLLBACK takes away again (ADR-004 A4.4).
func Send(ctx context.Context, tx pgx.Tx, p Payout, request string) error {
	_, err := tx.Exec(ctx, sqlSend, request, p.ID, p.Account, p.Amount)
	return err
}

// RecordOutcome writes what the rail answered within the transaction of the intent.
func RecordOutcome(ctx context.Context, tx pgx.Tx, p Payout, token int64, state, reference string) error {
	_, err := tx.Exec(ctx, sqlOutcome, p.ID, token, state, reference)
	return err
}
