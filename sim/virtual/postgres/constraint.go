package postgres

import "strings"

// checkRow enforces NOT NULL, in column order, then CHECK, in order of name.
func checkRow(c *evalCtx, t *tableDef, row []any) error {
	for i := range t.columns {
		if t.columns[i].notNull && row[i] == nil {
			err := pgErrorf("23502", "null value in column \"%s\" of relation \"%s\" violates not-null constraint", t.names[i], t.name)
			err.Detail = "Failing row contains (" + formatRow(row) + ")."
			err.SchemaName, err.TableName, err.ColumnName = "public", t.name, t.names[i]
			return err
		}
	}
	if len(t.checks) == 0 {
		return nil
	}
	saved := c.rows[0]
	c.rows[0] = row
	defer func() { c.rows[0] = saved }()
	for _, check := range t.checks {
		v, err := check.e(c)
		if err != nil {
			return err
		}
		if v == false {
			err := pgErrorf("23514", "new row for relation \"%s\" violates check constraint \"%s\"", t.name, check.name)
			err.Detail = "Failing row contains (" + formatRow(row) + ")."
			err.SchemaName, err.TableName, err.ConstraintName = "public", t.name, check.name
			return err
		}
	}
	return nil
}

func formatRow(row []any) string {
	parts := make([]string, len(row))
	for i, v := range row {
		switch v := v.(type) {
		case nil:
			parts[i] = "null"
		case bool:
			parts[i] = formatValue(v)[:1]
		default:
			parts[i] = formatValue(v)
		}
	}
	return strings.Join(parts, ", ")
}

func errDuplicate(t *tableDef, ix *indexDef, row []any) error {
	var names []string
	var values []any
	for _, c := range ix.columns {
		names, values = append(names, t.names[c]), append(values, row[c])
	}
	err := pgErrorf("23505", "duplicate key value violates unique constraint \"%s\"", ix.name)
	err.Detail = "Key (" + strings.Join(names, ", ") + ")=(" + formatRow(values) + ") already exists."
	err.SchemaName, err.TableName, err.ConstraintName = "public", t.name, ix.name
	return err
}

// conflictIn looks for another live version with row's key, waiting for whoever may be about to
// make or remove one. except is row's own version, if it is in the heap.
func (s *Session) conflictIn(x *index, row []any, except *version) (*version, error) {
	me := s.tx
again:
	key, ok := x.key(row, s.srv.scratch)
	if !ok {
		return nil, nil
	}
	b := x.buckets[string(key)]
	if b == nil {
		return nil, nil
	}
	for _, v := range b.versions {
		if v == except || v.taken == me {
			continue
		}
		by := (*tx)(nil)
		switch {
		case v.made != me && v.made.running():
			by = v.made
		case v.taken.running():
			by = v.taken
		case v.taken == nil:
			return v, nil
		}
		if by != nil {
			if err := s.waitFor(by); err != nil {
				return nil, err
			}
			goto again
		}
	}
	return nil, nil
}

// contested says whether another version has row's key, or may come to have it again.
func (s *Session) contested(x *index, row []any, except *version) bool {
	key, ok := x.key(row, s.srv.scratch)
	if !ok {
		return false
	}
	b := x.buckets[string(key)]
	if b == nil {
		return false
	}
	for _, v := range b.versions {
		if v != except && (v.taken == nil || v.taken != s.tx && v.taken.running()) {
			return true
		}
	}
	return false
}

// enterIndexes puts v, which replaces old unless that is nil, into the table's indexes one after
// the other, as PostgreSQL does: a wait in the second leaves the first entered. A conflict is
// answered with 23505. In arbiters nobody is waited for: whoever may be in the way there makes v
// one to be taken out again at the end.
func (s *Session) enterIndexes(t *Table, v, old *version, arbiters uint64) (conflict bool, err error) {
	for i := range t.indexes {
		x := &t.indexes[i]
		switch {
		case old != nil && sameColumns(old.row, v.row, x.def.mask):
		case arbiters>>i&1 == 1:
			conflict = conflict || s.contested(x, v.row, v)
		default:
			other, err := s.conflictIn(x, v.row, v)
			if err != nil {
				return false, err
			}
			if other != nil {
				return false, errDuplicate(t.def, x.def, v.row)
			}
		}
		x.put(v, s.srv)
	}
	return conflict, nil
}
