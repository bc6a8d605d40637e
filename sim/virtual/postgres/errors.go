package postgres

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// ErrConnectionLost is what a statement gets whose server crashed or whose client has gone: no
// answer at all. The connection's owner turns it into an error of its transport.
var ErrConnectionLost = errors.New("server closed the connection unexpectedly")

// ErrRefused is returned by Connect when no server is listening.
var ErrRefused = errors.New("connection refused")

// UnsupportedError is returned for SQL outside the subset. It is never a PostgreSQL error: a real
// server would have run the statement, or called it a mistake.
type UnsupportedError struct {
	Construct string
	SQL       string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("postgres: unsupported: %s in %q", e.Construct, e.SQL)
}

// ArgumentError is an argument that the client cannot encode for its parameter. pgx finds it
// before anything is sent, so it does not abort the transaction.
type ArgumentError struct{ Message string }

func (e *ArgumentError) Error() string { return e.Message }

func pgError(code, message string) *pgconn.PgError {
	return &pgconn.PgError{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: code, Message: message}
}

func pgErrorf(code, format string, args ...any) *pgconn.PgError {
	return pgError(code, fmt.Sprintf(format, args...))
}

func fatalError(code, message string) *pgconn.PgError {
	return &pgconn.PgError{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: code, Message: message}
}

func errConcurrentUpdate() error {
	return pgError("40001", "could not serialize access due to concurrent update")
}

func errConcurrentDelete() error {
	return pgError("40001", "could not serialize access due to concurrent delete")
}

func errRowNotAvailable(table string) error {
	return pgErrorf("55P03", "could not obtain lock on row in relation \"%s\"", table)
}

func errOutOfRange(k kind) error {
	return pgErrorf("22003", "%s out of range", k)
}
