package paydb

import (
	"context"
	"errors"
	"io"
	"testing"

	"dlsim/sim/testhost"
	"dlsim/system/config"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var (
	gone     = io.ErrUnexpectedEOF
	conflict = &pgconn.PgError{Severity: "ERROR", Code: "40001"}
	p        = Payout{ID: "p-1", Account: "a-1", Amount: 7}
)

// admitted is an admission as far as its COMMIT.
func admitted(commit error) []testhost.Step {
	return []testhost.Step{
		{SQL: "begin"},
		{SQL: "rail_high_water.token < EXCLUDED.token", Affected: 1},
		{SQL: "INSERT INTO rail_submission", Affected: 1},
		{SQL: "commit", Err: commit},
	}
}

func TestOnlyTheCommitOfATransactionCanHaveAnUnknownFate(t *testing.T) {
	for _, c := range []struct {
		what      string
		steps     []testhost.Step
		fate      Fate
		err       error
		rollbacks int
	}{
		{"all went well", admitted(nil), Done, nil, 0},
		{"the commit's answer is lost", admitted(gone), Unknown, gone, 0},
		{"the deadline passes in the commit", admitted(context.DeadlineExceeded), Unknown, context.DeadlineExceeded, 0},
		{"the server ends the session in the commit", admitted(&pgconn.PgError{Severity: "FATAL", Code: "57P01"}), Unknown, nil, 0},
		{"the server refuses the commit", admitted(conflict), Undone, conflict, 0},
		{"the commit is answered with a rollback", admitted(pgx.ErrTxCommitRollback), Undone, pgx.ErrTxCommitRollback, 0},
		{"no connection", []testhost.Step{{SQL: "begin", Err: gone}}, Undone, gone, 0},
		{"the connection breaks before the commit", []testhost.Step{{SQL: "begin"}, {SQL: "rail_high_water", Err: gone}}, Undone, gone, 1},
		{"the mark is higher", []testhost.Step{{SQL: "begin"}, {SQL: "rail_high_water", Affected: 0}}, Undone, ErrFencedOut, 1},
		{"the payout has a submission", []testhost.Step{{SQL: "begin"}, {SQL: "rail_high_water", Affected: 1},
			{SQL: "rail_submission", Affected: 0}}, Undone, ErrDuplicate, 1},
	} {
		t.Run(c.what, func(t *testing.T) {
			db := testhost.NewScript(t, c.steps...)
			fate, err := NewStore(db, config.Paydb{}).Admit(context.Background(), p, 5, AdvanceMark, WriteIntent)
			if fate != c.fate || c.err != nil && !errors.Is(err, c.err) || (err == nil) != (fate == Done) {
				t.Errorf("fate %d, error %v", fate, err)
			}
			if db.Rollbacks() != c.rollbacks {
				t.Errorf("%d rollbacks", db.Rollbacks())
			}
		})
	}
}

func TestAStatementOfItsOwnIsUnknownUnlessTheServerSaysNo(t *testing.T) {
	for _, c := range []struct {
		what string
		step testhost.Step
		fate Fate
		err  error
	}{
		{"one row", testhost.Step{Affected: 1}, Done, nil},
		{"no row", testhost.Step{}, Undone, ErrNotTaken},
		{"refused", testhost.Step{Err: conflict}, Undone, conflict},
		{"no answer", testhost.Step{Err: gone}, Unknown, gone},
	} {
		c.step.SQL = "UPDATE payout SET state = $3"
		fate, err := NewStore(testhost.NewScript(t, c.step), config.Paydb{}).Mark(context.Background(), "p-1", 5, Failed)
		if fate != c.fate || !errors.Is(err, c.err) {
			t.Errorf("%s: fate %d, error %v", c.what, fate, err)
		}
	}
}

func TestAnInsertThatToleratesItsRowIsDoneWhenTheRowIsThere(t *testing.T) {
	fate, err := NewStore(testhost.NewScript(t, testhost.Step{SQL: "INSERT INTO payout"}), config.Paydb{}).Enter(context.Background(), p)
	if fate != Done || err != nil {
		t.Error(fate, err)
	}
}

func TestAClaimSaysWhetherSomebodyHadClaimedBefore(t *testing.T) {
	for state, before := range map[string]bool{Pending: false, Claimed: true} {
		db := testhost.NewScript(t, testhost.Step{SQL: "begin"}, testhost.Step{SQL: "FOR UPDATE", Rows: [][]any{{state}}},
			testhost.Step{SQL: "fence < $2", Affected: 1}, testhost.Step{SQL: "commit"})
		got, fate, err := NewStore(db, config.Paydb{}).Claim(context.Background(), "p-1", 5)
		if got != before || fate != Done || err != nil {
			t.Errorf("%s: before %v, fate %d, %v", state, got, fate, err)
		}
	}
}

func TestNobodyBooksWhoDidNotFlipThePayout(t *testing.T) {
	db := testhost.NewScript(t, testhost.Step{SQL: "begin"}, testhost.Step{SQL: "SET state = 'POSTED'"})
	fate, err := NewStore(db, config.Paydb{}).Post(context.Background(), p, 5)
	if fate != Undone || !errors.Is(err, ErrNotTaken) || db.Rollbacks() != 1 {
		t.Error(fate, err, db.Rollbacks())
	}
}

func TestAPostIsUndoneWhenTheAccountWasWrittenUnderAHigherFence(t *testing.T) {
	db := testhost.NewScript(t, testhost.Step{SQL: "begin"}, testhost.Step{SQL: "SET state = 'POSTED'", Affected: 1},
		testhost.Step{SQL: "ledger_entry", Affected: 2}, testhost.Step{SQL: "fence < $3"})
	fate, err := NewStore(db, config.Paydb{}).Post(context.Background(), p, 5)
	if fate != Undone || !errors.Is(err, ErrNotTaken) || db.Rollbacks() != 1 {
		t.Error(fate, err, db.Rollbacks())
	}
}

func TestAResolutionNeedsTheOpenRowThatItWasMadeFor(t *testing.T) {
	u := &Unresolved{Payout: p, PayoutState: RailAmbiguous, Submission: Submission{Token: 4, State: Intent}}
	db := testhost.NewScript(t, testhost.Step{SQL: "begin"}, testhost.Step{SQL: "UPDATE payout", Affected: 1},
		testhost.Step{SQL: "UPDATE rail_submission", Affected: 0})
	fate, err := NewStore(db, config.Paydb{}).Resolve(context.Background(), u, 9, false, "")
	if fate != Undone || !errors.Is(err, ErrNotTaken) || db.Rollbacks() != 1 {
		t.Error(fate, err, db.Rollbacks())
	}
}

func TestAWrittenOffPayoutBooksNothing(t *testing.T) {
	u := &Unresolved{Payout: p, PayoutState: RailAmbiguous, Submission: Submission{Token: 4, State: Timeout}}
	db := testhost.NewScript(t, testhost.Step{SQL: "begin"}, testhost.Step{SQL: "UPDATE payout", Affected: 1},
		testhost.Step{SQL: "UPDATE rail_submission", Affected: 1}, testhost.Step{SQL: "commit"})
	if fate, err := NewStore(db, config.Paydb{}).Resolve(context.Background(), u, 9, false, ""); fate != Done || err != nil {
		t.Error(fate, err)
	}
}

func TestALockTimeoutIsSetInEveryTransaction(t *testing.T) {
	steps := append([]testhost.Step{{SQL: "begin"}, {SQL: "SET LOCAL lock_timeout = 250"}}, admitted(nil)[1:]...)
	if fate, err := NewStore(testhost.NewScript(t, steps...), config.Paydb{LockTimeout: 250e6}).Admit(context.Background(), p, 5, AdvanceMark, WriteIntent); fate != Done {
		t.Error(fate, err)
	}
}
