package paydb

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Outcome writes what the rail answered to the submission of token, if it is still INTENT. It may
// be repeated: the first time decides.
func (s *Store) Outcome(ctx context.Context, payout string, token int64, state, reference string) (Fate, error) {
	return s.exec(ctx, sqlOutcome, payout, token, state, reference)
}

// Submission is one submission row.
type Submission struct {
	Token     int64
	State     string
	Reference string // the rail's, when ACCEPTED
}

// Submission reads a payout's submission row; State is None when there is none.
func (s *Store) Submission(ctx context.Context, payout string) (Submission, error) {
	var r Submission
	err := s.db.QueryRow(ctx, sqlSubmission, payout).Scan(&r.Token, &r.State, &r.Reference)
	if errors.Is(err, pgx.ErrNoRows) {
		return Submission{State: None}, nil
	}
	return r, err
}

// Unresolved is a payout that only the reconciler may bring to an end, with its submission row.
type Unresolved struct {
	Payout
	PayoutState string
	Submission
	FirstSeen int64 // ms on the rail's clock; 0 while not stored
}

// Open reports whether the submission row itself leaves the outcome open.
func (u *Unresolved) Open() bool { return u.State == Intent || u.State == Timeout }

// FindUnresolved returns every ambiguous payout, and every claimed one whose submission is open,
// in order of id.
func (s *Store) FindUnresolved(ctx context.Context, into []Unresolved) ([]Unresolved, error) {
	rows, err := s.db.Query(ctx, sqlUnresolved)
	if err != nil {
		return into, err
	}
	defer rows.Close()
	for rows.Next() {
		var u Unresolved
		if err := rows.Scan(&u.ID, &u.Account, &u.Amount, &u.PayoutState,
			&u.Token, &u.State, &u.Reference, &u.FirstSeen); err != nil {
			return into, err
		}
		into = append(into, u)
	}
	return into, rows.Err()
}

// SetFirstSeen stores the rail's clock with an open submission row, once.
func (s *Store) SetFirstSeen(ctx context.Context, u *Unresolved, railMs int64) (Fate, error) {
	return s.exec(ctx, sqlFirstSeen, u.ID, u.Token, railMs)
}

// Resolve ends a payout under the reconciler's own grant: with paid it is POSTED, else FAILED. An
// open submission row becomes ACCEPTED or NOT_EXECUTED in the same transaction, and must still be
// the open row that u saw.
func (s *Store) Resolve(ctx context.Context, u *Unresolved, grant int64, paid bool, reference string) (Fate, error) {
	payoutState, rowState := Failed, NotExecuted
	if paid {
		payoutState, rowState = Posted, Accepted
	}
	flip := func(tx pgx.Tx) error {
		if err := must(ctx, tx, ErrNotTaken, s.writes.resolve, u.ID, grant, payoutState); err != nil {
			return err
		}
		if u.Open() {
			return must(ctx, tx, ErrNotTaken, sqlResolveSubmission, u.ID, u.Token, rowState, reference)
		}
		return nil
	}
	if paid {
		return s.booking.post(ctx, s, u.Payout, grant, flip)
	}
	return s.transact(ctx, flip)
}
