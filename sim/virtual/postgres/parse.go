package postgres

import (
	"strconv"
	"strings"
)

// parser is a recursive descent parser over one text.
type parser struct {
	sql    string
	tokens []token
	at     int
}

func newParser(sql string) (*parser, error) {
	tokens, err := lex(sql)
	if err != nil {
		return nil, err
	}
	return &parser{sql: sql, tokens: tokens}, nil
}

// parseOne parses a text that holds one statement. Empty text gives nil.
func parseOne(sql string) (node, error) {
	p, err := newParser(sql)
	if err != nil {
		return nil, err
	}
	if p.peek().kind == tokenEnd {
		return nil, nil
	}
	st, err := p.statement()
	if err != nil {
		return nil, err
	}
	p.symbol(";")
	if p.peek().kind != tokenEnd {
		return nil, p.unsupported("text after the statement")
	}
	return st, nil
}

// parseScript parses statements separated by semicolons.
func parseScript(sql string) ([]node, error) {
	p, err := newParser(sql)
	if err != nil {
		return nil, err
	}
	var out []node
	for {
		for p.symbol(";") {
		}
		if p.peek().kind == tokenEnd {
			return out, nil
		}
		st, err := p.statement()
		if err != nil {
			return nil, err
		}
		out = append(out, st)
		if p.peek().kind != tokenEnd && !p.symbol(";") {
			return nil, p.unsupported("text after the statement")
		}
	}
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != tokenEnd {
		p.at++
	}
	return t
}

func (p *parser) unsupported(what string) error {
	t := p.peek()
	near := t.text
	if t.kind == tokenEnd {
		near = "end of input"
	}
	return &UnsupportedError{Construct: what + " at \"" + near + "\"", SQL: p.sql}
}

// word takes the next words if they are exactly these.
func (p *parser) word(words ...string) bool {
	for i, w := range words {
		if p.at+i >= len(p.tokens) {
			return false
		}
		if t := p.tokens[p.at+i]; t.kind != tokenWord || t.text != w {
			return false
		}
	}
	p.at += len(words)
	return true
}

func (p *parser) isWord(w string) bool {
	t := p.peek()
	return t.kind == tokenWord && t.text == w
}

func (p *parser) symbol(s string) bool {
	if t := p.peek(); t.kind == tokenSymbol && t.text == s {
		p.at++
		return true
	}
	return false
}

func (p *parser) want(words ...string) error {
	if !p.word(words...) {
		return p.unsupported("expected " + strings.ToUpper(strings.Join(words, " ")))
	}
	return nil
}

func (p *parser) wantSymbol(s string) error {
	if !p.symbol(s) {
		return p.unsupported("expected " + s)
	}
	return nil
}

// reserved words end an expression or a table reference, so they are no aliases and no columns.
var reserved = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`all and any as asc between by case check constraint create cross default
		desc distinct do else end except false fetch for from full group having in inner intersect into is
		join left limit natural not null offset on or order outer primary returning right select set
		table then true union unique update using values when where window with`) {
		reserved[w] = true
	}
}

func (p *parser) name(what string) (string, error) {
	t := p.peek()
	if t.kind == tokenQuotedName || t.kind == tokenWord && !reserved[t.text] {
		p.at++
		return t.text, nil
	}
	return "", p.unsupported("expected " + what)
}

// tableName reads a table's name, with or without the schema public.
func (p *parser) tableName() (string, error) {
	n, err := p.name("a table's name")
	if err != nil {
		return "", err
	}
	if p.symbol(".") {
		if n != "public" {
			return "", p.unsupported("schema " + n)
		}
		return p.name("a table's name")
	}
	return n, nil
}

func (p *parser) alias() (string, error) {
	if p.word("as") {
		return p.name("an alias")
	}
	if t := p.peek(); t.kind == tokenQuotedName || t.kind == tokenWord && !reserved[t.text] {
		p.at++
		return t.text, nil
	}
	return "", nil
}

func (p *parser) names() ([]string, error) {
	if err := p.wantSymbol("("); err != nil {
		return nil, err
	}
	var out []string
	for {
		n, err := p.name("a column's name")
		if err != nil {
			return nil, err
		}
		out = append(out, n)
		if p.symbol(")") {
			return out, nil
		}
		if err := p.wantSymbol(","); err != nil {
			return nil, err
		}
	}
}

func (p *parser) integer() (int64, error) {
	neg := p.symbol("-")
	t := p.peek()
	if t.kind != tokenInteger {
		return 0, p.unsupported("expected an integer")
	}
	p.at++
	n, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil {
		return 0, p.unsupported("integer " + t.text)
	}
	if neg {
		n = -n
	}
	return n, nil
}

func (p *parser) statement() (node, error) {
	switch {
	case p.word("select"):
		return p.selectStatement()
	case p.word("insert", "into"):
		return p.insertStatement()
	case p.word("update"):
		return p.updateStatement()
	case p.word("delete", "from"):
		return p.deleteStatement()
	case p.word("create"):
		return p.createStatement()
	case p.word("show"):
		return p.showStatement()
	case p.word("set"):
		return p.setStatement()
	}
	return p.txStatement()
}
