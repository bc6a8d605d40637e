package postgres

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// version is one version of a row, PostgreSQL's heap tuple.
type version struct {
	row []any

	made    *tx   // who wrote it; never nil
	madeAt  int32 // the command within made
	taken   *tx   // who updated or deleted it; an aborted one counts as nobody
	takenAt int32
	next    *version // what an update made of it
	xmax    xmax     // whoever has locked it, and taken
	queue   *tupleQueue
	change  int32 // index into made.changes, for versions a transaction made itself

	table        *Table
	before, past *version // heap order
	// place counts up in heap order; root is the place where an index finds the version: that of
	// the oldest one it follows without a change of any indexed column (PostgreSQL's HOT chain).
	place, root int64
}

// Table is one table of one server.
type Table struct {
	def         *tableDef
	first, last *version
	indexes     []index
	live        int // versions in the heap
	places      int64
}

// index maps the key's encoding to the versions that carry it, in the order they were written.
type index struct {
	def     *indexDef
	buckets map[string]*bucket
}

type bucket struct {
	versions []*version
	room     [2]*version // for versions, while they are few
}

func newTable(def *tableDef) *Table {
	t := &Table{def: def, indexes: make([]index, len(def.indexes))}
	for i, ix := range def.indexes {
		t.indexes[i] = index{def: ix, buckets: make(map[string]*bucket)}
	}
	return t
}

// Name is the table's name.
func (t *Table) Name() string { return t.def.name }

// Columns are the column names in order; not to be changed.
func (t *Table) Columns() []string { return t.def.names }

// append puts v, which follows old unless that is nil, at the end of the heap.
func (t *Table) append(v, old *version) {
	t.places++
	v.place, v.root = t.places, t.places
	if old != nil && sameColumns(old.row, v.row, t.def.keys) {
		v.root = old.root
	}
	v.table, v.before = t, t.last
	if t.last != nil {
		t.last.past = v
	} else {
		t.first = v
	}
	t.last = v
	t.live++
}

// remove takes v out of the heap and out of every index. v keeps its own links, so a scan that
// stands on it goes on.
func (t *Table) remove(v *version, scratch []byte) {
	if v.table == nil {
		return
	}
	if v.before != nil {
		v.before.past = v.past
	} else {
		t.first = v.past
	}
	if v.past != nil {
		v.past.before = v.before
	} else {
		t.last = v.before
	}
	v.table = nil
	t.live--
	for i := range t.indexes {
		t.indexes[i].drop(v, scratch)
	}
}

// key encodes the key of row; false when a column is NULL, since NULLs are never equal.
func (x *index) key(row []any, b []byte) ([]byte, bool) {
	for _, c := range x.def.columns {
		if row[c] == nil {
			return b, false
		}
		if x.def.text {
			return append(b, row[c].(string)...), true
		}
		b = appendKey(b, row[c])
	}
	return b, true
}

func (x *index) put(v *version, srv *Server) {
	key, ok := x.key(v.row, srv.scratch)
	if !ok {
		return
	}
	b := x.buckets[string(key)]
	if b == nil {
		b = srv.newBucket()
		b.versions = b.room[:0]
		if x.def.text {
			x.buckets[v.row[x.def.columns[0]].(string)] = b
		} else {
			x.buckets[string(key)] = b
		}
	}
	b.versions = append(b.versions, v)
}

func (x *index) drop(v *version, scratch []byte) {
	key, ok := x.key(v.row, scratch)
	if !ok {
		return
	}
	b := x.buckets[string(key)]
	if b == nil {
		return
	}
	if i := slices.Index(b.versions, v); i >= 0 {
		b.versions = slices.Delete(b.versions, i, i+1)
	}
	if len(b.versions) == 0 {
		delete(x.buckets, string(key))
	}
}

// sameKeys says whether two rows agree on the columns in mask.
func sameColumns(a, b []any, mask uint64) bool {
	for i := range a {
		if mask>>i&1 == 1 && !sameValue(a[i], b[i]) {
			return false
		}
	}
	return true
}

func formatKey(v any) string {
	switch v := v.(type) {
	case time.Time:
		return formatValue(v.UnixMicro()) + ";"
	case pgtype.Interval:
		days, micros := span(v)
		return formatValue(days) + "," + formatValue(micros) + ";"
	}
	return formatValue(v) + ";"
}
