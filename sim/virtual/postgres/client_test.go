package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"dlsim/system/host"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var _ host.DB = (*Pool)(nil)

// direct is a connection without a network, for statements that never wait.
type direct struct {
	s      *Session
	broken error // what the next Exec fails with, after running
	dead   bool
}

func (d *direct) Exec(_ context.Context, sql string, args []any) (*Result, error) {
	res, err := d.s.Exec(sql, args)
	if d.broken != nil {
		d.dead = true
		return nil, d.broken
	}
	return res, err
}

func (d *direct) Dead() bool { return d.dead }
func (d *direct) Close()     { d.dead = true; d.s.Close() }

// still is an Env whose clock stands and in which nothing may wait.
type still struct{ now int64 }

func (e *still) Now() int64                         { return e.now }
func (e *still) Wait(*Session)                      { panic("a statement waits") }
func (e *still) Wake(*Session)                      {}
func (e *still) After(time.Duration, func()) func() { return func() {} }
func (e *still) Flush(*Session)                     {}
func (e *still) Committed(*Commit)                  {}

type dialer struct {
	srv   *Server
	conns []*direct
}

func (d *dialer) Dial(context.Context) (Conn, error) {
	s, err := d.srv.Connect()
	if err != nil {
		return nil, err
	}
	c := &direct{s: s}
	d.conns = append(d.conns, c)
	return c, nil
}

type places struct{ free int }

var errFull = errors.New("full")

func (p *places) Acquire(context.Context) error {
	if p.free == 0 {
		return errFull
	}
	p.free--
	return nil
}

func (p *places) Release() { p.free++ }

const clientSchema = `create table t (id bigint primary key, name text, n integer, ok boolean, at timestamptz, len interval)`

func newClient(t testing.TB) (*Pool, *dialer, *places) {
	srv := NewServer(&still{now: time.Date(2026, 1, 1, 0, 0, 0, 1234, time.UTC).UnixNano()}, Options{})
	if err := srv.Script(clientSchema); err != nil {
		t.Fatal(err)
	}
	d, p := &dialer{srv: srv}, &places{free: 2}
	return NewPool(d, p), d, p
}

var bg = context.Background()

func mustExec(t testing.TB, p *Pool, sql string, args ...any) {
	t.Helper()
	if _, err := p.Exec(bg, sql, args...); err != nil {
		t.Fatal(err)
	}
}

func TestScanFillsBasicKindsAndPointersForNull(t *testing.T) {
	p, _, _ := newClient(t)
	mustExec(t, p, `insert into t values ($1, $2, $3, $4, $5, $6)`, 1, "a", int32(7), true, time.Date(2026, 3, 4, 5, 6, 7, 8999, time.UTC), time.Minute)
	mustExec(t, p, `insert into t (id) values (2)`)
	var (
		id  int
		s   string
		n   int64
		ok  bool
		at  time.Time
		len time.Duration
	)
	if err := p.QueryRow(bg, `select * from t where id = $1`, int64(1)).Scan(&id, &s, &n, &ok, &at, &len); err != nil {
		t.Fatal(err)
	}
	if id != 1 || s != "a" || n != 7 || !ok || !at.Equal(time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC)) || len != time.Minute {
		t.Fatal(id, s, n, ok, at, len)
	}
	for id, null := range map[int64]bool{1: false, 2: true} {
		var (
			s  *string
			n  *int64
			ok *bool
			at *time.Time
		)
		if err := p.QueryRow(bg, `select name, n, ok, at from t where id = $1`, id).Scan(&s, &n, &ok, &at); err != nil {
			t.Fatal(err)
		}
		if (s == nil) != null || (n == nil) != null || (ok == nil) != null || (at == nil) != null {
			t.Fatal(id, s, n, ok, at)
		}
		if at != nil && at.Location() != time.UTC {
			t.Fatal("a time in the machine's zone")
		}
	}
	var total int64
	if err := p.QueryRow(bg, `select sum(id), extract(epoch from interval '2 seconds') from t`).Scan(&total, new(float64)); err != nil || total != 3 {
		t.Fatal(total, err)
	}
}

func TestScanFailsAsPgxDoes(t *testing.T) {
	p, _, free := newClient(t)
	mustExec(t, p, `insert into t (id) values (1)`)
	var s string
	err := p.QueryRow(bg, `select name from t`).Scan(&s)
	if err == nil || err.Error() != "can't scan into dest[0] (col: name): cannot scan NULL into *string" {
		t.Fatal(err)
	}
	if err := p.QueryRow(bg, `select name from t where id = 5`).Scan(&s); !errors.Is(err, pgx.ErrNoRows) {
		t.Fatal(err)
	}
	if err := p.QueryRow(bg, `select id, name from t`).Scan(&s); err == nil {
		t.Fatal("two columns fit one destination")
	}
	if free.free != 2 {
		t.Fatal("a connection was not given back")
	}
}

func TestRowsHoldTheirConnectionUntilClosed(t *testing.T) {
	p, d, free := newClient(t)
	mustExec(t, p, `insert into t (id) values (1), (2)`)
	rows, err := p.Query(bg, `select id from t order by id`)
	if err != nil {
		t.Fatal(err)
	}
	if free.free != 1 {
		t.Fatal(free.free)
	}
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if rows.Err() != nil || len(ids) != 2 || rows.CommandTag().RowsAffected() != 2 || free.free != 2 {
		t.Fatal(rows.Err(), ids, rows.CommandTag(), free.free)
	}
	got, err := pgx.CollectRows(must(p.Query(bg, `select id from t order by id desc`)), pgx.RowTo[int64])
	if err != nil || len(got) != 2 || got[0] != 2 {
		t.Fatal(got, err)
	}
	if len(d.conns) != 1 {
		t.Fatal("the idle connection was not used again")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestCommitOfAFailedTransaction(t *testing.T) {
	p, d, _ := newClient(t)
	tx := must(p.BeginTx(bg, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}))
	_, err := tx.Exec(bg, `insert into t (id) values (null)`)
	var pe *pgconn.PgError
	if !errors.As(err, &pe) || pe.Code != "23502" {
		t.Fatal(err)
	}
	if err := tx.QueryRow(bg, `select 1`).Scan(new(int64)); !errors.As(err, &pe) || pe.Code != "25P02" {
		t.Fatal(err)
	}
	if err := tx.Commit(bg); !errors.Is(err, pgx.ErrTxCommitRollback) {
		t.Fatal(err)
	}
	if err := tx.Commit(bg); !errors.Is(err, pgx.ErrTxClosed) {
		t.Fatal(err)
	}
	if err := tx.Rollback(bg); !errors.Is(err, pgx.ErrTxClosed) {
		t.Fatal(err)
	}
	if _, err := tx.Exec(bg, `select 1`); !errors.Is(err, pgx.ErrTxClosed) {
		t.Fatal(err)
	}
	mustExec(t, p, `insert into t (id) values (1)`)
	if len(d.conns) != 1 {
		t.Fatal("the connection should be good for another transaction")
	}
}

func TestALostConnection(t *testing.T) {
	for _, at := range []string{"insert", "commit", "rollback"} {
		t.Run("during "+at, func(t *testing.T) {
			p, d, free := newClient(t)
			lost := errors.New("connection reset")
			tx := must(p.BeginTx(bg, pgx.TxOptions{}))
			if at == "insert" {
				d.conns[0].broken = lost
			}
			_, err := tx.Exec(bg, `insert into t (id) values (1)`)
			d.conns[0].broken = lost
			var end error
			if at == "rollback" {
				end = tx.Rollback(bg)
			} else {
				end = tx.Commit(bg)
			}
			switch at {
			case "insert":
				if !errors.Is(err, lost) || !errors.Is(end, pgconn.ErrConnClosed) || end.Error() != "conn closed" {
					t.Fatal(err, end)
				}
			default:
				if err != nil || !errors.Is(end, lost) {
					t.Fatal(err, end)
				}
			}
			if free.free != 2 {
				t.Fatal("place not given back")
			}
			var n int64
			if err := p.QueryRow(bg, `select count(*) from t`).Scan(&n); err != nil {
				t.Fatal(err)
			}
			// The commit was applied, only its answer was lost.
			if want := map[string]int64{"commit": 1}[at]; n != want {
				t.Fatal(n)
			}
			if len(d.conns) != 2 {
				t.Fatal("the lost connection was used again")
			}
		})
	}
}

func TestAContextThatIsDoneSendsNothing(t *testing.T) {
	p, d, free := newClient(t)
	done, cancel := context.WithCancel(bg)
	cancel()
	if _, err := p.Exec(done, `insert into t (id) values (1)`); err != context.Canceled {
		t.Fatal(err)
	}
	tx := must(p.BeginTx(bg, pgx.TxOptions{}))
	_, err := tx.Exec(done, `insert into t (id) values (1)`)
	if !errors.Is(err, context.Canceled) || !pgconn.SafeToRetry(err) {
		t.Fatal(err)
	}
	if _, err := tx.Exec(bg, `insert into t (id) values (2)`); err != nil {
		t.Fatal("the connection should have stayed usable:", err)
	}
	if err := tx.Rollback(done); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if !d.conns[0].dead || free.free != 2 {
		t.Fatal("a rollback that was not sent must close the connection")
	}
	if s := d.srv.Table("t").Rows(); len(s) != 0 {
		t.Fatal(s)
	}
}

func TestThePoolIsBoundedAndLastInFirstOut(t *testing.T) {
	p, d, _ := newClient(t)
	a, b := must(p.BeginTx(bg, pgx.TxOptions{})), must(p.BeginTx(bg, pgx.TxOptions{}))
	if _, err := p.Exec(bg, `select 1`); err != errFull {
		t.Fatal(err)
	}
	if err := a.Commit(bg); err != nil {
		t.Fatal(err)
	}
	if err := b.Commit(bg); err != nil {
		t.Fatal(err)
	}
	var pid int64
	if err := p.QueryRow(bg, `select pg_backend_pid()`).Scan(&pid); err != nil || uint32(pid) != d.conns[1].s.PID() {
		t.Fatal(pid, err)
	}
	mustExec(t, p, `begin`)
	if !d.conns[1].dead {
		t.Fatal("a connection left within a transaction must not be used again")
	}
}

func TestATerminatedSessionIsReplaced(t *testing.T) {
	p, d, _ := newClient(t)
	mustExec(t, p, `select 1`)
	d.conns[0].s.Terminate()
	_, err := p.Exec(bg, `select 1`)
	var pe *pgconn.PgError
	if !errors.As(err, &pe) || pe.Code != "57P01" || pe.Severity != "FATAL" {
		t.Fatal(err)
	}
	mustExec(t, p, `select 1`)
}

func TestArgumentsThatPgxWouldNotSend(t *testing.T) {
	p, _, _ := newClient(t)
	tx := must(p.BeginTx(bg, pgx.TxOptions{}))
	for _, args := range [][]any{{}, {int64(1), int64(2)}, {struct{}{}}, {true}} {
		var bad *ArgumentError
		if _, err := tx.Exec(bg, `insert into t (id) values ($1)`, args...); !errors.As(err, &bad) {
			t.Fatal(args, err)
		}
		if _, err := tx.Query(bg, `select id from t where id = $1`, args...); !errors.As(err, &bad) {
			t.Fatal(args, err)
		}
	}
	if _, err := tx.Exec(bg, `insert into t (id, name) values ($1, $2)`, "5", nil); err != nil {
		t.Fatal("the transaction should not have noticed:", err)
	}
	if err := tx.Commit(bg); err != nil {
		t.Fatal(err)
	}
}

func TestMethodsOutsideTheModelSaySo(t *testing.T) {
	p, _, _ := newClient(t)
	tx := must(p.BeginTx(bg, pgx.TxOptions{}))
	var u *UnsupportedError
	_, nested := tx.Begin(bg)
	_, copied := tx.CopyFrom(bg, nil, nil, nil)
	_, prepared := tx.Prepare(bg, "", "")
	_, batch := tx.SendBatch(bg, &pgx.Batch{}).Exec()
	for name, err := range map[string]error{"Begin": nested, "CopyFrom": copied, "Prepare": prepared, "SendBatch": batch} {
		if !errors.As(err, &u) {
			t.Error(name, err)
		}
	}
	if _, err := p.BeginTx(bg, pgx.TxOptions{IsoLevel: pgx.Serializable}); !errors.As(err, &u) {
		t.Error(err)
	}
}
