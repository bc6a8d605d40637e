package virtual

import (
	"context"
	"time"

	"dlsim/sim"
	"dlsim/sim/truth"
	"dlsim/sim/virtual/postgres"
	"dlsim/sim/virtual/sched"
	system "dlsim/system/host"
)

// database is one PostgreSQL store: the server that serves it now, and where a scenario asks for
// one, an asynchronous standby.
type database struct {
	w       *World
	name    string
	schema  string
	primary *pgServer
	demoted *pgServer // the old primary after a failover, while anybody still reaches it
	standby *machine  // where the standby runs; nil without one
	shipped []*postgres.Commit
	replica *replica // the standby as a server of reads; nil until somebody asks for it
}

// pgServer is one PostgreSQL server on its machine. It is the engine's environment.
type pgServer struct {
	db        *database
	m         *machine
	recorded  string // the name its commits are recorded under
	engine    *postgres.Server
	real      *realServer // in place of the engine; nil for the model
	commits   int64       // that changed rows: their numbers in the history
	sessions  []*session  // with a living backend
	bySession map[*postgres.Session]*session
	stalls    []*stall
}

// stall is a disk that does not finish writes until it is healed.
type stall struct {
	waiting []parked
}

func (w *World) newDatabase(name, schema string, standby bool, fill func(*pgServer) error) (*database, error) {
	db := &database{w: w, name: name, schema: schema}
	m := w.newMachine(name, "")
	m.node.Start()
	db.primary = db.server(m, postgres.Options{Catalog: w.cache.catalog, Memory: &w.cache.memory})
	w.topology.Stores = append(w.topology.Stores, sim.Store{Name: name, Kind: sim.Postgres})
	if standby {
		db.standby = w.newMachine(name+"-standby", "")
		db.standby.alias = name
		w.topology.Stores = append(w.topology.Stores, sim.Store{Name: db.standby.name, Kind: sim.Postgres})
	}
	if name == sim.Paydb && w.options.Paydb != nil {
		if err := db.useReal(w.options.Paydb); err != nil {
			return nil, err
		}
	} else if err := db.primary.engine.Script(schema); err != nil {
		return nil, err
	}
	if fill == nil {
		return db, nil
	}
	return db, fill(db.primary)
}

func (db *database) server(m *machine, o postgres.Options) *pgServer {
	p := &pgServer{db: db, m: m, recorded: db.name, bySession: map[*postgres.Session]*session{}}
	p.engine = postgres.NewServer(p, o)
	return p
}

// connect opens a backend for a session; the harness's own has none (nil).
func (p *pgServer) connect(s *session) (engineSession, error) {
	if p.real != nil {
		r, err := p.real.connect(s)
		if err != nil {
			return nil, err
		}
		return r, nil
	}
	e, err := p.engine.Connect()
	if err != nil {
		return nil, err
	}
	if s != nil {
		p.bySession[e] = s
	}
	return e, nil
}

// Now is the server's wall clock.
func (p *pgServer) Now() int64 { return p.m.clock.wall(p.db.w.sched.Now()) }

// Wait parks the backend of a session that waits for a lock.
func (p *pgServer) Wait(e *postgres.Session) { p.park(p.bySession[e]) }

func (p *pgServer) park(s *session) {
	s.turn = s.backend.Turn()
	s.backend.Park()
	s.backend.Alive()
}

// Wake makes it runnable.
func (p *pgServer) Wake(e *postgres.Session) { p.wake(p.bySession[e]) }

func (p *pgServer) wake(s *session) {
	if s != nil {
		s.backend.Wake(s.turn)
	}
}

// After is a timer of the server.
func (p *pgServer) After(d time.Duration, f func()) (cancel func()) {
	s := p.db.w.sched
	t := s.After(p.m.clock.trueTime(int64(d)), p.m.node, f)
	return func() { s.Stop(t) }
}

// Flush waits for the disk.
func (p *pgServer) Flush(e *postgres.Session) {
	if s := p.bySession[e]; s != nil { // else the harness is filling the store before the run
		p.flush(s)
	}
}

func (p *pgServer) flush(s *session) {
	t := s.backend
	for len(p.stalls) > 0 {
		first := p.stalls[0]
		first.waiting = append(first.waiting, parked{t, t.Turn()})
		t.Park()
		t.Alive()
	}
	t.Sleep(p.db.w.sched.Now() + p.db.w.flushTime(p.m.node))
	t.Alive()
}

// Committed tells the history what a commit did, and ships it to the standby.
func (p *pgServer) Committed(c *postgres.Commit) {
	db := p.db
	if (db.standby != nil || db.w.options.KeepCommits) && db.primary == p {
		db.shipped = append(db.shipped, c)
		if db.replica != nil {
			db.replica.ship()
		}
	}
	// Numbered in commit order: the numbers of a server's own depend on what else asks it for one.
	p.commits++
	for i := range c.Rows {
		p.tell(&c.Rows[i], p.commits, c.Clock, false)
	}
}

func (p *pgServer) tell(r *postgres.RowChange, tx, clock int64, lost bool) {
	w := p.db.w
	row := truth.RowChange{Store: p.recorded, Table: r.Table, Columns: r.Columns, Old: r.Old, New: r.New, Tx: tx, Clock: clock}
	if lost {
		w.truths = truth.AppendLost(w.truths[:0], &row)
	} else {
		w.truths = truth.Append(w.truths[:0], &row)
	}
	w.recordTruths()
}

// pool returns the process's pool to a store, made at first use.
func (h *host) pool(store string) system.DB {
	for _, p := range h.pools {
		if p.store == store {
			return p.pool
		}
	}
	db := h.w.database(store)
	if db == nil {
		panic("virtual: " + h.name + " asks for store " + store + ", which this topology lacks")
	}
	p := &pool{store: store, dialer: dialer{h, db}, places: semaphore{h: h, free: h.w.options.System.Paydb.Pool}}
	p.pool = postgres.NewPool(&p.dialer, &p.places)
	h.pools = append(h.pools, p)
	return p.pool
}

type pool struct {
	store  string
	pool   *postgres.Pool
	dialer dialer
	places semaphore
}

func (w *World) database(store string) *database {
	switch {
	case w.paydb != nil && w.paydb.name == store:
		return w.paydb
	case w.lockdb != nil && w.lockdb.name == store:
		return w.lockdb
	}
	if r := w.replicaNamed(store); r != nil {
		return r.as
	}
	return nil
}

// semaphore bounds a pool. Waiters are served in the order they came.
type semaphore struct {
	h       *host
	free    int
	waiting []parked
}

// Acquire takes a place or parks until one is free or ctx ends.
func (s *semaphore) Acquire(ctx context.Context) error {
	t := s.h.w.sched.Current()
	t.Alive()
	for s.free == 0 {
		s.waiting = append(s.waiting, parked{t, t.Turn()})
		if err := park(t, ctx); err != nil {
			return err
		}
		t.Alive()
	}
	s.free--
	return nil
}

// Release gives a place back.
func (s *semaphore) Release() {
	s.free++
	for len(s.waiting) > 0 {
		next := s.waiting[0]
		s.waiting = s.waiting[1:]
		if next.task.Wake(next.turn) {
			return
		}
	}
}

// failover promotes the standby as it was `loses` ago. Connections to the old primary either
// break or go on talking to it, which accepts writes that nobody else will see: split brain.
func (db *database) failover(loses time.Duration) (felt int) {
	w, old := db.w, db.primary
	db.standby.node.Start()
	db.standby.clock = old.m.clock
	next := db.server(db.standby, postgres.Options{Catalog: w.cache.catalog, Memory: &w.cache.memory, Standby: true})
	db.fill(next.engine, db.shippedBy(old.Now()-int64(loses)))
	next.engine.Promote()
	lost := old.engine.Diff(next.engine)
	old.recorded = db.name + "-demoted"
	next.commits = old.commits
	db.primary, db.demoted = next, old
	next.tellLost(lost, "failover")
	for _, s := range append([]*session(nil), old.sessions...) {
		if old.m.node.Draw(sched.Survive, 2) == 0 {
			old.end(s)
			felt++
		}
	}
	return felt + len(lost)
}

// fill brings an empty standby to where some commits of the database have brought it.
func (db *database) fill(next *postgres.Server, commits []*postgres.Commit) {
	if err := next.Script(db.schema); err != nil {
		panic("virtual: " + err.Error()) // the database took the same schema
	}
	for _, c := range commits {
		next.Apply(c)
	}
}

// shippedBy lists what had been committed by a time on the database's clock, and what it began with.
func (db *database) shippedBy(cutoff int64) (commits []*postgres.Commit) {
	for _, c := range db.shipped {
		if c.Clock <= cutoff || c.Clock <= epoch {
			commits = append(commits, c)
		}
	}
	return commits
}

// end breaks one connection from the server's side.
func (p *pgServer) end(s *session) {
	p.sessions = forget(p.sessions, s)
	if s.engine != nil {
		s.engine.Terminate()
	}
	s.serverGone()
	s.hangUp()
}

// retire ends the old primary for good.
func (db *database) retire() {
	if db.demoted != nil && db.demoted.m.node.Up() {
		db.demoted.crash(0)
	}
	db.demoted = nil
}
