package postgres

import "slices"

// combination is one joined row; a nil version reads as NULLs.
type combination struct {
	rows [maxRelations]*version
	keys []any
}

// selectRun is one execution.
type selectRun struct {
	q        *selectPlan
	s        *Session
	c        *evalCtx
	now      [maxRelations]*version
	kept     []combination
	keys     []any // of kept, one after another
	aggs     []any
	skip     int64
	limit    int64 // -1: none
	finished bool
	buffers  [maxRelations][]*version
}

func (q *selectPlan) run(s *Session, c *evalCtx) (*Result, error) {
	r := &s.selects
	r.reset(q, s, c)
	return r.run()
}

func (r *selectRun) reset(q *selectPlan, s *Session, c *evalCtx) {
	r.q, r.s, r.c = q, s, c
	r.kept, r.keys, r.aggs = r.kept[:0], r.keys[:0], nil
	r.skip, r.limit, r.finished = 0, -1, false
}

func (r *selectRun) run() (*Result, error) {
	q := r.q
	if err := r.bounds(); err != nil {
		return nil, err
	}
	if q.aggs != nil {
		r.aggs = make([]any, len(q.aggs))
		for i := range q.aggs {
			r.aggs[i] = q.aggs[i].zero()
		}
	}
	if r.limit == 0 && q.aggs == nil {
		r.finished = true
	}
	if !r.finished {
		if err := r.join(0); err != nil {
			return nil, err
		}
	}
	if q.aggs != nil {
		r.c.aggs = r.aggs
		if r.skip == 0 && r.limit != 0 {
			if err := r.s.emit(r.c, q.targets); err != nil {
				return nil, err
			}
		}
	} else if len(r.kept) > 0 {
		if err := r.finish(); err != nil {
			return nil, err
		}
	}
	return r.s.answer(q.fields, tag("SELECT ", len(r.s.rows))), nil
}

func (r *selectRun) bounds() error {
	for i, e := range []expr{r.q.limit, r.q.offset} {
		if e == nil {
			continue
		}
		v, err := e(r.c)
		if err != nil {
			return err
		}
		if v == nil {
			continue
		}
		switch n := v.(int64); {
		case n < 0 && i == 0:
			return pgError("2201W", "LIMIT must not be negative")
		case n < 0:
			return pgError("2201X", "OFFSET must not be negative")
		case i == 0:
			r.limit = n
		default:
			r.skip = n
		}
	}
	return nil
}

// join extends the current combination by relation i.
func (r *selectRun) join(i int) error {
	q, c := r.q, r.c
	if i == len(q.scans) {
		ok, err := c.holds(q.where)
		if err != nil || !ok {
			return err
		}
		return r.take()
	}
	var err error
	r.buffers[i], err = q.scans[i].candidates(r.s, c, r.buffers[i][:0])
	if err != nil {
		return err
	}
	matched := false
	for _, v := range r.buffers[i] {
		r.now[i], c.rows[i] = v, v.row
		if q.on[i] != nil {
			ok, err := c.holds(q.on[i])
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
		}
		matched = true
		if err := r.join(i + 1); err != nil || r.finished {
			return err
		}
	}
	if q.left[i] && !matched {
		r.now[i], c.rows[i] = nil, nil
		return r.join(i + 1)
	}
	return nil
}

// take deals with one joined row that passed the WHERE.
func (r *selectRun) take() error {
	q, c := r.q, r.c
	switch {
	case q.aggs != nil:
		for i := range q.aggs {
			sum, err := q.aggs[i].add(c, r.aggs[i])
			if err != nil {
				return err
			}
			r.aggs[i] = sum
		}
		return nil
	case q.order != nil || q.lock != nil:
		k := combination{rows: r.now}
		if q.order != nil {
			from := len(r.keys)
			for _, o := range q.order {
				v, err := o.e(c)
				if err != nil {
					return err
				}
				r.keys = append(r.keys, v)
			}
			k.keys = r.keys[from:]
		}
		r.kept = append(r.kept, k)
		return nil
	}
	return r.emit()
}

// emit projects the current row into the result, within OFFSET and LIMIT.
func (r *selectRun) emit() error {
	if r.skip > 0 {
		r.skip--
		return nil
	}
	if err := r.s.emit(r.c, r.q.targets); err != nil {
		return err
	}
	r.finished = r.limit >= 0 && int64(len(r.s.rows)) >= r.limit
	return nil
}

// finish sorts, then locks row by row until the limit is reached, as PostgreSQL stacks Sort,
// LockRows and Limit. The order is the snapshot's, also for rows that a lock wait renewed.
func (r *selectRun) finish() error {
	q := r.q
	if q.order != nil {
		slices.SortStableFunc(r.kept, func(a, b combination) int {
			for i, o := range q.order {
				n := 0
				if a.keys[i] == nil || b.keys[i] == nil {
					n = compareNullable(a.keys[i], b.keys[i], o.nullsFirst)
				} else if n = compareValues(a.keys[i], b.keys[i]); o.desc {
					n = -n
				}
				if n != 0 {
					return n
				}
			}
			return 0
		})
	}
	for i := 0; i < len(r.kept) && !r.finished; i++ {
		k := &r.kept[i]
		r.set(k)
		if q.lock != nil {
			ok, err := r.lockCombination(k)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
		}
		if err := r.emit(); err != nil {
			return err
		}
	}
	return nil
}

func (r *selectRun) set(k *combination) {
	for i := range r.q.scans {
		r.c.rows[i] = nil
		if k.rows[i] != nil {
			r.c.rows[i] = k.rows[i].row
		}
	}
}

// lockCombination locks the rows of k; false when it must be left out.
func (r *selectRun) lockCombination(k *combination) (bool, error) {
	s, lock := r.s, r.q.lock
	renewed := false
	for _, i := range r.q.lockRels {
		v := k.rows[i]
		if v == nil {
			continue
		}
		s.lockTable = r.q.names[i]
		got, err := s.lockRow(v, lock.mode, lock.policy, true)
		if err != nil {
			return false, err
		}
		if got == touchUpdated || got == touchDeleted {
			if s.tx.iso == repeatableRead {
				return false, errConcurrentUpdate()
			}
		}
		if got == touchUpdated {
			if v, got, err = s.lockNewest(v, lock.mode, lock.policy, true); err != nil {
				return false, err
			}
			k.rows[i], renewed = v, true
		}
		if got != touchOK {
			return false, nil
		}
	}
	if !renewed {
		return true, nil
	}
	r.set(k)
	for i, on := range r.q.on {
		if r.q.left[i] && k.rows[i] == nil {
			continue
		}
		if ok, err := r.c.holds(on); err != nil || !ok {
			return false, err
		}
	}
	return r.c.holds(r.q.where)
}
