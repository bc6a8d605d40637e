package postgres

func errNoOperator(l kind, op string, r kind) error {
	e := pgErrorf("42883", "operator does not exist: %s %s %s", l, op, r)
	e.Hint = "No operator matches the given name and argument types. You might need to add explicit type casts."
	return e
}

func join(k kind, e expr, parts ...typed) typed {
	t := typed{k: k, e: e}
	for _, p := range parts {
		t.uses |= p.uses
		t.dynamic = t.dynamic || p.dynamic
	}
	return t
}

func (b *binder) binary(n *binaryNode) (typed, error) {
	l, err := b.bind(n.l)
	if err != nil {
		return l, err
	}
	r, err := b.bind(n.r)
	if err != nil {
		return r, err
	}
	switch n.op {
	case "and", "or":
		return b.logic(n.op, l, r)
	case "=", "<>", "<", "<=", ">", ">=", "is distinct from", "is not distinct from":
		return b.compare(n.op, l, r)
	}
	return b.arithmetic(n.op, l, r)
}

func (b *binder) logic(op string, l, r typed) (typed, error) {
	parts := [2]typed{l, r}
	for i := range parts {
		t, ok, err := b.implicit(parts[i], kindBool)
		if err != nil {
			return t, err
		}
		if !ok {
			name := "AND"
			if op == "or" {
				name = "OR"
			}
			return t, pgErrorf("42804", "argument of %s must be type boolean, not type %s", name, t.k)
		}
		parts[i] = t
	}
	decides := op == "or" // the value of either side that settles the answer
	le, re := parts[0].e, parts[1].e
	return join(kindBool, func(c *evalCtx) (any, error) {
		lv, err := le(c)
		if err != nil {
			return nil, err
		}
		if lv == decides {
			return decides, nil
		}
		rv, err := re(c)
		if err != nil {
			return nil, err
		}
		if rv == decides {
			return decides, nil
		}
		if lv == nil || rv == nil {
			return nil, nil
		}
		return !decides, nil
	}, parts[0], parts[1]), nil
}

func (b *binder) compare(op string, l, r typed) (typed, error) {
	lk, rk := l.k, r.k
	list := [2]typed{l, r}
	if _, err := b.common("", list[:]); err != nil {
		if lk != kindUnknown && rk != kindUnknown {
			return l, errNoOperator(lk, op, rk)
		}
		return l, err
	}
	if list[0].k.element() != kindUnknown {
		return l, &UnsupportedError{Construct: "comparison of arrays"}
	}
	le, re := list[0].e, list[1].e
	switch op {
	case "is distinct from", "is not distinct from":
		distinct := op == "is distinct from"
		return join(kindBool, func(c *evalCtx) (any, error) {
			lv, err := le(c)
			if err != nil {
				return nil, err
			}
			rv, err := re(c)
			if err != nil {
				return nil, err
			}
			return sameValue(lv, rv) != distinct, nil
		}, list[:]...), nil
	}
	// want has a bit for each outcome (-1, 0, 1) that makes the comparison true.
	want := map[string]uint8{"<": 1, "=": 2, "<=": 3, ">": 4, "<>": 5, ">=": 6}[op]
	return join(kindBool, func(c *evalCtx) (any, error) {
		lv, err := le(c)
		if err != nil || lv == nil {
			return nil, err
		}
		rv, err := re(c)
		if err != nil || rv == nil {
			return nil, err
		}
		return want>>(compareValues(lv, rv)+1)&1 == 1, nil
	}, list[:]...), nil
}

func (b *binder) not(n *notNode) (typed, error) {
	t, err := b.truth(n.e, "NOT")
	if err != nil {
		return t, err
	}
	e := t.e
	return join(kindBool, func(c *evalCtx) (any, error) {
		v, err := e(c)
		if v == nil || err != nil {
			return nil, err
		}
		return v == false, nil
	}, t), nil
}

func (b *binder) isNull(n *nullNode) (typed, error) {
	t, err := b.bind(n.e)
	if err != nil {
		return t, err
	}
	e, not := t.e, n.not
	return join(kindBool, func(c *evalCtx) (any, error) {
		v, err := e(c)
		return (v == nil) != not, err
	}, t), nil
}

func (b *binder) in(n *inNode) (typed, error) {
	list, err := b.bindAll(n.list)
	if err != nil {
		return typed{}, err
	}
	l, err := b.bind(n.e)
	if err != nil {
		return l, err
	}
	list = append(list, l)
	if _, err := b.common("IN", list); err != nil {
		return l, err
	}
	last := len(list) - 1
	e, options, not := list[last].e, list[:last], n.not
	return join(kindBool, func(c *evalCtx) (any, error) {
		v, err := e(c)
		if v == nil || err != nil {
			return nil, err
		}
		null := false
		for i := range options {
			o, err := options[i].e(c)
			if err != nil {
				return nil, err
			}
			if o == nil {
				null = true
			} else if compareValues(v, o) == 0 {
				return !not, nil
			}
		}
		if null {
			return nil, nil
		}
		return not, nil
	}, list...), nil
}

func (b *binder) any(n *anyNode) (typed, error) {
	l, err := b.bind(n.e)
	if err != nil {
		return l, err
	}
	arr, err := b.bind(n.arr)
	if err != nil {
		return l, err
	}
	switch {
	case l.k == kindUnknown && arr.k == kindUnknown:
		l, err = b.settle(l, kindText)
	case l.k == kindUnknown:
		l, err = b.settle(l, arr.k.element())
	}
	if err != nil {
		return l, err
	}
	if arr.k == kindUnknown {
		if l.k.array() == kindUnknown {
			return l, &UnsupportedError{Construct: "array of " + l.k.String()}
		}
		if arr, err = b.settle(arr, l.k.array()); err != nil {
			return l, err
		}
	}
	if arr.k.element() == kindUnknown {
		return l, pgError("42809", "op ANY/ALL (array) requires array on right side")
	}
	if l.k != arr.k.element() {
		if !l.k.integer() || !arr.k.element().integer() {
			return l, errNoOperator(l.k, "=", arr.k.element())
		}
	}
	le, ae := l.e, arr.e
	return join(kindBool, func(c *evalCtx) (any, error) {
		v, err := le(c)
		if err != nil {
			return nil, err
		}
		list, err := ae(c)
		if err != nil || list == nil {
			return nil, err
		}
		elements := list.([]any)
		if v == nil {
			if len(elements) == 0 {
				return false, nil
			}
			return nil, nil
		}
		null := false
		for _, o := range elements {
			if o == nil {
				null = true
			} else if compareIntegersToo(v, o) == 0 {
				return true, nil
			}
		}
		if null {
			return nil, nil
		}
		return false, nil
	}, l, arr), nil
}

// compareIntegersToo compares values whose kinds agree, or are integers of either width.
func compareIntegersToo(a, b any) int {
	if n, ok := a.(int32); ok {
		a = int64(n)
	}
	if n, ok := b.(int32); ok {
		b = int64(n)
	}
	return compareValues(a, b)
}

func (b *binder) bindAll(list []node) ([]typed, error) {
	out := make([]typed, 0, len(list)+1)
	for _, n := range list {
		t, err := b.bind(n)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func (b *binder) caseWhen(n *caseNode) (typed, error) {
	var conds []expr
	var results []typed
	var parts []typed
	for _, w := range n.whens {
		cond := w.cond
		if n.operand != nil {
			cond = &binaryNode{op: "=", l: n.operand, r: w.cond}
		}
		truth, err := b.truth(cond, "CASE/WHEN")
		if err != nil {
			return typed{}, err
		}
		conds = append(conds, truth.e)
		parts = append(parts, truth)
		t, err := b.bind(w.then)
		if err != nil {
			return t, err
		}
		results = append(results, t)
	}
	els := literal(nil, kindUnknown)
	if n.els != nil {
		var err error
		if els, err = b.bind(n.els); err != nil {
			return els, err
		}
	}
	results = append(results, els)
	k, err := b.common("CASE", results)
	if err != nil {
		return typed{}, err
	}
	return join(k, func(c *evalCtx) (any, error) {
		for i, cond := range conds {
			ok, err := c.holds(cond)
			if err != nil {
				return nil, err
			}
			if ok {
				return results[i].e(c)
			}
		}
		return results[len(conds)].e(c)
	}, append(parts, results...)...), nil
}
