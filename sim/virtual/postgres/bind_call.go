package postgres

import (
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// aggregate is one aggregate call of a SELECT.
type aggregate struct {
	name string
	arg  expr // nil for count(*)
	kind kind // of the argument
}

func errNoFunction(n *callNode, list []typed) error {
	var kinds []string
	for _, t := range list {
		kinds = append(kinds, t.k.String())
	}
	e := pgErrorf("42883", "function %s(%s) does not exist", n.name, strings.Join(kinds, ", "))
	e.Hint = "No function matches the given name and argument types. You might need to add explicit type casts."
	return e
}

func (b *binder) call(n *callNode) (typed, error) {
	switch n.name {
	case "count", "min", "max", "sum":
		return b.aggregate(n)
	case "avg", "array_agg", "string_agg", "bool_and", "bool_or":
		return typed{}, &UnsupportedError{Construct: "aggregate " + n.name}
	}
	list, err := b.bindAll(n.args)
	if err != nil {
		return typed{}, err
	}
	if n.star {
		return typed{}, errNoFunction(n, nil)
	}
	switch n.name {
	case "now", "transaction_timestamp", "current_timestamp":
		return b.clock(n, list, func(c *evalCtx) (any, error) { return c.session.tx.start, nil })
	case "clock_timestamp":
		return b.clock(n, list, func(c *evalCtx) (any, error) { return timeOf(c.session.srv.env.Now()), nil })
	case "pg_backend_pid":
		if len(list) != 0 {
			return typed{}, errNoFunction(n, list)
		}
		return typed{k: kindInt4, e: func(c *evalCtx) (any, error) { return c.session.pid, nil }}, nil
	case "coalesce", "greatest", "least":
		return b.choice(n.name, list)
	case "nullif":
		if len(list) != 2 {
			return typed{}, errNoFunction(n, list)
		}
		if _, err := b.common("NULLIF", list); err != nil {
			return typed{}, err
		}
		le, re := list[0].e, list[1].e
		return join(list[0].k, func(c *evalCtx) (any, error) {
			l, err := le(c)
			if l == nil || err != nil {
				return nil, err
			}
			r, err := re(c)
			if err != nil || r != nil && compareValues(l, r) == 0 {
				return nil, err
			}
			return l, nil
		}, list...), nil
	case "nextval", "currval":
		return b.sequence(n, list)
	case "extract":
		return b.extract(list[0])
	}
	return typed{}, &UnsupportedError{Construct: "function " + n.name}
}

func (b *binder) clock(n *callNode, list []typed, e expr) (typed, error) {
	if len(list) != 0 {
		return typed{}, errNoFunction(n, list)
	}
	return typed{k: kindTimestamptz, e: e, dynamic: n.name == "clock_timestamp"}, nil
}

func (b *binder) choice(name string, list []typed) (typed, error) {
	k, err := b.common(strings.ToUpper(name), list)
	if err != nil {
		return typed{}, err
	}
	if name == "coalesce" {
		return join(k, func(c *evalCtx) (any, error) {
			for i := range list {
				if v, err := list[i].e(c); v != nil || err != nil {
					return v, err
				}
			}
			return nil, nil
		}, list...), nil
	}
	sign := 1
	if name == "least" {
		sign = -1
	}
	return join(k, func(c *evalCtx) (any, error) {
		var best any
		for i := range list {
			v, err := list[i].e(c)
			if err != nil {
				return nil, err
			}
			if v != nil && (best == nil || compareValues(v, best) == sign) {
				best = v
			}
		}
		return best, nil
	}, list...), nil
}

func (b *binder) sequence(n *callNode, list []typed) (typed, error) {
	if len(list) != 1 || !list[0].literal {
		return typed{}, &UnsupportedError{Construct: n.name + " of anything but a literal name"}
	}
	name, ok := list[0].value.(string)
	if !ok {
		return typed{}, errNoFunction(n, list)
	}
	def := b.schema.sequence(name)
	if def == nil {
		return typed{}, errNoTable(name)
	}
	at := def.ordinal
	if n.name == "nextval" {
		return typed{k: kindInt8, dynamic: true, e: func(c *evalCtx) (any, error) {
			if c.session.tx.readOnly {
				return nil, pgError("25006", "cannot execute nextval() in a read-only transaction")
			}
			return c.session.nextval(at), nil
		}}, nil
	}
	return typed{k: kindInt8, dynamic: true, e: func(c *evalCtx) (any, error) {
		s := c.session
		if at >= len(s.currval) || !s.hasValue[at] {
			return nil, pgErrorf("55000", "currval of sequence \"%s\" is not yet defined in this session", def.name)
		}
		return s.currval[at], nil
	}}, nil
}

func (b *binder) extract(t typed) (typed, error) {
	e := t.e
	if t.k != kindTimestamptz && t.k != kindInterval {
		return t, &UnsupportedError{Construct: "extract from " + t.k.String()}
	}
	return join(kindNumeric, func(c *evalCtx) (any, error) {
		v, err := e(c)
		if v == nil || err != nil {
			return nil, err
		}
		if at, ok := v.(time.Time); ok {
			return microsAsSeconds(numericOf(at.UnixMicro()).Int), nil
		}
		return microsAsSeconds(epochOfInterval(v.(pgtype.Interval))), nil
	}, t), nil
}

func (b *binder) aggregate(n *callNode) (typed, error) {
	if !b.aggregates {
		return typed{}, pgError("42803", "aggregate functions are not allowed here")
	}
	if b.inAggregate {
		return typed{}, pgError("42803", "aggregate function calls cannot be nested")
	}
	a := aggregate{name: n.name}
	k := kindInt8
	if n.star {
		if n.name != "count" {
			return typed{}, errNoFunction(n, nil)
		}
	} else {
		if len(n.args) != 1 {
			return typed{}, &UnsupportedError{Construct: n.name + " of other than one argument"}
		}
		b.inAggregate = true
		t, err := b.bind(n.args[0])
		b.inAggregate = false
		if err != nil {
			return t, err
		}
		if t.k == kindUnknown {
			return t, &UnsupportedError{Construct: n.name + " of an untyped value"}
		}
		a.arg, a.kind = t.e, t.k
		switch n.name {
		case "sum":
			switch t.k {
			case kindInt8, kindNumeric:
				k = kindNumeric
			case kindInt4:
			default:
				return t, errNoFunction(n, []typed{t})
			}
		case "min", "max":
			if k = t.k; k == kindBool {
				return t, errNoFunction(n, []typed{t})
			}
		}
	}
	at := len(b.aggs)
	b.aggs = append(b.aggs, a)
	return typed{k: k, e: func(c *evalCtx) (any, error) { return c.aggs[at], nil }}, nil
}

// add takes one more value into the running result.
func (a *aggregate) add(c *evalCtx, sum any) (any, error) {
	if a.arg == nil {
		return sum.(int64) + 1, nil
	}
	v, err := a.arg(c)
	if v == nil || err != nil {
		return sum, err
	}
	switch a.name {
	case "count":
		return sum.(int64) + 1, nil
	case "min":
		if sum == nil || compareValues(v, sum) < 0 {
			return v, nil
		}
		return sum, nil
	case "max":
		if sum == nil || compareValues(v, sum) > 0 {
			return v, nil
		}
		return sum, nil
	}
	switch v := v.(type) {
	case int32:
		if sum == nil {
			return int64(v), nil
		}
		total, ok := addInt(sum.(int64), int64(v))
		if !ok {
			return nil, errOutOfRange(kindInt8)
		}
		return total, nil
	case int64:
		return sumNumeric(sum, numericOf(v)), nil
	}
	return sumNumeric(sum, v.(pgtype.Numeric)), nil
}

func sumNumeric(sum any, v pgtype.Numeric) any {
	if sum == nil {
		return v
	}
	x, y, exp := align(sum.(pgtype.Numeric), v)
	return pgtype.Numeric{Int: numericOf(0).Int.Add(x, y), Exp: exp, Valid: true}
}

// zero is the result over no rows.
func (a *aggregate) zero() any {
	if a.name == "count" {
		return int64(0)
	}
	return nil
}
