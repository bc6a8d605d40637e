package postgres

// expr parses an expression: OR binds loosest, then AND, NOT, IS, comparison, IN and BETWEEN,
// other operators, + and -, * / %, unary minus, and the cast.
func (p *parser) expr() (node, error) {
	l, err := p.andExpr()
	for err == nil && p.word("or") {
		var r node
		if r, err = p.andExpr(); err == nil {
			l = &binaryNode{op: "or", l: l, r: r}
		}
	}
	return l, err
}

func (p *parser) andExpr() (node, error) {
	l, err := p.notExpr()
	for err == nil && p.word("and") {
		var r node
		if r, err = p.notExpr(); err == nil {
			l = &binaryNode{op: "and", l: l, r: r}
		}
	}
	return l, err
}

func (p *parser) notExpr() (node, error) {
	if p.word("not") {
		e, err := p.notExpr()
		return &notNode{e: e}, err
	}
	return p.isExpr()
}

func (p *parser) isExpr() (node, error) {
	e, err := p.comparison()
	for err == nil && p.word("is") {
		not := p.word("not")
		switch {
		case p.word("null"):
			e = &nullNode{e: e, not: not}
		case p.word("distinct", "from"):
			var r node
			if r, err = p.comparison(); err == nil {
				op := "is distinct from"
				if not {
					op = "is not distinct from"
				}
				e = &binaryNode{op: op, l: e, r: r}
			}
		case p.word("true"), p.word("false"):
			want := p.tokens[p.at-1].text == "true"
			op := "is not distinct from"
			if not {
				op = "is distinct from"
			}
			e = &binaryNode{op: op, l: e, r: &litNode{value: want, kind: kindBool}}
		default:
			return nil, p.unsupported("IS")
		}
	}
	return e, err
}

func (p *parser) comparison() (node, error) {
	l, err := p.inExpr()
	if err != nil {
		return nil, err
	}
	for _, op := range []string{"=", "<>", "!=", "<=", ">=", "<", ">"} {
		if !p.symbol(op) {
			continue
		}
		if op == "!=" {
			op = "<>"
		}
		if p.word("any") {
			if op != "=" {
				return nil, p.unsupported(op + " ANY")
			}
			if err := p.wantSymbol("("); err != nil {
				return nil, err
			}
			arr, err := p.expr()
			if err != nil {
				return nil, err
			}
			return &anyNode{op: op, e: l, arr: arr}, p.wantSymbol(")")
		}
		r, err := p.inExpr()
		return &binaryNode{op: op, l: l, r: r}, err
	}
	return l, nil
}

func (p *parser) inExpr() (node, error) {
	e, err := p.concat()
	if err != nil {
		return nil, err
	}
	not := false
	if p.isWord("not") && p.at+1 < len(p.tokens) {
		switch p.tokens[p.at+1].text {
		case "in", "between":
			p.at++
			not = true
		}
	}
	switch {
	case p.word("in"):
		if err := p.wantSymbol("("); err != nil {
			return nil, err
		}
		if p.isWord("select") {
			return nil, p.unsupported("subquery")
		}
		n := &inNode{e: e, not: not}
		for {
			v, err := p.expr()
			if err != nil {
				return nil, err
			}
			n.list = append(n.list, v)
			if p.symbol(")") {
				return n, nil
			}
			if err := p.wantSymbol(","); err != nil {
				return nil, err
			}
		}
	case p.word("between"):
		lo, err := p.concat()
		if err != nil {
			return nil, err
		}
		if err := p.want("and"); err != nil {
			return nil, err
		}
		hi, err := p.concat()
		if err != nil {
			return nil, err
		}
		var n node = &binaryNode{op: "and", l: &binaryNode{op: ">=", l: e, r: lo}, r: &binaryNode{op: "<=", l: e, r: hi}}
		if not {
			n = &notNode{e: n}
		}
		return n, nil
	case p.isWord("like"), p.isWord("ilike"), p.isWord("similar"):
		return nil, p.unsupported("pattern match")
	}
	return e, nil
}

func (p *parser) concat() (node, error) {
	return p.leftAssociative(p.sum, "||")
}

func (p *parser) sum() (node, error) {
	return p.leftAssociative(p.product, "+", "-")
}

func (p *parser) product() (node, error) {
	return p.leftAssociative(p.unary, "*", "/", "%")
}

func (p *parser) leftAssociative(operand func() (node, error), ops ...string) (node, error) {
	l, err := operand()
next:
	for err == nil {
		for _, op := range ops {
			if p.symbol(op) {
				var r node
				if r, err = operand(); err == nil {
					l = &binaryNode{op: op, l: l, r: r}
				}
				continue next
			}
		}
		return l, nil
	}
	return nil, err
}

func (p *parser) unary() (node, error) {
	if p.symbol("-") {
		// The sign belongs to the number, so that the smallest bigint can be written.
		if t := p.peek(); t.kind == tokenInteger || t.kind == tokenDecimal {
			if after := p.tokens[p.at+1]; after.kind != tokenSymbol || after.text != "::" {
				p.at++
				return p.number(t, "-")
			}
		}
		e, err := p.unary()
		return &negNode{e: e}, err
	}
	p.symbol("+")
	e, err := p.primary()
	for err == nil && p.symbol("::") {
		var k kind
		if k, err = p.typeName(); err == nil {
			e = &castNode{e: e, to: k}
		}
	}
	return e, err
}
