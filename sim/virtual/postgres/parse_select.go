package postgres

func (p *parser) selectStatement() (node, error) {
	n := &selectNode{}
	if p.isWord("distinct") {
		return nil, p.unsupported("DISTINCT")
	}
	p.word("all")
	var err error
	if n.targets, err = p.targets(); err != nil {
		return nil, err
	}
	if p.word("from") {
		if n.from, err = p.fromClause(); err != nil {
			return nil, err
		}
	}
	if p.word("where") {
		if n.where, err = p.expr(); err != nil {
			return nil, err
		}
	}
	if p.word("order", "by") {
		if n.order, err = p.orderBy(); err != nil {
			return nil, err
		}
	}
	for {
		switch {
		case n.limit == nil && p.word("limit"):
			n.limit, err = p.expr()
		case n.offset == nil && p.word("offset"):
			n.offset, err = p.expr()
		case n.lock == nil && p.word("for"):
			n.lock, err = p.lockClause()
		default:
			return n, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (p *parser) targets() ([]targetNode, error) {
	var out []targetNode
	for {
		t, err := p.target()
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		if !p.symbol(",") {
			return out, nil
		}
	}
}

func (p *parser) target() (targetNode, error) {
	if p.symbol("*") {
		return targetNode{star: "*"}, nil
	}
	if t := p.peek(); (t.kind == tokenWord || t.kind == tokenQuotedName) && p.at+2 < len(p.tokens) {
		if p.tokens[p.at+1] == (token{tokenSymbol, "."}) && p.tokens[p.at+2] == (token{tokenSymbol, "*"}) {
			p.at += 3
			return targetNode{star: t.text}, nil
		}
	}
	e, err := p.expr()
	if err != nil {
		return targetNode{}, err
	}
	name := ""
	if p.word("as") {
		// After AS any word is a name.
		t := p.next()
		if t.kind != tokenWord && t.kind != tokenQuotedName {
			return targetNode{}, p.unsupported("expected a column's name")
		}
		name = t.text
	} else if name, err = p.alias(); err != nil {
		return targetNode{}, err
	}
	if name == "" {
		name = targetName(e)
	}
	return targetNode{e: e, name: name}, nil
}

// targetName is the name PostgreSQL gives to an expression's column.
func targetName(e node) string {
	switch e := e.(type) {
	case *columnNode:
		return e.name
	case *callNode:
		return e.name
	case *castNode:
		if inner := targetName(e.e); inner != "?column?" {
			return inner
		}
		return e.to.short()
	case *caseNode:
		if e.els != nil {
			if _, ok := e.els.(*columnNode); ok {
				return targetName(e.els)
			}
		}
		return "case"
	case *litNode:
		if e.kind == kindBool {
			return "bool"
		}
		if e.kind == kindInterval {
			return "interval"
		}
	}
	return "?column?"
}

func (p *parser) fromClause() ([]fromNode, error) {
	first, err := p.fromTable()
	if err != nil {
		return nil, err
	}
	out := []fromNode{first}
	for {
		left, cross := false, false
		switch {
		case p.symbol(","), p.word("cross", "join"):
			cross = true
		case p.word("join"), p.word("inner", "join"):
		case p.word("left", "join"), p.word("left", "outer", "join"):
			left = true
		default:
			if p.isWord("right") || p.isWord("full") || p.isWord("natural") {
				return nil, p.unsupported("join")
			}
			return out, nil
		}
		item, err := p.fromTable()
		if err != nil {
			return nil, err
		}
		item.left = left
		if !cross {
			if err := p.want("on"); err != nil {
				return nil, err
			}
			if item.on, err = p.expr(); err != nil {
				return nil, err
			}
		}
		out = append(out, item)
	}
}

func (p *parser) fromTable() (fromNode, error) {
	table, err := p.tableName()
	if err != nil {
		return fromNode{}, err
	}
	alias, err := p.alias()
	if err != nil {
		return fromNode{}, err
	}
	if alias == "" {
		alias = table
	}
	return fromNode{table: table, alias: alias}, nil
}

func (p *parser) orderBy() ([]orderNode, error) {
	var out []orderNode
	for {
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		o := orderNode{e: e}
		if p.word("desc") {
			o.desc, o.nullsFirst = true, true
		} else {
			p.word("asc")
		}
		if p.word("nulls", "first") {
			o.nullsFirst = true
		} else if p.word("nulls", "last") {
			o.nullsFirst = false
		}
		out = append(out, o)
		if !p.symbol(",") {
			return out, nil
		}
	}
}

func (p *parser) lockClause() (*lockNode, error) {
	n := &lockNode{}
	switch {
	case p.word("update"):
		n.mode = lockExclusive
	case p.word("no", "key", "update"):
		n.mode = lockNoKeyExclusive
	case p.word("share"):
		n.mode = lockShare
	case p.word("key", "share"):
		n.mode = lockKeyShare
	default:
		return nil, p.unsupported("FOR")
	}
	if p.word("of") {
		for {
			t, err := p.tableName()
			if err != nil {
				return nil, err
			}
			n.of = append(n.of, t)
			if !p.symbol(",") {
				break
			}
		}
	}
	switch {
	case p.word("nowait"):
		n.policy = waitError
	case p.word("skip", "locked"):
		n.policy = waitSkip
	}
	return n, nil
}
