package postgres

import (
	"strconv"
	"strings"
)

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
