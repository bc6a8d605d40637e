package virtual

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"dlsim/sim/virtual/postgres"
	"dlsim/sim/virtual/sched"

	"github.com/jackc/pgx/v5/pgconn"
)

// session is one connection of a process to a PostgreSQL server, both ends of it: pgx's on the
// client machine, the backend on the server's.
type session struct {
	wire wire
	p    *pgServer
	h    *host

	// Client end.
	exchange exchange
	asked    *exchange // the exchange, while it is under way
	dead     bool
	waiting  parked

	// Server end.
	backend *sched.Task
	turn    uint64 // the backend's present parking
	engine  engineSession
	inbox   *exchange
	busy    *exchange
	closed  bool // the server has learned that the client left
	gone    bool // the backend has ended
}

// exchange is one statement and its answer. The empty statement opens the connection.
type exchange struct {
	sql    string
	args   []any
	result *postgres.Result
	err    error
	done   bool
}

var errServerGone = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}

// dial opens connections of one process to one database.
type dialer struct {
	h  *host
	db *database
}

// Dial connects to whichever server serves the database now.
func (d dialer) Dial(ctx context.Context) (postgres.Conn, error) {
	p := d.db.primary
	s := &session{p: p, h: d.h, wire: d.h.w.net.wire(d.h.machine, p.m)}
	d.h.sessions = append(d.h.sessions, s)
	if _, err := s.Exec(ctx, "", nil); err != nil {
		if !s.dead {
			s.Close()
		}
		return nil, &dialError{d.db.name, err}
	}
	return s, nil
}

// dialError tells, as pgconn.ConnectError does, that the connection was never made.
type dialError struct {
	database string
	err      error
}

func (e *dialError) Error() string {
	return "failed to connect to " + e.database + ": " + e.err.Error()
}
func (e *dialError) Unwrap() error { return e.err }

// SafeToRetry tells pgconn.SafeToRetry that no statement was sent.
func (e *dialError) SafeToRetry() bool { return true }

// Exec sends one statement and waits for its answer. On a deadline it does what pgx does: the
// connection is given up, a cancel request travels on its own, and the outcome is unknown.
func (s *session) Exec(ctx context.Context, sql string, args []any) (*postgres.Result, error) {
	h := s.h
	t := h.enter()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("context already done: %w", err)
	}
	if s.dead {
		return nil, errors.New("conn closed")
	}
	// One statement at a time: after a deadline the connection, and the exchange with it, is given up.
	x := &s.exchange
	*x = exchange{sql: sql, args: args}
	s.asked = x
	s.waiting = parked{t, t.Turn()}
	h.w.net.send(s, &s.wire, request, x)
	err := park(t, ctx)
	t.Alive()
	if !x.done {
		s.abandon(true)
		return nil, fmt.Errorf("timeout: %w", err)
	}
	s.asked = nil
	if x.err != nil {
		var refused *pgconn.PgError
		if !errors.As(x.err, &refused) || refused.Severity == "FATAL" {
			s.abandon(false)
		}
		return nil, x.err
	}
	h.leave(t)
	return x.result, nil
}

// abandon gives the connection up; alsoCancel sends a cancel request ahead.
func (s *session) abandon(alsoCancel bool) {
	if s.dead {
		return
	}
	s.dead = true
	s.h.sessions = forget(s.h.sessions, s)
	if alsoCancel {
		s.h.w.net.send(s, &s.wire, cancel, nil)
	}
	s.h.w.net.send(s, &s.wire, leave, nil)
}

// Dead says whether the connection is of no more use.
func (s *session) Dead() bool { return s.dead }

// Close ends the connection in an orderly way.
func (s *session) Close() {
	if t := s.h.w.sched.Running(); t != nil && t.Killed() {
		return
	}
	s.abandon(false)
}

// clientGone is the kernel's close on behalf of a killed process.
func (s *session) clientGone() {
	if s.dead {
		return
	}
	s.dead = true
	s.h.w.net.send(s, &s.wire, leave, nil)
}

// fail ends the client's wait with a transport error.
func (s *session) fail(err error) {
	if s.dead {
		return
	}
	if x := s.asked; x != nil {
		if !x.done {
			x.done, x.err = true, err
			s.waiting.task.Wake(s.waiting.turn)
		}
		return
	}
	// Nothing was asked: pgx notices when the connection is used next, since a closed socket
	// answers a read at once.
	s.dead = true
	s.h.sessions = forget(s.h.sessions, s)
}

func (s *session) arrive(m *message) {
	switch m.kind {
	case request:
		s.take(m.payload.(*exchange))
	case response:
		x := m.payload.(*exchange)
		if s.asked == x && !x.done {
			x.done = true
			s.waiting.task.Resume(s.waiting.turn)
		}
	case refuse:
		s.fail(m.payload.(error))
	case leave:
		s.hangUp()
	case cancel:
		if s.engine != nil && s.busy != nil {
			s.engine.CancelQuery()
		}
	}
}

func (s *session) broken(m *message) {
	if m.kind == cancel {
		return
	}
	s.hangUp()
	s.fail(errServerGone)
}

// take hands a statement to the backend, which starts with the connection.
func (s *session) take(x *exchange) {
	n := s.p.m.node
	if s.gone || !n.Up() || s.backend == nil && x.sql != "" {
		s.h.w.net.send(s, &s.wire, refuse, error(errServerGone))
		return
	}
	s.inbox = x
	if s.backend != nil {
		s.backend.Resume(s.turn)
		return
	}
	s.p.sessions = append(s.p.sessions, s)
	s.backend = n.Go("backend of "+s.h.name, s.serve)
}

// hangUp is the server learning that the client left. A backend in the middle of a statement
// finishes it first, as PostgreSQL does.
func (s *session) hangUp() {
	if s.closed {
		return
	}
	s.closed = true
	if s.backend != nil && s.busy == nil {
		s.backend.Wake(s.turn)
	}
}

// serve is the backend's life.
func (s *session) serve() {
	net := s.h.w.net
	for {
		for s.inbox == nil && !s.closed {
			s.turn = s.backend.Turn()
			s.backend.Park()
			s.backend.Alive()
		}
		if s.closed {
			break
		}
		x := s.inbox
		s.inbox, s.busy = nil, x
		if s.engine == nil {
			s.engine, x.err = s.p.connect(s)
		} else {
			x.result, x.err = s.engine.Exec(x.sql, x.args)
		}
		s.backend.Alive()
		s.busy = nil
		if x.err != nil && errors.Is(x.err, postgres.ErrRefused) {
			net.send(s, &s.wire, refuse, error(errRefused))
			break
		}
		net.send(s, &s.wire, response, x)
		if x.err != nil {
			var refused *pgconn.PgError
			if errors.As(x.err, &refused) && refused.Severity == "FATAL" {
				break
			}
		}
	}
	if s.engine != nil {
		if e, ok := s.engine.(*postgres.Session); ok {
			delete(s.p.bySession, e)
		}
		s.engine.Close()
	}
	s.gone = true
	s.p.sessions = forget(s.p.sessions, s)
}

// serverGone is the server's kernel closing the connection of a backend that died with it.
func (s *session) serverGone() {
	s.gone = true
	s.h.w.net.send(s, &s.wire, refuse, error(errServerGone))
}
