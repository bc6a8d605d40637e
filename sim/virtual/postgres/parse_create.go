package postgres

import "strings"

func (p *parser) createStatement() (node, error) {
	switch {
	case p.word("table"):
		return p.createTable()
	case p.word("sequence"):
		return p.createSequence()
	case p.word("unique", "index"):
		return p.createIndex()
	}
	return nil, p.unsupported("CREATE")
}

func (p *parser) createSequence() (node, error) {
	n := &createSequenceNode{start: 1, increment: 1}
	n.ifNot = p.word("if", "not", "exists")
	var err error
	if n.name, err = p.tableName(); err != nil {
		return nil, err
	}
	for {
		switch {
		case p.word("as"):
			if !p.word("bigint") {
				return nil, p.unsupported("sequence type")
			}
		case p.word("start"):
			p.word("with")
			n.startSet = true
			if n.start, err = p.integer(); err != nil {
				return nil, err
			}
		case p.word("increment"):
			p.word("by")
			if n.increment, err = p.integer(); err != nil {
				return nil, err
			}
			if n.increment <= 0 {
				return nil, p.unsupported("descending sequence")
			}
		default:
			return n, nil
		}
	}
}

func (p *parser) createIndex() (node, error) {
	n := &createIndexNode{}
	n.ifNot = p.word("if", "not", "exists")
	var err error
	if !p.isWord("on") {
		if n.name, err = p.name("an index's name"); err != nil {
			return nil, err
		}
	}
	if err = p.want("on"); err != nil {
		return nil, err
	}
	if n.table, err = p.tableName(); err != nil {
		return nil, err
	}
	if n.columns, err = p.names(); err != nil {
		return nil, err
	}
	if p.isWord("where") {
		return nil, p.unsupported("partial index")
	}
	if n.name == "" {
		n.name = n.table + "_" + strings.Join(n.columns, "_") + "_idx"
	}
	return n, nil
}

func (p *parser) createTable() (node, error) {
	n := &createTableNode{}
	n.ifNot = p.word("if", "not", "exists")
	var err error
	if n.name, err = p.tableName(); err != nil {
		return nil, err
	}
	if err = p.wantSymbol("("); err != nil {
		return nil, err
	}
	for {
		if err = p.tableElement(n); err != nil {
			return nil, err
		}
		if p.symbol(")") {
			return n, nil
		}
		if err = p.wantSymbol(","); err != nil {
			return nil, err
		}
	}
}

func (p *parser) tableElement(n *createTableNode) error {
	constraint := ""
	if p.word("constraint") {
		var err error
		if constraint, err = p.name("a constraint's name"); err != nil {
			return err
		}
	}
	switch {
	case p.word("primary", "key"), p.word("unique"):
		primary := p.tokens[p.at-1].text == "key"
		columns, err := p.names()
		if err != nil {
			return err
		}
		n.addIndex(constraint, columns, primary)
		return nil
	case p.word("check"):
		return p.check(n, constraint)
	case constraint != "":
		return p.unsupported("constraint")
	}
	name, err := p.name("a column's name")
	if err != nil {
		return err
	}
	k, err := p.typeName()
	if err != nil {
		return err
	}
	switch k {
	case kindNumeric, kindFloat8:
		return p.unsupported("column of type " + k.String())
	}
	n.columns = append(n.columns, columnDef{name: name, kind: k})
	return p.columnConstraints(n, len(n.columns)-1)
}

func (p *parser) columnConstraints(n *createTableNode, at int) error {
	col := &n.columns[at]
	constraint := ""
	for {
		switch {
		case p.word("constraint"):
			var err error
			if constraint, err = p.name("a constraint's name"); err != nil {
				return err
			}
			continue
		case p.word("not", "null"):
			col.notNull = true
		case p.word("null"):
		case p.word("default"):
			e, err := p.expr()
			if err != nil {
				return err
			}
			col.def = e
		case p.word("primary", "key"):
			n.addIndex(constraint, []string{col.name}, true)
		case p.word("unique"):
			n.addIndex(constraint, []string{col.name}, false)
		case p.word("check"):
			if constraint == "" {
				constraint = n.name + "_" + col.name + "_check"
			}
			if err := p.check(n, constraint); err != nil {
				return err
			}
		case p.isWord("references"):
			return p.unsupported("foreign key")
		default:
			return nil
		}
		constraint = ""
	}
}

func (p *parser) check(n *createTableNode, name string) error {
	if err := p.wantSymbol("("); err != nil {
		return err
	}
	e, err := p.expr()
	if err != nil {
		return err
	}
	n.checks = append(n.checks, checkNode{name: name, e: e})
	return p.wantSymbol(")")
}

func (n *createTableNode) addIndex(name string, columns []string, primary bool) {
	if name == "" {
		name = n.name + "_pkey"
		if !primary {
			name = n.name + "_" + strings.Join(columns, "_") + "_key"
		}
	}
	n.indexes = append(n.indexes, indexNode{name: name, table: n.name, columns: columns, primary: primary})
}

func (p *parser) typeName() (kind, error) {
	if p.word("timestamp", "with", "time", "zone") {
		return kindTimestamptz, nil
	}
	if p.word("double", "precision") {
		return kindFloat8, nil
	}
	t := p.peek()
	k, ok := kindNames[t.text]
	if t.kind != tokenWord || !ok {
		return 0, p.unsupported("type " + t.text)
	}
	p.at++
	if p.symbol("[") {
		if err := p.wantSymbol("]"); err != nil {
			return 0, err
		}
		if k = k.array(); k == kindUnknown {
			return 0, p.unsupported("array type")
		}
	}
	return k, nil
}
