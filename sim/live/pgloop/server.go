// Package pgloop is a real PostgreSQL in the loop of a virtual world: it executes the statements of
// paydb while the world keeps its time, its scheduler and its seed. Each call returns only when the
// server stands still, with every statement either answered or waiting for a lock; who waits is
// asked of the server itself.
package pgloop

import (
	"context"
	"fmt"
	"strings"
	"time"

	"dlsim/sim/live/pgcluster"
	"dlsim/sim/virtual"
	"dlsim/sim/virtual/postgres"

	"github.com/jackc/pgx/v5"
)

// bound is how long anything may take on the server before it counts as broken.
const bound = 30 * time.Second

// Server is a private PostgreSQL for one virtual world after another. It is not safe for
// concurrent use.
type Server struct {
	cluster *pgcluster.Cluster
	config  *pgx.ConnConfig
	control *pgx.Conn
	schema  string
	tables  map[string]*table
	open    []*session
	counts  Counts
	idle    []*pgx.Conn // of sessions that have ended: a new backend costs more than a whole run
}

// Counts are what the server has been asked so far.
type Counts struct {
	Statements int // sent to it on behalf of a world
	Waits      int // of these, how many had to wait for a lock
	Ended      int // sessions ended by an administrator
}

// Counts tells what the server has been asked so far.
func (s *Server) Counts() Counts { return s.counts }

// Start starts a private cluster. Its error is a *pgcluster.NotFoundError where no PostgreSQL is
// installed.
func Start(ctx context.Context) (*Server, error) {
	install, err := pgcluster.Find()
	if err != nil {
		return nil, err
	}
	cluster, err := pgcluster.Start(ctx, install, pgcluster.Options{Settings: map[string]string{
		"max_connections": "200",
		// Deadlocks are a matter of real time, which the world does not have.
		"deadlock_timeout":   "1h",
		"synchronous_commit": "off", // the world flushes in its own time, and nothing crashes
	}})
	if err != nil {
		return nil, err
	}
	s := &Server{cluster: cluster}
	if s.config, err = pgx.ParseConfig(cluster.SocketDSN()); err == nil {
		s.control, err = pgx.ConnectConfig(ctx, s.config)
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("connect to the private PostgreSQL: %w", err)
	}
	return s, nil
}

// Close ends the server and removes its data.
func (s *Server) Close() {
	for _, b := range s.open {
		b.release()
		s.idle = append(s.idle, b.conn)
	}
	if s.control != nil {
		s.idle = append(s.idle, s.control)
	}
	for _, c := range s.idle {
		hangUp(c)
	}
	s.open, s.idle, s.control = nil, nil, nil
	s.cluster.Close()
}

func hangUp(c *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Close(ctx) // the server ends next, whatever it says
}

func limited() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), bound)
}

// Begin implements virtual.Postgres.
func (s *Server) Begin(schema string) error {
	for len(s.open) > 0 {
		s.open[0].Close()
	}
	ctx, cancel := limited()
	defer cancel()
	script := s.empty()
	if s.schema != schema {
		script = "DROP SCHEMA IF EXISTS dlsim CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public;\n" + schema + ";" + record
	}
	if _, err := s.control.PgConn().Exec(ctx, script).ReadAll(); err != nil {
		return fmt.Errorf("make the tables of paydb: %w", err)
	}
	if s.schema == schema {
		return nil
	}
	for _, c := range s.idle { // what they have prepared is no more
		hangUp(c)
	}
	s.idle = nil
	s.schema = schema
	return s.audit(ctx)
}

// empty is the statement that takes all rows away.
func (s *Server) empty() string {
	names := []string{"dlsim.record"}
	for name := range s.tables {
		names = append(names, name)
	}
	return "TRUNCATE " + strings.Join(names, ", ") + " RESTART IDENTITY"
}

// Connect implements virtual.Postgres.
func (s *Server) Connect() (virtual.PostgresSession, error) {
	b := &session{server: s}
	if n := len(s.idle); n > 0 {
		b.conn, s.idle = s.idle[n-1], s.idle[:n-1]
	} else {
		ctx, cancel := limited()
		defer cancel()
		conn, err := pgx.ConnectConfig(ctx, s.config)
		if err != nil {
			return nil, fmt.Errorf("connect to the private PostgreSQL: %w", err)
		}
		b.conn = conn
	}
	b.pid = b.conn.PgConn().PID()
	s.open = append(s.open, b)
	return b, nil
}

// blockers are the backends that a backend waits for.
func (s *Server) blockers(pid uint32) (pids []int32, err error) {
	ctx, cancel := limited()
	defer cancel()
	err = s.control.QueryRow(ctx, "SELECT pg_blocking_pids($1)", int32(pid)).Scan(&pids)
	return pids, err
}

// signal runs one of the functions that ask a backend for something.
func (s *Server) signal(call string, pid uint32) error {
	ctx, cancel := limited()
	defer cancel()
	_, err := s.control.Exec(ctx, "SELECT "+call, int32(pid))
	return err
}

var _ virtual.Postgres = (*Server)(nil)

// answer is what a statement was answered.
type answer struct {
	result *postgres.Result
	err    error
}
