package postgres

import "time"

type isolation uint8

const (
	isoUnset isolation = iota
	readUncommitted
	readCommitted
	repeatableRead
)

func (i isolation) String() string {
	switch i {
	case readUncommitted:
		return "read uncommitted"
	case repeatableRead:
		return "repeatable read"
	}
	return "read committed"
}

type txState uint8

const (
	txRunning txState = iota
	txCommitted
	txAborted
)

// tx is one transaction, PostgreSQL's xid and what hangs on it.
type tx struct {
	xid      int64 // 0 until it writes or locks
	state    txState
	seq      int64 // position in commit order, once committed
	lsn      int64
	session  *Session
	iso      isolation
	readOnly bool
	block    bool      // within BEGIN … COMMIT
	start    time.Time // what now() answers
	command  int32     // number of the current command
	snapshot int64     // REPEATABLE READ: taken with the first statement; -1 before
	changes  []change
	made     []*version // versions it wrote, to take back on abort
	waiters  []*Session // those who wait for it to end
	commit   *Commit

	roomForChanges [2]change
	roomForMade    [2]*version
}

// change is one row's way through a transaction.
type change struct {
	old, new *version
}

// forget lets go of everything but the outcome, once that can no longer be taken back: versions
// keep their transaction, and must not keep by it every version before them.
func (t *tx) forget() {
	t.changes, t.made, t.commit = nil, nil, nil
	t.roomForChanges, t.roomForMade = [2]change{}, [2]*version{}
}

func (t *tx) running() bool { return t != nil && t.state == txRunning }

// visible says whether a snapshot taken at position snap by me, in its command cmd, sees v.
func (v *version) visible(me *tx, snap int64) bool {
	if v.made == me {
		if v.madeAt >= me.command {
			return false
		}
	} else if v.made.state != txCommitted || v.made.seq > snap {
		return false
	}
	switch {
	case v.taken == nil:
		return true
	case v.taken == me:
		return v.takenAt >= me.command
	}
	return v.taken.state != txCommitted || v.taken.seq > snap
}

// write records that t made v out of old; either may be nil.
func (t *tx) write(old, v *version) {
	if old != nil && old.made == t {
		c := &t.changes[old.change]
		c.new = v
		if v != nil {
			v.change = old.change
		}
		return
	}
	t.changes = append(t.changes, change{old: old, new: v})
	if v != nil {
		v.change = int32(len(t.changes) - 1)
	}
}

// rows are the net changes.
func (t *tx) rows(out []RowChange) []RowChange {
	for _, c := range t.changes {
		if c.old == nil && c.new == nil {
			continue
		}
		r := RowChange{}
		def := (*tableDef)(nil)
		if c.old != nil {
			def, r.Old = c.old.table.def, c.old.row
		}
		if c.new != nil {
			def, r.New = c.new.table.def, c.new.row
		}
		r.Table, r.Columns = def.name, def.names
		out = append(out, r)
	}
	return out
}
