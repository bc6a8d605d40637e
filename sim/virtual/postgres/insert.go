package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
)

type insertPlan struct {
	def       *tableDef
	rows      [][]expr // one expression a column of the table, nil for NULL
	arbiters  uint64   // by index; 0 without ON CONFLICT
	update    *conflictPlan
	returning []expr
	fields    []pgconn.FieldDescription
}

type conflictPlan struct {
	set   assignments
	where expr
	mode  lockMode
}

// assignments are the SET items of an UPDATE.
type assignments struct {
	columns []int
	values  []expr
	mask    uint64
}

// excludedRelation is where ON CONFLICT finds the proposed row.
const excludedRelation = 1

func (p *plan) planInsert(b *binder, n *insertNode) error {
	r, err := b.relation(n.table, n.alias)
	if err != nil {
		return err
	}
	q := &insertPlan{def: r.def}
	columns, err := insertColumns(r.def, n)
	if err != nil {
		return err
	}
	b.rels = nil // VALUES sees no table
	for _, values := range n.rows {
		row, err := b.insertRow(r.def, columns, values, n.columns == nil)
		if err != nil {
			return err
		}
		q.rows = append(q.rows, row)
	}
	b.rels = []*relation{r}
	if n.conflict != nil {
		if err := q.planConflict(b, n.conflict); err != nil {
			return err
		}
	}
	b.rels = []*relation{r}
	if n.returning != nil {
		if q.returning, q.fields, err = b.project(n.returning, 1); err != nil {
			return err
		}
	}
	p.exec, p.fields, p.writes = q, q.fields, "INSERT"
	return nil
}

func insertColumns(def *tableDef, n *insertNode) ([]int, error) {
	var columns []int
	for _, name := range n.columns {
		c := def.column(name)
		if c < 0 {
			return nil, errNoColumn(name, def)
		}
		if slices.Contains(columns, c) {
			return nil, pgErrorf("42701", "column \"%s\" specified more than once", name)
		}
		columns = append(columns, c)
	}
	if n.columns == nil {
		for c := range def.columns {
			columns = append(columns, c)
		}
	}
	return columns, nil
}

func errNoColumn(name string, def *tableDef) error {
	return pgErrorf("42703", "column \"%s\" of relation \"%s\" does not exist", name, def.name)
}

func (b *binder) insertRow(def *tableDef, columns []int, values []node, implied bool) ([]expr, error) {
	switch {
	case len(values) > len(columns):
		return nil, pgError("42601", "INSERT has more expressions than target columns")
	case len(values) < len(columns) && !implied:
		return nil, pgError("42601", "INSERT has more target columns than expressions")
	}
	row := slices.Clone(def.defaults)
	for i, v := range values {
		c := columns[i]
		if _, ok := v.(*defaultNode); ok {
			continue
		}
		e, err := b.assign(v, def.columns[c].kind, def.names[c])
		if err != nil {
			return nil, err
		}
		row[c] = e
	}
	return row, nil
}

func (q *insertPlan) planConflict(b *binder, n *conflictNode) error {
	for i, ix := range q.def.indexes {
		match := len(n.columns) == 0 && n.constraint == "" || n.constraint != "" && ix.name == n.constraint
		if len(n.columns) > 0 {
			mask := uint64(0)
			for _, name := range n.columns {
				c := q.def.column(name)
				if c < 0 {
					return pgErrorf("42703", "column \"%s\" does not exist", name)
				}
				mask |= 1 << c
			}
			match = mask == ix.mask
		}
		if match {
			q.arbiters |= 1 << i
		}
	}
	switch {
	case n.constraint != "" && q.arbiters == 0:
		return pgErrorf("42704", "constraint \"%s\" for table \"%s\" does not exist", n.constraint, q.def.name)
	case len(n.columns) > 0 && q.arbiters == 0:
		return pgError("42P10", "there is no unique or exclusion constraint matching the ON CONFLICT specification")
	case !n.update:
		return nil
	case len(n.columns) == 0 && n.constraint == "":
		return pgError("42601", "ON CONFLICT DO UPDATE requires inference specification or constraint name")
	}
	b.rels = append(b.rels, &relation{def: q.def, alias: "excluded"})
	set, err := b.assignments(q.def, n.set)
	if err != nil {
		return err
	}
	q.update = &conflictPlan{set: set, mode: set.lockMode(q.def)}
	if n.where != nil {
		q.update.where, err = b.condition(n.where, "WHERE")
	}
	return err
}

func (b *binder) assignments(def *tableDef, list []setNode) (assignments, error) {
	var out assignments
	for _, item := range list {
		c := def.column(item.column)
		if c < 0 {
			return out, errNoColumn(item.column, def)
		}
		if out.mask>>c&1 == 1 {
			return out, pgErrorf("42601", "multiple assignments to same column \"%s\"", item.column)
		}
		e := def.defaults[c]
		if _, ok := item.e.(*defaultNode); !ok {
			var err error
			if e, err = b.assign(item.e, def.columns[c].kind, item.column); err != nil {
				return out, err
			}
		}
		out.columns, out.values = append(out.columns, c), append(out.values, e)
		out.mask |= 1 << c
	}
	return out, nil
}

// lockMode is the lock that the assigned columns call for, whatever their values.
func (a *assignments) lockMode(def *tableDef) lockMode {
	if a.mask&def.keys != 0 {
		return lockExclusive
	}
	return lockNoKeyExclusive
}

// apply returns row with the assignments made.
func (a *assignments) apply(c *evalCtx, row []any) ([]any, error) {
	out := slices.Clone(row)
	for i, col := range a.columns {
		out[col] = nil
		if a.values[i] == nil {
			continue
		}
		v, err := a.values[i](c)
		if err != nil {
			return nil, err
		}
		out[col] = v
	}
	return out, nil
}

func (q *insertPlan) run(s *Session, c *evalCtx) (*Result, error) {
	table := s.srv.tables[q.def.ordinal]
	n := 0
	for _, values := range q.rows {
		row := make([]any, len(values))
		for i, e := range values {
			if e == nil {
				continue
			}
			v, err := e(c)
			if err != nil {
				return nil, err
			}
			row[i] = v
		}
		written, err := q.insert(s, c, table, row)
		if err != nil {
			return nil, err
		}
		if written == nil {
			continue
		}
		n++
		if q.returning != nil {
			c.rows[0] = written
			if err := s.emit(c, q.returning); err != nil {
				return nil, err
			}
		}
	}
	return s.answer(q.fields, tag("INSERT 0 ", n)), nil
}

// insert stores one row and returns what is in the table then: the row, the row that ON CONFLICT
// updated, or nil when nothing was written.
func (q *insertPlan) insert(s *Session, c *evalCtx, table *Table, row []any) ([]any, error) {
	if err := checkRow(c, q.def, row); err != nil {
		return nil, err
	}
	for {
		if q.arbiters != 0 {
			existing, err := q.conflict(s, table, row)
			if err != nil {
				return nil, err
			}
			if existing != nil {
				written, again, err := q.onConflict(s, c, table, existing, row)
				if again {
					continue
				}
				return written, err
			}
		}
		s.assignXID()
		v := s.srv.newVersion(row, s.tx)
		table.append(v, nil)
		s.tx.made = append(s.tx.made, v)
		conflict, err := s.enterIndexes(table, v, nil, q.arbiters)
		if err != nil {
			return nil, err
		}
		if conflict {
			table.remove(v, s.srv.scratch)
			continue
		}
		s.tx.write(nil, v)
		return row, nil
	}
}

// conflict finds a row that an arbiter index holds against the proposed one.
func (q *insertPlan) conflict(s *Session, table *Table, row []any) (*version, error) {
	for i := range table.indexes {
		if q.arbiters>>i&1 == 0 {
			continue
		}
		if v, err := s.conflictIn(&table.indexes[i], row, nil); v != nil || err != nil {
			return v, err
		}
	}
	return nil, nil
}

// onConflict does what the clause says about the row in the way; again when it has changed
// meanwhile and the insert must look anew.
func (q *insertPlan) onConflict(s *Session, c *evalCtx, table *Table, existing *version, row []any) (written []any, again bool, err error) {
	unseen := func() bool {
		return s.tx.iso == repeatableRead && existing.made != s.tx && !existing.visible(s.tx, s.tx.snapshot)
	}
	if q.update == nil {
		if unseen() {
			return nil, false, errConcurrentUpdate()
		}
		return nil, false, nil
	}
	s.lockTable = q.def.name
	got, err := s.lockRow(existing, q.update.mode, waitBlock, false)
	if err != nil {
		return nil, false, err
	}
	switch got {
	case touchInvisible, touchSelf:
		err := pgError("21000", "ON CONFLICT DO UPDATE command cannot affect row a second time")
		err.Hint = "Ensure that no rows proposed for insertion within the same command have duplicate constrained values."
		return nil, false, err
	case touchUpdated:
		if s.tx.iso == repeatableRead {
			return nil, false, errConcurrentUpdate()
		}
		return nil, true, nil
	case touchDeleted:
		if s.tx.iso == repeatableRead {
			return nil, false, errConcurrentDelete()
		}
		return nil, true, nil
	}
	if unseen() {
		return nil, false, errConcurrentUpdate()
	}
	c.rows[0], c.rows[excludedRelation] = existing.row, row
	ok, err := c.holds(q.update.where)
	if err != nil || !ok {
		return nil, false, err
	}
	next, err := q.update.set.apply(c, existing.row)
	if err != nil {
		return nil, false, err
	}
	if err := checkRow(c, q.def, next); err != nil {
		return nil, false, err
	}
	got, err = s.update(table, existing, next)
	if err == nil && got != touchOK {
		panic("postgres: a row that is locked cannot change")
	}
	return next, false, err
}
