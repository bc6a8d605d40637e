package postgres

import "github.com/jackc/pgx/v5/pgconn"

// Result is what a statement answers. It is the session's own and holds until its next statement.
type Result struct {
	Fields []pgconn.FieldDescription // nil when the statement returns no rows
	// Rows hold values as RowChange describes them; sums of bigint and extract() are
	// pgtype.Numeric.
	Rows [][]any
	Tag  pgconn.CommandTag
}

// answer makes the statement's result.
func (s *Session) answer(fields []pgconn.FieldDescription, tag pgconn.CommandTag) *Result {
	s.result = Result{Fields: fields, Rows: s.rows, Tag: tag}
	return &s.result
}

// emit adds a row of targets to the result.
func (s *Session) emit(c *evalCtx, targets []expr) error {
	from := len(s.cells)
	for _, e := range targets {
		v, err := e(c)
		if err != nil {
			return err
		}
		s.cells = append(s.cells, v)
	}
	s.rows = append(s.rows, s.cells[from:len(s.cells):len(s.cells)])
	return nil
}
