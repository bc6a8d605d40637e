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
