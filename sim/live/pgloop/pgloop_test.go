package pgloop

import (
	"context"
	"errors"
	"os"
	"reflect"
	"testing"
	"time"

	"dlsim/sim/live/pgcluster"
	"dlsim/sim/virtual"
	"dlsim/sim/virtual/postgres"

	"github.com/jackc/pgx/v5/pgconn"
)

const schema = `CREATE TABLE t (k text PRIMARY KEY, n bigint, note text)`

func begin(t *testing.T) *Server {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := Start(ctx)
	var missing *pgcluster.NotFoundError
	if errors.As(err, &missing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.Begin(schema); err != nil {
		t.Fatal(err)
	}
	return s
}

func connect(t *testing.T, s *Server) virtual.PostgresSession {
	b, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// do has a statement answered at once.
func do(t *testing.T, b virtual.PostgresSession, sql string, args ...any) *postgres.Result {
	t.Helper()
	if !b.Send(sql, args) {
		t.Fatalf("%s waits", sql)
	}
	r, err := b.Answer()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return r
}

func free(t *testing.T, b virtual.PostgresSession) bool {
	t.Helper()
	free, err := b.Free()
	if err != nil {
		t.Fatal(err)
	}
	return free
}

func code(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

func TestWaitsAreSeenAndEndWithWhatTheyWaitFor(t *testing.T) {
	s := begin(t)
	a, b, c := connect(t, s), connect(t, s), connect(t, s)
	do(t, a, "INSERT INTO t VALUES ('x', 1, NULL)")
	const add = "UPDATE t SET n = n + $1 WHERE k = 'x'"
	do(t, a, "begin")
	do(t, a, add, 1)
	for _, other := range []virtual.PostgresSession{b, c} {
		do(t, other, "begin")
		if other.Send(add, []any{int64(10)}) {
			t.Fatal("an update of a locked row is answered")
		}
	}
	if free(t, b) || free(t, c) {
		t.Fatal("a wait is over though nothing has happened")
	}
	do(t, a, "commit")
	if !free(t, b) || free(t, c) {
		t.Fatal("the first who waited is next, the second waits for the first")
	}
	time.Sleep(5 * time.Millisecond)
	if free(t, c) {
		t.Fatal("the first goes on before it is let")
	}
	if !b.Resume() {
		t.Fatal("the first does not get the row")
	}
	if !free(t, c) || c.Resume() {
		t.Fatal("the second gets its turn, and then waits for the first one's transaction")
	}
	c.Cancel()
	if _, err := c.Answer(); code(err) != "57014" || c.Block() != 'E' {
		t.Errorf("a wait that was cancelled: %v, status %c", err, c.Block())
	}
	do(t, b, "commit")
	if r := do(t, a, "SELECT n FROM t"); !reflect.DeepEqual(r.Rows, [][]any{{int64(12)}}) {
		t.Errorf("%v", r.Rows)
	}
	if got := s.Counts(); got.Waits != 2 {
		t.Errorf("%+v", got)
	}
}

func TestATerminatedSessionLetsGoAndIsToldSo(t *testing.T) {
	s := begin(t)
	a, b := connect(t, s), connect(t, s)
	do(t, a, "begin")
	do(t, a, "INSERT INTO t VALUES ('x', 1, NULL)")
	if b.Send("INSERT INTO t VALUES ('x', 2, NULL)", nil) {
		t.Fatal("a key that somebody else is about to insert does not wait")
	}
	a.Terminate()
	if !free(t, b) || !b.Resume() {
		t.Fatal("the wait outlives the session it was for")
	}
	if _, err := b.Answer(); err != nil {
		t.Error(err)
	}
	c := connect(t, s)
	do(t, b, "begin")
	do(t, b, "UPDATE t SET n = 3")
	if c.Send("UPDATE t SET n = 4", nil) {
		t.Fatal("does not wait")
	}
	c.Terminate()
	if _, err := c.Answer(); code(err) != "57P01" {
		t.Errorf("terminated while it waited: %v", err)
	}
}

func TestChangesAreNetAndInOrderOfFirstTouch(t *testing.T) {
	s := begin(t)
	a := connect(t, s)
	do(t, a, "INSERT INTO t VALUES ('old', 1, 'kept'), ('gone', 2, NULL), ('locked', 0, NULL)")
	do(t, a, "begin")
	if rows, numbered, err := a.Changes(); err != nil || numbered || len(rows) > 0 {
		t.Errorf("of nothing: %v, %v, %v", rows, numbered, err)
	}
	do(t, a, "SELECT 1 FROM t WHERE k = 'locked' FOR UPDATE")
	if rows, numbered, err := a.Changes(); err != nil || !numbered || len(rows) > 0 {
		t.Errorf("of a lock: %v, %v, %v", rows, numbered, err)
	}
	do(t, a, "INSERT INTO t VALUES ('new', 9007199254740993, NULL)")
	do(t, a, "UPDATE t SET n = 5 WHERE k = 'old'")
	do(t, a, "INSERT INTO t VALUES ('brief', 1, NULL)")
	do(t, a, "UPDATE t SET n = 6 WHERE k = 'old'")
	do(t, a, "DELETE FROM t WHERE k IN ('gone', 'brief')")
	rows, _, err := a.Changes()
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{"k", "n", "note"}
	want := []postgres.RowChange{
		{Table: "t", Columns: columns, New: []any{"new", int64(9007199254740993), nil}},
		{Table: "t", Columns: columns, Old: []any{"old", int64(1), "kept"}, New: []any{"old", int64(6), "kept"}},
		{Table: "t", Columns: columns, Old: []any{"gone", int64(2), nil}},
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("%v", rows)
	}
	// The next world finds nothing of this one.
	if err := s.Begin(schema); err != nil {
		t.Fatal(err)
	}
	if r := do(t, connect(t, s), "SELECT count(*) FROM t"); !reflect.DeepEqual(r.Rows, [][]any{{int64(0)}}) {
		t.Errorf("%v", r.Rows)
	}
}

func TestACircleOfWaitsIsSeen(t *testing.T) {
	s := begin(t)
	a, b := connect(t, s), connect(t, s)
	do(t, a, "INSERT INTO t VALUES ('x', 0, NULL), ('y', 0, NULL)")
	for k, session := range map[string]virtual.PostgresSession{"x": a, "y": b} {
		do(t, session, "begin")
		do(t, session, "UPDATE t SET n = 1 WHERE k = $1", k)
	}
	if a.Send("UPDATE t SET n = 2 WHERE k = 'y'", nil) {
		t.Fatal("does not wait")
	}
	if found, err := a.Deadlocked(); found || err != nil {
		t.Errorf("no circle yet: %v, %v", found, err)
	}
	if b.Send("UPDATE t SET n = 2 WHERE k = 'x'", nil) {
		t.Fatal("does not wait")
	}
	if found, err := a.Deadlocked(); !found || err != nil {
		t.Errorf("a circle: %v, %v", found, err)
	}
}
