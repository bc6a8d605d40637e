package virtual

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"dlsim/sim/virtual/postgres"

	"github.com/jackc/pgx/v5/pgconn"
)

// Postgres is a real server that serves paydb in place of the model (Options.Paydb). Its calls
// return when the server stands still, so that a run is the same function of its seed as with the
// model: what takes time in the run, flushes and waits for locks, still takes virtual time.
type Postgres interface {
	// Begin makes the tables of a schema, empty, and ends the sessions of the world before.
	Begin(schema string) error
	// Connect opens a session.
	Connect() (PostgresSession, error)
}

// PostgresSession is one session of a real server, with at most one statement under way. An error
// that is no *pgconn.PgError means that the server cannot be used any more.
type PostgresSession interface {
	// Send hands a statement over, and returns when it has been answered or waits for a lock. A
	// statement that waits is held there, also when the lock becomes free.
	Send(sql string, args []any) (answered bool)
	// Free reports whether what the statement waited for is over.
	Free() (bool, error)
	// Resume lets a statement that is held go on, until it has been answered or waits again.
	Resume() (answered bool)
	// Answer is what the last statement was answered.
	Answer() (*postgres.Result, error)
	// Block is 'I' outside a transaction block, 'T' in one, 'E' in one that failed.
	Block() byte
	// Changes tells what the open transaction has done to rows, in order of first touch, and
	// whether it has a number: it wrote, or locked, something.
	Changes() (rows []postgres.RowChange, numbered bool, err error)
	// Deadlocked reports whether the session waits in a circle.
	Deadlocked() (bool, error)
	// Cancel asks for the end of the statement under way, and returns when it has been answered.
	Cancel()
	// Terminate ends the session as an administrator does. It returns when all is let go of.
	Terminate()
	// Close ends the session as its client does. It returns when all is let go of.
	Close()
}

// engineSession is one backend of a server, the model's or a real one.
type engineSession interface {
	Exec(sql string, args []any) (*postgres.Result, error)
	CancelQuery()
	Terminate()
	Close()
}

// realServer is the glue between a pgServer and the real server beneath it.
type realServer struct {
	p       *pgServer
	server  Postgres
	blocked []*realSession // in the order in which they came to wait
}

// realSession does with a real session what postgres.Session does with its tables.
type realSession struct {
	on   *realServer
	s    *session // nil for the harness
	back PostgresSession

	gone      error // why the session is over
	running   bool
	flushing  bool
	waiting   bool // for a lock
	free      bool // while waiting: the wait is over
	cancelled bool
}

// useReal puts a real server under the primary. What would take the server itself away is refused.
func (db *database) useReal(server Postgres) error {
	if db.standby != nil {
		return errors.New("a real paydb has no standby here: topology.paydb_standby must be false")
	}
	if db.w.options.System.Paydb.LockTimeout != 0 {
		return errors.New("a real paydb has no virtual lock timeouts: paydb.lock_timeout must be 0")
	}
	db.primary.real = &realServer{p: db.primary, server: server}
	return server.Begin(db.schema)
}

var errRealTakes = errors.New("a real paydb cannot do that")

func (r *realServer) connect(s *session) (*realSession, error) {
	back, err := r.server.Connect()
	if err != nil {
		r.p.db.w.broke(err)
		return nil, postgres.ErrRefused
	}
	return &realSession{on: r, s: s, back: back}, nil
}

// Exec runs one statement.
func (r *realSession) Exec(sql string, args []any) (*postgres.Result, error) {
	if r.gone != nil {
		return nil, r.gone
	}
	r.running = true
	res, err := r.run(sql, args)
	r.running = false
	if r.gone != nil && err != nil {
		return nil, r.gone
	}
	var refused *pgconn.PgError
	if err != nil && !errors.As(err, &refused) {
		r.on.p.db.w.broke(fmt.Errorf("%q: %w", sql, err))
	}
	return res, err
}

// run gives a statement of its own a transaction block, so that there is a moment between what it
// did and its commit: the flush takes virtual time.
func (r *realSession) run(sql string, args []any) (*postgres.Result, error) {
	verb, _, _ := strings.Cut(strings.ToLower(sql), " ")
	switch verb {
	case "begin", "start":
		return r.ask(sql, nil)
	case "rollback":
		res, err := r.ask(sql, nil)
		r.on.freed()
		return res, err
	case "commit":
		if r.back.Block() == 'T' {
			return r.commit(sql)
		}
		return r.ask(sql, nil)
	}
	alone := r.back.Block() == 'I'
	if alone {
		if _, err := r.ask("begin", nil); err != nil {
			return nil, err
		}
	}
	res, err := r.ask(sql, args)
	if err != nil {
		if alone && r.gone == nil {
			_, _ = r.ask("rollback", nil) // the statement's own error is the one to tell
		}
		r.on.freed()
		return nil, err
	}
	if alone {
		if _, err := r.commit("commit"); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// commit flushes as the model does, and then has the server make the transaction visible.
func (r *realSession) commit(sql string) (*postgres.Result, error) {
	p := r.on.p
	rows, numbered, err := r.back.Changes()
	if err != nil {
		return nil, err
	}
	if numbered && r.s != nil {
		r.flushing = true
		p.flush(r.s)
		r.flushing = false
	}
	res, err := r.ask(sql, nil)
	if err == nil && len(rows) > 0 {
		p.Committed(&postgres.Commit{Clock: p.Now(), Rows: rows})
	}
	r.on.freed()
	if r.gone != nil {
		r.back.Terminate() // told so while the commit was on its way
	}
	return res, err
}

// ask has the server run one statement, however long that has to wait.
func (r *realSession) ask(sql string, args []any) (*postgres.Result, error) {
	if !r.back.Send(sql, args) {
		if err := r.wait(); err != nil {
			return nil, err
		}
	}
	return r.back.Answer()
}

// deadlockTimeout is PostgreSQL's own.
const deadlockTimeout = time.Second

// wait parks the backend until its statement has been answered, cancelled or overtaken by the
// session's end. Sessions that are freed together go on one after the other, each when it is its
// backend's turn, as with the model; on a real server alone they would race.
func (r *realSession) wait() error {
	for answered := false; !answered; {
		r.park()
		switch {
		case r.gone != nil:
			return r.gone
		case r.cancelled:
			r.back.Cancel()
			answered = true
		default:
			answered = r.back.Resume()
		}
		r.on.freed() // who follows the row to its newest version leaves the queue of the old one
	}
	return nil
}

// park waits for the end of one wait for a lock.
func (r *realSession) park() {
	p := r.on.p
	r.waiting, r.free, r.cancelled = true, false, false
	r.on.blocked = append(r.on.blocked, r)
	stop := p.After(deadlockTimeout, r.lookForDeadlock)
	for !r.free && !r.cancelled && r.gone == nil {
		p.park(r.s)
	}
	stop()
	r.waiting = false
	r.on.blocked = forget(r.on.blocked, r)
}

// lookForDeadlock gives up: the real server looks for one after real time has passed, of which the
// run knows nothing.
func (r *realSession) lookForDeadlock() {
	if !r.waiting || r.free {
		return
	}
	found, err := r.back.Deadlocked()
	if err == nil && found {
		err = errors.New("a deadlock: a real paydb under virtual time cannot break it")
	}
	r.on.p.db.w.broke(err)
}

// freed finds out which waits are over after a session did something, and wakes their backends.
func (r *realServer) freed() {
	for _, b := range r.blocked {
		if b.free || b.gone != nil {
			continue
		}
		free, err := b.back.Free()
		r.p.db.w.broke(err)
		if free {
			b.free = true
			r.p.wake(b.s)
		}
	}
}

// CancelQuery ends a wait for a lock, and nothing else.
func (r *realSession) CancelQuery() {
	if r.waiting && !r.cancelled && r.gone == nil {
		r.cancelled = true
		r.on.p.wake(r.s)
	}
}

// Terminate ends the session as pg_terminate_backend does. A commit on its way is finished first.
func (r *realSession) Terminate() {
	r.over(&pgconn.PgError{
		Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: "57P01",
		Message: "terminating connection due to administrator command",
	}, r.back.Terminate)
}

// Close ends the session because its client has gone.
func (r *realSession) Close() { r.over(postgres.ErrConnectionLost, r.back.Close) }

func (r *realSession) over(why error, end func()) {
	if r.gone != nil {
		return
	}
	r.gone = why
	if r.flushing {
		return
	}
	end()
	if r.waiting {
		r.on.p.wake(r.s)
	}
	r.on.freed()
}
