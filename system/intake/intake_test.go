package intake

import (
	"context"
	"io"
	"testing"
	"time"

	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/paydb"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestThePayoutIsEnteredUntilThatIsCertain(t *testing.T) {
	try := func(affected int, err error) testhost.Step {
		return testhost.Step{SQL: "INSERT INTO payout", Affected: affected, Err: err}
	}
	h := testhost.New().Host("intake")
	h.Databases["paydb"] = testhost.NewScript(t,
		try(0, io.ErrUnexpectedEOF),                               // perhaps
		try(0, &pgconn.PgError{Severity: "FATAL", Code: "57P03"}), // not now
		try(0, nil), // it is there: the first try did it
		try(1, nil), // the second payout
	)
	cfg := config.Defaults()
	cfg.Intake.Retry = time.Millisecond
	started := time.Now()
	err := New(h, cfg, []Entry{
		{Payout: paydb.Payout{ID: "p-2", Account: "a", Amount: 1}, Due: 30 * time.Millisecond},
		{Payout: paydb.Payout{ID: "p-1", Account: "a", Amount: 1}},
	}).Run(context.Background())
	if err != nil || time.Since(started) < 30*time.Millisecond {
		t.Error(err, time.Since(started))
	}
}

func TestTheIntakeStopsWhenItIsTold(t *testing.T) {
	h := testhost.New().Host("intake")
	h.Databases["paydb"] = testhost.NewScript(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := New(h, config.Defaults(), []Entry{{Due: time.Hour}}).Run(ctx); err == nil {
		t.Error("it ended as if all were entered")
	}
}
