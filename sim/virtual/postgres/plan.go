package postgres

import (
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
)

// plan is one statement, resolved against a schema. It is immutable.
type plan struct {
	params  []kind
	fields  []pgconn.FieldDescription
	writes  string // the command that a read-only transaction refuses
	exec    executor
	control func(s *Session) (*Result, error) // transaction control and settings, instead of exec
	ends    bool                              // COMMIT or ROLLBACK
}

type executor interface {
	run(s *Session, c *evalCtx) (*Result, error)
}

func (p *plan) endsBlock() bool { return p.ends }

func newPlan(c *schema, sql string) (*plan, error) {
	st, err := parseOne(sql)
	if err != nil {
		return nil, withSQL(err, sql)
	}
	p := &plan{}
	b := &binder{schema: c}
	switch st := st.(type) {
	case nil:
		p.control = func(s *Session) (*Result, error) { return s.answer(nil, pgconn.CommandTag{}), nil }
	case *selectNode:
		err = p.planSelect(b, st)
	case *insertNode:
		err = p.planInsert(b, st)
	case *updateNode:
		err = p.planUpdate(b, st)
	case *deleteNode:
		err = p.planDelete(b, st)
	default:
		p.planControl(st, sql)
	}
	if err != nil {
		return nil, withSQL(err, sql)
	}
	for i, k := range b.params {
		if k == kindUnknown {
			return nil, pgErrorf("42P18", "could not determine data type of parameter $%d", i+1)
		}
	}
	p.params = b.params
	return p, nil
}

func withSQL(err error, sql string) error {
	if u, ok := err.(*UnsupportedError); ok && u.SQL == "" {
		return &UnsupportedError{Construct: u.Construct, SQL: sql}
	}
	return err
}

// project binds a target list.
func (b *binder) project(targets []targetNode, visible int) ([]expr, []pgconn.FieldDescription, error) {
	var out []expr
	var fields []pgconn.FieldDescription
	add := func(e expr, name string, k kind) {
		out = append(out, e)
		fields = append(fields, pgconn.FieldDescription{Name: name, DataTypeOID: k.oid(), DataTypeSize: k.size(), TypeModifier: -1, Format: 1})
	}
	for _, t := range targets {
		if t.star == "" {
			e, err := b.bind(t.e)
			if err != nil {
				return nil, nil, err
			}
			if e, err = b.settle(e, kindText); err != nil {
				return nil, nil, err
			}
			if e.k == kindFloat8 || e.k.element() != kindUnknown {
				return nil, nil, &UnsupportedError{Construct: "result of type " + e.k.String()}
			}
			add(e.e, t.name, e.k)
			continue
		}
		found := false
		for _, r := range b.rels[:visible] {
			if t.star != "*" && t.star != r.alias {
				continue
			}
			found = true
			for _, name := range r.def.names {
				e, err := b.column(&columnNode{table: r.alias, name: name})
				if err != nil {
					return nil, nil, err
				}
				add(e.e, name, e.k)
			}
		}
		if !found {
			if t.star == "*" {
				return nil, nil, pgError("42601", "SELECT * with no tables specified is not valid")
			}
			return nil, nil, pgErrorf("42P01", "missing FROM-clause entry for table \"%s\"", t.star)
		}
	}
	return out, fields, nil
}

var smallTags = map[string][]pgconn.CommandTag{}

func init() {
	for _, verb := range []string{"SELECT ", "INSERT 0 ", "UPDATE ", "DELETE "} {
		for n := range 32 {
			smallTags[verb] = append(smallTags[verb], pgconn.NewCommandTag(verb+strconv.Itoa(n)))
		}
	}
}

func tag(verb string, n int) pgconn.CommandTag {
	if n < 32 {
		return smallTags[verb][n]
	}
	return pgconn.NewCommandTag(verb + strconv.Itoa(n))
}
