package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
)

type selectPlan struct {
	scans         []scan
	left          []bool
	on            []expr
	where         expr
	targets       []expr
	aggs          []aggregate
	order         []sortKey
	limit, offset expr
	lock          *lockNode
	lockRels      []int
	names         []string // of the relations' tables
	fields        []pgconn.FieldDescription
}

type sortKey struct {
	e                expr
	desc, nullsFirst bool
}

func (p *plan) planSelect(b *binder, n *selectNode) error {
	q := &selectPlan{}
	for i, f := range n.from {
		r, err := b.relation(f.table, f.alias)
		if err != nil {
			return err
		}
		q.names = append(q.names, r.def.name)
		var on expr
		if f.on != nil {
			if on, err = b.condition(f.on, "JOIN/ON"); err != nil {
				return err
			}
		}
		q.on, q.left = append(q.on, on), append(q.left, f.left)
		if i > 2 {
			return &UnsupportedError{Construct: "join of more than three tables"}
		}
	}
	var err error
	if n.where != nil {
		if q.where, err = b.condition(n.where, "WHERE"); err != nil {
			return err
		}
	}
	b.bare, b.aggregates = "", true
	if q.targets, q.fields, err = b.project(n.targets, len(b.rels)); err != nil {
		return err
	}
	if err = q.planOrder(b, n); err != nil {
		return err
	}
	b.aggregates = false
	q.aggs = b.aggs
	if len(q.aggs) > 0 && b.bare != "" {
		return pgErrorf("42803", "column \"%s\" must appear in the GROUP BY clause or be used in an aggregate function", b.bare)
	}
	for i, f := range n.from {
		conditions := []node{f.on}
		if !f.left {
			conditions = append(conditions, n.where)
		}
		s, err := b.scanFor(i, conditions...)
		if err != nil {
			return err
		}
		q.scans = append(q.scans, s)
	}
	if q.limit, err = b.count(n.limit); err != nil {
		return err
	}
	if q.offset, err = b.count(n.offset); err != nil {
		return err
	}
	if err := q.planLock(p, b, n); err != nil {
		return err
	}
	p.exec, p.fields = q, q.fields
	return nil
}

func (b *binder) count(n node) (expr, error) {
	if n == nil {
		return nil, nil
	}
	t, err := b.bind(n)
	if err != nil {
		return nil, err
	}
	t, ok, err := b.implicit(t, kindInt8)
	if err == nil && !ok {
		err = pgErrorf("42804", "argument of LIMIT must be type bigint, not type %s", t.k)
	}
	return t.e, err
}

func (q *selectPlan) planOrder(b *binder, n *selectNode) error {
	for _, o := range n.order {
		key := sortKey{desc: o.desc, nullsFirst: o.nullsFirst}
		if lit, ok := o.e.(*litNode); ok && lit.kind == kindInt4 {
			at := int(lit.value.(int32))
			if at < 1 || at > len(q.targets) {
				return pgErrorf("42P10", "ORDER BY position %d is not in select list", at)
			}
			key.e = q.targets[at-1]
		} else if col, ok := o.e.(*columnNode); ok && col.table == "" {
			at := slices.IndexFunc(n.targets, func(t targetNode) bool { return t.star == "" && t.name == col.name })
			if at >= 0 && !slices.ContainsFunc(n.targets[:at], func(t targetNode) bool { return t.star != "" }) {
				key.e = q.targets[at]
			}
		}
		if key.e == nil {
			t, err := b.bind(o.e)
			if err != nil {
				return err
			}
			if t, err = b.settle(t, kindText); err != nil {
				return err
			}
			key.e = t.e
		}
		q.order = append(q.order, key)
	}
	return nil
}

var lockNames = [4]string{"FOR KEY SHARE", "FOR SHARE", "FOR NO KEY UPDATE", "FOR UPDATE"}

func (q *selectPlan) planLock(p *plan, b *binder, n *selectNode) error {
	if n.lock == nil {
		return nil
	}
	name := lockNames[n.lock.mode]
	if len(q.aggs) > 0 {
		return pgErrorf("0A000", "%s is not allowed with aggregate functions", name)
	}
	q.lock = n.lock
	p.writes = "SELECT " + name
	for i, r := range b.rels {
		if len(n.lock.of) > 0 && !slices.Contains(n.lock.of, r.alias) {
			continue
		}
		if q.left[i] {
			return pgErrorf("0A000", "%s cannot be applied to the nullable side of an outer join", name)
		}
		q.lockRels = append(q.lockRels, i)
	}
	for _, of := range n.lock.of {
		if !slices.ContainsFunc(b.rels, func(r *relation) bool { return r.alias == of }) {
			return pgErrorf("42P01", "relation \"%s\" in %s clause not found in FROM clause", of, name)
		}
	}
	return nil
}

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
	out      [][]any
	aggs     []any
	skip     int64
	limit    int64 // -1: none
	finished bool
	buffers  [maxRelations][]*version
}

func (q *selectPlan) run(s *Session, c *evalCtx) (*Result, error) {
	r := &s.selects
	r.reset(q, s, c)
	res, err := r.run()
	r.out = nil
	return res, err
}

func (r *selectRun) reset(q *selectPlan, s *Session, c *evalCtx) {
	r.q, r.s, r.c = q, s, c
	r.kept, r.out, r.aggs = r.kept[:0], nil, nil
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
			row, err := projectRow(r.c, q.targets)
			if err != nil {
				return nil, err
			}
			r.out = append(r.out, row)
		}
	} else if len(r.kept) > 0 {
		if err := r.finish(); err != nil {
			return nil, err
		}
	}
	return &Result{Fields: q.fields, Rows: r.out, Tag: tag("SELECT ", len(r.out))}, nil
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
			k.keys = make([]any, len(q.order))
			for i, o := range q.order {
				v, err := o.e(c)
				if err != nil {
					return err
				}
				k.keys[i] = v
			}
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
	row, err := projectRow(r.c, r.q.targets)
	if err != nil {
		return err
	}
	r.out = append(r.out, row)
	r.finished = r.limit >= 0 && int64(len(r.out)) >= r.limit
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
