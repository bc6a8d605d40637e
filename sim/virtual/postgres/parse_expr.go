package postgres

import (
	"strconv"
	"strings"
)

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

func (p *parser) number(t token, sign string) (node, error) {
	if t.kind == tokenInteger {
		n, err := strconv.ParseInt(sign+t.text, 10, 64)
		if err == nil {
			if int64(int32(n)) == n {
				return &litNode{value: int32(n), kind: kindInt4}, nil
			}
			return &litNode{value: n, kind: kindInt8}, nil
		}
	}
	v, ok := parseNumeric(sign + t.text)
	if !ok {
		return nil, p.unsupported("number " + t.text)
	}
	return &litNode{value: v, kind: kindNumeric}, nil
}

func (p *parser) primary() (node, error) {
	t := p.peek()
	switch t.kind {
	case tokenInteger, tokenDecimal:
		p.at++
		return p.number(t, "")
	case tokenString:
		p.at++
		return &litNode{value: t.text, kind: kindUnknown}, nil
	case tokenParam:
		p.at++
		n, err := strconv.Atoi(t.text)
		if err != nil || n < 1 || n > 65535 {
			return nil, p.unsupported("parameter $" + t.text)
		}
		return &paramNode{n: n - 1}, nil
	case tokenSymbol:
		if p.symbol("(") {
			if p.isWord("select") {
				return nil, p.unsupported("subquery")
			}
			e, err := p.expr()
			if err != nil {
				return nil, err
			}
			return e, p.wantSymbol(")")
		}
	case tokenQuotedName:
		return p.columnRef()
	case tokenWord:
		return p.wordExpr(t)
	}
	return nil, p.unsupported("expression")
}

func (p *parser) wordExpr(t token) (node, error) {
	switch t.text {
	case "null":
		p.at++
		return &litNode{kind: kindUnknown}, nil
	case "true", "false":
		p.at++
		return &litNode{value: t.text == "true", kind: kindBool}, nil
	case "case":
		p.at++
		return p.caseExpr()
	case "cast":
		p.at++
		if err := p.wantSymbol("("); err != nil {
			return nil, err
		}
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		if err := p.want("as"); err != nil {
			return nil, err
		}
		k, err := p.typeName()
		if err != nil {
			return nil, err
		}
		return &castNode{e: e, to: k}, p.wantSymbol(")")
	case "extract":
		p.at++
		return p.extractExpr()
	case "exists", "array", "row":
		return nil, p.unsupported(strings.ToUpper(t.text))
	case "current_timestamp":
		p.at++
		return &callNode{name: "current_timestamp"}, nil
	}
	after := p.tokens[p.at+1]
	if k, ok := kindNames[t.text]; ok && after.kind == tokenString {
		p.at += 2
		v, err := parseText(after.text, k)
		if err != nil {
			return nil, err
		}
		return &litNode{value: v, kind: k}, nil
	}
	if after.kind == tokenSymbol && after.text == "(" && (!reserved[t.text]) {
		return p.call()
	}
	return p.columnRef()
}

func (p *parser) columnRef() (node, error) {
	n, err := p.name("an expression")
	if err != nil {
		return nil, err
	}
	if !p.symbol(".") {
		return &columnNode{name: n}, nil
	}
	c, err := p.name("a column's name")
	return &columnNode{table: n, name: c}, err
}

func (p *parser) call() (node, error) {
	n := &callNode{name: p.next().text}
	p.next() // (
	if p.symbol(")") {
		return n, nil
	}
	if p.symbol("*") {
		n.star = true
		return n, p.wantSymbol(")")
	}
	if p.isWord("distinct") {
		return nil, p.unsupported("DISTINCT")
	}
	for {
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		n.args = append(n.args, e)
		if p.symbol(")") {
			break
		}
		if err := p.wantSymbol(","); err != nil {
			return nil, err
		}
	}
	if p.isWord("filter") || p.isWord("over") {
		return nil, p.unsupported("clause after a call")
	}
	return n, nil
}

func (p *parser) extractExpr() (node, error) {
	if err := p.wantSymbol("("); err != nil {
		return nil, err
	}
	if err := p.want("epoch", "from"); err != nil {
		return nil, err
	}
	e, err := p.expr()
	if err != nil {
		return nil, err
	}
	return &callNode{name: "extract", args: []node{e}}, p.wantSymbol(")")
}

func (p *parser) caseExpr() (node, error) {
	n := &caseNode{}
	var err error
	if !p.isWord("when") {
		if n.operand, err = p.expr(); err != nil {
			return nil, err
		}
	}
	for p.word("when") {
		var w whenNode
		if w.cond, err = p.expr(); err != nil {
			return nil, err
		}
		if err = p.want("then"); err != nil {
			return nil, err
		}
		if w.then, err = p.expr(); err != nil {
			return nil, err
		}
		n.whens = append(n.whens, w)
	}
	if len(n.whens) == 0 {
		return nil, p.unsupported("CASE")
	}
	if p.word("else") {
		if n.els, err = p.expr(); err != nil {
			return nil, err
		}
	}
	return n, p.want("end")
}
