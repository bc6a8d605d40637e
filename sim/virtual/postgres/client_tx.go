package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// clientTx is the transaction that pgxpool hands out.
type clientTx struct {
	link   *link
	commit string
	closed bool
}

func notInModel(method string) error {
	return &UnsupportedError{Construct: "pgx method " + method}
}

// Commit ends the transaction. pgx.ErrTxCommitRollback means that it had failed before; any other
// error than ErrTxClosed leaves the outcome unknown unless it is the server's.
func (t *clientTx) Commit(ctx context.Context) error {
	if t.closed {
		return pgx.ErrTxClosed
	}
	res, err := t.link.exec(ctx, t.commit, nil)
	t.closed = true
	defer t.link.release()
	if err != nil {
		if t.link.status != 'I' {
			t.link.die()
		}
		return err
	}
	if res.Tag.String() == "ROLLBACK" {
		return pgx.ErrTxCommitRollback
	}
	return nil
}

// Rollback ends the transaction. When that fails the connection is closed, which rolls back, too.
func (t *clientTx) Rollback(ctx context.Context) error {
	if t.closed {
		return pgx.ErrTxClosed
	}
	_, err := t.link.exec(ctx, "rollback", nil)
	t.closed = true
	if err != nil {
		t.link.die()
	}
	t.link.release()
	return err
}

func (t *clientTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if t.closed {
		return pgconn.CommandTag{}, pgx.ErrTxClosed
	}
	res, err := t.link.exec(ctx, sql, args)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	return res.Tag, nil
}

func (t *clientTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if t.closed {
		return &rows{err: pgx.ErrTxClosed, closed: true}, pgx.ErrTxClosed
	}
	return t.link.query(ctx, sql, args, nil)
}

func (t *clientTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	r, _ := t.Query(ctx, sql, args...)
	return (*row)(r.(*rows))
}

// Begin is refused: it would need savepoints.
func (t *clientTx) Begin(context.Context) (pgx.Tx, error) { return nil, notInModel("Begin") }

// CopyFrom is refused.
func (t *clientTx) CopyFrom(context.Context, pgx.Identifier, []string, pgx.CopyFromSource) (int64, error) {
	return 0, notInModel("CopyFrom")
}

// SendBatch is refused by the results it returns.
func (t *clientTx) SendBatch(_ context.Context, b *pgx.Batch) pgx.BatchResults {
	return pgx.FailedBatchResults(b, notInModel("SendBatch"))
}

// LargeObjects panics: its result cannot carry an error.
func (t *clientTx) LargeObjects() pgx.LargeObjects { panic(notInModel("LargeObjects")) }

// Prepare is refused.
func (t *clientTx) Prepare(context.Context, string, string) (*pgconn.StatementDescription, error) {
	return nil, notInModel("Prepare")
}

// Conn is nil: there is no *pgx.Conn underneath.
func (t *clientTx) Conn() *pgx.Conn { return nil }

var errRowsClosed = errors.New("rows is closed")
