package postgres

import (
	"math/big"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// strict calls f when neither operand is NULL.
func strict(l, r typed, k kind, f func(a, b any) (any, error)) typed {
	le, re := l.e, r.e
	return join(k, func(c *evalCtx) (any, error) {
		a, err := le(c)
		if err != nil {
			return nil, err
		}
		b, err := re(c)
		if a == nil || b == nil || err != nil {
			return nil, err
		}
		return f(a, b)
	}, l, r)
}

func (b *binder) arithmetic(op string, l, r typed) (typed, error) {
	if op == "||" {
		return b.concat(l, r)
	}
	if l.k == kindTimestamptz || r.k == kindTimestamptz || l.k == kindInterval || r.k == kindInterval {
		return b.timeArithmetic(op, l, r)
	}
	lk, rk := l.k, r.k
	list := [2]typed{l, r}
	if lk == kindUnknown && rk == kindUnknown {
		return l, pgErrorf("42725", "operator is not unique: unknown %s unknown", op)
	}
	k, err := b.common("", list[:])
	if err != nil {
		return l, err
	}
	if !k.number() {
		return l, errNoOperator(lk, op, rk)
	}
	if k == kindNumeric {
		return numericArithmetic(op, list[0], list[1])
	}
	return strict(list[0], list[1], k, func(a, b any) (any, error) {
		if k == kindInt4 {
			v, err := integerOp(op, int64(a.(int32)), int64(b.(int32)), k)
			if err != nil {
				return nil, err
			}
			if int64(int32(v)) != v {
				return nil, errOutOfRange(k)
			}
			return int32(v), nil
		}
		v, err := integerOp(op, a.(int64), b.(int64), k)
		if err != nil {
			return nil, err
		}
		return v, nil
	}), nil
}

func integerOp(op string, a, b int64, k kind) (int64, error) {
	v, ok := int64(0), true
	switch op {
	case "+":
		v, ok = addInt(a, b)
	case "-":
		v, ok = subInt(a, b)
	case "*":
		v, ok = mulInt(a, b)
	default:
		if b == 0 {
			return 0, pgError("22012", "division by zero")
		}
		if op == "%" {
			if b == -1 {
				return 0, nil
			}
			return a % b, nil
		}
		if b == -1 {
			v, ok = subInt(0, a)
		} else {
			v = a / b
		}
	}
	if !ok {
		return 0, errOutOfRange(k)
	}
	return v, nil
}

func numericArithmetic(op string, l, r typed) (typed, error) {
	switch op {
	case "+", "-", "*":
	default:
		return l, &UnsupportedError{Construct: "numeric " + op}
	}
	return strict(l, r, kindNumeric, func(a, b any) (any, error) {
		m, n := a.(pgtype.Numeric), b.(pgtype.Numeric)
		if op == "*" {
			return pgtype.Numeric{Int: new(big.Int).Mul(m.Int, n.Int), Exp: m.Exp + n.Exp, Valid: true}, nil
		}
		x, y, exp := align(m, n)
		z := new(big.Int)
		if op == "+" {
			z.Add(x, y)
		} else {
			z.Sub(x, y)
		}
		return pgtype.Numeric{Int: z, Exp: exp, Valid: true}, nil
	}), nil
}

func (b *binder) concat(l, r typed) (typed, error) {
	lk, rk := l.k, r.k
	if lk != kindText && rk != kindText && lk != kindUnknown && rk != kindUnknown {
		return l, errNoOperator(lk, "||", rk)
	}
	if lk.element() != kindUnknown || rk.element() != kindUnknown {
		return l, &UnsupportedError{Construct: "|| of arrays"}
	}
	var err error
	if l, err = b.settle(l, kindText); err != nil {
		return l, err
	}
	if r, err = b.settle(r, kindText); err != nil {
		return l, err
	}
	return strict(l, r, kindText, func(a, b any) (any, error) {
		return formatValue(a) + formatValue(b), nil
	}), nil
}

func (b *binder) timeArithmetic(op string, l, r typed) (typed, error) {
	lk, rk := l.k, r.k
	var err error
	// An open operand takes the kind PostgreSQL would give it: what stands beside a time in a
	// sum is an interval; in a difference, the other's kind; a factor is a double precision.
	guess := func(t typed, other kind) (typed, error) {
		switch {
		case t.k != kindUnknown:
			return t, nil
		case op == "*" || op == "/":
			return b.settle(t, kindFloat8)
		case op == "+" && other == kindTimestamptz:
			return b.settle(t, kindInterval)
		}
		return b.settle(t, other)
	}
	if l, err = guess(l, rk); err != nil {
		return l, err
	}
	if r, err = guess(r, lk); err != nil {
		return r, err
	}
	sign := int64(1)
	if op == "-" {
		sign = -1
	}
	switch {
	case op == "+" && l.k == kindInterval && r.k == kindTimestamptz:
		l, r = r, l
		fallthrough
	case (op == "+" || op == "-") && l.k == kindTimestamptz && r.k == kindInterval:
		return strict(l, r, kindTimestamptz, func(a, b any) (any, error) {
			return addToTime(a.(time.Time), b.(pgtype.Interval), sign), nil
		}), nil
	case op == "-" && l.k == kindTimestamptz && r.k == kindTimestamptz:
		return strict(l, r, kindInterval, func(a, b any) (any, error) {
			return subtractTimes(a.(time.Time), b.(time.Time)), nil
		}), nil
	case (op == "+" || op == "-") && l.k == kindInterval && r.k == kindInterval:
		return strict(l, r, kindInterval, func(a, b any) (any, error) {
			return addInterval(a.(pgtype.Interval), b.(pgtype.Interval), sign)
		}), nil
	case op == "*" && (l.k.number() || l.k == kindFloat8) && r.k == kindInterval:
		l, r = r, l
		fallthrough
	case op == "*" && l.k == kindInterval && (r.k.number() || r.k == kindFloat8):
		if r, _, err = b.implicit(r, kindFloat8); err != nil {
			return r, err
		}
		return strict(l, r, kindInterval, func(a, b any) (any, error) {
			return scaleInterval(a.(pgtype.Interval), b.(int64))
		}), nil
	case op == "/" && l.k == kindInterval:
		return l, &UnsupportedError{Construct: "division of an interval"}
	}
	return l, errNoOperator(lk, op, rk)
}

func (b *binder) negate(n *negNode) (typed, error) {
	t, err := b.bind(n.e)
	if err != nil {
		return t, err
	}
	if t.k == kindInterval {
		zero := literal(intervalOf(0), kindInterval)
		return b.timeArithmetic("-", zero, t)
	}
	if !t.k.number() {
		return t, pgErrorf("42883", "operator does not exist: - %s", t.k)
	}
	return b.arithmetic("-", literal(int32(0), kindInt4), t)
}
