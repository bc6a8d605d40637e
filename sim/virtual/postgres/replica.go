package postgres

import "slices"

// Apply replays a commit of the primary on a standby. Rows are found by primary key, or by their
// whole content in a table without one.
func (srv *Server) Apply(c *Commit) {
	if !srv.standby {
		panic("postgres: Apply on a server that is not a standby")
	}
	t := &tx{xid: c.Tx, lsn: c.LSN, snapshot: -1, command: 1}
	for i := range c.Rows {
		r := &c.Rows[i]
		def := srv.schema.table(r.Table)
		if def == nil {
			panic("postgres: Apply to table " + r.Table + ", which the standby does not have")
		}
		table := srv.tables[def.ordinal]
		var old *version
		if r.Old != nil {
			if old = table.current(r.Old, srv.scratch); old == nil {
				panic("postgres: Apply to a row of " + r.Table + " that the standby does not have")
			}
		}
		srv.replace(t, table, old, r.New)
	}
	for _, v := range c.Sequences {
		if def := srv.schema.sequence(v.Sequence); def != nil {
			q := &srv.sequences[def.ordinal]
			q.fresh, q.last, q.logged, q.ahead = false, v.Logged, v.Logged, 0
			q.durable, q.exists = v.Logged, true
		}
	}
	srv.xid, srv.lsn = max(srv.xid, c.Tx), c.LSN
	srv.flushed = c.LSN
	srv.seq++
	t.seq, t.state = srv.seq, txCommitted
	srv.retire(t)
	t.forget()
}

// replace lets t put row (nil: nothing) in place of old (nil: nothing), indexes included. No
// constraint is checked.
func (srv *Server) replace(t *tx, table *Table, old *version, row []any) *version {
	var v *version
	if row != nil {
		v = &version{row: row, made: t, madeAt: t.command}
		table.append(v, old)
		t.made = append(t.made, v)
	}
	if old != nil {
		mode := lockNoKeyExclusive
		if v == nil || !sameColumns(old.row, row, table.def.keys) {
			mode = lockExclusive
		}
		old.replaceBy(t, v, mode)
	}
	if v != nil {
		for i := range table.indexes {
			table.indexes[i].put(v, srv)
		}
	}
	t.write(old, v)
	return v
}

// Promote makes a standby a primary. Sessions keep the mode in which their transaction began.
func (srv *Server) Promote() { srv.standby = false }

// committed says whether v is what a new snapshot would see.
func (v *version) committed() bool {
	return v.made.state == txCommitted && (v.taken == nil || v.taken.state != txCommitted)
}

// current finds the committed version that has row's primary key.
func (t *Table) current(row []any, scratch []byte) *version {
	if t.def.primary == nil {
		for v := t.first; v != nil; v = v.past {
			if v.committed() && slices.EqualFunc(v.row, row, sameValue) {
				return v
			}
		}
		return nil
	}
	for i := range t.indexes {
		x := &t.indexes[i]
		if x.def != t.def.primary {
			continue
		}
		if key, ok := x.key(row, scratch); ok {
			if b := x.buckets[string(key)]; b != nil {
				for _, v := range b.versions {
					if v.committed() {
						return v
					}
				}
			}
		}
	}
	return nil
}

// Table finds a table by name, nil when there is none.
func (srv *Server) Table(name string) *Table {
	if def := srv.schema.table(name); def != nil {
		return srv.tables[def.ordinal]
	}
	return nil
}

// Tables are all tables in the order of their creation.
func (srv *Server) Tables() []*Table { return slices.Clone(srv.tables) }

// Rows are the committed rows, ordered by primary key (by all columns without one). The rows must
// not be changed.
func (t *Table) Rows() [][]any {
	var out [][]any
	for v := t.first; v != nil; v = v.past {
		if v.committed() {
			out = append(out, v.row)
		}
	}
	slices.SortStableFunc(out, t.compare)
	return out
}

func (t *Table) compare(a, b []any) int {
	if t.def.primary != nil {
		for _, c := range t.def.primary.columns {
			if n := compareNullable(a[c], b[c], false); n != 0 {
				return n
			}
		}
		return 0
	}
	for c := range a {
		if n := compareNullable(a[c], b[c], false); n != 0 {
			return n
		}
	}
	return 0
}

// compareNullable orders values with NULL last, or first.
func compareNullable(a, b any, nullsFirst bool) int {
	if a == nil || b == nil {
		switch {
		case a == nil && b == nil:
			return 0
		case (a == nil) == nullsFirst:
			return -1
		}
		return 1
	}
	return compareValues(a, b)
}

// Diff lists the rows in which srv and other differ, in the order of srv's tables and of their
// keys: Old is srv's row, New is other's. Both must have run the same scripts.
func (srv *Server) Diff(other *Server) []RowChange {
	var out []RowChange
	for _, t := range srv.tables {
		u := other.Table(t.Name())
		if u == nil {
			panic("postgres: Diff against a server without table " + t.Name())
		}
		add := func(a, b []any) {
			out = append(out, RowChange{Table: t.def.name, Columns: t.def.names, Old: a, New: b})
		}
		mine, theirs := t.Rows(), u.Rows()
		for len(mine) > 0 || len(theirs) > 0 {
			order := 0
			switch {
			case len(mine) == 0:
				order = 1
			case len(theirs) == 0:
				order = -1
			default:
				order = t.compare(mine[0], theirs[0])
			}
			switch {
			case order < 0:
				add(mine[0], nil)
				mine = mine[1:]
			case order > 0:
				add(nil, theirs[0])
				theirs = theirs[1:]
			default:
				if !slices.EqualFunc(mine[0], theirs[0], sameValue) {
					add(mine[0], theirs[0])
				}
				mine, theirs = mine[1:], theirs[1:]
			}
		}
	}
	return out
}
