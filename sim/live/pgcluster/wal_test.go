package pgcluster

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Every insert was acknowledged, with synchronous_commit on. Those before the cut are there after
// recovery, those after it are not, and the server goes on from there; twice over.
func TestWhatALogLosesWasAcknowledgedAndIsGone(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := Start(ctx, install(t), Options{Settings: Lying})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var conn *pgx.Conn
	connect := func() {
		if conn, err = pgx.Connect(ctx, c.SocketDSN()); err != nil {
			t.Fatal(err)
		}
	}
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(ctx, sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	connect()
	exec("CREATE TABLE kept (id int PRIMARY KEY, pad text)")
	next, want := 0, []int{}
	for round := range 2 {
		// More than one file of the log on either side of the cut.
		insert := func(n int) (made []int) {
			for range n {
				next++
				exec("INSERT INTO kept VALUES ($1, repeat('x', 4000))", next)
				made = append(made, next)
			}
			return made
		}
		want = append(want, insert(400)...)
		var position int64
		if err := conn.QueryRow(ctx, "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint").Scan(&position); err != nil {
			t.Fatal(err)
		}
		insert(400)
		if err := c.CutLog(position); err == nil {
			t.Error("the log of a running server was cut")
		}
		c.Kill()
		if err := c.CutLog(position); err != nil {
			t.Fatal(err)
		}
		if err := c.Restart(ctx); err != nil {
			t.Fatal(err)
		}
		connect()
		rows, err := conn.Query(ctx, "SELECT id FROM kept ORDER BY id")
		if err != nil {
			t.Fatal(err)
		}
		got, err := pgx.CollectRows(rows, pgx.RowTo[int])
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("round %d: %d rows, want %d; %v", round, len(got), len(want), err)
		}
	}
}
