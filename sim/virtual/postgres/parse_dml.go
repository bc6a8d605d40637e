package postgres

func (p *parser) insertStatement() (node, error) {
	n := &insertNode{}
	var err error
	if n.table, err = p.tableName(); err != nil {
		return nil, err
	}
	n.alias = n.table
	if p.word("as") {
		if n.alias, err = p.name("an alias"); err != nil {
			return nil, err
		}
	}
	if t := p.peek(); t.kind == tokenSymbol && t.text == "(" {
		if n.columns, err = p.names(); err != nil {
			return nil, err
		}
	}
	if p.word("default", "values") {
		n.rows = [][]node{{}}
	} else {
		if err = p.want("values"); err != nil {
			return nil, err
		}
		if n.rows, err = p.valueRows(); err != nil {
			return nil, err
		}
	}
	if p.word("on", "conflict") {
		if n.conflict, err = p.conflictClause(); err != nil {
			return nil, err
		}
	}
	n.returning, err = p.returningClause()
	return n, err
}

func (p *parser) valueRows() ([][]node, error) {
	var rows [][]node
	for {
		if err := p.wantSymbol("("); err != nil {
			return nil, err
		}
		var row []node
		for {
			e, err := p.valueOrDefault()
			if err != nil {
				return nil, err
			}
			row = append(row, e)
			if p.symbol(")") {
				break
			}
			if err := p.wantSymbol(","); err != nil {
				return nil, err
			}
		}
		rows = append(rows, row)
		if !p.symbol(",") {
			return rows, nil
		}
	}
}

func (p *parser) valueOrDefault() (node, error) {
	if p.word("default") {
		return &defaultNode{}, nil
	}
	return p.expr()
}

func (p *parser) conflictClause() (*conflictNode, error) {
	n := &conflictNode{}
	var err error
	if p.word("on", "constraint") {
		if n.constraint, err = p.name("a constraint's name"); err != nil {
			return nil, err
		}
	} else if t := p.peek(); t.kind == tokenSymbol && t.text == "(" {
		if n.columns, err = p.names(); err != nil {
			return nil, err
		}
		if p.isWord("where") {
			return nil, p.unsupported("partial index as arbiter")
		}
	}
	if p.word("do", "nothing") {
		return n, nil
	}
	if err = p.want("do", "update", "set"); err != nil {
		return nil, err
	}
	n.update = true
	if n.set, err = p.setList(); err != nil {
		return nil, err
	}
	if p.word("where") {
		n.where, err = p.expr()
	}
	return n, err
}

func (p *parser) setList() ([]setNode, error) {
	var out []setNode
	for {
		if t := p.peek(); t.kind == tokenSymbol && t.text == "(" {
			return nil, p.unsupported("SET of several columns at once")
		}
		c, err := p.name("a column's name")
		if err != nil {
			return nil, err
		}
		if err := p.wantSymbol("="); err != nil {
			return nil, err
		}
		e, err := p.valueOrDefault()
		if err != nil {
			return nil, err
		}
		out = append(out, setNode{column: c, e: e})
		if !p.symbol(",") {
			return out, nil
		}
	}
}

func (p *parser) returningClause() ([]targetNode, error) {
	if !p.word("returning") {
		return nil, nil
	}
	return p.targets()
}

func (p *parser) updateStatement() (node, error) {
	f, err := p.fromTable()
	if err != nil {
		return nil, err
	}
	n := &updateNode{table: f.table, alias: f.alias}
	if err = p.want("set"); err != nil {
		return nil, err
	}
	if n.set, err = p.setList(); err != nil {
		return nil, err
	}
	if p.isWord("from") {
		return nil, p.unsupported("UPDATE … FROM")
	}
	if p.word("where") {
		if n.where, err = p.expr(); err != nil {
			return nil, err
		}
	}
	n.returning, err = p.returningClause()
	return n, err
}

func (p *parser) deleteStatement() (node, error) {
	f, err := p.fromTable()
	if err != nil {
		return nil, err
	}
	n := &deleteNode{table: f.table, alias: f.alias}
	if p.isWord("using") {
		return nil, p.unsupported("DELETE … USING")
	}
	if p.word("where") {
		if n.where, err = p.expr(); err != nil {
			return nil, err
		}
	}
	n.returning, err = p.returningClause()
	return n, err
}
