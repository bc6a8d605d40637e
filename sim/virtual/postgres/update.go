package postgres

import "github.com/jackc/pgx/v5/pgconn"

type updatePlan struct {
	def       *tableDef
	scan      scan
	set       assignments
	where     expr
	remove    bool // DELETE
	returning []expr
	fields    []pgconn.FieldDescription
}

func (p *plan) planUpdate(b *binder, n *updateNode) error {
	r, err := b.relation(n.table, n.alias)
	if err != nil {
		return err
	}
	q := &updatePlan{def: r.def}
	if q.set, err = b.assignments(r.def, n.set); err != nil {
		return err
	}
	return p.planChange(b, q, n.where, n.returning, "UPDATE")
}

func (p *plan) planDelete(b *binder, n *deleteNode) error {
	r, err := b.relation(n.table, n.alias)
	if err != nil {
		return err
	}
	return p.planChange(b, &updatePlan{def: r.def, remove: true}, n.where, n.returning, "DELETE")
}

func (p *plan) planChange(b *binder, q *updatePlan, where node, returning []targetNode, verb string) error {
	var err error
	if where != nil {
		if q.where, err = b.condition(where, "WHERE"); err != nil {
			return err
		}
	}
	if q.scan, err = b.scanFor(0, where); err != nil {
		return err
	}
	if returning != nil {
		if q.returning, q.fields, err = b.project(returning, 1); err != nil {
			return err
		}
	}
	p.exec, p.fields, p.writes = q, q.fields, verb
	return nil
}

func (q *updatePlan) run(s *Session, c *evalCtx) (*Result, error) {
	table := s.srv.tables[q.def.ordinal]
	s.lockTable = q.def.name
	var err error
	s.found, err = q.scan.candidates(s, c, s.found[:0])
	if err != nil {
		return nil, err
	}
	n := 0
	for _, v := range s.found {
		c.rows[0] = v.row
		ok, err := c.holds(q.where)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		row, err := q.change(s, c, table, v)
		if err != nil {
			return nil, err
		}
		if row == nil {
			continue
		}
		n++
		if q.returning != nil {
			c.rows[0] = row
			if err := s.emit(c, q.returning); err != nil {
				return nil, err
			}
		}
	}
	verb := "UPDATE "
	if q.remove {
		verb = "DELETE "
	}
	return s.answer(q.fields, tag(verb, n)), nil
}

// change updates or deletes v, or what has become of it, and returns the row to answer with; nil
// when there is nothing left to change.
func (q *updatePlan) change(s *Session, c *evalCtx, table *Table, v *version) ([]any, error) {
	for {
		row := v.row
		var got touch
		var err error
		if q.remove {
			got, err = s.delete(table, v)
		} else {
			// The constraints judge the row before any wait, and again after it.
			if row, err = q.set.apply(c, v.row); err != nil {
				return nil, err
			}
			if err = checkRow(c, q.def, row); err != nil {
				return nil, err
			}
			got, err = s.update(table, v, row)
		}
		if err != nil {
			return nil, err
		}
		switch got {
		case touchOK:
			return row, nil
		case touchUpdated, touchDeleted:
			if s.tx.iso == repeatableRead {
				if got == touchUpdated {
					return nil, errConcurrentUpdate()
				}
				return nil, errConcurrentDelete()
			}
			if got == touchDeleted {
				return nil, nil
			}
		default:
			return nil, nil
		}
		// PostgreSQL asks for the old version's lock first, anew and behind those who wait for it,
		// as long as others hold locks beside the update.
		mode := lockExclusive
		if !q.remove && sameColumns(v.row, row, q.def.keys) { // what it would change, not what it names
			mode = lockNoKeyExclusive
		}
		if got, err = s.lockRow(v, mode, waitBlock, false); err != nil || got != touchUpdated {
			return nil, err
		}
		if v, got, err = s.lockNewest(v, mode, waitBlock, false); err != nil || got != touchOK {
			return nil, err
		}
		c.rows[0] = v.row
		if ok, err := c.holds(q.where); err != nil || !ok {
			return nil, err
		}
	}
}

// update replaces v by row once nobody else holds it.
func (s *Session) update(table *Table, v *version, row []any) (touch, error) {
	s.assignXID()
	mode := lockNoKeyExclusive
	if !sameColumns(v.row, row, table.def.keys) {
		mode = lockExclusive
	}
	got, heirs, err := s.claim(v, mode)
	if err != nil || got != touchOK {
		return got, err
	}
	n := s.srv.newVersion(row, s.tx)
	n.xmax = heirs
	table.append(n, v)
	s.tx.made = append(s.tx.made, n)
	v.replaceBy(s.tx, n, mode)
	s.tx.write(v, n)
	_, err = s.enterIndexes(table, n, v, 0)
	return touchOK, err
}

// delete removes v once nobody else holds it.
func (s *Session) delete(table *Table, v *version) (touch, error) {
	s.assignXID()
	got, _, err := s.claim(v, lockExclusive)
	if err != nil || got != touchOK {
		return got, err
	}
	v.replaceBy(s.tx, nil, lockExclusive)
	s.tx.write(v, nil)
	return touchOK, nil
}

// replaceBy makes n what t has made of v; nil deletes it. mode is the lock that t holds by that.
func (v *version) replaceBy(t *tx, n *version, mode lockMode) {
	v.taken, v.takenAt, v.next = t, t.command, n
	v.xmax.add(t, mode, true)
}
