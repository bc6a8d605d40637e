package postgres

import (
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// say answers with a tag alone.
func (s *Session) say(tag string) *Result { return s.answer(nil, pgconn.NewCommandTag(tag)) }

func (p *plan) planControl(st node, sql string) {
	switch st := st.(type) {
	case *txNode:
		p.ends = st.verb != txBegin
		p.control = func(s *Session) (*Result, error) { return s.control(st) }
	case *setTxNode:
		p.control = func(s *Session) (*Result, error) {
			if s.tx == nil {
				return s.say("SET"), nil // outside a block it only warns
			}
			return s.answerOrAbort("SET", s.setIsolation(st.iso))
		}
	case *settingNode:
		p.control = func(s *Session) (*Result, error) { return s.answerOrAbort("SET", s.assign(st)) }
	case *showNode:
		p.fields = []pgconn.FieldDescription{{Name: st.name, DataTypeOID: pgtype.TextOID, DataTypeSize: -1, TypeModifier: -1, Format: 1}}
		p.control = func(s *Session) (*Result, error) {
			s.rows = append(s.rows, []any{s.show(st.name)})
			return s.answer(p.fields, pgconn.NewCommandTag("SHOW")), nil
		}
	default: // CREATE …
		p.control = func(s *Session) (*Result, error) { return s.create(st, sql) }
	}
}

func (s *Session) answerOrAbort(tag string, err error) (*Result, error) {
	if err != nil {
		s.abort()
		return nil, err
	}
	return s.say(tag), nil
}

func (s *Session) control(n *txNode) (*Result, error) {
	switch n.verb {
	case txBegin:
		return s.beginBlock(n)
	case txRollback:
		if s.tx != nil {
			s.undo()
		}
		s.failed = false
		return s.say("ROLLBACK"), nil
	}
	if s.failed {
		s.failed = false
		return s.say("ROLLBACK"), nil
	}
	if s.tx != nil {
		if err := s.commit(); err != nil {
			return nil, err
		}
	}
	return s.say("COMMIT"), nil
}

// beginBlock opens a block; within one it only warns, but the modes still count.
func (s *Session) beginBlock(n *txNode) (*Result, error) {
	if s.tx == nil {
		s.begin(readCommitted)
		s.tx.block = true
	}
	if n.iso != isoUnset {
		if err := s.setIsolation(n.iso); err != nil {
			return s.answerOrAbort("", err)
		}
	}
	switch {
	case n.readOnly == 1:
		s.tx.readOnly = true
	case n.readOnly == 0 && s.srv.standby:
		return s.answerOrAbort("", pgError("0A000", "cannot set transaction read-write mode during recovery"))
	case n.readOnly == 0 && s.tx.readOnly && s.tx.snapshot >= 0:
		return s.answerOrAbort("", pgError("25001", "transaction read-write mode must be set before any query"))
	case n.readOnly == 0:
		s.tx.readOnly = false
	}
	if n.start {
		return s.say("START TRANSACTION"), nil
	}
	return s.say("BEGIN"), nil
}

func (s *Session) setIsolation(iso isolation) error {
	if s.tx.iso != iso && s.tx.snapshot >= 0 {
		return pgError("25001", "SET TRANSACTION ISOLATION LEVEL must be called before any query")
	}
	s.tx.iso = iso
	return nil
}

func (s *Session) assign(n *settingNode) error {
	if n.local {
		if s.tx == nil {
			return nil // outside a block it only warns
		}
		return s.set.apply(n)
	}
	if err := s.set.apply(n); err != nil {
		return err
	}
	return s.base.apply(n)
}

func (s *Session) show(name string) string {
	switch name {
	case "transaction_isolation":
		if s.tx == nil {
			return readCommitted.String()
		}
		return s.tx.iso.String()
	case "transaction_read_only":
		if s.tx != nil && s.tx.readOnly || s.tx == nil && s.srv.standby {
			return "on"
		}
		return "off"
	}
	return s.set.show(name)
}

// create runs DDL, which here takes effect at once and cannot be rolled back.
func (s *Session) create(st node, sql string) (*Result, error) {
	if s.tx != nil {
		return s.answerOrAbort("", &UnsupportedError{Construct: "CREATE within a transaction block", SQL: sql})
	}
	if s.srv.standby {
		return nil, pgError("25006", "cannot execute CREATE in a read-only transaction")
	}
	if err := s.srv.Script(sql); err != nil {
		return nil, err
	}
	switch st.(type) {
	case *createTableNode:
		return s.say("CREATE TABLE"), nil
	case *createSequenceNode:
		return s.say("CREATE SEQUENCE"), nil
	}
	return s.say("CREATE INDEX"), nil
}
