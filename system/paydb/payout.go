package paydb

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Payout is one payout as an actor on it needs it.
type Payout struct {
	ID, Account string
	Amount      int64 // minor units, positive
}

// OpenAccount creates an account with its opening balance, unless it exists.
func (s *Store) OpenAccount(ctx context.Context, account string, balance int64) (Fate, error) {
	return existing(s.exec(ctx, OpenAccount, account, balance))
}

// Enter creates a payout in state PENDING, unless it exists.
func (s *Store) Enter(ctx context.Context, p Payout) (Fate, error) {
	return existing(s.exec(ctx, sqlEnter, p.ID, p.Account, p.Amount))
}

// existing takes "no row inserted" for what it means to an insert that tolerates its row: done.
func existing(f Fate, err error) (Fate, error) {
	if errors.Is(err, ErrNotTaken) {
		return Done, nil
	}
	return f, err
}

// Cancel cancels a payout that is still PENDING. From CLAIMED on it may have been paid.
func (s *Store) Cancel(ctx context.Context, payout string) (Fate, error) {
	return s.exec(ctx, sqlCancel, payout)
}

// Read returns a payout and its state.
func (s *Store) Read(ctx context.Context, payout string) (p Payout, state string, err error) {
	p.ID = payout
	err = s.db.QueryRow(ctx, sqlRead, payout).Scan(&p.Account, &p.Amount, &state)
	return p, state, err
}

// FindWork returns payouts that an executor may work on, in order of id, 64 at most. Every one
// of them becomes final or ambiguous sooner or later, so none is kept out for ever.
func (s *Store) FindWork(ctx context.Context, into []Payout) ([]Payout, error) {
	rows, err := s.db.Query(ctx, sqlFindWork)
	if err != nil {
		return into, err
	}
	defer rows.Close()
	for rows.Next() {
		into = append(into, Payout{})
		p := &into[len(into)-1]
		if err := rows.Scan(&p.ID, &p.Account, &p.Amount); err != nil {
			return into[:len(into)-1], err
		}
	}
	return into, rows.Err()
}

// Claim takes a payout for the holder of token. before says that somebody had claimed it before,
// and may have submitted it.
func (s *Store) Claim(ctx context.Context, payout string, token int64) (before bool, fate Fate, err error) {
	fate, err = s.transact(ctx, func(tx pgx.Tx) error {
		var state string
		if err := tx.QueryRow(ctx, sqlLockPayout, payout).Scan(&state); err != nil {
			if errors.Is(err, pgx.ErrNoRows) {
				return ErrNotTaken
			}
			return err
		}
		// Anything but PENDING counts as claimed: asking the proxy once too often costs a round trip.
		before = state != Pending
		return must(ctx, tx, ErrNotTaken, s.writes.claim, payout, token)
	})
	return before, fate, err
}

// Mark writes FAILED or RAIL_AMBIGUOUS to a payout that is still the holder's own.
func (s *Store) Mark(ctx context.Context, payout string, token int64, state string) (Fate, error) {
	return s.exec(ctx, s.writes.mark, payout, token, state)
}
