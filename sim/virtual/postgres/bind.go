package postgres

import "fmt"

// expr computes a value in the context of one statement and row.
type expr func(c *evalCtx) (any, error)

// evalCtx is what an expression may look at.
type evalCtx struct {
	session *Session
	args    []any
	rows    [maxRelations][]any // current row of each relation; nil reads as NULLs
	aggs    []any
}

// maxRelations bounds a statement's tables, EXCLUDED included.
const maxRelations = 4

// bind encodes the arguments for the plan's parameters.
func (c *evalCtx) bind(p *plan, args []any) error {
	if len(args) != len(p.params) {
		return &ArgumentError{Message: fmt.Sprintf("expected %d arguments, got %d", len(p.params), len(args))}
	}
	c.args = c.args[:0]
	for i, a := range args {
		v, err := encodeArg(i, a, p.params[i])
		if err != nil {
			return err
		}
		c.args = append(c.args, v)
	}
	return nil
}

// typed is an expression whose kind is known, or open (kindUnknown).
type typed struct {
	e       expr
	k       kind
	literal bool
	value   any    // of a literal
	param   int    // 1 + index of an open or typed parameter; 0 otherwise
	uses    uint64 // relations it reads
	dynamic bool   // it may answer differently each time
}

type relation struct {
	def   *tableDef
	alias string
}

// binder resolves names and types of one statement.
type binder struct {
	schema *schema
	rels   []*relation
	params []kind
	aggs   []aggregate
	// aggregates says whether they are allowed here, and inAggregate that one is being bound.
	aggregates, inAggregate bool
	bare                    string // a column used outside an aggregate
}

func literal(v any, k kind) typed {
	return typed{e: func(*evalCtx) (any, error) { return v, nil }, k: k, literal: true, value: v}
}

func errNoTable(name string) error {
	return pgErrorf("42P01", "relation \"%s\" does not exist", name)
}

func (b *binder) relation(table, alias string) (*relation, error) {
	def := b.schema.table(table)
	if def == nil {
		return nil, errNoTable(table)
	}
	if len(b.rels) == maxRelations {
		return nil, &UnsupportedError{Construct: "more than four tables"}
	}
	for _, r := range b.rels {
		if r.alias == alias {
			return nil, pgErrorf("42712", "table name \"%s\" specified more than once", alias)
		}
	}
	r := &relation{def: def, alias: alias}
	b.rels = append(b.rels, r)
	return r, nil
}

func (b *binder) column(n *columnNode) (typed, error) {
	rel, col := -1, -1
	for i, r := range b.rels {
		if n.table != "" && n.table != r.alias {
			continue
		}
		if n.table == "" && r.alias == "excluded" {
			continue // only ever named in full
		}
		at := r.def.column(n.name)
		if at < 0 {
			if n.table != "" {
				return typed{}, pgErrorf("42703", "column %s.%s does not exist", n.table, n.name)
			}
			continue
		}
		if rel >= 0 {
			return typed{}, pgErrorf("42702", "column reference \"%s\" is ambiguous", n.name)
		}
		rel, col = i, at
	}
	if rel < 0 {
		if n.table != "" {
			return typed{}, pgErrorf("42P01", "missing FROM-clause entry for table \"%s\"", n.table)
		}
		return typed{}, pgErrorf("42703", "column \"%s\" does not exist", n.name)
	}
	if !b.inAggregate && b.bare == "" {
		b.bare = b.rels[rel].alias + "." + n.name
	}
	return typed{k: b.rels[rel].def.columns[col].kind, uses: 1 << rel, e: func(c *evalCtx) (any, error) {
		row := c.rows[rel]
		if row == nil {
			return nil, nil
		}
		return row[col], nil
	}}, nil
}

func (b *binder) parameter(n int) typed {
	for len(b.params) <= n {
		b.params = append(b.params, kindUnknown)
	}
	return typed{k: b.params[n], param: n + 1, e: func(c *evalCtx) (any, error) { return c.args[n], nil }}
}

// settle gives an open expression the kind k.
func (b *binder) settle(t typed, k kind) (typed, error) {
	if t.k != kindUnknown {
		return t, nil
	}
	switch {
	case t.param > 0:
		if was := b.params[t.param-1]; was != kindUnknown && was != k {
			return t, pgErrorf("42P08", "inconsistent types deduced for parameter $%d", t.param)
		}
		b.params[t.param-1] = k
		t.k = k
		return t, nil
	case t.value == nil:
		return literal(nil, k), nil
	}
	v, err := parseText(t.value.(string), k)
	if err != nil {
		return t, err
	}
	return literal(v, k), nil
}

// cast converts t to k; the caller has checked that it may.
func cast(t typed, k kind) (typed, error) {
	if t.k == k {
		return t, nil
	}
	from := t.k
	if t.literal {
		if t.value == nil {
			return literal(nil, k), nil
		}
		v, err := castValue(t.value, from, k)
		if err != nil {
			return t, err
		}
		return literal(v, k), nil
	}
	inner := t.e
	return typed{k: k, uses: t.uses, dynamic: t.dynamic, e: func(c *evalCtx) (any, error) {
		v, err := inner(c)
		if v == nil || err != nil {
			return nil, err
		}
		return castValue(v, from, k)
	}}, nil
}

// implicit converts t to k where PostgreSQL does so unasked.
func (b *binder) implicit(t typed, k kind) (typed, bool, error) {
	if t.k == kindUnknown {
		t, err := b.settle(t, k)
		return t, true, err
	}
	if t.k == k {
		return t, true, nil
	}
	if t.k == kindInt4 && (k == kindInt8 || k == kindNumeric || k == kindFloat8) ||
		t.k == kindInt8 && (k == kindNumeric || k == kindFloat8) || t.k == kindNumeric && k == kindFloat8 {
		t, err := cast(t, k)
		return t, true, err
	}
	return t, false, nil
}

// common brings expressions to one kind, as CASE, COALESCE, IN and comparisons need it.
func (b *binder) common(what string, list []typed) (kind, error) {
	k := kindUnknown
	for _, t := range list {
		switch {
		case t.k == kindUnknown || t.k == k:
		case k == kindUnknown:
			k = t.k
		case k.number() && t.k.number():
			if k == kindInt4 || t.k == kindNumeric {
				k = t.k
			}
		default:
			return k, pgErrorf("42804", "%s types %s and %s cannot be matched", what, k, t.k)
		}
	}
	if k == kindUnknown {
		k = kindText
	}
	for i := range list {
		t, ok, err := b.implicit(list[i], k)
		if err != nil {
			return k, err
		}
		if !ok {
			return k, pgErrorf("42804", "%s types %s and %s cannot be matched", what, k, t.k)
		}
		list[i] = t
	}
	return k, nil
}

// assign binds the new value of a column.
func (b *binder) assign(n node, k kind, column string) (expr, error) {
	t, err := b.bind(n)
	if err != nil {
		return nil, err
	}
	if t.k == kindUnknown {
		t, err = b.settle(t, k)
		return t.e, err
	}
	ok := t.k == k || k == kindText || t.k.number() && k.number()
	if !ok {
		e := pgErrorf("42804", "column \"%s\" is of type %s but expression is of type %s", column, k, t.k)
		e.Hint = "You will need to rewrite or cast the expression."
		return nil, e
	}
	t, err = cast(t, k)
	return t.e, err
}

// condition binds a truth value; clause names its place for the error.
func (b *binder) condition(n node, clause string) (expr, error) {
	t, err := b.truth(n, clause)
	return t.e, err
}

func (b *binder) truth(n node, clause string) (typed, error) {
	t, err := b.bind(n)
	if err != nil {
		return t, err
	}
	t, ok, err := b.implicit(t, kindBool)
	if err == nil && !ok {
		err = pgErrorf("42804", "argument of %s must be type boolean, not type %s", clause, t.k)
	}
	return t, err
}

// holds evaluates a condition: NULL does not hold. A missing one does.
func (c *evalCtx) holds(e expr) (bool, error) {
	if e == nil {
		return true, nil
	}
	v, err := e(c)
	return v == true, err
}

// bind resolves an expression.
func (b *binder) bind(n node) (typed, error) {
	switch n := n.(type) {
	case *litNode:
		return literal(n.value, n.kind), nil
	case *paramNode:
		return b.parameter(n.n), nil
	case *columnNode:
		return b.column(n)
	case *binaryNode:
		return b.binary(n)
	case *notNode:
		return b.not(n)
	case *negNode:
		return b.negate(n)
	case *nullNode:
		return b.isNull(n)
	case *inNode:
		return b.in(n)
	case *anyNode:
		return b.any(n)
	case *caseNode:
		return b.caseWhen(n)
	case *castNode:
		return b.explicitCast(n)
	case *callNode:
		return b.call(n)
	case *defaultNode:
		return typed{}, pgError("42601", "DEFAULT is not allowed in this context")
	}
	return typed{}, &UnsupportedError{Construct: fmt.Sprintf("expression %T", n)}
}

func (b *binder) explicitCast(n *castNode) (typed, error) {
	t, err := b.bind(n.e)
	if err != nil {
		return t, err
	}
	if t.k == kindUnknown {
		return b.settle(t, n.to)
	}
	if !castable(t.k, n.to) {
		return t, pgErrorf("42846", "cannot cast type %s to %s", t.k, n.to)
	}
	t, err = cast(t, n.to)
	t.param = 0
	return t, err
}
