// Package dberr tells a database error that certainly means "nothing was written" from one that
// leaves the outcome open. Taking the second for the first is how a payment is made twice (field
// reports F20 and F21).
package dberr

import (
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// NoEffect reports whether err proves that the statement, or the COMMIT, that returned it had no
// effect. False means unknown, never "it took effect".
//
// Proof is an error the server itself sent about the statement, or a connection that was never
// made. pgconn.SafeToRetry is not asked: releases before 5.13 could say so of a statement that
// had been sent.
func NoEffect(err error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, pgx.ErrTxCommitRollback) {
		return true // the server answered COMMIT with ROLLBACK
	}
	var dial *pgconn.ConnectError
	if errors.As(err, &dial) {
		return true
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	if pg.Severity == "FATAL" || pg.Severity == "PANIC" {
		return false // the session ended; what had been sent before may stand
	}
	return len(pg.Code) == 5 && !open(pg.Code)
}

// open lists the SQLSTATEs that say the session or the server went away, or name an outcome that
// the server itself does not know.
func open(code string) bool {
	switch code {
	case "57P01", "57P02", "57P03", "40003":
		return true
	}
	return code[:2] == "08"
}

// UniqueViolation is the SQLSTATE of a duplicate key.
const UniqueViolation = "23505"

// Code names err for the history: its SQLSTATE, or NO_ANSWER.
func Code(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code != "" {
		return pg.Code
	}
	return "NO_ANSWER"
}
