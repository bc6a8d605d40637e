package postgres

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

func code(err error) string {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return pe.Severity + " " + pe.Code
	}
	return ""
}

func TestConnectSaysWhyItCannot(t *testing.T) {
	w := newWorld()
	w.srv = NewServer(w, Options{MaxConnections: 1, StartupTime: 3 * time.Second})
	s := must(w.srv.Connect())
	if _, err := w.srv.Connect(); code(err) != "FATAL 53300" {
		t.Fatal(err)
	}
	w.srv.Crash()
	if _, err := s.Exec("select 1", nil); err != ErrConnectionLost {
		t.Fatal(err)
	}
	if _, err := w.srv.Connect(); err != ErrRefused {
		t.Fatal(err)
	}
	w.srv.Recover()
	if _, err := w.srv.Connect(); code(err) != "FATAL 57P03" {
		t.Fatal(err)
	}
	w.advance(4 * time.Second)
	must(w.srv.Connect())
}

func TestACrashMayKeepTheCommitInFlight(t *testing.T) {
	for _, keep := range []bool{false, true} {
		w := newWorld()
		w.srv = NewServer(w, Options{CrashKeepsInFlight: keep})
		if err := w.srv.Script("create table t (id bigint primary key)"); err != nil {
			t.Fatal(err)
		}
		s := must(w.connect("A"))
		w.stalled = true
		w.start(s, "insert into t values (1)", nil)
		w.srv.Crash()
		w.settle()
		if !errors.Is(s.gone, ErrConnectionLost) || !w.tasks[s].done {
			t.Fatal("the client got an answer")
		}
		if rows := w.srv.Table("t").Rows(); len(rows) == 1 != keep || len(w.commits) == 1 != keep {
			t.Fatal(keep, rows, len(w.commits))
		}
	}
}

// Whoever is told of a commit may answer with a crash, while the session is still at it.
func TestACrashMayStrikeAtTheMomentOfACommit(t *testing.T) {
	for _, durable := range []bool{false, true} {
		w := newWorld()
		if err := w.srv.Script("create table t (id bigint primary key, n bigint)"); err != nil {
			t.Fatal(err)
		}
		exec := func(s *Session, sql string) string {
			w.start(s, sql, nil)
			return w.tasks[s].result
		}
		a := must(w.connect("A"))
		exec(a, "insert into t values (1, 0)")
		if !durable {
			exec(a, "set synchronous_commit = off")
		}
		var lost []*Commit
		w.onCommit = func() {
			w.onCommit = nil
			lost = w.srv.Crash()
		}
		if got := exec(a, "update t set n = 1"); got != "error: "+ErrConnectionLost.Error() {
			t.Error("the client got an answer:", got)
		}
		w.srv.Recover()
		want, gone := "(0) SELECT 1", 1
		if durable {
			want, gone = "(1) SELECT 1", 0
		}
		b := must(w.connect("B"))
		if got := exec(b, "select n from t"); got != want || len(lost) != gone {
			t.Error(durable, got, len(lost))
		}
		for range 3 {
			exec(b, "update t set n = 7")
		}
		if got := exec(b, "select n from t"); got != "(7) SELECT 1" || w.srv.Table("t").live != 1 {
			t.Error(got, w.srv.Table("t").live)
		}
	}
}

func TestAnErrorCarriesItsConstraint(t *testing.T) {
	_, d, _ := newClient(t)
	s := must(d.srv.Connect())
	must(s.Exec("insert into t (id) values (1)", nil))
	_, err := s.Exec("insert into t (id) values (1)", nil)
	var pe *pgconn.PgError
	if !errors.As(err, &pe) || pe.ConstraintName != "t_pkey" || pe.TableName != "t" || pe.Detail != "Key (id)=(1) already exists." {
		t.Fatalf("%+v", pe)
	}
}

func TestServersShareACatalogAndNothingElse(t *testing.T) {
	c := NewCatalog()
	for range 2 {
		a := NewServer(&still{}, Options{Catalog: c})
		b := NewServer(&still{}, Options{Catalog: c})
		if err := a.Script("create table t (id bigint primary key); create sequence q"); err != nil {
			t.Fatal(err)
		}
		if err := b.Script("create table t (other text)"); err != nil {
			t.Fatal(err)
		}
		sa, sb := must(a.Connect()), must(b.Connect())
		must(sa.Exec("insert into t values (nextval('q'))", nil))
		must(sb.Exec("insert into t values ('x')", nil))
		if got := formatResult(sa.Exec("select * from t", nil)); got != "(1) SELECT 1" {
			t.Fatal(got)
		}
		if got := formatResult(sb.Exec("select * from t", nil)); got != "(x) SELECT 1" {
			t.Fatal(got)
		}
	}
}

func TestOldVersionsGoWhenNobodyCanSeeThem(t *testing.T) {
	w := newWorld()
	if err := w.srv.Script("create table t (id bigint primary key, n bigint)"); err != nil {
		t.Fatal(err)
	}
	a, b := must(w.connect("A")), must(w.connect("B"))
	exec := func(s *Session, sql string) string {
		w.start(s, sql, nil)
		return w.tasks[s].result
	}
	exec(a, "insert into t values (1, 0)")
	exec(b, "begin isolation level repeatable read")
	exec(b, "select n from t")
	for range 100 {
		exec(a, "update t set n = n + 1")
	}
	table := w.srv.Table("t")
	if table.live != 101 {
		t.Fatal("a snapshot must hold back what it may see:", table.live)
	}
	if got := exec(b, "select n from t where id = 1"); got != "(0) SELECT 1" {
		t.Fatal(got)
	}
	exec(b, "commit")
	exec(a, "update t set n = n + 1")
	if table.live != 1 {
		t.Fatal("old versions stay:", table.live)
	}
	for range 10 {
		exec(a, "begin")
		for range 10 {
			exec(a, "update t set n = n + 1")
		}
		exec(a, "rollback")
		exec(a, "begin")
		exec(a, "update t set n = n + 1")
		exec(a, "update t set n = n + 1")
		exec(a, "commit")
	}
	if got := exec(a, "select n from t where id = 1"); got != "(121) SELECT 1" || table.live != 1 {
		t.Fatal(got, table.live)
	}
}
