package pgloop

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"dlsim/sim/virtual/postgres"

	"github.com/jackc/pgx/v5"
)

// session is one backend of the server.
type session struct {
	server  *Server
	conn    *pgx.Conn
	pid     uint32
	pending chan answer // of the statement under way; nil without one
	last    answer
	held    bool // the backend is stopped where it waits
}

// Most statements are answered sooner than the server could be asked who blocks whom.
const (
	atOnce = 2 * time.Millisecond
	again  = 200 * time.Microsecond
)

// Send implements virtual.PostgresSession.
func (b *session) Send(sql string, args []any) (answered bool) {
	pending := make(chan answer, 1)
	b.pending = pending
	go func() {
		result, err := b.execute(sql, args)
		pending <- answer{result, err}
	}()
	b.server.counts.Statements++
	if b.await(atOnce) || b.settle() {
		return true
	}
	b.server.counts.Waits++
	return false
}

// hold stops the backend. A backend that waits for a lock holds nothing else that anybody needs,
// and is given the lock without its help.
func (b *session) hold() {
	syscall.Kill(int(b.pid), syscall.SIGSTOP)
	b.held = true
}

func (b *session) release() {
	if b.held {
		syscall.Kill(int(b.pid), syscall.SIGCONT)
		b.held = false
	}
}

// Free implements virtual.PostgresSession.
func (b *session) Free() (bool, error) {
	blockers, err := b.server.blockers(b.pid)
	if err != nil {
		return false, fmt.Errorf("ask PostgreSQL who waits: %w", err)
	}
	return len(blockers) == 0, nil
}

// Resume implements virtual.PostgresSession.
func (b *session) Resume() (answered bool) {
	b.release()
	return b.settle()
}

func (b *session) await(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case b.last = <-b.pending:
		b.pending = nil
		return true
	case <-t.C:
		return false
	}
}

// settle returns when the statement has been answered, or waits and is held there. One that does
// neither is on its way, and is looked at again.
func (b *session) settle() (answered bool) {
	for until := time.Now().Add(bound); b.pending != nil; {
		if b.await(again) {
			return true
		}
		blockers, err := b.server.blockers(b.pid)
		switch {
		case err == nil && len(blockers) > 0:
			b.hold()
			return false
		case err == nil && time.Now().After(until):
			err = errors.New("a statement is neither answered nor waiting")
		}
		if err != nil {
			b.last, b.pending = answer{err: fmt.Errorf("ask PostgreSQL who waits: %w", err)}, nil
		}
	}
	return true
}

// Answer implements virtual.PostgresSession.
func (b *session) Answer() (*postgres.Result, error) { return b.last.result, b.last.err }

// Block implements virtual.PostgresSession.
func (b *session) Block() byte { return b.conn.PgConn().TxStatus() }

func (b *session) execute(sql string, args []any) (*postgres.Result, error) {
	ctx, cancel := limited()
	defer cancel()
	switch verb, _, _ := strings.Cut(strings.ToLower(sql), " "); verb {
	case "begin", "start", "commit", "rollback", "set":
		tag, err := b.conn.Exec(ctx, sql)
		if err != nil {
			return nil, err
		}
		return &postgres.Result{Tag: tag}, nil
	}
	rows, err := b.conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	result := &postgres.Result{}
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			if t, ok := v.(time.Time); ok {
				values[i] = t.UTC()
			}
		}
		result.Rows = append(result.Rows, values)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if fields := rows.FieldDescriptions(); len(fields) > 0 {
		result.Fields = slices.Clone(fields)
	}
	result.Tag = rows.CommandTag()
	return result, nil
}

// Deadlocked implements virtual.PostgresSession.
func (b *session) Deadlocked() (bool, error) {
	seen := map[uint32]bool{}
	for next := []uint32{b.pid}; len(next) > 0; next = next[1:] {
		pids, err := b.server.blockers(next[0])
		if err != nil {
			return false, fmt.Errorf("ask PostgreSQL who waits: %w", err)
		}
		for _, p := range pids {
			pid := uint32(p)
			if pid == b.pid {
				return true, nil
			}
			if !seen[pid] {
				seen[pid] = true
				next = append(next, pid)
			}
		}
	}
	return false, nil
}

// Cancel implements virtual.PostgresSession.
func (b *session) Cancel() {
	for b.pending != nil {
		if err := b.server.signal("pg_cancel_backend($1)", b.pid); err != nil {
			b.last, b.pending = answer{err: fmt.Errorf("cancel a statement: %w", err)}, nil
			return
		}
		b.release() // it finds the signal before anything else
		b.await(50 * time.Millisecond)
	}
}

// Terminate implements virtual.PostgresSession.
func (b *session) Terminate() {
	b.server.open = forget(b.server.open, b)
	b.server.counts.Ended++
	err := b.server.signal("pg_terminate_backend($1)", b.pid)
	b.release() // it finds the signal before anything else
	// It waits until the backend has gone, and with it its locks.
	err = errors.Join(err, b.server.signal("pg_terminate_backend($1, 10000)", b.pid))
	if b.pending != nil && !b.await(bound) {
		err = errors.Join(err, errors.New("a terminated session goes on"))
	}
	if err != nil {
		b.last.err = err
	}
	hangUp(b.conn)
}

// Close implements virtual.PostgresSession. The connection is kept for the next session: what
// remains of this one is rolled back.
func (b *session) Close() {
	b.server.open = forget(b.server.open, b)
	if b.conn.IsClosed() {
		return
	}
	b.Cancel()
	if b.Block() != 'I' {
		ctx, cancel := limited()
		defer cancel()
		if _, err := b.conn.Exec(ctx, "rollback"); err != nil {
			hangUp(b.conn)
			return
		}
	}
	b.server.idle = append(b.server.idle, b.conn)
}

func forget(open []*session, b *session) []*session {
	if i := slices.Index(open, b); i >= 0 {
		return slices.Delete(open, i, i+1)
	}
	return open
}
