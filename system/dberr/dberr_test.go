package dberr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestOnlyTheServersOwnWordOrAConnectionNeverMadeIsProof(t *testing.T) {
	sqlstate := func(code string) error { return &pgconn.PgError{Severity: "ERROR", Code: code} }
	for _, c := range []struct {
		why  string
		err  error
		want bool
	}{
		{"unique violation", sqlstate("23505"), true},
		{"serialization failure", sqlstate("40001"), true},
		{"deadlock", sqlstate("40P01"), true},
		{"lock not available", sqlstate("55P03"), true},
		{"query cancelled", sqlstate("57014"), true},
		{"wrapped", fmt.Errorf("commit: %w", sqlstate("23505")), true},
		{"commit answered with rollback", pgx.ErrTxCommitRollback, true},
		{"dial", &pgconn.ConnectError{}, true},
		{"no error", nil, false},
		{"connection failure", sqlstate("08006"), false},
		{"transaction resolution unknown", sqlstate("08007"), false},
		{"statement completion unknown", sqlstate("40003"), false},
		{"terminated by administrator", sqlstate("57P01"), false},
		{"crash shutdown", sqlstate("57P02"), false},
		{"cannot connect now", sqlstate("57P03"), false},
		{"session ended by a fatal error", &pgconn.PgError{Severity: "FATAL", Code: "53300"}, false},
		{"no code", &pgconn.PgError{}, false},
		{"deadline", context.DeadlineExceeded, false},
		{"cut off", io.ErrUnexpectedEOF, false},
		{"says itself that it is safe to retry", safe{}, false},
	} {
		if got := NoEffect(c.err); got != c.want {
			t.Errorf("%s: NoEffect is %v", c.why, got)
		}
	}
}

// safe claims what releases of pgx before 5.13 could claim of a statement that had been sent.
type safe struct{}

func (safe) Error() string     { return "connection lost" }
func (safe) SafeToRetry() bool { return true }

func TestCodeIsTheSQLSTATEOrNoAnswer(t *testing.T) {
	if got := Code(fmt.Errorf("x: %w", &pgconn.PgError{Code: "55P03"})); got != "55P03" {
		t.Error(got)
	}
	if got := Code(errors.New("broken pipe")); got != "NO_ANSWER" {
		t.Error(got)
	}
}
