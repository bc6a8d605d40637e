package testhost

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"dlsim/system/host"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Step is one statement that a Script expects, and what it answers.
type Step struct {
	// SQL is what the statement must contain; "begin" and "commit" stand for those calls.
	SQL      string
	Affected int     // rows affected, for a statement without a result
	Rows     [][]any // the result
	Err      error
}

// Script is a database that follows a script: an honest fake for one question, namely what a
// caller makes of a certain answer. Whatever is not in the script fails the test. A rollback is
// always fine; it is counted.
type Script struct {
	t         testing.TB
	mu        sync.Mutex
	steps     []Step
	rollbacks int
}

var _ host.DB = (*Script)(nil)

// NewScript returns a database that answers steps, in order, and expects all of them by the end of
// the test.
func NewScript(t testing.TB, steps ...Step) *Script {
	s := &Script{t: t, steps: steps}
	t.Cleanup(func() {
		for _, left := range s.steps {
			t.Errorf("script: nobody ran %q", left.SQL)
		}
	})
	return s
}

// Rollbacks is how often a transaction was rolled back.
func (s *Script) Rollbacks() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rollbacks
}

func (s *Script) next(sql string) Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.steps) == 0 || !strings.Contains(sql, s.steps[0].SQL) {
		s.t.Errorf("script: unexpected %q", sql)
		return Step{Err: fmt.Errorf("script: unexpected %q", sql)}
	}
	step := s.steps[0]
	s.steps = s.steps[1:]
	return step
}

// BeginTx implements host.DB.
func (s *Script) BeginTx(context.Context, pgx.TxOptions) (pgx.Tx, error) {
	return scriptTx{s: s}, s.next("begin").Err
}

// Exec implements host.DB.
func (s *Script) Exec(_ context.Context, sql string, _ ...any) (pgconn.CommandTag, error) {
	step := s.next(sql)
	return pgconn.NewCommandTag(fmt.Sprintf("UPDATE %d", step.Affected)), step.Err
}

// Query implements host.DB.
func (s *Script) Query(_ context.Context, sql string, _ ...any) (pgx.Rows, error) {
	step := s.next(sql)
	return &scriptRows{rows: step.Rows}, step.Err
}

// QueryRow implements host.DB.
func (s *Script) QueryRow(_ context.Context, sql string, _ ...any) pgx.Row {
	step := s.next(sql)
	return scriptRow{step}
}

type scriptTx struct {
	pgx.Tx // panics on what no caller uses
	s      *Script
}

func (t scriptTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return t.s.Exec(ctx, sql, args...)
}

func (t scriptTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return t.s.QueryRow(ctx, sql, args...)
}

func (t scriptTx) Commit(context.Context) error { return t.s.next("commit").Err }

func (t scriptTx) Rollback(context.Context) error {
	t.s.mu.Lock()
	t.s.rollbacks++
	t.s.mu.Unlock()
	return nil
}

type scriptRow struct{ step Step }

func (r scriptRow) Scan(dest ...any) error {
	if r.step.Err != nil {
		return r.step.Err
	}
	if len(r.step.Rows) == 0 {
		return pgx.ErrNoRows
	}
	return scan(r.step.Rows[0], dest)
}

type scriptRows struct {
	pgx.Rows
	rows [][]any
	at   int
}

func (r *scriptRows) Next() bool { r.at++; return r.at <= len(r.rows) }

func (r *scriptRows) Scan(dest ...any) error { return scan(r.rows[r.at-1], dest) }

func (r *scriptRows) Err() error { return nil }

func (r *scriptRows) Close() {}

func scan(row []any, dest []any) error {
	if len(row) != len(dest) {
		return fmt.Errorf("script: %d values for %d destinations", len(row), len(dest))
	}
	for i, v := range row {
		switch d := dest[i].(type) {
		case *string:
			*d = v.(string)
		case *int64:
			*d = int64(v.(int))
		default:
			return fmt.Errorf("script: cannot scan into %T", d)
		}
	}
	return nil
}
