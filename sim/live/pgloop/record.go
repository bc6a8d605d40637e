package pgloop

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dlsim/sim/virtual/postgres"
)

// record is where triggers write down what a transaction does to rows, in the transaction itself.
const record = `
CREATE SCHEMA dlsim;
CREATE TABLE dlsim.record (seq bigserial PRIMARY KEY, tx xid8 NOT NULL, relname text NOT NULL, was jsonb, becomes jsonb);
CREATE INDEX ON dlsim.record (tx);
CREATE FUNCTION dlsim.note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO dlsim.record (tx, relname, was, becomes) VALUES (pg_current_xact_id(), TG_TABLE_NAME,
        CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END, CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END);
    RETURN NULL;
END $$;`

// table is what the record's rows are made of.
type table struct {
	columns []string // in the order of the table's definition
	types   []string
	key     []int // the primary key's columns
}

const columns = `
SELECT c.table_name, c.column_name, c.data_type,
       EXISTS (SELECT FROM information_schema.table_constraints t JOIN information_schema.key_column_usage k USING (constraint_name)
               WHERE t.constraint_type = 'PRIMARY KEY' AND t.table_name = c.table_name AND k.column_name = c.column_name)
FROM information_schema.columns c WHERE c.table_schema = 'public' ORDER BY c.table_name, c.ordinal_position`

// audit learns the tables and puts the triggers on them.
func (s *Server) audit(ctx context.Context) error {
	s.tables = map[string]*table{}
	rows, err := s.control.Query(ctx, columns)
	if err != nil {
		return fmt.Errorf("read the tables of paydb: %w", err)
	}
	var triggers strings.Builder
	for rows.Next() {
		var name, column, kind string
		var key bool
		if err := rows.Scan(&name, &column, &kind, &key); err != nil {
			return fmt.Errorf("read the tables of paydb: %w", err)
		}
		t := s.tables[name]
		if t == nil {
			t = &table{}
			s.tables[name] = t
			fmt.Fprintf(&triggers, "CREATE TRIGGER dlsim_note AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION dlsim.note();\n", name)
		}
		if key {
			t.key = append(t.key, len(t.columns))
		}
		t.columns, t.types = append(t.columns, column), append(t.types, kind)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the tables of paydb: %w", err)
	}
	if _, err := s.control.PgConn().Exec(ctx, triggers.String()).ReadAll(); err != nil {
		return fmt.Errorf("record what happens in paydb: %w", err)
	}
	return nil
}

const changes = `
SELECT pg_current_xact_id_if_assigned() IS NOT NULL, r.relname, r.was::text, r.becomes::text
FROM (SELECT) one LEFT JOIN dlsim.record r ON r.tx = pg_current_xact_id_if_assigned() ORDER BY r.seq`

// Changes implements virtual.PostgresSession.
func (b *session) Changes() (out []postgres.RowChange, numbered bool, err error) {
	ctx, cancel := limited()
	defer cancel()
	rows, err := b.conn.Query(ctx, changes)
	if err != nil {
		return nil, false, fmt.Errorf("read what a transaction has done: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var name *string
		var was, becomes []byte
		if err := rows.Scan(&numbered, &name, &was, &becomes); err != nil {
			return nil, false, fmt.Errorf("read what a transaction has done: %w", err)
		}
		if name == nil {
			continue
		}
		t := b.server.tables[*name]
		c := postgres.RowChange{Table: *name, Columns: t.columns}
		if c.Old, err = t.row(was); err == nil {
			c.New, err = t.row(becomes)
		}
		if err != nil {
			return nil, false, fmt.Errorf("read what a transaction has done to %s: %w", *name, err)
		}
		out = merge(out, t, c)
	}
	gone := func(c postgres.RowChange) bool { return c.Old == nil && c.New == nil }
	return slices.DeleteFunc(out, gone), numbered, rows.Err()
}

// merge makes one net change of several to a row.
func merge(out []postgres.RowChange, t *table, c postgres.RowChange) []postgres.RowChange {
	if c.Old == nil {
		return append(out, c)
	}
	for i := len(out) - 1; i >= 0; i-- {
		before := &out[i]
		if before.Table == c.Table && before.New != nil && t.same(before.New, c.Old) {
			before.New = c.New
			return out
		}
	}
	return append(out, c)
}

func (t *table) same(a, b []any) bool {
	for _, i := range t.key {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// row reads a row as the triggers write it; nil is none.
func (t *table) row(text []byte) ([]any, error) {
	if text == nil {
		return nil, nil
	}
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		return nil, err
	}
	row := make([]any, len(t.columns))
	for i, name := range t.columns {
		switch v := fields[name].(type) {
		case nil:
		case json.Number:
			n, err := v.Int64()
			if err != nil || t.types[i] != "bigint" && t.types[i] != "integer" {
				return nil, fmt.Errorf("column %s is a %s", name, t.types[i])
			}
			row[i] = n
		case string:
			if t.types[i] != "text" {
				return nil, fmt.Errorf("column %s is a %s", name, t.types[i])
			}
			row[i] = v
		case bool:
			row[i] = v
		default:
			return nil, fmt.Errorf("column %s is a %s", name, t.types[i])
		}
	}
	return row, nil
}
