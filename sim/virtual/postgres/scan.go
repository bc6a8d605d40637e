package postgres

import "slices"

// scan reads one relation: by the whole key of a unique index, or all of it. A real server reads
// in heap order too, and where a condition fits an index (a bitmap scan) in the order of the
// places that the index knows.
type scan struct {
	table  int
	index  int    // -1: all
	key    []expr // by column of the index
	bitmap bool
}

// scanFor picks the path for relation rel given conditions that all must hold. A key column must
// equal something that is known before the relation is read.
func (b *binder) scanFor(rel int, conditions ...node) (scan, error) {
	def := b.rels[rel].def
	s := scan{table: def.ordinal, index: -1}
	known := make([]expr, len(def.columns))
	bare, inAggregate := b.bare, b.inAggregate
	defer func() { b.bare, b.inAggregate = bare, inAggregate }()
	var visit func(n node) error
	visit = func(n node) error {
		eq, ok := n.(*binaryNode)
		if !ok {
			return nil
		}
		if eq.op == "and" {
			if err := visit(eq.l); err != nil {
				return err
			}
			return visit(eq.r)
		}
		if eq.op != "=" {
			return nil
		}
		for _, side := range [][2]node{{eq.l, eq.r}, {eq.r, eq.l}} {
			column, ok := side[0].(*columnNode)
			if !ok {
				continue
			}
			col, err := b.column(column)
			if err != nil {
				return err
			}
			if col.uses != 1<<rel {
				continue
			}
			value, err := b.bind(side[1])
			if err != nil {
				return err
			}
			if value.uses>>rel != 0 || value.dynamic {
				continue
			}
			if value, ok, err = b.implicit(value, col.k); err != nil {
				return err
			} else if ok {
				known[def.column(column.name)] = value.e
			}
		}
		return nil
	}
	for _, n := range conditions {
		if n == nil {
			continue
		}
		if err := visit(n); err != nil {
			return s, err
		}
		s.bitmap = s.bitmap || b.indexable(rel, n)
	}
next:
	for i, ix := range def.indexes {
		key := make([]expr, 0, len(ix.columns))
		for _, c := range ix.columns {
			if known[c] == nil {
				continue next
			}
			key = append(key, known[c])
		}
		s.index, s.key = i, key
		break
	}
	return s, nil
}

// candidates appends the versions that the statement's snapshot sees.
func (sc *scan) candidates(s *Session, c *evalCtx, out []*version) ([]*version, error) {
	t := s.srv.tables[sc.table]
	me, snap := s.tx, s.tx.snapshot
	if sc.index < 0 {
		for v := t.first; v != nil; v = v.past {
			if v.visible(me, snap) {
				out = append(out, v)
			}
		}
		if sc.bitmap {
			slices.SortStableFunc(out, func(a, b *version) int { return compareInt(a.root, b.root) })
		}
		return out, nil
	}
	x := &t.indexes[sc.index]
	key := s.srv.scratch
	for _, e := range sc.key {
		v, err := e(c)
		if v == nil || err != nil {
			return out, err
		}
		if x.def.text {
			if b := x.buckets[v.(string)]; b != nil {
				return b.visible(me, snap, out), nil
			}
			return out, nil
		}
		key = appendKey(key, v)
	}
	if b := x.buckets[string(key)]; b != nil {
		return b.visible(me, snap, out), nil
	}
	return out, nil
}

func (b *bucket) visible(me *tx, snap int64, out []*version) []*version {
	for _, v := range b.versions {
		if v.visible(me, snap) {
			out = append(out, v)
		}
	}
	return out
}

// indexable says whether an index on rel's leading column can narrow down n.
func (b *binder) indexable(rel int, n node) bool {
	def := b.rels[rel].def
	leading := func(n node) bool {
		column, ok := n.(*columnNode)
		if !ok || column.table != "" && column.table != b.rels[rel].alias {
			return false
		}
		c := def.column(column.name)
		return c >= 0 && slices.ContainsFunc(def.indexes, func(ix *indexDef) bool { return ix.columns[0] == c })
	}
	switch n := n.(type) {
	case *binaryNode:
		switch n.op {
		case "and":
			return b.indexable(rel, n.l) || b.indexable(rel, n.r)
		case "or":
			return b.indexable(rel, n.l) && b.indexable(rel, n.r)
		case "=", "<", "<=", ">", ">=":
			return leading(n.l) || leading(n.r)
		}
	case *inNode:
		return !n.not && leading(n.e)
	case *anyNode:
		return leading(n.e)
	case *nullNode:
		return !n.not && leading(n.e) // IS NOT NULL is expected to hold for nearly all rows
	}
	return false
}
