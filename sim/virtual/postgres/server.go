package postgres

import (
	"slices"
	"time"
)

// Options set up a server. The zero value is an ordinary primary.
type Options struct {
	// Catalog is the cache to use; nil makes one of its own.
	Catalog *Catalog
	// Memory is used again from server to server; nil allocates.
	Memory *Memory
	// MaxConnections bounds the sessions; 0 means 100. Beyond it Connect fails with 53300.
	MaxConnections int
	// Standby starts the server read-only; it takes commits by Apply until Promote.
	Standby bool
	// StartupTime is how long Recover answers 57P03.
	StartupTime time.Duration
	// AsyncFlush is the delay after which commits made with synchronous_commit off become durable;
	// 0 means 200 ms, PostgreSQL's wal_writer_delay. A crash loses those younger than it.
	AsyncFlush time.Duration
	// CrashKeepsInFlight decides for commits whose flush a crash interrupts: kept, or lost.
	CrashKeepsInFlight bool
	// DeadlockTimeout is the wait before a deadlock is looked for; 0 means 1 s.
	DeadlockTimeout time.Duration
}

// Server is one PostgreSQL server. All calls come from one thread.
type Server struct {
	env       Env
	opts      Options
	schema    *schema
	tables    []*Table
	sequences []sequence
	sessions  []*Session
	down      bool
	starting  bool
	standby   bool

	seq, xid, lsn int64
	flushed       int64 // all commits up to this LSN survive a crash
	pid           int32
	unflushed     []*tx
	flushTimer    func()
	dead          []*version // replaced versions, by the commit order of those who replaced them
	scratch       []byte
}

type sequence struct {
	def     *sequenceDef
	last    int64 // next answer is last + increment, unless fresh
	fresh   bool
	ahead   int64 // answers left that the log already covers
	logged  int64
	moved   bool  // logged since the last commit that was streamed
	durable int64 // logged, as a crash would leave it
	atLSN   int64
	exists  bool // a durable value exists
}

// NewServer returns a running server without tables.
func NewServer(env Env, opts Options) *Server {
	if opts.Catalog == nil {
		opts.Catalog = NewCatalog()
	}
	if opts.MaxConnections == 0 {
		opts.MaxConnections = 100
	}
	if opts.AsyncFlush == 0 {
		opts.AsyncFlush = 200 * time.Millisecond
	}
	if opts.DeadlockTimeout == 0 {
		opts.DeadlockTimeout = defaultDeadlockTimeout
	}
	return &Server{
		env: env, opts: opts, schema: opts.Catalog.empty, standby: opts.Standby,
		xid: 730, pid: 1000, scratch: make([]byte, 0, 128),
	}
}

// Script runs a file of CREATE statements. It takes effect whole or not at all.
func (srv *Server) Script(ddl string) error {
	next, err := srv.schema.then(ddl)
	if err != nil {
		return err
	}
	return srv.adopt(next)
}

func (srv *Server) adopt(next *schema) error {
	for i, def := range next.tables {
		switch {
		case i >= len(srv.tables):
			srv.tables = append(srv.tables, newTable(def))
		case srv.tables[i].def != def:
			if srv.tables[i].first != nil {
				return &UnsupportedError{Construct: "CREATE INDEX on a table that has rows"}
			}
			srv.tables[i] = newTable(def)
		}
	}
	for _, def := range next.sequences[len(srv.sequences):] {
		srv.sequences = append(srv.sequences, sequence{def: def, fresh: true, last: def.start - def.increment})
	}
	srv.schema = next
	return nil
}

// Connect opens a session. Errors: ErrRefused while the server is down, 57P03 while it starts,
// 53300 when all places are taken.
func (srv *Server) Connect() (*Session, error) {
	switch {
	case srv.down:
		return nil, ErrRefused
	case srv.starting:
		return nil, fatalError("57P03", "the database system is starting up")
	case len(srv.sessions) >= srv.opts.MaxConnections:
		return nil, fatalError("53300", "sorry, too many clients already")
	}
	srv.pid++
	s := srv.newSession()
	s.srv, s.pid, s.snap = srv, srv.pid, -1
	s.base = setting{deadlockTimeout: srv.opts.DeadlockTimeout, syncCommit: true}
	s.set = s.base
	srv.sessions = append(srv.sessions, s)
	return s, nil
}

// Sessions are the open sessions in the order in which they connected.
func (srv *Server) Sessions() []*Session { return slices.Clone(srv.sessions) }

// Standby says whether the server is read-only and takes commits by Apply.
func (srv *Server) Standby() bool { return srv.standby }

// LSN is the position of the last commit.
func (srv *Server) LSN() int64 { return srv.lsn }

func (srv *Server) drop(s *Session) {
	if i := slices.Index(srv.sessions, s); i >= 0 {
		srv.sessions = slices.Delete(srv.sessions, i, i+1)
	}
}

// retire notes that t's commit leaves old versions behind, and removes those that nobody can see
// any more.
func (srv *Server) retire(t *tx) {
	for i := range t.changes {
		if old := t.changes[i].old; old != nil {
			srv.dead = append(srv.dead, old)
		}
	}
	if len(srv.dead) == 0 {
		return
	}
	oldest := srv.seq
	for _, s := range srv.sessions {
		if s.snap >= 0 && s.snap < oldest {
			oldest = s.snap
		}
	}
	n := 0
	for _, v := range srv.dead {
		if v.taken.seq > oldest || v.taken.lsn > srv.flushed {
			break
		}
		v.table.remove(v, srv.scratch)
		n++
	}
	srv.dead = slices.Delete(srv.dead, 0, n)
}

// plan returns what sql means under the current schema.
func (srv *Server) plan(sql string) (*plan, error) {
	if p := srv.schema.plans[sql]; p != nil {
		return p, nil
	}
	p, err := newPlan(srv.schema, sql)
	if err != nil {
		return nil, err
	}
	if srv.schema.plans == nil {
		srv.schema.plans = map[string]*plan{}
	}
	srv.schema.plans[sql] = p
	return p, nil
}
