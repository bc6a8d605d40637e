package postgres

import (
	"strconv"
	"strings"
	"time"
)

// Session is one backend. Its calls are not re-entrant: while Exec is parked only CancelQuery,
// Terminate, Close and the questions may be called.
type Session struct {
	srv       *Server
	pid       int32
	tx        *tx
	failed    bool  // the open block was aborted
	gone      error // why the session is over
	set, base setting
	saved     setting // base as the transaction found it
	snap      int64   // the snapshot in use, -1 for none; holds back removal of old versions
	ctx       evalCtx
	selects   selectRun
	result    Result  // of the last statement
	rows      [][]any // and its rows
	cells     []any   // and what they hold
	found     []*version
	currval   []int64 // by sequence; 0 bit of currvalSet says whether
	hasValue  []bool

	// Waiting; see wait.go.
	waiting   wait
	parked    bool
	interrupt error
	holding   *tupleQueue
	lockTable string // for the text of 55P03
	running   bool
	flushing  bool
	lost      bool // the server crashed while the commit was being flushed
}

// setting are the parameters a session can set.
type setting struct {
	lockTimeout, statementTimeout, deadlockTimeout time.Duration
	syncCommit                                     bool
	applicationName                                string
}

// PID is the backend's process id.
func (s *Session) PID() uint32 { return uint32(s.pid) }

// Dead says whether the session is over.
func (s *Session) Dead() bool { return s.gone != nil }

// TxStatus is 'I' outside a transaction block, 'T' in one, 'E' in one that failed.
func (s *Session) TxStatus() byte {
	switch {
	case s.failed:
		return 'E'
	case s.tx != nil && s.tx.block:
		return 'T'
	}
	return 'I'
}

// Exec runs one statement. Errors are *pgconn.PgError as PostgreSQL words them; ErrConnectionLost
// when there is no answer; *ArgumentError for arguments a client would not have sent;
// *UnsupportedError for SQL outside the subset. It must run in a coroutine that Env.Wait can park.
func (s *Session) Exec(sql string, args []any) (*Result, error) {
	if s.gone != nil {
		return nil, s.gone
	}
	p, err := s.srv.plan(sql)
	if s.failed && (err != nil || !p.endsBlock()) {
		return nil, pgError("25P02", "current transaction is aborted, commands ignored until end of transaction block")
	}
	if err != nil {
		s.abort()
		return nil, err
	}
	c := &s.ctx
	if err := c.bind(p, args); err != nil {
		return nil, err
	}
	c.session = s
	s.rows, s.cells = s.rows[:0], s.cells[:0]
	s.running = true
	res, err := s.run(p, c)
	s.running = false
	if s.gone != nil && err != nil {
		return nil, s.gone
	}
	return res, err
}

func (s *Session) run(p *plan, c *evalCtx) (*Result, error) {
	if p.control != nil {
		return p.control(s)
	}
	implicit := s.tx == nil
	if implicit {
		s.begin(readCommitted)
	}
	var stop func()
	if d := s.set.statementTimeout; d > 0 {
		stop = s.srv.env.After(d, func() {
			s.interruptWait(pgError("57014", "canceling statement due to statement timeout"))
		})
	}
	res, err := s.execute(p, c)
	if stop != nil {
		stop()
	}
	if err != nil {
		s.abort()
		return nil, err
	}
	if implicit {
		if err := s.commit(); err != nil {
			return nil, err
		}
	}
	return res, nil
}

func (s *Session) execute(p *plan, c *evalCtx) (*Result, error) {
	t := s.tx
	if p.writes != "" && t.readOnly {
		return nil, pgErrorf("25006", "cannot execute %s in a read-only transaction", p.writes)
	}
	t.command++
	if t.iso != repeatableRead {
		t.snapshot = s.srv.seq
	} else if t.snapshot < 0 {
		t.snapshot = s.srv.seq
	}
	s.snap = t.snapshot
	res, err := p.exec.run(s, c)
	if t.iso != repeatableRead {
		s.snap = -1
	}
	return res, err
}

// begin starts a transaction; its clock is the statement's.
func (s *Session) begin(iso isolation) {
	s.tx = s.srv.newTx()
	s.tx.session, s.tx.iso, s.tx.readOnly, s.tx.snapshot = s, iso, s.srv.standby, -1
	s.tx.start = timeOf(s.srv.env.Now())
	s.tx.changes, s.tx.made = s.tx.roomForChanges[:0], s.tx.roomForMade[:0]
	s.saved = s.base
}

// assignXID gives the transaction its number with its first write or lock.
func (s *Session) assignXID() {
	if s.tx.xid == 0 {
		s.srv.xid++
		s.tx.xid = s.srv.xid
	}
}

// commit makes the transaction durable, then visible.
func (s *Session) commit() error {
	t, srv := s.tx, s.srv
	if t.xid != 0 {
		srv.lsn++
		t.lsn = srv.lsn
		srv.logSequences(t.lsn)
		if s.set.syncCommit {
			s.flushing = true
			srv.env.Flush(s)
			s.flushing = false
			if s.lost {
				return ErrConnectionLost
			}
			if s.gone != nil {
				srv.drop(s)
			}
			srv.durable(t.lsn)
		}
		srv.publish(t)
		if srv.down {
			return ErrConnectionLost
		}
	}
	s.base.copyTo(&s.set)
	s.end(txCommitted)
	return nil
}

// publish makes t visible at this instant.
func (srv *Server) publish(t *tx) {
	srv.seq++
	t.seq, t.state = srv.seq, txCommitted
	for _, v := range t.made {
		if v.taken == t && v.table != nil {
			v.table.remove(v, srv.scratch) // nobody ever saw it
		}
	}
	if t.lsn > srv.flushed {
		srv.unflushed = append(srv.unflushed, t)
		if srv.flushTimer == nil {
			srv.flushTimer = srv.env.After(srv.opts.AsyncFlush, srv.flushAsync)
		}
	}
	c := srv.newCommit()
	c.Rows = t.rows(c.room[:0])
	moved := srv.movedSequences()
	srv.retire(t)
	if len(c.Rows) > 0 {
		c.Tx, c.LSN, c.Clock, c.Sequences = t.xid, t.lsn, srv.env.Now(), moved
		t.commit = c
		srv.env.Committed(t.commit) // last, for it may answer with a crash that takes t back
	}
	if t.lsn <= srv.flushed {
		t.forget()
	}
}

func (v setting) copyTo(to *setting) { *to = v }

// abort takes back what the transaction did and frees its locks at once; a block stays open, failed.
func (s *Session) abort() {
	t := s.tx
	if t == nil {
		return
	}
	block := t.block
	s.undo()
	s.failed = block
}

func (s *Session) undo() {
	t := s.tx
	s.srv.takeBack(t)
	s.base = s.saved
	s.set = s.saved
	s.end(txAborted)
}

// takeBack removes the versions t made and gives back those it replaced.
func (srv *Server) takeBack(t *tx) {
	for i := len(t.made) - 1; i >= 0; i-- {
		v := t.made[i]
		if v.table != nil {
			v.table.remove(v, srv.scratch)
		}
	}
	for i := range t.changes {
		if old := t.changes[i].old; old != nil && old.taken == t {
			old.taken = nil // as in PostgreSQL, the link to what is taken back stays
		}
	}
}

// end closes the transaction in the given state and lets everybody who waited for it go on.
func (s *Session) end(state txState) {
	t := s.tx
	t.state = state
	s.tx = nil
	s.failed = false
	s.snap = -1
	s.leaveQueue(true)
	waiters := t.waiters
	t.waiters = nil
	for _, w := range waiters {
		w.granted()
	}
}

// CancelQuery asks the session to give up its current statement: 57014 if it waits for a lock,
// nothing otherwise.
func (s *Session) CancelQuery() {
	s.interruptWait(pgError("57014", "canceling statement due to user request"))
}

// Terminate ends the session as pg_terminate_backend does: the statement it waits in, or its next
// one, gets 57P01. A commit already on its way to disk is finished and answered first.
func (s *Session) Terminate() {
	s.over(fatalError("57P01", "terminating connection due to administrator command"))
}

// Close ends the session because its client has gone: an open transaction is rolled back, a
// waiting statement abandoned, a commit already on its way to disk finished.
func (s *Session) Close() { s.over(ErrConnectionLost) }

func (s *Session) over(why error) {
	if s.gone != nil {
		return
	}
	s.gone = why
	if s.flushing {
		return // it stays among the sessions, so that a crash still finds its commit
	}
	s.srv.drop(s)
	switch {
	case s.parked:
		// The parked statement fails with why and aborts by itself, but its locks go now: the
		// coroutine may never be run again.
		s.interruptWait(why)
		s.parked = false
		s.waiting.leave(s)
		s.undo()
		s.tx = &tx{session: s, state: txAborted, snapshot: -1}
	case s.tx != nil && !s.running:
		s.undo()
	}
}

// leave takes a session that gives up out of what it waits in.
func (w *wait) leave(s *Session) {
	if w.tx != nil {
		keep := w.tx.waiters[:0]
		for _, o := range w.tx.waiters {
			if o != s {
				keep = append(keep, o)
			}
		}
		w.tx.waiters = keep
	}
}

// apply sets one parameter.
func (v *setting) apply(n *settingNode) error {
	switch n.name {
	case "synchronous_commit":
		b, ok := boolWords[n.value]
		if !ok && n.value != "local" && n.value != "remote_write" && n.value != "remote_apply" {
			return pgErrorf("22023", "invalid value for parameter \"%s\": \"%s\"", n.name, n.value)
		}
		v.syncCommit = b || !ok
	case "application_name":
		v.applicationName = n.value
	default:
		d, ok := parseMillis(n.value)
		if !ok {
			return pgErrorf("22023", "invalid value for parameter \"%s\": \"%s\"", n.name, n.value)
		}
		switch n.name {
		case "lock_timeout":
			v.lockTimeout = d
		case "statement_timeout":
			v.statementTimeout = d
		case "deadlock_timeout":
			v.deadlockTimeout = d
		}
	}
	return nil
}

func (v *setting) show(name string) string {
	switch name {
	case "synchronous_commit":
		if v.syncCommit {
			return "on"
		}
		return "off"
	case "application_name":
		return v.applicationName
	case "lock_timeout":
		return formatMillis(v.lockTimeout)
	case "statement_timeout":
		return formatMillis(v.statementTimeout)
	}
	return formatMillis(v.deadlockTimeout)
}

var milliUnits = []struct {
	name string
	unit time.Duration
}{{"ms", time.Millisecond}, {"min", time.Minute}, {"s", time.Second}, {"h", time.Hour}, {"d", 24 * time.Hour}}

func parseMillis(s string) (time.Duration, bool) {
	unit := time.Millisecond
	s = strings.TrimSpace(s)
	for _, u := range milliUnits {
		if strings.HasSuffix(s, u.name) {
			s, unit = strings.TrimSpace(strings.TrimSuffix(s, u.name)), u.unit
			break
		}
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return time.Duration(n) * unit, err == nil && n >= 0
}

func formatMillis(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	best := milliUnits[0]
	for _, u := range milliUnits {
		if d%u.unit == 0 && u.unit > best.unit {
			best = u
		}
	}
	return strconv.FormatInt(int64(d/best.unit), 10) + best.name
}
