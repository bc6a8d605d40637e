package paydb

import (
	"context"
	"errors"
	"testing"

	"dlsim/sim/testhost"
	"dlsim/system/config"
)

// step is one statement and the rows that it affects.
func step(sql string, affected int) testhost.Step { return testhost.Step{SQL: sql, Affected: affected} }

var (
	begins, commits = testhost.Step{SQL: "begin"}, testhost.Step{SQL: "commit"}
	lostCommit      = testhost.Step{SQL: "commit", Err: gone}
	flips           = step("SET state = 'POSTED'", 1)
	enters          = step("INSERT INTO ledger_entry", 2)
	debits          = "UPDATE account SET balance_minor = balance_minor - $2"
)

func TestWhatEachPostingWritesAndInHowManyTransactions(t *testing.T) {
	for _, c := range []struct {
		what, posting string
		steps         []testhost.Step
		fate          Fate
		err           error
	}{
		{"together: all in one", config.PostingTogether, []testhost.Step{begins, flips, enters, step(debits, 1), commits}, Done, nil},
		{"apart: the balance afterwards, whatever its fence", config.PostingSeparate,
			[]testhost.Step{begins, flips, enters, commits, step("fence = $3 WHERE account_id = $1", 1)}, Done, nil},
		{"apart: no debit without a flip", config.PostingSeparate, []testhost.Step{begins, step("SET state = 'POSTED'", 0)}, Undone, ErrNotTaken},
		{"apart: a lost debit is not sent again", config.PostingSeparate,
			[]testhost.Step{begins, flips, enters, commits, {SQL: debits, Err: gone}}, Unknown, gone},
		{"retried: it is, as often as that is lost", config.PostingRetried,
			[]testhost.Step{begins, flips, enters, commits, {SQL: debits, Err: gone}, {SQL: debits, Err: gone}, step(debits, 1)}, Done, nil},
		{"fenced: a debit that comes late is refused, and the payout is POSTED", config.PostingSeparateFenced,
			[]testhost.Step{begins, flips, enters, commits, step("fence < $3", 0)}, Undone, ErrNotTaken},
		{"keyed: the balance first", config.PostingSeparateKeyed,
			[]testhost.Step{begins, step("INSERT INTO balance_booked", 1), step("fence < $3", 1), commits, begins, flips, enters, commits}, Done, nil},
		{"keyed: what was booked before is not booked again", config.PostingSeparateKeyed,
			[]testhost.Step{begins, step("INSERT INTO balance_booked", 0), commits, begins, flips, enters, commits}, Done, nil},
		{"keyed: who is late books nothing and posts nothing", config.PostingSeparateKeyed,
			[]testhost.Step{begins, step("INSERT INTO balance_booked", 1), step("fence < $3", 0)}, Undone, ErrNotTaken},
		{"keyed: a booking of unknown fate leaves the payout as it is", config.PostingSeparateKeyed,
			[]testhost.Step{begins, step("INSERT INTO balance_booked", 1), step(debits, 1), lostCommit}, Undone, gone},
		{"check then book: books what it read as open", config.PostingCheckThenBook,
			[]testhost.Step{{SQL: "FROM payout", Rows: [][]any{{"a-1", 7, Claimed}}}, begins, step("DO NOTHING", 2), step(debits, 1), step("SET state = 'POSTED', fence = $2", 1), commits}, Done, nil},
		{"check then book: leaves what it read as POSTED", config.PostingCheckThenBook,
			[]testhost.Step{{SQL: "FROM payout", Rows: [][]any{{"a-1", 7, Posted}}}}, Undone, ErrNotTaken},
	} {
		db := testhost.NewScript(t, c.steps...)
		fate, err := NewStore(db, config.Paydb{Posting: c.posting}).Post(context.Background(), p, 5)
		if fate != c.fate || c.err != nil && !errors.Is(err, c.err) || c.err == nil && err != nil {
			t.Errorf("%s: fate %d, %v", c.what, fate, err)
		}
	}
}

func TestUnfencedWritesCompareNoTokens(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		what, sql string
		do        func(s *Store) (Fate, error)
		around    bool // a transaction of its own
	}{
		{"claim", "WHERE payout_id = $1 AND state IN ('PENDING', 'CLAIMED')", func(s *Store) (Fate, error) {
			_, fate, err := s.Claim(ctx, "p-1", 5)
			return fate, err
		}, true},
		{"mark", "WHERE payout_id = $1 AND state = 'CLAIMED'", func(s *Store) (Fate, error) { return s.Mark(ctx, "p-1", 5, Failed) }, false},
	} {
		steps := []testhost.Step{step(c.sql, 1)}
		if c.around {
			steps = []testhost.Step{begins, {SQL: "FOR UPDATE", Rows: [][]any{{Claimed}}}, steps[0], commits}
		}
		if fate, err := c.do(NewStore(testhost.NewScript(t, steps...), config.Paydb{Writes: config.WritesUnfenced})); fate != Done {
			t.Errorf("%s: fate %d, %v", c.what, fate, err)
		}
	}
}

func TestEachCheckRefusesWhatItIsFor(t *testing.T) {
	mark := func(token int) testhost.Step {
		return testhost.Step{SQL: "SELECT token FROM rail_high_water", Rows: [][]any{{token}}}
	}
	for _, c := range []struct {
		what  string
		check Check
		steps []testhost.Step
		err   error
	}{
		{"equal tokens pass where they may", AdvanceMarkOrEqual, []testhost.Step{step("<= EXCLUDED.token", 1)}, nil},
		{"lower ones do not", AdvanceMarkOrEqual, []testhost.Step{step("<= EXCLUDED.token", 0)}, ErrFencedOut},
		{"as text", AdvanceMarkAsText, []testhost.Step{step("token::text < EXCLUDED.token::text", 0)}, ErrFencedOut},
		{"a mark of the payout", AdvanceMarkOfPayout, []testhost.Step{step("rail_high_water.token < EXCLUDED.token", 0)}, ErrFencedOut},
		{"a mark of account and rail", AdvanceMarkOfRail, []testhost.Step{step("rail_high_water.token < EXCLUDED.token", 0)}, ErrFencedOut},
		{"read, then set", ReadThenSetMark, []testhost.Step{mark(4), step("DO UPDATE SET token", 1)}, nil},
		{"read where there is none, then set", ReadThenSetMark, []testhost.Step{{SQL: "SELECT token"}, step("DO UPDATE SET token", 1)}, nil},
		{"read an equal one", ReadThenSetMark, []testhost.Step{mark(5)}, ErrFencedOut},
		{"the claim stands", HoldClaim, []testhost.Step{{SQL: "state = 'CLAIMED' FOR UPDATE", Rows: [][]any{{5}}}}, nil},
		{"the claim is another's", HoldClaim, []testhost.Step{{SQL: "FOR UPDATE", Rows: [][]any{{6}}}}, ErrFencedOut},
		{"nothing is claimed", HoldClaim, []testhost.Step{{SQL: "FOR UPDATE"}}, ErrFencedOut},
		{"no check of the mark", SetMark, []testhost.Step{step("SET token = EXCLUDED.token", 0)}, nil},
		{"no check of the payout", SetIntent, []testhost.Step{step("state = 'INTENT', rail_reference = ''", 0)}, nil},
	} {
		steps := append([]testhost.Step{begins}, c.steps...)
		if c.err == nil {
			steps = append(steps, commits)
		}
		fate, err := NewStore(testhost.NewScript(t, steps...), config.Paydb{}).Admit(context.Background(), p, 5, c.check)
		if !errors.Is(err, c.err) || (fate == Done) != (c.err == nil) {
			t.Errorf("%s: fate %d, %v", c.what, fate, err)
		}
	}
}

func TestAPayoutGoesByOneOfTwoRails(t *testing.T) {
	for id, want := range map[string]string{"payout-1": "a-1.rail-1", "payout-2": "a-1.rail-2"} {
		if got := (Payout{ID: id, Account: "a-1"}).AccountAndRail(); got != want {
			t.Errorf("%s: %s", id, got)
		}
	}
}

func TestWhatNoPartOfTheDesignWrites(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		what  string
		do    func(s *Store) (Fate, error)
		steps []testhost.Step
		fate  Fate
	}{
		{"a claim by id", func(s *Store) (Fate, error) { return s.ClaimByID(ctx, "p-1", 5) },
			[]testhost.Step{step("SET state = 'CLAIMED', fence = $2 WHERE payout_id = $1", 1)}, Done},
		{"put back by id", func(s *Store) (Fate, error) { return s.PutBack(ctx, "p-1") },
			[]testhost.Step{step("SET state = 'PENDING' WHERE payout_id = $1", 1)}, Done},
		{"reopened, its submission forgotten", func(s *Store) (Fate, error) { return s.Reopen(ctx, "p-1") },
			[]testhost.Step{begins, step("DELETE FROM rail_submission", 1), step("SET state = 'PENDING'", 1), commits}, Done},
		{"reopened, the commit lost", func(s *Store) (Fate, error) { return s.Reopen(ctx, "p-1") },
			[]testhost.Step{begins, step("DELETE FROM rail_submission", 1), step("SET state = 'PENDING'", 1), lostCommit}, Unknown},
		{"a claimed payout cancelled", func(s *Store) (Fate, error) { return s.CancelClaimed(ctx, "p-1") },
			[]testhost.Step{step("state IN ('PENDING', 'CLAIMED')", 1)}, Done},
		{"a withdrawal", func(s *Store) (Fate, error) { return s.Withdraw(ctx, p, ClearingAccount) },
			[]testhost.Step{begins, step("state = 'PENDING'", 1), step("balance_minor >= $2", 1), enters, commits}, Done},
		{"a withdrawal of what is not there", func(s *Store) (Fate, error) { return s.Withdraw(ctx, p, ClearingAccount) },
			[]testhost.Step{begins, step("state = 'PENDING'", 1), step("balance_minor >= $2", 0)}, Undone},
		{"a withdrawal that was made", func(s *Store) (Fate, error) { return s.Withdraw(ctx, p, ClearingAccount) },
			[]testhost.Step{begins, step("state = 'PENDING'", 0)}, Undone},
	} {
		if fate, err := c.do(NewStore(testhost.NewScript(t, c.steps...), config.Paydb{})); fate != c.fate {
			t.Errorf("%s: fate %d, %v", c.what, fate, err)
		}
	}
}
