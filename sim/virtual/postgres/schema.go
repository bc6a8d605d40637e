package postgres

import (
	"slices"
	"strings"
)

// Catalog caches what texts mean: parsed scripts and statements. Whoever owns it may lend it to
// any number of servers, one after the other or side by side in one thread; nothing that a server
// does shows in it except that the next one starts faster. It is not safe for two threads.
type Catalog struct{ empty *schema }

// NewCatalog returns an empty cache.
func NewCatalog() *Catalog { return &Catalog{empty: &schema{}} }

// schema is an immutable set of tables and sequences. DDL leads from one schema to the next, the
// same text always to the same one, and plans are kept with the schema they were made for.
type schema struct {
	tables    []*tableDef
	sequences []*sequenceDef
	next      map[string]*schema
	plans     map[string]*plan
}

type tableDef struct {
	ordinal  int
	name     string
	columns  []columnDef
	names    []string
	defaults []expr // nil where there is none
	indexes  []*indexDef
	primary  *indexDef
	checks   []checkDef // by name, the order in which PostgreSQL tries them
	keys     uint64     // columns that a foreign key could point to: those of any unique index
}

type indexDef struct {
	name    string
	columns []int
	mask    uint64
	text    bool // a single text column: its value is the key
}

type checkDef struct {
	name string
	e    expr
}

type sequenceDef struct {
	ordinal          int
	name             string
	start, increment int64
}

func (c *schema) table(name string) *tableDef {
	for _, t := range c.tables {
		if t.name == name {
			return t
		}
	}
	return nil
}

func (c *schema) sequence(name string) *sequenceDef {
	name = strings.TrimPrefix(name, "public.")
	for _, s := range c.sequences {
		if s.name == name {
			return s
		}
	}
	return nil
}

func (t *tableDef) column(name string) int { return slices.Index(t.names, name) }

// then returns the schema after running script.
func (c *schema) then(script string) (*schema, error) {
	if n := c.next[script]; n != nil {
		return n, nil
	}
	statements, err := parseScript(script)
	if err != nil {
		return nil, err
	}
	n := c
	for _, st := range statements {
		if n, err = n.apply(st); err != nil {
			return nil, err
		}
	}
	if c.next == nil {
		c.next = map[string]*schema{}
	}
	c.next[script] = n
	return n, nil
}

func (c *schema) clone() *schema {
	return &schema{tables: slices.Clone(c.tables), sequences: slices.Clone(c.sequences)}
}

func (c *schema) taken(name string) bool { return c.table(name) != nil || c.sequence(name) != nil }

// apply runs one statement of DDL.
func (c *schema) apply(st node) (*schema, error) {
	duplicate := func(name string) error { return pgErrorf("42P07", "relation \"%s\" already exists", name) }
	switch st := st.(type) {
	case *createSequenceNode:
		if c.taken(st.name) {
			if st.ifNot {
				return c, nil
			}
			return nil, duplicate(st.name)
		}
		n := c.clone()
		n.sequences = append(n.sequences, &sequenceDef{ordinal: len(n.sequences), name: st.name, start: st.start, increment: st.increment})
		return n, nil
	case *createTableNode:
		if c.taken(st.name) {
			if st.ifNot {
				return c, nil
			}
			return nil, duplicate(st.name)
		}
		t, err := newTableDef(c, st)
		if err != nil {
			return nil, err
		}
		n := c.clone()
		t.ordinal = len(n.tables)
		n.tables = append(n.tables, t)
		return n, nil
	case *createIndexNode:
		return c.applyIndex(st)
	}
	return nil, &UnsupportedError{Construct: "statement that is not CREATE in a script"}
}

func (c *schema) applyIndex(st *createIndexNode) (*schema, error) {
	old := c.table(st.table)
	if old == nil {
		return nil, errNoTable(st.table)
	}
	for _, t := range c.tables {
		for _, ix := range t.indexes {
			if ix.name != st.name {
				continue
			}
			if st.ifNot {
				return c, nil
			}
			return nil, pgErrorf("42P07", "relation \"%s\" already exists", st.name)
		}
	}
	t := *old
	t.indexes = slices.Clone(t.indexes)
	if err := t.addIndex(st.indexNode); err != nil {
		return nil, err
	}
	n := c.clone()
	n.tables[t.ordinal] = &t
	return n, nil
}

func newTableDef(c *schema, st *createTableNode) (*tableDef, error) {
	if len(st.columns) > 64 {
		return nil, &UnsupportedError{Construct: "table with more than 64 columns"}
	}
	t := &tableDef{name: st.name, columns: slices.Clone(st.columns), defaults: make([]expr, len(st.columns))}
	for _, col := range st.columns {
		if t.column(col.name) >= 0 {
			return nil, pgErrorf("42701", "column \"%s\" specified more than once", col.name)
		}
		t.names = append(t.names, col.name)
	}
	// The primary key's index is made first, whatever the order in the text.
	for _, primary := range []bool{true, false} {
		for _, ix := range st.indexes {
			if ix.primary != primary {
				continue
			}
			if primary && t.primary != nil {
				return nil, pgErrorf("42P16", "multiple primary keys for table \"%s\" are not allowed", t.name)
			}
			if err := t.addIndex(ix); err != nil {
				return nil, err
			}
		}
	}
	for i, col := range st.columns {
		if col.def == nil {
			continue
		}
		b := &binder{schema: c}
		e, err := b.assign(col.def, col.kind, col.name)
		if err != nil {
			return nil, err
		}
		t.defaults[i] = e
	}
	for _, check := range st.checks {
		b := &binder{schema: c, rels: []*relation{{def: t, alias: t.name}}}
		name := check.name
		if name == "" {
			name = t.checkName(check.e)
		}
		e, err := b.condition(check.e, "CHECK")
		if err != nil {
			return nil, err
		}
		t.checks = append(t.checks, checkDef{name: name, e: e})
	}
	slices.SortFunc(t.checks, func(a, b checkDef) int { return strings.Compare(a.name, b.name) })
	return t, nil
}

// checkName makes up a name as PostgreSQL does: it has the column in it when there is just one.
func (t *tableDef) checkName(e node) string {
	var columns []string
	walk(e, func(n node) {
		if c, ok := n.(*columnNode); ok && !slices.Contains(columns, c.name) {
			columns = append(columns, c.name)
		}
	})
	base := t.name + "_check"
	if len(columns) == 1 {
		base = t.name + "_" + columns[0] + "_check"
	}
	name := base
	for n := int64(1); slices.ContainsFunc(t.checks, func(c checkDef) bool { return c.name == name }); n++ {
		name = base + formatValue(n)
	}
	return name
}

func (t *tableDef) addIndex(n indexNode) error {
	ix := &indexDef{name: n.name}
	for _, name := range n.columns {
		i := t.column(name)
		if i < 0 {
			return pgErrorf("42703", "column \"%s\" named in key does not exist", name)
		}
		ix.columns = append(ix.columns, i)
		ix.mask |= 1 << i
		if n.primary {
			t.columns[i].notNull = true
		}
	}
	ix.text = len(ix.columns) == 1 && t.columns[ix.columns[0]].kind == kindText
	if n.primary {
		t.primary = ix
	}
	t.keys |= ix.mask
	t.indexes = append(t.indexes, ix)
	return nil
}

// appendKey appends the encoding of a value as part of an index key; kinds never mix within one
// column, and lengths are written so that no two keys run into each other.
func appendKey(b []byte, v any) []byte {
	var n uint64
	switch v := v.(type) {
	case string:
		n = uint64(len(v))
		b = append(b, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
		return append(b, v...)
	case int64:
		n = uint64(v)
	case int32:
		n = uint64(v)
	case bool:
		if v {
			n = 1
		}
	default:
		return append(b, formatKey(v)...)
	}
	return append(b, byte(n>>56), byte(n>>48), byte(n>>40), byte(n>>32), byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}
