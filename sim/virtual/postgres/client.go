package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Conn is one connection as pgx sees it, the network included.
type Conn interface {
	// Exec runs one statement. It returns a *pgconn.PgError, what Session.Exec says of bad
	// arguments and unsupported SQL, or an error of the transport or of ctx, after which the
	// connection is dead.
	Exec(ctx context.Context, sql string, args []any) (*Result, error)
	// Dead says whether the connection is known to be lost.
	Dead() bool
	Close()
}

// Dialer opens connections.
type Dialer interface {
	Dial(ctx context.Context) (Conn, error)
}

// Semaphore bounds a pool's connections. Acquire parks the task while all are taken, and returns
// ctx's error when that ends first.
type Semaphore interface {
	Acquire(ctx context.Context) error
	Release()
}

// connClosedError is pgconn's answer to the use of a closed connection.
type connClosedError struct{}

func (connClosedError) Error() string     { return "conn closed" }
func (connClosedError) SafeToRetry() bool { return true }
func (connClosedError) Unwrap() error     { return pgconn.ErrConnClosed }

// doneError is pgconn's answer to a context that was done before anything was sent; the
// connection stays as it is.
type doneError struct{ err error }

func (e doneError) Error() string     { return "timeout: context already done: " + e.err.Error() }
func (e doneError) SafeToRetry() bool { return true }
func (e doneError) Unwrap() error     { return e.err }

// link is a connection and what its client knows of it.
type link struct {
	conn   Conn
	pool   *Pool
	status byte // pgconn's TxStatus
	closed bool
}

func (l *link) dead() bool { return l.closed || l.conn.Dead() }

func (l *link) die() {
	if !l.closed {
		l.closed = true
		l.conn.Close()
	}
}

// exec runs one statement as pgx.Conn does, and follows the transaction's state.
func (l *link) exec(ctx context.Context, sql string, args []any) (*Result, error) {
	if l.dead() {
		return nil, connClosedError{}
	}
	if err := ctx.Err(); err != nil {
		return nil, doneError{err}
	}
	res, err := l.conn.Exec(ctx, sql, args)
	if err == nil {
		switch tag := res.Tag.String(); tag {
		case "BEGIN", "START TRANSACTION":
			l.status = 'T'
		case "COMMIT", "ROLLBACK":
			l.status = 'I'
		}
		return res, nil
	}
	var argument *ArgumentError
	var unsupported *UnsupportedError
	var pe *pgconn.PgError
	answered := errors.As(err, &pe)
	switch {
	case errors.As(err, &argument):
	case answered && (pe.Severity == "FATAL" || pe.Severity == "PANIC"), !answered && !errors.As(err, &unsupported):
		l.die()
	case strings.EqualFold(sql, "commit"):
		l.status = 'I'
	case l.status == 'T':
		l.status = 'E'
	}
	return nil, err
}

// release gives the connection back to its pool; one that is dead or within a transaction is
// thrown away.
func (l *link) release() {
	if l.dead() || l.status != 'I' {
		l.die()
	} else {
		l.pool.idle = append(l.pool.idle, l)
	}
	l.pool.places.Release()
}

// Pool is *pgxpool.Pool as far as the system uses it.
type Pool struct {
	dialer Dialer
	places Semaphore
	idle   []*link // the last one released is the first one used
	codec  codec
}

// NewPool returns an empty pool that dials with d and never holds more connections than s has
// places.
func NewPool(d Dialer, s Semaphore) *Pool { return &Pool{dialer: d, places: s} }

// acquire takes an idle connection or dials one. An idle one known to be lost is skipped, as
// pgxpool's ping would have it.
func (p *Pool) acquire(ctx context.Context) (*link, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := p.places.Acquire(ctx); err != nil {
		return nil, err
	}
	for n := len(p.idle); n > 0; n = len(p.idle) {
		l := p.idle[n-1]
		p.idle[n-1] = nil
		p.idle = p.idle[:n-1]
		if !l.dead() {
			return l, nil
		}
		l.die()
	}
	conn, err := p.dialer.Dial(ctx)
	if err != nil {
		p.places.Release()
		return nil, err
	}
	return &link{conn: conn, pool: p, status: 'I'}, nil
}

// Close closes the idle connections.
func (p *Pool) Close() {
	for _, l := range p.idle {
		l.die()
	}
	p.idle = nil
}

// Exec runs one statement in a transaction of its own.
func (p *Pool) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	l, err := p.acquire(ctx)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	defer l.release()
	res, err := l.exec(ctx, sql, args)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	return res.Tag, nil
}

// Query runs one statement and returns its rows, which hold the connection until they are closed.
// As with pgx, an error of the statement shows in the rows, not here.
func (p *Pool) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	l, err := p.acquire(ctx)
	if err != nil {
		return &rows{err: err, closed: true}, err
	}
	return l.query(ctx, sql, args, l)
}

// QueryRow is Query for one row. The connection is held until Scan.
func (p *Pool) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	r, _ := p.Query(ctx, sql, args...)
	return (*row)(r.(*rows))
}

// query runs a statement; held is released when the rows are closed.
func (l *link) query(ctx context.Context, sql string, args []any, held *link) (pgx.Rows, error) {
	r := &rows{codec: &l.pool.codec, held: held, at: -1}
	if r.res, r.err = l.exec(ctx, sql, args); r.err != nil {
		var argument *ArgumentError
		if errors.As(r.err, &argument) {
			r.Close()
			return r, r.err
		}
	}
	return r, nil
}

// beginSQL words BEGIN as pgx does.
func beginSQL(o pgx.TxOptions) string {
	if o.BeginQuery != "" {
		return o.BeginQuery
	}
	sql := "begin"
	if o.IsoLevel != "" {
		sql += " isolation level " + string(o.IsoLevel)
	}
	if o.AccessMode != "" {
		sql += " " + string(o.AccessMode)
	}
	if o.DeferrableMode != "" {
		sql += " " + string(o.DeferrableMode)
	}
	return sql
}

// BeginTx opens a transaction on a connection of its own, which Commit or Rollback gives back.
func (p *Pool) BeginTx(ctx context.Context, opts pgx.TxOptions) (pgx.Tx, error) {
	l, err := p.acquire(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := l.exec(ctx, beginSQL(opts), nil); err != nil {
		var pe *pgconn.PgError
		if !errors.As(err, &pe) {
			l.die()
		}
		l.release()
		return nil, err
	}
	commit := opts.CommitQuery
	if commit == "" {
		commit = "commit"
	}
	return &clientTx{link: l, commit: commit}, nil
}
