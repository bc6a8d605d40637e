package postgres

import "strings"

func (p *parser) txStatement() (node, error) {
	n := &txNode{readOnly: -1}
	switch {
	case p.word("begin"):
		if !p.word("transaction") {
			p.word("work")
		}
	case p.word("start", "transaction"):
		n.start = true
	case p.word("commit"), p.word("end"):
		n.verb = txCommit
	case p.word("rollback"), p.word("abort"):
		n.verb = txRollback
	default:
		return nil, p.unsupported("statement")
	}
	if n.verb != txBegin {
		if !p.word("transaction") {
			p.word("work")
		}
		return n, nil
	}
	for {
		switch {
		case p.word("isolation", "level"):
			iso, err := p.isolation()
			if err != nil {
				return nil, err
			}
			n.iso = iso
		case p.word("read", "only"):
			n.readOnly = 1
		case p.word("read", "write"):
			n.readOnly = 0
		case p.word("not", "deferrable"):
		default:
			return n, nil
		}
		p.symbol(",")
	}
}

func (p *parser) isolation() (isolation, error) {
	switch {
	case p.word("read", "committed"):
		return readCommitted, nil
	case p.word("read", "uncommitted"):
		return readUncommitted, nil
	case p.word("repeatable", "read"):
		return repeatableRead, nil
	case p.isWord("serializable"):
		return 0, p.unsupported("isolation level SERIALIZABLE")
	}
	return 0, p.unsupported("isolation level")
}

// settings are the parameters that a session may set; anything else might change meaning unseen.
var settings = map[string]bool{
	"lock_timeout": true, "statement_timeout": true, "synchronous_commit": true,
	"deadlock_timeout": true, "application_name": true,
}

func (p *parser) setStatement() (node, error) {
	if p.word("transaction", "isolation", "level") {
		iso, err := p.isolation()
		return &setTxNode{iso: iso}, err
	}
	n := &settingNode{}
	if p.word("local") {
		n.local = true
	} else {
		p.word("session")
	}
	name, err := p.name("a setting's name")
	if err != nil {
		return nil, err
	}
	if !settings[name] {
		return nil, p.unsupported("setting " + name)
	}
	n.name = name
	if !p.symbol("=") && !p.word("to") {
		return nil, p.unsupported("expected = or TO")
	}
	t := p.next()
	switch t.kind {
	case tokenString, tokenInteger:
		n.value = t.text
	case tokenWord, tokenQuotedName:
		n.value = strings.ToLower(t.text)
	default:
		return nil, p.unsupported("value of setting " + name)
	}
	return n, nil
}

func (p *parser) showStatement() (node, error) {
	if p.word("transaction", "isolation", "level") {
		return &showNode{name: "transaction_isolation"}, nil
	}
	name, err := p.name("a setting's name")
	if err != nil {
		return nil, err
	}
	if name != "transaction_isolation" && name != "transaction_read_only" && !settings[name] {
		return nil, p.unsupported("SHOW " + name)
	}
	return &showNode{name: name}, nil
}
