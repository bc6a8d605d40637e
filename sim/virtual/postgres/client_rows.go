package postgres

import (
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// rows is a result on its way to the caller.
type rows struct {
	res    *Result
	err    error
	at     int
	closed bool
	held   *link // released on Close; nil within a transaction
	codec  *codec
}

func (r *rows) Close() {
	if r.closed {
		return
	}
	r.closed = true
	if r.held != nil {
		r.held.release()
		r.held = nil
	}
}

func (r *rows) Err() error { return r.err }

func (r *rows) CommandTag() pgconn.CommandTag {
	if r.res == nil || !r.closed {
		return pgconn.CommandTag{}
	}
	return r.res.Tag
}

func (r *rows) FieldDescriptions() []pgconn.FieldDescription {
	if r.res == nil {
		return nil
	}
	return r.res.Fields
}

func (r *rows) Next() bool {
	if r.closed {
		return false
	}
	if r.err != nil || r.at+1 >= len(r.res.Rows) {
		r.Close()
		return false
	}
	r.at++
	return true
}

func (r *rows) fatal(err error) error {
	if r.err == nil {
		r.err = err
	}
	r.Close()
	return err
}

// current is the row that Next moved to.
func (r *rows) current() ([]any, error) {
	if r.closed || r.at < 0 {
		return nil, errRowsClosed
	}
	return r.res.Rows[r.at], nil
}

// Scan fills dest from the current row with pgx's own conversions.
func (r *rows) Scan(dest ...any) error {
	values, err := r.current()
	if err != nil {
		return r.fatal(err)
	}
	if len(dest) == 1 {
		if s, ok := dest[0].(pgx.RowScanner); ok {
			if err := s.ScanRow(r); err != nil {
				return r.fatal(err)
			}
			return nil
		}
	}
	if len(values) != len(dest) {
		return r.fatal(fmt.Errorf("number of field descriptions must equal number of destinations, got %d and %d", len(values), len(dest)))
	}
	for i, v := range values {
		if dest[i] == nil || scanFast(v, dest[i]) {
			continue
		}
		f := &r.res.Fields[i]
		if err := r.codec.scan(f.DataTypeOID, v, dest[i]); err != nil {
			return r.fatal(pgx.ScanArgError{ColumnIndex: i, FieldName: f.Name, Err: err})
		}
	}
	return nil
}

func (r *rows) Values() ([]any, error) {
	values, err := r.current()
	return slices.Clone(values), err
}

func (r *rows) RawValues() [][]byte {
	values, err := r.current()
	if err != nil {
		return nil
	}
	out := make([][]byte, len(values))
	for i, v := range values {
		if out[i], err = r.codec.encode(r.res.Fields[i].DataTypeOID, v); err != nil {
			panic(fmt.Sprintf("postgres: a stored value cannot be encoded: %v", err))
		}
	}
	return out
}

func (r *rows) Conn() *pgx.Conn { return nil }

func (r *rows) TypeMap() *pgtype.Map {
	if r.codec == nil {
		return nil
	}
	return r.codec.types()
}

// row is rows of which one is wanted.
type row rows

func (r *row) Scan(dest ...any) error {
	rows := (*rows)(r)
	if rows.err != nil {
		rows.Close()
		return rows.err
	}
	if !rows.Next() {
		if rows.err == nil {
			return pgx.ErrNoRows
		}
		return rows.err
	}
	err := rows.Scan(dest...)
	rows.Close()
	return err
}

// scanFast handles the destinations that nearly every statement has; false leaves it to pgtype.
func scanFast(v, dest any) bool {
	switch d := dest.(type) {
	case *string:
		if s, ok := v.(string); ok {
			*d = s
			return true
		}
	case *int64:
		switch n := v.(type) {
		case int64:
			*d = n
			return true
		case int32:
			*d = int64(n)
			return true
		}
	case *int32:
		if n, ok := v.(int32); ok {
			*d = n
			return true
		}
	case *bool:
		if b, ok := v.(bool); ok {
			*d = b
			return true
		}
	case *time.Time:
		if t, ok := v.(time.Time); ok {
			*d = t
			return true
		}
	}
	return false
}

// codec takes values through pgx's wire format, for destinations that need its rules. The type
// map is big, so it is made only when one comes along.
type codec struct{ m *pgtype.Map }

func (c *codec) types() *pgtype.Map {
	if c.m == nil {
		c.m = pgtype.NewMap()
	}
	return c.m
}

func (c *codec) encode(oid uint32, v any) ([]byte, error) {
	if v == nil {
		return nil, nil
	}
	return c.types().Encode(oid, pgtype.BinaryFormatCode, v, nil)
}

func (c *codec) scan(oid uint32, v, dest any) error {
	raw, err := c.encode(oid, v)
	if err != nil {
		return err
	}
	err = c.types().Scan(oid, pgtype.BinaryFormatCode, raw, dest)
	if t, ok := dest.(**time.Time); ok && err == nil && *t != nil {
		**t = (*t).UTC() // pgx answers in the machine's time zone, which a run must not depend on
	}
	return err
}
